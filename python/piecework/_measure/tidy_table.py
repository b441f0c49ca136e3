"""All figures of a comparison for programs: a text under a tokenizer a row, each number and each end of an interval a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from piecework._measure.table_formats import Table
from piecework._measure.tables import MEASURES

if TYPE_CHECKING:
    from piecework._measure.bootstrap import Interval
    from piecework._measure.comparison import Comparison, Extrapolation
    from piecework._measure.figures import Cell, TextFigures

__all__ = ["tidy_table"]

_OF_TEXT = ("n_rows", "n_left_out", "n_characters", "n_bytes", "n_words")
_WITH_ENDS = ("premium", "tokens_per_word", "bytes_per_token", "split_share")


def tidy_table(
    result: Comparison, *, window: int | None, extrapolated: Sequence[Extrapolation] = ()
) -> Table:
    """The cells of a comparison.

    Args:
        result: The comparison.
        window: Adds `window_share`, the share of so many tokens.
        extrapolated: Adds the expected tokens of a document, with both ends.
    """
    heads = ["key", "name", "tokenizer", *_OF_TEXT, "n_tokens"]
    for measure in MEASURES:
        heads += _heads(measure.name) if measure.name in _WITH_ENDS else [measure.name]
    heads += ["n_unknown", "source", "label", "basis"]
    heads += ["window_share"] if window else []
    heads += ["extrapolated_from", *_heads("extrapolated")] if extrapolated else []
    beyond = {(one.tokenizer, one.key): one for one in extrapolated}
    texts = {text.key: text for text in result.texts}
    basis = {one.name: one.basis for one in result.tokenizers}
    rows = []
    for cell in result.cells:
        row = _of_cell(cell, texts[cell.key])
        row += [str(cell.n_unknown), result.source, result.label or "", basis[cell.tokenizer]]
        row += [repr(cell.n_tokens / window)] if window else []
        if extrapolated:
            one = beyond.get((cell.tokenizer, cell.key))
            row += ["", "", "", ""] if one is None else [str(one.n_tokens), *_ends(one.expected)]
        rows.append(row)
    return Table("", heads, rows)


def _of_cell(cell: Cell, text: TextFigures) -> list[str]:
    row = [cell.key, text.name, cell.tokenizer, *(str(getattr(text, name)) for name in _OF_TEXT)]
    row.append(str(cell.n_tokens))
    for measure in MEASURES:
        value = getattr(cell, measure.name)
        row += _ends(value) if measure.name in _WITH_ENDS else ["" if value is None else repr(value)]
    return row


def _heads(name: str) -> list[str]:
    return [name, f"{name}_low", f"{name}_high"]


def _ends(value: Interval | None) -> list[str]:
    ends = (None, None, None) if value is None else (value.value, value.low, value.high)
    return ["" if end is None else repr(end) for end in ends]
