"""A conversation while it is read: messages so far, where each came from, what was counted apart and left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Building"]

# What APIs write beside content, for themselves or for the client: no model is given it as text.
_BOOKKEEPING = frozenset(
    {"cache_control", "id", "status", "annotations", "logprobs", "citations", "signature", "phase"}
)


@dataclass(slots=True)
class Building:
    """What reading a conversation collects.

    Attributes:
        messages: The messages in the target form.
        places: From a path in the target form to the path in what was given, where they differ.
        notes: What was left out, in sentences.
        form_notes: What a template is given in another form than it was given, in sentences.
        apart: How many of each kind are counted apart: `image`, `audio`, `video`, `file`.
        call_names: The function's name by the id of its call, for results that name only the call.
        converted: The indices of messages that were not in the target form.
        is_of_other_form: Whether something in the conversation is of another form than the target's.
    """

    is_of_other_form: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    form_notes: list[str] = field(default_factory=list)
    apart: Counter[str] = field(default_factory=Counter)
    call_names: dict[str, str] = field(default_factory=dict)
    converted: set[int] = field(default_factory=set)

    @property
    def next_path(self) -> str:
        """The path that the next message gets."""
        return f"messages[{len(self.messages)}]"

    def add(self, message: dict[str, Any], given: str, *, is_converted: bool) -> str:
        """Adds a message that was given at a path; returns its own."""
        path = self.next_path
        if is_converted:
            self.converted.add(len(self.messages))
        if path != given:
            self.places[path] = given
        self.messages.append(message)
        return path

    def moved(self, path: str, given: str) -> None:
        """Notes that what stands at a path was given at another."""
        if path != given:
            self.places[path] = given

    def leave_out(self, holder: Mapping[str, Any], known: frozenset[str], path: str) -> list[str]:
        """Returns the fields of an object that nobody read: neither known nor bookkeeping, which is noted if it holds something."""
        rest = []
        for key, value in holder.items():
            if key in known or value is None:
                continue
            if key not in _BOOKKEEPING:
                rest.append(key)
            elif key in {"annotations", "logprobs", "citations"} and value:
                self.notes.append(f"{path}.{key}: for the application, not part of the prompt")
        return rest
