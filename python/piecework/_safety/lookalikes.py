"""Near misses of control tokens: what a person, or a model, may take for one though it is not spelled like one.

Text and tokens are compared by their skeletons, so that full-width bars, zero-width characters, letters of other
scripts, case and spaces do not hide a marker. What is spelled exactly like a token is not a look-alike.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from piecework._safety.automaton import Automaton
from piecework._safety.skeleton import Way, skeleton, skeleton_starts, ways

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Lookalike", "find_lookalikes", "iter_lookalikes"]

# A token whose skeleton is shorter says too little: `▁` or a line break would be seen everywhere.
_MIN_SKELETON = 3
# Of tokens that look alike among themselves, this many are compared with what was found.
_MAX_ALIKE = 8


class Lookalike(NamedTuple):
    """Something that looks like a control token.

    Attributes:
        span: Where it stands, in characters, half-open.
        text: What stands there.
        resembles: The control token.
        how: In what it differs, such as `("invisible characters", "upper and lower case")`.
    """

    span: tuple[int, int]
    text: str
    resembles: str
    how: tuple[Way, ...]


def find_lookalikes(
    text: str, control_strings: Iterable[str], *, max_found: int | None = None
) -> list[Lookalike]:
    r"""Finds what looks like a control token and is none.

    Args:
        text: The text. A lone surrogate in it is like any other character.
        control_strings: The contents of the control tokens.
        max_found: The most to return; None for all.

    Returns:
        The look-alikes in order, not overlapping; empty where there are none. Not among them: what is spelled exactly as
        one of the control strings, and look-alikes of tokens with fewer than three visible letters or signs.

    Examples:
        >>> find_lookalikes("</s> <\uff5cim_start\uff5c>", ["<|im_start|>", "</s>"])
        [Lookalike(span=(5, 17), text='<｜im_start｜>', resembles='<|im_start|>', how=('compatibility forms',))]

    Complexity: O(n_chars) time and memory; the control strings are prepared once and kept.
    """
    return list(islice(iter_lookalikes(text, control_strings), max_found))


def iter_lookalikes(text: str, control_strings: Iterable[str]) -> Iterator[Lookalike]:
    """Yields what `find_lookalikes` returns."""
    markers = _markers(tuple(dict.fromkeys(control_strings)))
    found = markers.automaton.find(skeleton(text))
    first = next(found, None)
    if first is None:
        return
    starts = skeleton_starts(text)
    exact = {content for contents in markers.of_skeleton.values() for content in contents}
    for start, end, string in chain([first], found):
        span = (starts[start], starts[end - 1] + 1)
        if span[1] - span[0] <= markers.longest and text[span[0] : span[1]] in exact:
            continue
        yield _lookalike(text[span[0] : span[1]], span, markers.of_skeleton[string])


class _Markers(NamedTuple):
    automaton: Automaton
    of_skeleton: dict[str, list[str]]
    longest: int


# A conversation is checked message by message against the same tokens.
@lru_cache(maxsize=16)
def _markers(contents: tuple[str, ...]) -> _Markers:
    of_skeleton: dict[str, list[str]] = {}
    for content in contents:
        shape = skeleton(content)
        if len(shape) >= _MIN_SKELETON:
            of_skeleton.setdefault(shape, []).append(content)
    return _Markers(Automaton(of_skeleton), of_skeleton, max(map(len, contents), default=0))


def _lookalike(text: str, span: tuple[int, int], contents: list[str]) -> Lookalike:
    compared = [(ways(text, content), content) for content in contents[:_MAX_ALIKE]]
    how, resembles = min(compared, key=lambda pair: len(pair[0]))
    return Lookalike(span, text, resembles, how)
