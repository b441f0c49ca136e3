"""One text under several tokenizers: the spans that all cut alike, and those where they differ, ringed."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import asdict, dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from piecework._explain.glyphs import piece_glyphs
from piecework._explain.side_by_side_page import columns_ansi, table_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework import _core

__all__ = ["ComparedSpan", "SideBySide", "compare_pieces"]

Span: TypeAlias = tuple[int, int]

_MARKS = re.compile(r"\\+(?=[\[\]|]|\Z)|[\[\]|]")


class Encoded(Protocol):
    """What an encoded text has to tell; the native encodings do, and those that users hold."""

    @property
    def ids(self) -> _core.Ids: ...
    @property
    def piece_bytes(self) -> list[bytes]: ...
    @property
    def byte_spans(self) -> list[Span]: ...


@dataclass(frozen=True, slots=True)
class ComparedSpan:
    """A part of the text between two places where every tokenizer ends a token.

    Attributes:
        byte_span: Where it stands, in bytes of the text.
        utf16_span: The same in UTF-16 units.
        is_shared: Whether all cut it alike; white space at a token's beginning is left out of the comparison, since some
            tokenizers drop it.
        ids: For each tokenizer, its ids here.
        pieces: For each tokenizer, its pieces here, made visible.
    """

    byte_span: Span
    utf16_span: Span
    is_shared: bool
    ids: tuple[tuple[int, ...], ...]
    pieces: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One text under several tokenizers.

    Attributes:
        tokenizers: Their names, or what the caller calls them.
        n_tokens: The tokens of each.
        spans: The text, cut where all of them cut.
    """

    tokenizers: tuple[str, ...]
    n_tokens: tuple[int, ...]
    spans: tuple[ComparedSpan, ...]

    @property
    def differing(self) -> tuple[ComparedSpan, ...]:
        """The spans that they do not cut alike."""
        return tuple(span for span in self.spans if not span.is_shared)

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it; neighboring shared spans are joined to one."""
        spans: list[dict[str, Any]] = []
        for is_shared, group in groupby(self.spans, key=lambda span: span.is_shared):
            found = list(group)
            spans += [asdict(_joined(found))] if is_shared else [asdict(span) for span in found]
        return {"tokenizers": list(self.tokenizers), "n_tokens": list(self.n_tokens), "spans": spans}

    def __str__(self) -> str:
        r"""Returns them one under the other: `|` between pieces, `[ ]` around spans that differ; those of the text as `\|`."""
        lines = []
        for at, (name, n) in enumerate(zip(self.tokenizers, self.n_tokens, strict=True)):
            lines.append(heading(name, n))
            lines.append("|".join(self._plain(at)).replace("\n|", "|\n").rstrip("\n"))
        return "\n".join(lines)

    def _plain(self, at: int) -> Iterator[str]:
        for span in self.spans:
            pieces = "|".join(map(_escaped, span.pieces[at]))
            if not span.is_shared:
                yield f"[{pieces}]"
            elif pieces:
                yield pieces

    def ansi(self, width: int) -> str:
        """Returns them in columns for a terminal with 256 colors; what differs is inverse and underlined.

        Args:
            width: The terminal's columns.
        """
        heads = [heading(name, n) for name, n in zip(self.tokenizers, self.n_tokens, strict=True)]
        return columns_ansi(heads, self.spans, width)

    def _repr_html_(self) -> str:
        heads = [heading(name, n) for name, n in zip(self.tokenizers, self.n_tokens, strict=True)]
        return table_html(heads, self.spans)

    def __repr__(self) -> str:
        return str(self)


def heading(name: str, n_tokens: int) -> str:
    """Returns such as `gpt-4o: 7 tokens`."""
    return f"{name}: {n_tokens:,} {'token' if n_tokens == 1 else 'tokens'}"


def compare_pieces(names: Sequence[str], encodings: Sequence[Encoded], text: bytes) -> SideBySide:
    """Compares encodings of one text.

    Args:
        names: What each is called.
        encodings: One for each tokenizer.
        text: The text's bytes.

    Complexity: O(n_tokens log n_tokens) for all of them together.
    """
    all_spans = [encoding.byte_spans for encoding in encodings]
    all_ids = [encoding.ids.tolist() for encoding in encodings]
    all_pieces = [[piece_glyphs(piece) for piece in encoding.piece_bytes] for encoding in encodings]
    done = [0] * len(encodings)
    found = []
    first, unit = 0, 0
    for end in _common_cuts(all_spans, text):
        ranges = []
        for at, spans in enumerate(all_spans):
            start = done[at]
            while done[at] < len(spans) and spans[done[at]][1] <= end:
                done[at] += 1
            ranges.append(slice(start, done[at]))
        shapes = [
            [_trimmed(text, span) for span in spans[part]]
            for spans, part in zip(all_spans, ranges, strict=True)
        ]
        next_unit = unit + len(text[first:end].decode("utf-8", "replace").encode("utf-16-le")) // 2
        found.append(
            ComparedSpan(
                byte_span=(first, end),
                utf16_span=(unit, next_unit),
                is_shared=all(shape == shapes[0] for shape in shapes),
                ids=tuple(tuple(ids[part]) for ids, part in zip(all_ids, ranges, strict=True)),
                pieces=tuple(tuple(pieces[part]) for pieces, part in zip(all_pieces, ranges, strict=True)),
            )
        )
        first, unit = end, next_unit
    return SideBySide(tuple(names), tuple(map(len, all_ids)), tuple(found))


def _common_cuts(all_spans: Sequence[Sequence[Span]], text: bytes) -> list[int]:
    """The places between characters that no token of any tokenizer straddles, the text's end last."""
    n_bytes = len(text)
    gaps = [_gaps(spans, n_bytes) for spans in all_spans]
    places = {low for of_one in gaps for low, _ in of_one}
    common = sorted(
        place
        for place in places
        if 0 < place < n_bytes
        and text[place] & 0xC0 != 0x80
        and all(_holds(of_one, place) for of_one in gaps)
    )
    return [*common, n_bytes]


