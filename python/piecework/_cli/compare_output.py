"""How a comparison is printed: tables, what follows from them, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from piecework._cli.output import open_output
from piecework._measure.table_formats import Table, TableFormat, render
from piecework._measure.tables import written

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._measure import Comparison, Extrapolation

__all__ = ["print_comparison"]


def print_comparison(
    result: Comparison,
    extrapolated: Sequence[Extrapolation],
    printing: Printing,
    *,
    table_format: TableFormat | Literal["json"],
    methods: bool,
    window: int | None,
) -> None:
    """Prints a comparison to what -o names."""
    with open_output(printing.output) as output:
        if printing.json or table_format == "json":
            output.json("piecework.compare/1", _json(result, extrapolated, window))
        elif methods:
            output.line(result.methods())
        else:
            for part in _parts(result, extrapolated, table_format, window):
                output.line(part)


def _parts(
    result: Comparison, extrapolated: Sequence[Extrapolation], table_format: TableFormat, window: int | None
) -> list[str]:
    tables = [_extrapolation(result, extrapolated)] if extrapolated else []
    tables += [_worst(result, key) for key in dict.fromkeys(word.key for word in result.worst)]
    found = [result.table(table_format, window=window)]
    for table in tables:
        found += ["", render(table, table_format)]
    return found


def _json(result: Comparison, extrapolated: Sequence[Extrapolation], window: int | None) -> dict[str, object]:
    found = result.to_dict()
    found["extrapolations"] = [one.to_dict() for one in extrapolated]
    found["methods"] = result.methods()
    if window is not None:
        found["window"] = window
        found["window_shares"] = [
            {"tokenizer": cell.tokenizer, "key": cell.key, "share": cell.n_tokens / window}
            for cell in result.cells
        ]
    return found


def _extrapolation(result: Comparison, extrapolated: Sequence[Extrapolation]) -> Table:
    names = {text.key: text.name for text in result.texts}
    heads = ["text", "rows", *(one.name for one in result.tokenizers)]
    rows: dict[str, list[str]] = {}
    for one in extrapolated:
        row = rows.setdefault(one.key, [names[one.key], f"{one.n_rows:,}"])
        row.append(written(one.expected, lambda value: f"{value:,.0f}"))
    title = f"A document of {extrapolated[0].n_tokens:,} tokens in {names[result.reference or '']}, in other languages"
    note = (
        "Expected tokens with the 95 % interval over the rows that they rest on. It says nothing of documents of another "
        f"kind than {result.source}{f' ({result.label})' if result.label else ''}."
    )
    return Table(title, heads, list(rows.values()), note)


def _worst(result: Comparison, key: str) -> Table:
    names = {text.key: text.name for text in result.texts}
    heads = ["tokenizer", "word", "tokens", "over reference", "times", "pieces", "why"]
    rows = [
        [
            word.tokenizer,
            word.word,
            f"{word.n_tokens:,}",
            "-" if word.over_reference is None else f"{word.over_reference:.1f}",
            f"{word.n_times:,}",
            "|".join(piece.replace(" ", "·") for piece in word.pieces),
            word.command,
        ]
        for word in result.worst
        if word.key == key
    ]
    note = "Tokens of the word in its place; over reference: relative to the mean word of the reference language."
    return Table(f"Words of {names[key]} that cost most", heads, rows, note)
