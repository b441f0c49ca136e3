"""A bar of a window's width, each line of a budget a block of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.palette import ANSI_RESET, CONTROL_ANSI, ansi_style

if TYPE_CHECKING:
    from piecework._budget import Budget

__all__ = ["budget_bar"]

_WIDTH = 64
# Without colors each line is a letter of its own.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def budget_bar(budget: Budget, *, plain: bool) -> list[str]:
    """Draws a budget.

    Args:
        budget: The budget.
        plain: Whether with letters in place of colors.

    Returns:
        The bar and its legend. A line that takes anything has at least one place; what is over stands behind the window's
        end, marked `!`.
    """
    lines = [line for line in budget.lines if line.reserved_tokens]
    total = max(budget.window, budget.planned_tokens)
    blocks = [max(1, round(line.reserved_tokens * _WIDTH / total)) for line in lines]
    while sum(blocks) > _WIDTH and max(blocks) > 1:
        blocks[blocks.index(max(blocks))] -= 1
    marks = [_LETTERS[at % len(_LETTERS)] for at in range(len(lines))]
    # The smallest excess is to be seen too, also that over a limit of the input within the window.
    n_over = max(1, round(budget.over_tokens * _WIDTH / total)) if not budget.fits else 0
    filled = "".join(mark * n for mark, n in zip(marks, blocks, strict=True))
    bar = "".join(
        _block(mark, marks.index(mark), plain=plain, is_over=place >= len(filled) - n_over)
        for place, mark in enumerate(filled)
    )
    end = "|" if budget.fits else ""
    legend = [
        f"{_block(mark, at, plain=plain, is_over=False)} {line.name}"
        for at, (mark, line) in enumerate(zip(marks, lines, strict=True))
    ]
    return [f"|{bar}{'·' * (_WIDTH - len(filled))}{end} {budget.verdict()}", "  ".join(legend)]


def _block(mark: str, at: int, *, plain: bool, is_over: bool) -> str:
    if plain:
        return "!" if is_over else mark
    return f"{CONTROL_ANSI if is_over else ansi_style(at % 10)}{'!' if is_over else ' '}{ANSI_RESET}"
