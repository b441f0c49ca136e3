"""How long the tokens of a vocabulary are, in bytes: a line for each tokenizer."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING

from piecework._plots.drawing import Drawing, Options, series_encodings
from piecework._plots.rows import Column, Row, distinct
from piecework.errors import UnknownIdError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from piecework import _core

__all__ = ["columns", "draw", "length_rows"]

KIND = "token-lengths"
# Few tokens are longer: white space, rulers of dashes. They are one point, and counted in it.
_LONGEST = 24


def columns(options: Options) -> list[Column]:
    """The columns of a row: the tokens of one length."""
    del options
    return [
        Column("tokenizer", "text", "the tokenizer's name"),
        Column("n_bytes", "whole", "the length of a token in UTF-8 bytes"),
        Column("n_tokens", "whole", "how many tokens have this length"),
    ]


def length_rows(native: _core.Tokenizer, name: str) -> list[Row]:
    """The lengths of the tokens that a vocabulary has learned; added tokens are left out.

    Complexity: O(size of the vocabulary).
    """
    added = {int(token["id"]) for token in native.added_tokens}
    counts: Counter[int] = Counter()
    for token_id in range(native.vocab_size):
        # A hole of the vocabulary has no piece.
        with contextlib.suppress(UnknownIdError):
            if token_id not in added:
                counts[len(native.piece_bytes(token_id))] += 1
    return [
        {"tokenizer": name, "n_bytes": n_bytes, "n_tokens": counts[n_bytes]} for n_bytes in sorted(counts)
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws shares, so that vocabularies of different sizes can be compared; tooltips have the counts."""
    tokenizers = distinct(rows, "tokenizer")
    looks = series_encodings(alt, "tokenizer", tokenizers, kind=KIND, what="tokenizers")
    points = _points(rows)
    longest = max(int(point["length"] or 0) for point in points)
    lengths = [1, *range(4, longest + 1, 4)]
    label = f"datum.value == {_LONGEST} ? '{_LONGEST}+' : datum.label"
    chart = (
        alt.Chart(alt.NamedData(name="lengths"))
        .mark_line(point=alt.OverlayMarkDef(size=36, filled=True), strokeWidth=2)
        .encode(
            x=alt.X(
                "length:Q", title="length of a token (UTF-8 bytes)",
                axis=alt.Axis(values=lengths, labelExpr=label, grid=False),
            ).scale(domain=[0.5, longest + 0.5], nice=False),
            y=alt.Y("share:Q", title="tokens of this length (share of the vocabulary)", axis=alt.Axis(format="%")),
            **looks,
            tooltip=[
                alt.Tooltip("tokenizer:N", title="tokenizer"),
                alt.Tooltip("lengths:N", title="length (bytes)"),
                alt.Tooltip("n_tokens:Q", title="tokens", format=",d"),
                alt.Tooltip("share:Q", title="share of the vocabulary", format=".2%"),
            ],
        )
        .properties(width=540, height=300)
    )  # fmt: skip
    return Drawing(chart, {"lengths": points}, "How long the tokens of a vocabulary are", options.subtitle)


def _points(rows: Sequence[Row]) -> list[Row]:
    """Each length's share of its tokenizer's tokens, everything from the longest length on in one."""
    counts: dict[str, Counter[int]] = {}
    for row in rows:
        length = min(int(row["n_bytes"] or 0), _LONGEST)
        counts.setdefault(str(row["tokenizer"]), Counter())[length] += int(row["n_tokens"] or 0)
    return [
        {
            "tokenizer": tokenizer,
            "length": length,
            "lengths": f"{_LONGEST} or more" if length == _LONGEST else str(length),
            "n_tokens": n_tokens,
            "share": n_tokens / of_tokenizer.total() if n_tokens else 0.0,
        }
        for tokenizer, of_tokenizer in counts.items()
        for length, n_tokens in sorted(of_tokenizer.items())
    ]
