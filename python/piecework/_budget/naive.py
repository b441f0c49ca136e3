"""What cutting a prompt at its front or back destroys, part by part: the contrast to packing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Cut", "CutSide", "naive_cut"]

CutSide: TypeAlias = Literal["front", "back"]


class Cut(NamedTuple):
    """What a cut leaves of a part.

    Attributes:
        name: The part.
        n_tokens: What it had.
        kept_tokens: What is left of it.
    """

    name: str
    n_tokens: int
    kept_tokens: int

    @property
    def says(self) -> str:
        """What happened to the part, in words."""
        if self.kept_tokens == self.n_tokens:
            return "whole"
        return "gone" if not self.kept_tokens else f"{self.kept_tokens:,} of {self.n_tokens:,} left"


def naive_cut(parts: Sequence[tuple[str, int]], max_tokens: int, side: CutSide) -> list[Cut]:
    """Cuts a prompt to a limit at one end, as `truncate` would, and says what each part loses.

    Args:
        parts: Names and tokens, in the order in which they stand.
        max_tokens: What may stay.
        side: The end that is cut off.

    Returns:
        What is left of each part, in the same order.

    Raises:
        ValueError: `side` is neither.

    Examples:
        >>> parts = [("system", 400), ("history", 4100), ("evidence", 3000)]
        >>> [cut.says for cut in naive_cut(parts, 7192, "front")]
        ['92 of 400 left', 'whole', 'whole']
    """
    if side not in {"front", "back"}:
        raise ValueError(f"side is 'front' or 'back', not {side!r}")
    ordered = list(parts) if side == "back" else list(reversed(parts))
    room = max(0, max_tokens)
    cuts = []
    for name, n_tokens in ordered:
        kept = min(n_tokens, room)
        room -= kept
        cuts.append(Cut(name, n_tokens, kept))
    return cuts if side == "back" else cuts[::-1]
