"""Where a tokenizer loses: the texts on which it needs most more tokens than a rival, and how both cut them."""

from __future__ import annotations

from bisect import bisect_right
from heapq import nlargest
from typing import TYPE_CHECKING

from piecework.train.closing.figures import WorstText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import _core
    from piecework._types import Errors
    from piecework.train.closing.held_out import HeldOutText

__all__ = ["worst_texts"]

# Of a long unit its start is looked at: cuts with their places take far more memory than counts.
_MAX_CHARS = 50_000
# Units of one kind often differ most in the same word.
_LOOKED_AT = 4


def worst_texts(
    ours: _core.Tokenizer,
    rival: _core.Tokenizer,
    *,
    name: str,
    domains: Sequence[HeldOutText],
    counts: Sequence[tuple[Sequence[int], Sequence[int]]],
    n_worst: int,
    errors: Errors,
) -> list[WorstText]:
    """The units with most more tokens, the first of equals first, each with a stretch that none before it shows.

    Args:
        ours: The tokenizer.
        rival: The other one.
        name: What the other one is called.
        domains: The texts.
        counts: For each domain our tokens and the rival's, of each unit.
        n_worst: How many units at most; only those on which ours needs more.
        errors: What becomes of broken Unicode.

    Complexity: O(units), and as encoding what is shown.
    """
    extra = (
        (n_own - n_rival, -place, -at)
        for place, (own, theirs) in enumerate(counts)
        for at, (n_own, n_rival) in enumerate(zip(own, theirs, strict=True))
        if n_own > n_rival
    )
    found: list[WorstText] = []
    shown: set[str] = set()
    for _, place, at in nlargest(n_worst * _LOOKED_AT, extra):
        domain, (own, theirs) = domains[-place], counts[-place]
        if len(found) == n_worst:
            break
        text, pieces, rival_pieces = _stretch(ours, rival, domain.units[-at][:_MAX_CHARS], errors)
        if text in shown:
            continue
        shown.add(text)
        found.append(
            WorstText(
                rival=name,
                domain=domain.name,
                place=1 - at,
                n_tokens=own[-at],
                n_rival_tokens=theirs[-at],
                text=text,
                pieces=pieces,
                rival_pieces=rival_pieces,
            )
        )
    return found


def _stretch(
    ours: _core.Tokenizer, rival: _core.Tokenizer, text: str, errors: Errors
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The stretch between two places at which both cut, on which ours needs most more tokens: text and both cuts."""
    own, other = (native.encode(text, "text", False, errors) for native in (ours, rival))  # noqa: FBT003 - native
    own_ends, other_ends = ([end for _, end in one.byte_spans] for one in (own, other))
    data = text.encode("utf-8", "surrogatepass")
    best, first, last = 0, (0, 0, 0), (0, 0, 0)
    before = first
    for end in sorted({*own_ends} & {*other_ends} | {len(data)}):
        here = (bisect_right(own_ends, end), bisect_right(other_ends, end), end)
        n_extra = (here[0] - before[0]) - (here[1] - before[1])
        if n_extra > best:
            best, first, last = n_extra, before, here
        before = here
    shown = data[first[2] : last[2]].decode("utf-8", "replace")
    return shown, tuple(own.pieces[first[0] : last[0]]), tuple(other.pieces[first[1] : last[1]])
