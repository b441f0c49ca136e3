"""How costs are printed: one as its table, those of several models side by side, and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._cli.output import open_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.options import Printing
    from piecework._cost import ConversationCost, Cost

__all__ = ["print_conversations", "print_costs"]


def print_costs(costs: Sequence[Cost], printing: Printing) -> None:
    """Prints calls: one with all its lines, several as a table of models."""
    with open_output(printing.output) as output:
        if printing.json:
            output.json("piecework.cost/1", {"costs": [one.to_dict() for one in costs]})
        elif len(costs) == 1:
            output.line(str(costs[0]))
        else:
            output.line(_table(costs))
            for line in _said(costs):
                output.line(line)


def print_conversations(found: Sequence[ConversationCost], printing: Printing) -> None:
    """Prints conversations, each with its turns."""
    with open_output(printing.output) as output:
        if printing.json:
            output.json("piecework.cost/1", {"conversations": [one.to_dict() for one in found]})
            return
        for at, one in enumerate(found):
            if len(found) > 1:
                output.line(f"{'' if at == 0 else chr(10)}{one.model}")
            output.line(str(one))


def _table(costs: Sequence[Cost]) -> str:
    from piecework._cost.amounts import usd  # noqa: PLC0415 - only where it is printed
    from piecework._cost.line import table_text  # noqa: PLC0415 - as above

    rows = [
        [
            one.model or "given",
            f"{one.usage.input_tokens:,}",
            f"{one.usage.output_tokens:,}",
            usd(one.input_usd),
            usd(one.output_usd),
            usd(one.request_usd),
            usd(one.million_usd),
            one.basis,
        ]
        for one in costs
    ]
    heads = ["model", "input", "output", "for input", "for output", "a call", "a million calls", "counts"]
    return table_text(heads, rows)


def _said(costs: Sequence[Cost]) -> list[str]:
    """What is said of each cost, with the model's name; and the sources, once."""
    said = [f"{one.model or 'given'}: {note}" for one in costs for note in one.notes]
    sources = dict.fromkeys(
        f"{one.source}, as on {one.held_on}" if one.held_on else str(one.source) for one in costs
    )
    return [*said, f"prices: {' and '.join(sources)}"]
