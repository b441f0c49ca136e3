"""The pieces of a text, one after the other: plain with `|` between them, in a terminal's colors, or on a page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from piecework._explain.glyphs import joined, piece_glyphs
from piecework._explain.palette import (
    ANSI_RESET,
    CONTROL_ANSI,
    CONTROL_CSS,
    FORGED_CSS,
    ansi_style,
    color_numbers,
    css_style,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import _core

__all__ = ["PiecesView", "pieces_html", "pieces_view"]

# A notebook cell with more tokens than this only makes the page slow.
_MAX_HTML_TOKENS = 5_000


@dataclass(frozen=True, slots=True)
class PiecesView:
    """The pieces of one text under one tokenizer, to look at.

    Attributes:
        tokenizer: The tokenizer's name.
        ids: The ids, in order.
        pieces: The bytes of each token.
        control_ids: The ids that are control tokens, drawn so that nobody overlooks them.
    """

    tokenizer: str
    ids: tuple[int, ...]
    pieces: tuple[bytes, ...]
    control_ids: frozenset[int]

    def __str__(self) -> str:
        r"""Returns the pieces with `|` between them, a `|` of the text as `\|`; a line ends after each newline's sign."""
        return joined(map(_with_line_breaks, map(piece_glyphs, self.pieces))).replace("\n|", "|\n")

    def ansi(self) -> str:
        """Returns the pieces on colored backgrounds, for a terminal with 256 colors."""
        styles = [
            CONTROL_ANSI if token_id in self.control_ids else ansi_style(number)
            for token_id, number in zip(self.ids, color_numbers(self.ids), strict=True)
        ]
        return "".join(
            _ansi_piece(piece_glyphs(piece), style) for piece, style in zip(self.pieces, styles, strict=True)
        )

    def to_dict(self) -> dict[str, object]:
        """Returns tokenizer, ids, pieces as shown, and piece bytes as hex."""
        return {
            "tokenizer": self.tokenizer,
            "ids": list(self.ids),
            "pieces": [piece_glyphs(piece) for piece in self.pieces],
            "bytes": [piece.hex() for piece in self.pieces],
        }

    def _repr_html_(self) -> str:
        return pieces_html(self.tokenizer, self.ids, self.pieces, self.control_ids)

    def __repr__(self) -> str:
        return str(self)


def pieces_view(native: _core.Tokenizer, name: str, encoding: _core.Encoding) -> PiecesView:
    """The view of an encoded text."""
    return PiecesView(name, tuple(encoding.ids), tuple(encoding.piece_bytes), control_ids(native))


def control_ids(native: _core.Tokenizer) -> frozenset[int]:
    """Returns the ids of a tokenizer's control tokens."""
    return frozenset(token_id for _, token_id, _ in native.control_tokens)


def pieces_html(
    name: str,
    ids: Sequence[int],
    pieces: Sequence[bytes],
    control: frozenset[int] = frozenset(),
    forged: frozenset[int] = frozenset(),
) -> str:
    """The pieces as HTML: inline styles, no script, the id of each in its tooltip.

    Args:
        name: The tokenizer's name.
        ids: The ids.
        pieces: The bytes of each.
        control: The ids that are control tokens.
        forged: The positions of tokens that make up a control string which was read as text.
    """
    spans = [
        f'<span style="{CONTROL_CSS if token_id in control else css_style(number)};border-radius:3px'
        f'{FORGED_CSS if at in forged else ""}" '
        f'title="{token_id}{", of a control string read as text" if at in forged else ""}">'
        f"{_html_piece(piece)}</span>"
        for at, (token_id, piece, number) in enumerate(
            islice(zip(ids, pieces, color_numbers(ids), strict=True), _MAX_HTML_TOKENS)
        )
    ]
    more = len(ids) - _MAX_HTML_TOKENS
    tail = f"<div>… and {more:,} more</div>" if more > 0 else ""
    head = f"<div><b>{len(ids):,}</b> {'token' if len(ids) == 1 else 'tokens'} · {escape(name)}</div>"
    body = f'<div style="font-family:monospace;white-space:pre-wrap;line-height:1.7">{"".join(spans)}</div>'
    return f"<div>{head}{body}{tail}</div>"


def _html_piece(piece: bytes) -> str:
    return escape(_with_line_breaks(piece_glyphs(piece)))


def _ansi_piece(shown: str, style: str) -> str:
    """Colors each line by itself: a background that runs over a line's end paints the rest of the screen's line."""
    lines = _with_line_breaks(shown).split("\n")
    return "\n".join(f"{style}{line}{ANSI_RESET}" if line else "" for line in lines)


def _with_line_breaks(shown: str) -> str:
    return shown.replace("⏎", "⏎\n")
