"""What calls and conversations cost in money and time, and what bills say afterwards.

Money is decimal and exact; every price carries its source and date; an unknown price is an error and never zero.
Everything loads on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._cost.conversation_result import ConversationCost
    from piecework._cost.plan import Caching
    from piecework._cost.result import Cost

__all__ = ["Caching", "ConversationCost", "Cost"]

_HOMES = {"Caching": "plan", "ConversationCost": "conversation_result", "Cost": "result"}

__getattr__ = lazy_names(__name__, _HOMES)
