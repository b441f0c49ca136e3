"""The tables that are asked for beside the measures: how long a document would be elsewhere, and the costliest words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from piecework._measure.table_formats import Table
from piecework._measure.tables import written

if TYPE_CHECKING:
    from piecework._measure.comparison import Comparison, Extrapolation
    from piecework._measure.worst import WorstWord

__all__ = ["extrapolation_table", "words_table", "words_to_tidy"]


def extrapolation_table(result: Comparison, extrapolated: Sequence[Extrapolation]) -> Table:
    """How long a document of the reference would be in the other languages; a row for each of them."""
    names = {text.key: text.name for text in result.texts}
    found = {(one.key, one.tokenizer): one for one in extrapolated}
    n_rows = {one.key: f"{one.n_rows:,}" for one in extrapolated}
    rows = [
        # A tokenizer that makes nothing of the reference has no premium.
        [names[key], n, *(_length(found.get((key, tokenizer.name))) for tokenizer in result.tokenizers)]
        for key, n in n_rows.items()
    ]
    title = f"A document of {extrapolated[0].n_tokens:,} tokens in {names[result.reference or '']}, in other languages"
    lost = (
        " * Text is lost to unknown tokens, and the figure flatters." if _is_flattered(extrapolated) else ""
    )
    note = (
        "Expected tokens with the 95 % interval over the rows that they rest on. It says nothing of documents of another "
        f"kind than {result.source}{f' ({result.label})' if result.label else ''}.{lost}"
    )
    return Table(title, ["text", "rows", *(one.name for one in result.tokenizers)], rows, note)


def _length(one: Extrapolation | None) -> str:
    if one is None:
        return "-"
    return written(one.expected, lambda value: f"{value:,.0f}") + ("*" if one.is_flattered else "")


def words_table(result: Comparison, key: str) -> Table:
    """The costliest words of a text, for people."""
    names = {text.key: text.name for text in result.texts}
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
    heads = ["tokenizer", "word", "tokens", "over reference", "times", "pieces", "why"]
    note = "Tokens of the word in its place; over reference: relative to the mean word of the reference language."
    return Table(f"Words of {names[key]} that cost most", heads, rows, note)


def words_to_tidy(result: Comparison) -> Table:
    """The costliest words of all texts for programs: a word a row, its pieces as a JSON list."""
    heads = ["key", "tokenizer", "word", "n_tokens", "over_reference", "n_times", "pieces", "command"]
    return Table("", heads, [_tidy(word) for word in result.worst])


def _tidy(word: WorstWord) -> list[str]:
    over = "" if word.over_reference is None else repr(word.over_reference)
    pieces = json.dumps(list(word.pieces), ensure_ascii=False)
    return [
        word.key,
        word.tokenizer,
        word.word,
        str(word.n_tokens),
        over,
        str(word.n_times),
        pieces,
        word.command,
    ]


def _is_flattered(extrapolated: Sequence[Extrapolation]) -> bool:
    return any(one.is_flattered for one in extrapolated)
