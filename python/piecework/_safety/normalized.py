"""A text as the tokenizer's own normalizer leaves it, and the way back from its characters to those of the input."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._safety.subject import Staged

__all__ = ["Normalized"]


class Normalized:
    """A normalized text.

    Attributes:
        text: The text, its sections joined.
    """

    __slots__ = ("_places", "_sections", "_source", "text")

    def __init__(self, source: str, staged: Staged) -> None:
        self._source = source
        # A section of text has two attributes more than an added token; the protocol names what both have.
        self._sections: list[Any] = list(staged.sections)
        self.text = "".join(getattr(section, "normalized", section.text) for section in self._sections)
        self._places: list[tuple[int, int]] | None = None

    def char_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the characters of the input that characters of the normalized text were made from.

        Complexity: O(n_chars) the first time, then O(1).
        """
        if self._places is None:
            chars = self._chars_of_bytes()
            self._places = [(chars[first], chars[last]) for first, last in self._byte_places()]
        covered = self._places[start:end] or [(0, 0)]
        return covered[0][0], max(covered[-1][1], covered[0][0])

    def _chars_of_bytes(self) -> list[int]:
        """For each byte of the input, the index of its character; one more for the end."""
        if self._source.isascii():
            return list(range(len(self._source) + 1))
        sizes = [len(char.encode("utf-8", "surrogatepass")) for char in self._source]
        found = [0] * (sum(sizes) + 1)
        for index, end in enumerate(accumulate(sizes)):
            for at in range(end - sizes[index], end):
                found[at] = index
        found[-1] = len(sizes)
        return found

    def _byte_places(self) -> Iterator[tuple[int, int]]:
        """For each character of the normalized text, the bytes of the input that it was made from."""
        for section in self._sections:
            start, end = section.byte_span
            if section.kind == "text":
                yield from _text_places(section, start)
            else:
                yield from [(start, end)] * len(section.text)


def _text_places(section: Any, start: int) -> Iterator[tuple[int, int]]:  # noqa: ANN401 - as said above
    data = section.normalized.encode("utf-8", "surrogatepass")
    done, source = 0, start
    for change in section.changes:
        first, last = change.normalized_byte_span
        yield from _same_places(data[done:first], source)
        yield from [change.byte_span] * len(data[first:last].decode("utf-8", "surrogatepass"))
        done, source = last, change.byte_span[1]
    yield from _same_places(data[done:], source)


def _same_places(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Places of characters that the normalizer left as they are."""
    if data.isascii():
        yield from ((at, at + 1) for at in range(start, start + len(data)))
        return
    at = start
    for char in data.decode("utf-8", "surrogatepass"):
        end = at + len(char.encode("utf-8", "surrogatepass"))
        yield at, end
        at = end
