"""What changed between two budgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._budget.budget import Budget

__all__ = ["BudgetChange", "LineChange"]


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line before and after.

    Attributes:
        name: The line; `window` and `left` stand for the whole.
        before: What it took; None where it was not there.
        after: What it takes; None where it is gone.
    """

    name: str
    before: int | None
    after: int | None

    @property
    def by(self) -> int:
        """How much more it takes now."""
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True, slots=True)
class BudgetChange:
    """What changed, the lines in their order; only those that did.

    Attributes:
        lines: The lines that take more or less, then `window` where it is another one, then `left`.
    """

    lines: tuple[LineChange, ...]

    @classmethod
    def between(cls, old: Budget, new: Budget) -> BudgetChange:
        """The change from one budget to another."""
        before = {line.name: line.reserved_tokens for line in old.lines}
        after = {line.name: line.reserved_tokens for line in new.lines}
        changes = [LineChange(name, before.get(name), after.get(name)) for name in {**after, **before}]
        changes.append(LineChange("window", old.window, new.window))
        changed = [change for change in changes if change.before != change.after]
        return cls((*changed, LineChange("left", old.left_tokens, new.left_tokens)))

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        rows = [
            {"name": one.name, "before": one.before, "after": one.after, "by": one.by} for one in self.lines
        ]
        return {"lines": rows}

    def __str__(self) -> str:
        """A line for each change."""
        shown = [
            (one.name, f"{_number(one.before)} → {_number(one.after)}", f"{one.by:+,}") for one in self.lines
        ]
        widths = [max(len(row[at]) for row in shown) for at in range(2)]
        return "\n".join(
            f"{name:{widths[0]}}  {change:{widths[1]}}  {by}".rstrip() for name, change, by in shown
        )


def _number(value: int | None) -> str:
    return "none" if value is None else f"{value:,}"
