"""The display alphabet of byte-level BPE: one printable character for each of the 256 bytes."""

from __future__ import annotations

from dataclasses import dataclass

from piecework import _core
from piecework._explain.columns import columns
from piecework._explain.glyphs import visible

__all__ = ["ByteTable", "byte_table"]


@dataclass(frozen=True, slots=True)
class ByteTable:
    """The 256 bytes and their display characters.

    Attributes:
        display: The display character of each byte, in byte order.
    """

    display: tuple[str, ...]

    def __str__(self) -> str:
        rows = [["byte", "hex", "shown as", "is"]]
        rows += [
            [str(byte), f"{byte:02x}", shown, _meaning(byte, shown)]
            for byte, shown in enumerate(self.display)
        ]
        return "\n".join(columns(rows, right=frozenset({0})))

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, object]:
        """Returns the 256 rows: byte, hex, display character."""
        rows = [
            {"byte": byte, "hex": f"{byte:02x}", "display": shown} for byte, shown in enumerate(self.display)
        ]
        return {"rows": rows}


def byte_table() -> ByteTable:
    """The table that byte-level vocabularies are written in.

    Returns:
        The 256 rows; 188 bytes are shown as themselves (in Latin-1), 68 as U+0100 and up in byte order.

    Examples:
        >>> table = byte_table()
        >>> table.display[0x20], table.display[0x0A], table.display[0xC3]
        ('Ġ', 'Ċ', 'Ã')

    Source: `bytes_to_unicode` of the GPT-2 encoder (Radford et al., 2019).
    """
    return ByteTable(tuple(_core.byte_alphabet()))


def _meaning(byte: int, shown: str) -> str:
    char = chr(byte)
    if byte < 0x80:
        return "itself" if char == shown else visible(char)
    kind = "a following byte" if byte < 0xC0 else "no byte of UTF-8" if byte in _NEVER else "a leading byte"
    return f"{kind} (itself, in Latin-1)" if char == shown else kind


_NEVER = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
