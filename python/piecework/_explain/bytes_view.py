"""Any text as its characters and bytes, with nothing hidden: what the tokenizer really gets."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from piecework import _core
from piecework._explain.columns import columns
from piecework._explain.glyphs import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._types import Text

__all__ = ["BytesView", "CharacterRow", "show_bytes"]


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """One character, or one run of bytes that is none.

    Attributes:
        byte_span: Where it stands, half-open, in bytes.
        character: The character; None where the bytes are no UTF-8.
        code_point: Such as `U+00E9`; empty where there is no character.
        hex: Its bytes.
        display: Its bytes in the display alphabet.
        name: Its Unicode name; empty where it has none.
    """

    byte_span: tuple[int, int]
    character: str | None
    code_point: str
    hex: str
    display: str
    name: str


@dataclass(frozen=True, slots=True)
class BytesView:
    """A text as characters and bytes.

    Attributes:
        rows: One for each character.
        n_characters: How many characters.
        n_bytes: How many bytes as UTF-8.
    """

    rows: tuple[CharacterRow, ...]
    n_characters: int
    n_bytes: int

    @property
    def hex(self) -> str:
        """All bytes, in hexadecimal, with a space between them."""
        return " ".join(row.hex for row in self.rows)

    @property
    def display(self) -> str:
        """All bytes in the display alphabet: the form in which byte-level vocabularies are written."""
        return "".join(row.display for row in self.rows)

    def __str__(self) -> str:
        counts = f"{_number(self.n_characters, 'character')}, {_number(self.n_bytes, 'byte')}"
        if not self.rows:
            return counts
        table = [["byte", "character", "code point", "bytes", "display", "name"], *map(_cells, self.rows)]
        return "\n".join([counts, f"display: {self.display}", "", *columns(table, right=frozenset({0}))])

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        rows = [asdict(row) for row in self.rows]
        return {
            "n_characters": self.n_characters,
            "n_bytes": self.n_bytes,
            "hex": self.hex,
            "display": self.display,
            "rows": rows,
        }


def show_bytes(text: Text) -> BytesView:
    """A text as characters, bytes, and the display alphabet of byte-level vocabularies.

    Args:
        text: A str, or bytes of any kind. A lone surrogate stands as the three bytes it would be.

    Returns:
        The view; bytes that are not UTF-8 stand in rows without a character.

    Examples:
        >>> view = show_bytes("é")
        >>> view.n_characters, view.n_bytes, view.hex, view.display
        (1, 2, 'c3 a9', 'Ã©')

    Complexity: O(n_bytes) time and memory, about 500 bytes of memory for each character.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    alphabet = _core.byte_alphabet()
    rows = []
    start = 0
    for character, piece in _characters(data):
        end = start + len(piece)
        rows.append(
            CharacterRow(
                byte_span=(start, end),
                character=character,
                code_point="" if character is None else f"U+{ord(character):04X}",
                hex=piece.hex(" "),
                display="".join(alphabet[byte] for byte in piece),
                name="" if character is None else unicodedata.name(character, ""),
            )
        )
        start = end
    n_characters = sum(row.character is not None for row in rows)
    return BytesView(tuple(rows), n_characters, len(data))


def _characters(data: bytes) -> Iterator[tuple[str | None, bytes]]:
    """Yields each character with its bytes, and None with each byte that belongs to none."""
    # Python's surrogateescape maps each such byte to one of U+DC80 to U+DCFF, which valid UTF-8 cannot hold.
    for char in data.decode("utf-8", "surrogateescape"):
        if "\udc80" <= char <= "\udcff":
            yield None, bytes([ord(char) - 0xDC00])
        else:
            yield char, char.encode()


def _cells(row: CharacterRow) -> list[str]:
    shown = "not UTF-8" if row.character is None else visible(row.character)
    if row.character is not None and unicodedata.combining(row.character):
        shown = f"◌{shown}"
    return [str(row.byte_span[0]), shown, row.code_point, row.hex, row.display, row.name]


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