def _gaps(spans: Sequence[Span], n_bytes: int) -> list[Span]:
    """Between which bytes one tokenizer has no token: mostly of length 0, longer where it drops white space."""
    if not spans:
        return [(0, n_bytes)]
    ends = accumulate((end for _, end in spans), max)
    starts = list(accumulate((start for start, _ in reversed(spans)), min))[::-1]
    return [(end, start) for end, start in zip(ends, [*starts[1:], n_bytes], strict=True) if end <= start]


def _holds(gaps: Sequence[Span], place: int) -> bool:
    at = bisect_right(gaps, (place, 1 << 62)) - 1
    return at >= 0 and gaps[at][0] <= place <= gaps[at][1]


def _trimmed(text: bytes, span: Span) -> Span:
    start, end = span
    n_spaces = end - start - len(text[start:end].lstrip())
    return (start + n_spaces, end) if n_spaces < end - start else span


def _joined(spans: Sequence[ComparedSpan]) -> ComparedSpan:
    first, last = spans[0], spans[-1]
    n = len(first.ids)
    return ComparedSpan(
        byte_span=(first.byte_span[0], last.byte_span[1]),
        utf16_span=(first.utf16_span[0], last.utf16_span[1]),
        is_shared=True,
        ids=tuple(tuple(token_id for span in spans for token_id in span.ids[at]) for at in range(n)),
        pieces=tuple(tuple(piece for span in spans for piece in span.pieces[at]) for at in range(n)),
    )


def _escaped(piece: str) -> str:
    """A piece whose marks are told from ours; backslashes that come to stand before one are doubled."""
    marked = _MARKS.sub(lambda found: found[0] * 2 if found[0][0] == "\\" else f"\\{found[0]}", piece)
    return marked.replace("⏎", "⏎\n")
