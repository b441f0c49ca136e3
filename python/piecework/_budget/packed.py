"""What came of packing: the messages that fit, what was dropped and why."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._budget.content import Message
    from piecework._types import Basis

__all__ = ["Drop", "Packed"]


@dataclass(frozen=True, slots=True)
class Drop:
    """Something that was left out.

    Attributes:
        kind: `"turn"` or `"evidence"`.
        at: The places of its messages in the history that was given, or its place in the evidence.
        roles: The roles of its messages; empty for evidence.
        n_tokens: Its own text's count, alone: what it frees is that and its framing. None where it cannot stand alone.
        preview: How it begins.
        why: Why it does not stay.
    """

    kind: str
    at: tuple[int, ...]
    roles: tuple[str, ...]
    n_tokens: int | None
    preview: str
    why: str

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "kind": self.kind,
            "at": list(self.at),
            "roles": list(self.roles),
            "n_tokens": self.n_tokens,
            "preview": self.preview,
            "why": self.why,
        }

    def __str__(self) -> str:
        """One line of the log."""
        places = ", ".join(str(place) for place in self.at)
        what = f"history[{places}] {'+'.join(self.roles)}" if self.kind == "turn" else f"evidence[{places}]"
        tokens = "" if self.n_tokens is None else f", {self.n_tokens:,} tokens of text"
        return f"dropped {what}{tokens}: {self.preview!r} ({self.why})"


@dataclass(frozen=True, slots=True, repr=False)
class Packed:
    """A request that fits.

    Attributes:
        messages: What to send, in order, with the shape of OpenAI's chat.
        n_tokens: The count of the whole as rendered; for an estimate the upper end of its band.
        available_tokens: What the input may take: the window without the answer and the margin.
        basis: What the count is worth.
        dropped: What was left out, the oldest turn first, then evidence.
        n_kept_turns: The turns of the history that stayed.
        n_stable_messages: The messages from the first on that the next request will begin with too, if nothing more is
            dropped: what a provider's cache can hold.
        summary: What the summarizer wrote; None where it had nothing to do.
        n_counts: How often the whole was counted.
        notes: What a reader should know of the count, such as the calibration that made it.
    """

    messages: tuple[Message, ...]
    n_tokens: int
    available_tokens: int
    basis: Basis
    dropped: tuple[Drop, ...]
    n_kept_turns: int
    n_stable_messages: int
    summary: str | None
    n_counts: int
    notes: tuple[str, ...] = ()

    @property
    def left_tokens(self) -> int:
        """What is left of the room for the input."""
        return self.available_tokens - self.n_tokens

    @property
    def how(self) -> str:
        """How it was chosen."""
        return (
            "greedy: the fixed parts whole, then whole turns, newest first, up to the first that does not fit; "
            "not the best of all choices"
        )

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "messages": [dict(message) for message in self.messages],
            "n_tokens": self.n_tokens,
            "available_tokens": self.available_tokens,
            "left_tokens": self.left_tokens,
            "basis": self.basis,
            "dropped": [drop.to_dict() for drop in self.dropped],
            "n_kept_turns": self.n_kept_turns,
            "n_stable_messages": self.n_stable_messages,
            "summary": self.summary,
            "how": self.how,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        """The result in a line."""
        return (
            f"Packed({len(self.messages)} messages, {self.n_tokens:,} tokens, {self.left_tokens:,} left, "
            f"{len(self.dropped)} dropped, {self.basis})"
        )

    def __str__(self) -> str:
        """The sums, then the log of what was dropped."""
        sums = (
            f"{len(self.messages)} messages, {self.n_tokens:,} of {self.available_tokens:,} tokens, "
            f"{self.left_tokens:,} left ({self.basis})"
        )
        return "\n".join([sums, *map(str, self.dropped), self.how, *self.notes])

    def _repr_html_(self) -> str:
        rows = "".join(f"<div>{escape(line)}</div>" for line in str(self).splitlines())
        return f"<div>{rows}</div>"
