"""Numbers of money and speed on the command line: decimal, exact, and not negative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework.errors import CostError

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["decimal_number"]


def decimal_number(value: str | Decimal) -> Decimal:
    """Reads a decimal number from 0 on, as the type of an option.

    Raises:
        click.BadParameter: It is none.
    """
    from piecework._cost.amounts import exact  # noqa: PLC0415 - only commands about money

    try:
        return exact(value, "the number")
    except CostError as error:
        raise click.BadParameter(error.message) from None
