"""The markers that a template wrote around turns, read off the rendered text: what each is for, whatever the tokenizer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from piecework._explain.roles import token_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from piecework._chat.engine import Rendered

__all__ = ["Mark", "is_marker_shaped", "template_marks"]

# In angle or square brackets and without white space; no published marker is longer.
_SHAPED = re.compile(r"<[^<>\s]{1,60}>|\[/?[A-Z_]{3,30}\]")


def is_marker_shaped(text: str) -> bool:
    """Whether a whole text has the shape of a marker, such as `<s>` or `[INST]`."""
    return _SHAPED.fullmatch(text) is not None


class Mark(NamedTuple):
    """A marker that the template wrote.

    Attributes:
        start: Where it begins, in characters.
        stop: Where it ends, exclusive.
        text: The marker.
        roles: What it is for, such as `{"turn start"}`.
    """

    start: int
    stop: int
    text: str
    roles: frozenset[str]


def template_marks(
    rendered: Rendered, controls: Iterable[tuple[str, int, int]], named: Mapping[str, str]
) -> list[Mark]:
    """Finds the markers that stand in what the template wrote.

    Args:
        rendered: The prompt.
        controls: Control tokens that stand there: text, start and stop in characters.
        named: The tokens that the model's files name for a role.

    Returns:
        Control tokens, and what is shaped like a marker and known for a role; in order.

    Complexity: O(n_chars).
    """
    spans = {(start, stop): text for text, start, stop in controls}
    for run in rendered.runs:
        if run.origin.kind == "template":
            for match in _SHAPED.finditer(rendered.text, run.start, run.stop):
                spans.setdefault(match.span(), match.group())
    roles = {text: _roles(text, named) for text in set(spans.values())}
    return [Mark(*span, spans[span], roles[spans[span]]) for span in sorted(spans)]


def _roles(text: str, named: Mapping[str, str]) -> frozenset[str]:
    return frozenset(token_role(text, named).split(", ")) - {""}
