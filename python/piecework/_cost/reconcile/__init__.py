"""Bills explained: usage records beside local counts, what makes up the gap, and a calibration that closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._cost.reconcile.reconciliation import ModelReport, Reconciliation
    from piecework._cost.reconcile.reconciling import reconcile_records
    from piecework._cost.reconcile.usage_log import read_usage_log
    from piecework._cost.reconcile.usage_record import UsageRecord, read_record

__all__ = [
    "ModelReport",
    "Reconciliation",
    "UsageRecord",
    "read_record",
    "read_usage_log",
    "reconcile_records",
]

__getattr__ = lazy_names(
    __name__,
    {
        "ModelReport": "reconciliation",
        "Reconciliation": "reconciliation",
        "UsageRecord": "usage_record",
        "read_record": "usage_record",
        "read_usage_log": "usage_log",
        "reconcile_records": "reconciling",
    },
)
