"""What is shaped like a marker of a chat template: `<|…|>`, tags of turns, thinking and tools, `[INST]`, `<s>`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._chat.engine.origins import Rendered, Run

__all__ = ["markers_in"]

_MARKER = re.compile(
    r"(?=(<\|[^|<>\s]{1,64}\|>|<｜[^｜<>\s]{1,64}｜>|</?s>|<[be]os>|\[/?[A-Z][A-Z_]{2,30}\]|<</?SYS>>"
    r"|</?(?:think|thinking|thought|turn|start_of_turn|end_of_turn|start_of_role|end_of_role|function_call"
    r"|tools?|tool_calls?|tool_response|tool_results?|tool_declare)>))"
)


def markers_in(rendered: Rendered) -> Iterator[tuple[str, frozenset[str]]]:
    """Yields each marker-shaped text in order, with the kinds of the origins of its characters.

    One that stands in another is yielded too: a caller who writes `<|` before a marker and `|>` behind it hides nothing.
    """
    runs: list[Run] = list(rendered.runs)
    first = 0
    for found in _MARKER.finditer(rendered.text):
        while runs[first].stop <= found.start(1):
            first += 1
        last = first
        kinds = {runs[first].origin.kind}
        while runs[last].stop < found.end(1):
            last += 1
            kinds.add(runs[last].origin.kind)
        yield found[1], frozenset(kinds)
