"""Where the generation prompt begins: the turn that a template opens for the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._chat.engine import render
from piecework._chat.owners import Owner
from piecework.errors import ChatError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from piecework._chat.engine import Rendered
    from piecework._chat.marks import Mark
    from piecework._chat.owners import Held
    from piecework._chat.templates import Template

__all__ = ["answer_start"]


def answer_start(
    rendered: Rendered,
    template: Template,
    variables: Mapping[str, Any],
    held: Sequence[Held],
    marks: Sequence[Mark],
    *,
    today: datetime,
) -> int | None:
    """Where the generation prompt begins, in characters.

    Returns:
        The marker that starts a turn, if after the last message's text there is one and no more; else the length of the
        same conversation rendered without a generation prompt, if the text begins with that; else None, also where
        none was asked for.
    """
    if not variables["add_generation_prompt"]:
        return None
    last = Owner("message", len(variables["messages"]) - 1)
    if held and held[-1].owner == last:
        starts = [mark.start for mark in marks if mark.start >= held[-1].stop and "turn start" in mark.roles]
        if len(starts) == 1:
            return starts[0]
    try:
        without = render(
            template.source,
            name=template.name,
            variables={**variables, "add_generation_prompt": False},
            today=today,
        ).text
    except ChatError:
        return None
    return len(without) if rendered.text.startswith(without) else None
