"""Who wrote a character of a prompt, and a rendered text as runs of one origin each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["TEMPLATE", "UNKNOWN", "Generated", "Origin", "Rendered", "Run"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote something.

    Attributes:
        kind: "template" for what the model's own template wrote (its literals, begin and end tokens, numbers, known
            roles, dates), "caller" for a string that was handed in, "unknown" where the way could not be followed,
            which has to be treated as the caller's.
        path: Where the caller's string stands, such as `messages[3].content[1].text`; the keys of a mapping end in
            `~key`, such as `tools[0].function.parameters.properties~key`. None for the other kinds.
    """

    kind: Literal["template", "caller", "unknown"]
    path: str | None = None

    def __str__(self) -> str:
        return self.path or self.kind


@dataclass(frozen=True, slots=True)
class Generated(Origin):
    """The origin of something that stands in a `generation` block. It never leaves the engine.

    Attributes:
        of: The origin without that.
    """

    of: Origin = Origin("unknown")


TEMPLATE = Origin("template")
UNKNOWN = Origin("unknown")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text of one origin.

    Attributes:
        start: Where it begins, in characters.
        stop: Where it ends, exclusive.
        origin: Who wrote it.
    """

    start: int
    stop: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a template made.

    Attributes:
        text: The prompt, as the model's own software would render it.
        runs: Stretches of one origin each; they tile the text.
        generation_spans: Character ranges that the template marked with `{% generation %}`: what the assistant said.
        marks_generation: Whether the template has `generation` blocks at all.
    """

    text: str
    runs: tuple[Run, ...]
    generation_spans: tuple[tuple[int, int], ...] = ()
    marks_generation: bool = False

    def origin_at(self, index: int) -> Origin:
        """The origin of one character.

        Args:
            index: The character's place in the text, from 0.

        Raises:
            IndexError: The text has no such character.
        """
        for run in self.runs:
            if run.start <= index < run.stop:
                return run.origin
        raise IndexError(index)

    def trusted_spans(self) -> list[tuple[int, int]]:
        """The character ranges that the template wrote: there alone may control tokens stand."""
        return [(run.start, run.stop) for run in self.runs if run.origin.kind == "template"]
