"""What a caller's text tries: strings that are control tokens' and stay text, and what only looks like one."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework._chat.fields import text_fields
from piecework._chat.owners import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from piecework._chat.conversation import Conversation
    from piecework._chat.engine import Rendered, Run

__all__ = ["ForgedMarker", "find_forged", "find_similar", "first_of"]

# A text may hold a hundred thousand; a person reads the first few.
_MAX_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ForgedMarker:
    """A control string in a caller's text: read as the ordinary text that it is.

    Attributes:
        token: The control token that it spells, or resembles.
        text: What stands there; the token itself unless it is a look-alike.
        message: The index of the message, as given to the template; None in a tool or an argument.
        path: The field that it stands in, in what was given, such as `messages[3].content[1].text`; None where its way
            through the template could not be followed.
        span: Where it stands in the prompt, in characters.
        field_span: Where it stands in that field, in characters; None where the field is not in the prompt as it is.
        how: In what a look-alike differs, such as `compatibility forms`; empty for the token itself.
    """

    token: str
    text: str
    message: int | None
    path: str | None
    span: tuple[int, int]
    field_span: tuple[int, int] | None
    how: tuple[str, ...] = ()

    def __str__(self) -> str:
        from piecework._explain.glyphs import visible  # noqa: PLC0415 - only where something was found

        where = self.path or "text of unknown origin"
        at = "" if self.field_span is None else f", characters {self.field_span[0]}-{self.field_span[1]}"
        if self.how:
            return (
                f"{where}{at}: {visible(self.text)} looks like {visible(self.token)} ({', '.join(self.how)})"
            )
        return f"{where}{at}: {visible(self.token)} read as text"

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {
            "token": self.token,
            "text": self.text,
            "message": self.message,
            "path": self.path,
            "span": list(self.span),
            "field_span": None if self.field_span is None else list(self.field_span),
            "how": list(self.how),
        }


def first_of(markers: Sequence[ForgedMarker]) -> list[str]:
    """The first few markers in words, and how many more there are."""
    shown = [str(marker) for marker in markers[:_MAX_SHOWN]]
    return shown if len(markers) <= _MAX_SHOWN else [*shown, f"and {len(markers) - _MAX_SHOWN:,} more"]


def find_forged(
    rendered: Rendered,
    controls: Iterable[tuple[str, tuple[int, int]]],
    conversation: Conversation,
    variables: Mapping[str, Any],
) -> tuple[ForgedMarker, ...]:
    """Finds the control strings in a prompt of which a character is not the template's.

    Args:
        rendered: The prompt.
        controls: All control strings in it: token and span in characters.
        conversation: The conversation, for the places of its fields.
        variables: What the template was given, by name.
    """
    finder = _Finder(rendered, conversation, variables)
    return tuple(
        finder.marker(token, rendered.text[span[0] : span[1]], span)
        for token, span in controls
        if finder.first_foreign(span) is not None
    )


def find_similar(
    rendered: Rendered,
    control_strings: Sequence[str],
    conversation: Conversation,
    variables: Mapping[str, Any],
) -> tuple[ForgedMarker, ...]:
    """Finds what looks like a control token and is none, in the callers' texts."""
    from piecework._safety.lookalikes import find_lookalikes  # noqa: PLC0415 - Unicode's tables, where they are needed

    finder = _Finder(rendered, conversation, variables)
    found: list[ForgedMarker] = []
    for start, stop in _foreign_stretches(rendered.runs):
        for item in find_lookalikes(rendered.text[start:stop], control_strings):
            span = (start + item.span[0], start + item.span[1])
            found.append(finder.marker(item.resembles, item.text, span, tuple(item.how)))
    return tuple(found)


def _foreign_stretches(runs: Sequence[Run]) -> Iterator[tuple[int, int]]:
    """Neighboring runs that are not the template's, as one: a marker may be made of two fields."""
    start: int | None = None
    for run in runs:
        if run.origin.kind == "template":
            if start is not None:
                yield start, run.start
            start = None
        elif start is None:
            start = run.start
    if start is not None:
        yield start, runs[-1].stop


class _Finder:
    """Tells whose a span of a prompt is, and where it stands in its field."""

    def __init__(self, rendered: Rendered, conversation: Conversation, variables: Mapping[str, Any]) -> None:
        self._runs = rendered.runs
        self._starts = [run.start for run in rendered.runs]
        self._conversation = conversation
        self._variables = variables
        # The fields by path, read when a first marker is found.
        self._fields: dict[str, str] | None = None
        # Where the search goes on in a field that holds the same string again.
        self._after: dict[tuple[str, str], int] = {}

    def first_foreign(self, span: tuple[int, int]) -> Run | None:
        """The first run in a span that is not the template's."""
        at = max(bisect_right(self._starts, span[0]) - 1, 0)
        while at < len(self._runs) and self._starts[at] < span[1]:
            if self._runs[at].origin.kind != "template":
                return self._runs[at]
            at += 1
        return None

    def marker(self, token: str, text: str, span: tuple[int, int], how: tuple[str, ...] = ()) -> ForgedMarker:
        run = self.first_foreign(span)
        path = None if run is None else run.origin.path
        if path is None:
            return ForgedMarker(token, text, None, None, span, None, how)
        owner = owner_of(path)
        message = owner.number if owner.kind == "message" else None
        return ForgedMarker(
            token, text, message, self._conversation.place(path), span, self._in_field(path, text), how
        )

    def _in_field(self, path: str, text: str) -> tuple[int, int] | None:
        if self._fields is None:
            self._fields = dict(text_fields(self._variables, ""))
        value = self._fields.get(path)
        if value is None:
            return None
        start = value.find(text, self._after.get((path, text), 0))
        if start < 0:
            # The template may write a field twice.
            start = value.find(text)
        if start < 0:
            return None
        self._after[path, text] = start + len(text)
        return start, start + len(text)
