"""Find orders whose card was charged more than once.

A payment that repeats the amount of an earlier one for the same order, within a short time, is a duplicate: card
terminals and impatient fingers make them. The rest (partial payments, a second purchase a week later) is left alone.

    python duplicate_charges.py payments.csv --within 120
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path

COLUMNS = ("payment_id", "order_id", "amount", "currency", "captured_at")


@dataclass(frozen=True, slots=True)
class Payment:
    """One captured payment."""

    payment_id: str
    order_id: str
    amount: Decimal
    currency: str
    captured_at: datetime


class BadRowError(ValueError):
    """A row that is not a payment, and where it stands."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


def read_payments(path: Path) -> Iterator[Payment]:
    """Read payments from a CSV file with a header.

    Raises:
        BadRowError: A column is missing, or an amount or a time cannot be read.
    """
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
        if missing:
            raise BadRowError(1, f"no column {', '.join(missing)}")
        for row in rows:
            try:
                yield Payment(
                    payment_id=row["payment_id"],
                    order_id=row["order_id"],
                    amount=Decimal(row["amount"]),
                    currency=row["currency"].upper(),
                    captured_at=datetime.fromisoformat(row["captured_at"]),
                )
            except (InvalidOperation, ValueError) as error:
                raise BadRowError(rows.line_num, str(error)) from error


def duplicates(payments: Iterable[Payment], within: timedelta) -> Iterator[tuple[Payment, Payment]]:
    """Each payment that repeats an earlier one, with the one that it repeats.

    >>> first = Payment("pay_01", "HL-20418", Decimal(112), "USD", datetime(2026, 9, 12, 18, 5, 1))
    >>> again = Payment("pay_02", "HL-20418", Decimal(112), "USD", datetime(2026, 9, 12, 18, 5, 3))
    >>> later = Payment("pay_03", "HL-20418", Decimal(112), "USD", datetime(2026, 9, 20, 9, 0, 0))
    >>> [(a.payment_id, b.payment_id) for a, b in duplicates([first, again, later], timedelta(minutes=2))]
    [('pay_01', 'pay_02')]
    """
    last: dict[tuple[str, Decimal, str], Payment] = {}
    for payment in sorted(payments, key=lambda payment: payment.captured_at):
        key = (payment.order_id, payment.amount, payment.currency)
        earlier = last.get(key)
        if earlier is not None and payment.captured_at - earlier.captured_at <= within:
            yield earlier, payment
        last[key] = payment


def total_by_currency(payments: Iterable[Payment]) -> dict[str, Decimal]:
    """Sum amounts, each currency for itself: 112 USD and 9,800 JPY do not add up to anything."""
    totals: defaultdict[str, Decimal] = defaultdict(Decimal)
    for payment in payments:
        totals[payment.currency] += payment.amount
    return dict(totals)


def main(arguments: list[str] | None = None) -> int:
    """Print what should be refunded; 1 where there is something, 2 where the file cannot be read."""
    parser = argparse.ArgumentParser(description="Find orders whose card was charged more than once.")
    parser.add_argument("payments", type=Path)
    parser.add_argument("--within", type=int, default=120, metavar="SECONDS")
    options = parser.parse_args(arguments)
    try:
        found = list(duplicates(read_payments(options.payments), timedelta(seconds=options.within)))
    except (OSError, BadRowError) as error:
        print(f"{options.payments}: {error}", file=sys.stderr)
        return 2
    for earlier, payment in found:
        print(
            f"{payment.order_id}: {payment.payment_id} repeats {earlier.payment_id} ({payment.amount} {payment.currency})"
        )
    for currency, total in total_by_currency(payment for _, payment in found).items():
        print(f"to refund: {total} {currency}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
