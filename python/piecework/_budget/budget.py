"""A budget: the lines that share a window, what is left of it, and what frees most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from piecework._budget.arguments import token_number
from piecework._budget.change import BudgetChange
from piecework._budget.line import ANSWER, FRAMING, MARGIN, Line, weakest
from piecework.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from piecework._types import Basis

__all__ = ["Budget"]

# No text takes so many times the tokens in another language.
_MAX_RATIO = 1_000_000
# What nobody can say in another language.
_NO_LANGUAGE = frozenset({"tools", FRAMING, ANSWER, MARGIN})


@dataclass(frozen=True, slots=True, repr=False)
class Budget:
    """What a request plans to take of a model's window, line by line.

    Attributes:
        window: The tokens that the model can attend to at once, input and answer together.
        lines: The lines, in the order in which they stand in the window; the answer and the margin last.
        window_source: Where the window's size comes from, with its date.
        max_output_tokens: The longest answer that the model gives, where that is known; another limit than the window.
        max_input_tokens: The longest input, where the model has such a limit of its own.
        model: The model or tokenizer that counted; None where all lines are numbers.
        notes: What a reader should know of the figures.
    """

    window: int
    lines: tuple[Line, ...]
    window_source: str = "given"
    max_output_tokens: int | None = None
    max_input_tokens: int | None = None
    model: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def planned_tokens(self) -> int:
        """All that is set aside, the answer and the margin included."""
        return sum(line.reserved_tokens for line in self.lines)

    @property
    def input_tokens(self) -> int:
        """What is sent: all lines but the answer and the margin."""
        return sum(line.reserved_tokens for line in self.lines if line.name not in {ANSWER, MARGIN})

    @property
    def available_tokens(self) -> int:
        """What the complete input may take: the window without the answer and the margin, or the model's own limit."""
        room = self.window - (self.planned_tokens - self.input_tokens)
        return room if self.max_input_tokens is None else min(room, self.max_input_tokens)

    @property
    def left_tokens(self) -> int:
        """What is left; negative where the plan is over by that much."""
        return self.available_tokens - self.input_tokens

    @property
    def over_tokens(self) -> int:
        """By how much the plan is over; 0 where it fits."""
        return max(0, -self.left_tokens)

    @property
    def fits(self) -> bool:
        """Whether everything fits."""
        return self.left_tokens >= 0

    @property
    def frees_most(self) -> Line | None:
        """The line without which most would be free; None where all are empty."""
        largest = max(self.lines, key=lambda line: line.reserved_tokens, default=None)
        return largest if largest is not None and largest.reserved_tokens else None

    @property
    def basis(self) -> Basis:
        """What `left_tokens` is worth: as much as the weakest line."""
        return weakest([line.basis for line in self.lines])

    def __getitem__(self, name: str) -> Line:
        """The line of a name.

        Raises:
            KeyError: There is none.
        """
        for line in self.lines:
            if line.name == name:
                return line
        raise KeyError(name)

    def __iter__(self) -> Iterator[Line]:
        """The lines in their order."""
        return iter(self.lines)

    def changed(self, **n_tokens: int | None) -> Budget:
        """The same budget with other numbers in some lines, None for a line that goes.

        Args:
            n_tokens: The new numbers, by the lines' names (`_` for a space); a new name is a new line before the answer.

        Raises:
            BudgetError: A number is negative, or the window is named, which is no line.
            TypeError: A number is no whole number.

        Examples:
            >>> from piecework import budget
            >>> plan = budget(window=8192, system=400, history=2000, evidence=3000, answer=1000)
            >>> plan.changed(history=4100).left_tokens
            -308
        """
        new = {
            (own := name.replace("_", " ")): None if value is None else token_number(own, value)
            for name, value in n_tokens.items()
        }
        if "window" in new:
            raise BudgetError("the window is no line of a budget", hint="plan a new one with window=")
        lines = []
        for line in self.lines:
            value = new.pop(line.name, line.n_tokens)
            if value is not None:
                lines.append(
                    line if value == line.n_tokens else Line(line.name, value, value, "exact", line.n_items)
                )
        added = [Line(name, value, value) for name, value in new.items() if value is not None]
        tail = [line for line in lines if line.name in {ANSWER, MARGIN}]
        head = [line for line in lines if line.name not in {ANSWER, MARGIN}]
        return replace(self, lines=(*head, *added, *tail))

    def scaled(self, ratio: float | Fraction, *, of: Sequence[str] | None = None, why: str = "") -> Budget:
        """The same budget with lines that take more or less, as the same text in another language would: an estimate.

        Args:
            ratio: By how much, such as `Fraction(25, 14)`; a premium of `compare`.
            of: The lines; None for all that hold what people say (not the tools, framing, answer and margin).
            why: What the ratio is, for the notes.

        Returns:
            The budget; the numbers are rounded to the nearest and labelled estimates.

        Raises:
            BudgetError: A line of `of` is not there, or the ratio is not positive, or beyond a million.
            TypeError: The ratio is no number.

        Examples:
            >>> from fractions import Fraction
            >>> from piecework import budget
            >>> plan = budget(window=32768, system=300, tools=602, evidence=3072, history=4100, answer=2048, document=20000)
            >>> plan.left_tokens, plan.scaled(Fraction(58, 14), of=["document"]).over_tokens
            (2646, 60211)
        """
        exact = _ratio(ratio)
        if isinstance(of, str):
            of = [of]
        names = {line.name for line in self.lines}
        chosen = names - _NO_LANGUAGE if of is None else set(of)
        if unknown := chosen - names:
            raise BudgetError(
                f"there is no line {', '.join(sorted(unknown))}", hint=f"lines are {', '.join(sorted(names))}"
            )
        lines = tuple(_scaled(line, exact) if line.name in chosen else line for line in self.lines)
        note = (
            why
            or f"{', '.join(line.name for line in self.lines if line.name in chosen)} × {float(exact):.3g}"
        )
        return replace(self, lines=lines, notes=(*self.notes, note))

    def difference(self, old: Budget) -> BudgetChange:
        """What changed since another budget, line by line.

        Args:
            old: The budget before.

        Examples:
            >>> from piecework import budget
            >>> old = budget(window=8192, system=400, history=2000, evidence=3000, answer=1000)
            >>> print(old.changed(history=4100).difference(old))
            history  2,000 → 4,100  +2,100
            left     1,792 → -308   -2,100
        """
        return BudgetChange.between(old, self)

    @property
    def chart_kinds(self) -> tuple[str, ...]:
        """The kinds of chart that `plot` draws of it."""
        return ("budget",)

    def chart_rows(self, kind: str) -> list[Mapping[str, object]]:
        """The rows of the chart: one for each line."""
        del kind
        return [{"part": line.name, "n_tokens": line.reserved_tokens} for line in self.lines]

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        frees = self.frees_most
        return {
            "model": self.model,
            "window": self.window,
            "window_source": self.window_source,
            "max_input_tokens": self.max_input_tokens,
            "max_output_tokens": self.max_output_tokens,
            "lines": [line.to_dict() for line in self.lines],
            "input_tokens": self.input_tokens,
            "available_tokens": self.available_tokens,
            "planned_tokens": self.planned_tokens,
            "left_tokens": self.left_tokens,
            "fits": self.fits,
            "frees_most": None if frees is None else frees.name,
            "basis": self.basis,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        """The budget in a line."""
        return (
            f"Budget(window {self.window:,}, planned {self.planned_tokens:,}, {self.verdict()}, {self.basis})"
        )

    def __str__(self) -> str:
        """The budget as a table."""
        from piecework._budget.text import budget_text  # noqa: PLC0415 - only where it is printed

        return budget_text(self)

    def _repr_html_(self) -> str:
        from piecework._budget.text import budget_html  # noqa: PLC0415 - only in notebooks

        return budget_html(self)

    def verdict(self) -> str:
        """Whether it fits, and by how much."""
        return f"{self.left_tokens:,} left" if self.fits else f"{self.over_tokens:,} over"


def _ratio(ratio: object) -> Fraction:
    if isinstance(ratio, bool) or not isinstance(ratio, int | float | Fraction):
        raise TypeError(f"a ratio is a number, not {type(ratio).__name__}")
    if not 0 < ratio <= _MAX_RATIO:
        raise BudgetError(f"a ratio is more than 0 and at most {_MAX_RATIO:,}, and not {ratio!s:.40}")
    return Fraction(ratio)


def _scaled(line: Line, ratio: Fraction) -> Line:
    return replace(
        line,
        n_tokens=round(line.n_tokens * ratio),
        reserved_tokens=round(line.reserved_tokens * ratio),
        basis=weakest([line.basis, "estimate"]),
    )
