"""Budgets, cuts and packs as the command line prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._cli.budget_bar import budget_bar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from piecework._budget import Budget, Packed
    from piecework._cli.options import Printing
    from piecework._cli.output import Output

__all__ = ["print_budgets", "print_cuts", "print_packed"]


def print_budgets(
    output: Output, printing: Printing, budgets: Sequence[Budget], changed: Sequence[Budget]
) -> None:
    """Prints budgets one under the other, each with its bar; after a change, what changed."""
    if printing.json:
        rows = [budget.to_dict() for budget in budgets]
        changes = [new.difference(old).to_dict() for new, old in zip(changed, budgets, strict=False)]
        output.json("piecework.budget/1", {"budgets": rows, **({"changes": changes} if changed else {})})
        return
    plain = printing.plain or not output.is_terminal
    for at, budget in enumerate(budgets):
        shown = changed[at] if changed else budget
        if at:
            output.line("")
        if shown.model is not None:
            output.line(shown.model)
        for line in [*budget_bar(shown, plain=plain), "", *str(shown).splitlines()]:
            output.line(line)
        if changed:
            output.line("")
            output.line(str(shown.difference(budget)))
    if len(budgets) > 1 and not changed:
        for other in budgets[1:]:
            output.line("")
            output.line(f"{other.model} against {budgets[0].model}:")
            output.line(str(other.difference(budgets[0])))


def print_cuts(output: Output, printing: Printing, budget: Budget, side: Literal["front", "back"]) -> None:
    """Prints what cutting the prompt at one end leaves of each part."""
    from piecework._budget import naive_cut  # noqa: PLC0415 - only where it is asked for

    parts = [(line.name, line.reserved_tokens) for line in budget if line.name not in {"answer", "margin"}]
    cuts = naive_cut(parts, budget.available_tokens, side)
    if printing.json:
        rows = [{"name": cut.name, "n_tokens": cut.n_tokens, "kept_tokens": cut.kept_tokens} for cut in cuts]
        output.json(
            "piecework.cut/1", {"side": side, "available_tokens": budget.available_tokens, "parts": rows}
        )
        return
    width = max((len(cut.name) for cut in cuts), default=0)
    output.line(f"cutting the {side} to {budget.available_tokens:,} tokens, silently:")
    for cut in cuts:
        output.line(f"  {cut.name:{width}}  {cut.says}")


def print_packed(printing: Printing, packed: Packed) -> None:
    """Says what was packed and what was dropped."""
    for line in str(packed).splitlines():
        printing.note(line)
