"""Windows, what fits into them, and what to drop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._budget.budget import Budget
    from piecework._budget.change import BudgetChange, LineChange
    from piecework._budget.limits import Limit, Limits, model_limits
    from piecework._budget.line import Line
    from piecework._budget.naive import Cut, naive_cut
    from piecework._budget.packed import Drop, Packed

__all__ = [
    "Budget",
    "BudgetChange",
    "Cut",
    "Drop",
    "Limit",
    "Limits",
    "Line",
    "LineChange",
    "Packed",
    "model_limits",
    "naive_cut",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Budget": "budget",
        "BudgetChange": "change",
        "Cut": "naive",
        "Drop": "packed",
        "Limit": "limits",
        "Limits": "limits",
        "Line": "line",
        "LineChange": "change",
        "Packed": "packed",
        "model_limits": "limits",
        "naive_cut": "naive",
    },
)
