"""What came of a check: each thing that was looked at, with its count, and the problems."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

from piecework._plural import plural

if TYPE_CHECKING:
    from piecework._types import Basis

__all__ = ["Check", "Checked", "Problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong, or soon will be.

    Attributes:
        level: `"error"` fails the check, `"warning"` does not.
        kind: `over-limit`, `near-limit`, `no-output-limit`, `output-limit`, `scan`, `unreadable` or `nothing-found`.
        says: What it is.
        path: The file; that of the configuration where no other is meant.
        line: The line in it, from 1; None for the whole.
    """

    level: Literal["error", "warning"]
    kind: str
    says: str
    path: str
    line: int | None = None

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "level": self.level,
            "kind": self.kind,
            "says": self.says,
            "path": self.path,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """A file, a chat or a budget that was looked at.

    Attributes:
        name: Its path, or the budget's name.
        model: The model that counted.
        n_tokens: Its count; of an estimate the upper end of its band. None where it could not be counted.
        basis: What the count is worth.
        max_tokens: Its limit; None where it has none.
        problems: What is wrong with it.
    """

    name: str
    model: str
    n_tokens: int | None
    basis: Basis | None
    max_tokens: int | None
    problems: tuple[Problem, ...]

    @property
    def verdict(self) -> str:
        """`error`, `warning` or `ok`."""
        levels = {problem.level for problem in self.problems}
        return "error" if "error" in levels else "warning" if levels else "ok"

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "name": self.name,
            "model": self.model,
            "n_tokens": self.n_tokens,
            "basis": self.basis,
            "max_tokens": self.max_tokens,
            "verdict": self.verdict,
            "problems": [problem.to_dict() for problem in self.problems],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Check:
    """A check of a project.

    Attributes:
        config: The file that asked for it.
        checked: What was looked at, in its order.
        problems: What is wrong with the configuration itself, such as a pattern that no file has.
    """

    config: str
    checked: tuple[Checked, ...]
    problems: tuple[Problem, ...]

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """All problems, in order."""
        return (*self.problems, *(problem for one in self.checked for problem in one.problems))

    @property
    def n_errors(self) -> int:
        """How many problems fail the check."""
        return sum(problem.level == "error" for problem in self.all_problems)

    @property
    def n_warnings(self) -> int:
        """How many do not."""
        return len(self.all_problems) - self.n_errors

    @property
    def passed(self) -> bool:
        """Whether nothing fails it."""
        return not self.n_errors

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "config": self.config,
            "passed": self.passed,
            "n_errors": self.n_errors,
            "n_warnings": self.n_warnings,
            "checked": [one.to_dict() for one in self.checked],
            "problems": [problem.to_dict() for problem in self.problems],
        }

    def __repr__(self) -> str:
        """The result in a line."""
        return f"Check({len(self.checked)} checked, {self.n_errors} errors, {self.n_warnings} warnings)"

    def __str__(self) -> str:
        """A line for each thing, its problems below, and the sum."""
        width = max((len(one.name) for one in self.checked), default=0)
        lines = [f"{problem.level:7}  {problem.says}" for problem in self.problems]
        for one in self.checked:
            tokens = "?" if one.n_tokens is None else f"{one.n_tokens:,}"
            limit = "" if one.max_tokens is None else f" of {one.max_tokens:,}"
            basis = "" if one.basis in {None, "exact"} else f", {one.basis}"
            lines.append(f"{one.verdict:7}  {one.name:{width}}  {tokens}{limit} tokens ({one.model}{basis})")
            lines += [f"         {problem.level}: {problem.says}" for problem in one.problems]
        lines.append(
            f"{len(self.checked):,} checked, {plural(self.n_errors, 'error')}, {plural(self.n_warnings, 'warning')}"
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "".join(
            f"<div style='white-space:pre-wrap'>{escape(line)}</div>" for line in str(self).splitlines()
        )
