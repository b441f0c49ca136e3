"""What a scan asks of a tokenizer, without knowing its class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

__all__ = ["Changed", "Found", "Section", "Staged", "Subject"]

Span: TypeAlias = tuple[int, int]


class Found(Protocol):
    """A control string in a text."""

    @property
    def token(self) -> str:
        """The control token."""

    @property
    def char_span(self) -> Span:
        """Where it stands, in characters."""


class Changed(Protocol):
    """A place where the normalizer changed the text, in bytes."""

    @property
    def normalized_byte_span(self) -> Span:
        """What came out, in the section's normalized text."""

    @property
    def byte_span(self) -> Span:
        """What it was made from, in the input."""


class Section(Protocol):
    """A part of a text: one added token, or what stands between two."""

    @property
    def kind(self) -> str:
        """`"added"` or `"text"`; only a text has `normalized` and `changes`."""

    @property
    def byte_span(self) -> Span:
        """Where it stands, in bytes of the input."""

    @property
    def text(self) -> str:
        """Its text."""


class Staged(Protocol):
    """A text on its way through a tokenizer."""

    @property
    def sections(self) -> Sequence[Section]:
        """The parts of the text; they tile it."""


class Subject(NamedTuple):
    """A tokenizer, as a scan sees it.

    Attributes:
        name: Its name.
        controls: The contents of its control tokens.
        find_controls: Finds those that stand in a text.
        stages: Normalizes a text; None where the tokenizer has no normalizer.
    """

    name: str
    controls: tuple[str, ...]
    find_controls: Callable[[str], Sequence[Found]]
    stages: Callable[[str], Staged] | None
