"""Where two prompts that are encoded already part in tokens: chat prompts, whose control tokens no text can give again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._explain.difference import N_SHOWN, Difference, Place, checked_block_size, n_shared
from piecework._explain.glyphs import joined, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._explain.difference import Reason

__all__ = ["Encoded", "difference_of"]


class Encoded(NamedTuple):
    """An encoded prompt.

    Attributes:
        text: Its text.
        ids: Its ids.
        char_spans: Where each token stands in the text, in characters.
        part_of: The name of the part that a token lies in, by its index, and where that part begins in the text.
        piece: The readable piece of an id.
    """

    text: str
    ids: Sequence[int]
    char_spans: Sequence[tuple[int, int]]
    part_of: Callable[[int], tuple[str, int]]
    piece: Callable[[int], str]


def difference_of(name: str, old: Encoded, new: Encoded, *, block_size: int | None = None) -> Difference:
    """Compares two encoded prompts of one tokenizer.

    Args:
        name: The tokenizer's name.
        old: The prompt that was sent.
        new: The prompt that will be sent.
        block_size: Tokens of a block of a cache, at least 1; None tells of the usual ones.

    Raises:
        ValueError: `block_size` is less than 1.
    """
    if block_size is not None:
        checked_block_size(block_size)
    n = n_shared(old.ids, new.ids)
    n_old, n_new = len(old.ids), len(new.ids)
    n_same_chars = n_shared(old.text, new.text)
    unchanged = 0
    for _, end in old.char_spans[n:]:
        if end > n_same_chars:
            break
        unchanged += 1
    is_same = n == n_old == n_new
    return Difference(
        tokenizer=name,
        reason=_reason(n, n_old, n_new, unchanged),
        index=n,
        n_old=n_old,
        n_new=n_new,
        n_retokenized=0 if is_same else unchanged,
        old=None if is_same else _place(old, n),
        new=None if is_same else _place(new, n),
        block_size=block_size,
    )


def _reason(n: int, n_old: int, n_new: int, unchanged: int) -> Reason:
    if n == n_old:
        return "same" if n == n_new else "extended"
    if n == n_new:
        return "shortened"
    return "retokenized" if unchanged else "text"


def _place(prompt: Encoded, at: int) -> Place:
    if at >= len(prompt.ids):
        return Place(None, 0, 0, 0, None, "")
    part, part_start = prompt.part_of(at)
    before = prompt.text[part_start : prompt.char_spans[at][0]]
    pieces = joined(visible(prompt.piece(token_id)) for token_id in prompt.ids[at : at + N_SHOWN])
    return Place(
        part,
        len(before.encode("utf-8", "surrogatepass")),
        len(before),
        len(before.encode("utf-16-le", "surrogatepass")) // 2,
        prompt.ids[at],
        pieces + "…" * (len(prompt.ids) > at + N_SHOWN),
    )
