"""What a stretch of a prompt belongs to: a message, a tool, a document, an argument, or the template itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework._chat.engine import Rendered

__all__ = ["Held", "Kind", "Owner", "held_texts", "owner_of"]

Kind: TypeAlias = Literal[
    "begin", "message", "tool", "scaffold", "document", "argument", "template", "generation", "thinking"
]
_PATH = re.compile(r"(message|tool|document)s\[(\d+)\]")
# What may stand between a tool's opening brace and the first of its texts.
_BEFORE_TEXT = frozenset("{[\"' \n\t")
_DECODER = json.JSONDecoder()


class Owner(NamedTuple):
    """What a stretch belongs to.

    Attributes:
        kind: What it is.
        number: Which message, tool or document; None for what there is one of.
    """

    kind: Kind
    number: int | None = None


class Held(NamedTuple):
    """A stretch between the first and the last character that one owner's texts have there, without another's between."""

    owner: Owner
    start: int
    stop: int


def owner_of(path: str) -> Owner:
    """The owner of what stands at a path of the conversation.

    Examples:
        >>> owner_of("messages[12].content[0].text")
        Owner(kind='message', number=12)
        >>> owner_of("date_string")
        Owner(kind='argument', number=None)
    """
    match = _PATH.match(path)
    if match is None:
        return Owner("argument")
    return Owner(match.group(1), int(match.group(2)))  # type: ignore[arg-type]  # one of three words


def held_texts(rendered: Rendered) -> list[Held]:
    """The callers' texts in a prompt, in order, neighbors of one owner joined; a tool from brace to brace where it is JSON."""
    joined: list[Held] = []
    for held in _runs(rendered):
        if joined and joined[-1].owner == held.owner:
            joined[-1] = joined[-1]._replace(stop=held.stop)
        else:
            joined.append(held)
    return list(_whole_tools(rendered.text, joined))


def _runs(rendered: Rendered) -> Iterator[Held]:
    for run in rendered.runs:
        if run.origin.kind == "caller" and run.origin.path is not None:
            yield Held(owner_of(run.origin.path), run.start, run.stop)


def _whole_tools(text: str, held: Iterable[Held]) -> Iterator[Held]:
    after = 0
    for item in held:
        whole = _whole_json(text, item, after) if item.owner.kind == "tool" else item
        yield whole
        after = whole.stop


def _whole_json(text: str, item: Held, after: int) -> Held:
    """The stretch from the outermost brace right before a tool's first text, if the JSON that it opens holds all of them."""
    found, at = item, item.start - 1
    while at >= after and text[at] in _BEFORE_TEXT:
        if text[at] == "{":
            stop = _json_end(text, at)
            if stop is None or stop < item.stop:
                break
            found = Held(item.owner, at, stop)
        at -= 1
    return found


def _json_end(text: str, start: int) -> int | None:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None
