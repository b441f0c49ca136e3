"""Where a text may go on, its last tokens are not certain: more text makes them anew, and a cached prefix ends earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.glyphs import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["boundary", "candidates", "measure"]

# Nobody knows what comes next; these are what mostly does, after white space and after anything else.
_AFTER_SPACE = ("word", "1", "\n")
_AFTER_WORD = (" word", ".", "\n")


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The end of the text."""
    if subject.text:
        yield len(subject.text), len(subject.text)


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Encodes the text with what may follow, and keeps what costs most."""
    del span
    probes = _AFTER_SPACE if subject.text[-1].isspace() else _AFTER_WORD
    found = [quirk for more in probes if (quirk := boundary(subject, more)) is not None]
    return max(found, key=lambda quirk: quirk.cost or 0, default=None)


def boundary(subject: Subject, more: str) -> Quirk | None:
    """What `text + more` makes anew of the text's tokens; None where all of them stay."""
    n = len(subject.ids)
    longer = subject.ids_of(subject.text + more)
    n_kept = next(
        (at for at, (a, b) in enumerate(zip(subject.ids, longer, strict=False)) if a != b),
        min(n, len(longer)),
    )
    if n_kept == n:
        return None
    start = subject.char_spans[n_kept][0]
    return subject.quirk(
        "boundary",
        (start, len(subject.text)),
        alternative=None,
        cost=n - n_kept,
        says=f"followed by {visible(more)}, {n_kept:,} of {n:,} tokens stay, and the rest becomes others",
        advice="end a cached prefix before this, so that it begins what follows; count the two together, not apart",
    )
