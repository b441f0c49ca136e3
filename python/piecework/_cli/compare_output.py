"""How a comparison is printed: tables, one CSV a file, or JSON."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from piecework._cli.output import open_output

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._measure import Comparison
    from piecework._measure.table_formats import TableFormat

__all__ = ["Shown", "print_comparison", "words_path"]


class Shown(NamedTuple):
    """What of a comparison is printed.

    Attributes:
        table_format: How; None as JSON.
        methods: The paragraph on method alone.
        window: The tokens that shares are of.
        extrapolate: The tokens of the document that is extrapolated from.
    """

    table_format: TableFormat | None
    methods: bool
    window: int | None
    extrapolate: int | None


def print_comparison(result: Comparison, shown: Shown, printing: Printing) -> None:
    """Prints a comparison to what -o names; as CSV, the costliest words go into a file beside it."""
    if shown.methods:
        _print(printing.output, result.methods())
        return
    if shown.table_format is None:
        with open_output(printing.output) as output:
            output.json("piecework.compare/1", _json(result, shown))
        return
    table = result.table(shown.table_format, window=shown.window, extrapolate=shown.extrapolate)
    if shown.table_format == "csv" and result.worst and printing.output is not None:
        beside = words_path(printing.output)
        _print(beside, result.words_csv())
        printing.note(f"the words that cost most are in {beside}")
    _print(printing.output, table)


def words_path(output: str) -> str:
    """The file of the costliest words, beside that of the figures.

    Examples:
        >>> words_path("out/figures.csv")
        'out/figures.words.csv'
    """
    path = PurePath(output)
    return str(path.with_name(f"{path.stem}.words{path.suffix or '.csv'}"))


def _print(path: str | None, text: str) -> None:
    with open_output(path) as output:
        output.line(text)


def _json(result: Comparison, shown: Shown) -> dict[str, object]:
    found = result.to_dict()
    extrapolated = [] if shown.extrapolate is None else result.extrapolate(shown.extrapolate)
    found["extrapolations"] = [one.to_dict() for one in extrapolated]
    found["methods"] = result.methods()
    if shown.window is not None:
        found["window"] = shown.window
        found["window_shares"] = [
            {"tokenizer": cell.tokenizer, "key": cell.key, "share": cell.n_tokens / shown.window}
            for cell in result.cells
        ]
    return found
