"""From what a caller gives, numbers, texts or messages, to the lines of a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from piecework._budget.amounts import read_amount
from piecework._budget.arguments import token_number
from piecework._budget.budget import Budget
from piecework._budget.content import Content, as_messages, message_text
from piecework._budget.line import ANSWER, FRAMING, MARGIN, Line, line_of, weakest
from piecework._budget.request import with_texts
from piecework._counts import Count
from piecework.errors import BudgetError, TemplateError

if TYPE_CHECKING:
    from piecework._budget.content import Message
    from piecework._budget.counting import Counting
    from piecework._budget.limits import Limits

__all__ = ["Amount", "amount_of", "plan_budget", "plan_lines"]

Amount: TypeAlias = int | Count | Content
"""A number of tokens, a count, or what is to be counted."""

# What becomes of a text that comes without a role.
_ROLES = {"system": "system", "history": "user", "evidence": "user", "message": "user"}


class _Given:
    """The messages and texts of a budget, and how they are sent together."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._before: list[Message] = []
        self._asked: list[Message] = []
        self._texts: list[str] = []

    def add(self, name: str, amount: object, messages: Sequence[Message]) -> None:
        """Adds what was given for a line."""
        self.messages += messages
        if name == "message":
            self._asked += messages
        elif name not in {"system", "history"} and _is_text(amount):
            self._texts += map(message_text, messages)
        else:
            self._before += messages

    def sent(self) -> list[Message]:
        """The messages, with the texts that a message stands on in the message itself, as `pack` sends them."""
        at = next((at for at, one in enumerate(self._asked) if one.get("role") == "user"), 0)
        return [*self._before, *with_texts(self._asked, self._texts, at)]


def _is_text(amount: object) -> bool:
    return isinstance(amount, str) or (
        isinstance(amount, Sequence) and all(isinstance(one, str) for one in amount)
    )


def plan_lines(
    parts: Mapping[str, Amount | None],
    *,
    tools: int | Sequence[Mapping[str, Any]] | None,
    framing: int | None,
    answer: int,
    margin: int,
    counting: Counting | None,
) -> list[Line]:
    """Makes the lines of a budget.

    Args:
        parts: `system`, `history`, `evidence`, `message` and lines of the caller's own, in the order in which they stand.
        tools: Their tokens, or the tools.
        framing: The tokens around messages; None to count them where there are messages, and to leave them out of a
            budget of plain numbers.
        answer: What is kept for the answer.
        margin: What is kept besides.
        counting: Counts texts and messages; None where all are numbers.

    Returns:
        The lines: those that were given, then the framing, the answer, the margin.

    Raises:
        BudgetError: A number is negative, or something is to be counted and nothing says by which model.
    """
    lines: list[Line] = []
    given = _Given()
    for name, amount in parts.items():
        if amount is None:
            continue
        if isinstance(amount, int | Count) or hasattr(amount, "__index__"):
            lines.append(_given(name, amount))  # type: ignore[arg-type]  # numpy's numbers too
            continue
        messages = as_messages(amount, _ROLES.get(name, "user"), name=name)
        lines.append(_counted(name, messages, _needed(counting, name)))
        given.add(name, amount, messages)
    listed = None if tools is None or isinstance(tools, int) else _listed(tools)
    if tools is not None:
        lines.insert(
            _after_system(lines), _given("tools", tools) if isinstance(tools, int) else Line("tools", 0, 0)
        )
    if framing is not None:
        lines.append(_given(FRAMING, framing))
    if given.messages or listed:
        lines = _with_framing(lines, given, listed, _needed(counting, "messages"), framing)
    lines += [_given(name, amount) for name, amount in ((ANSWER, answer), (MARGIN, margin)) if amount != 0]
    return lines


def _listed(tools: object) -> list[Mapping[str, Any]]:
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Sequence):
        raise TypeError(f"tools is a number of tokens or a list of tools, not {type(tools).__name__}")
    return list(tools)


def _given(name: str, amount: int | Count) -> Line:
    if not isinstance(amount, Count):
        amount = token_number(name, amount)
    return line_of(name, amount)


def _needed(counting: Counting | None, name: str) -> Counting:
    if counting is None:
        raise BudgetError(f"{name} is to be counted, and no model says how", hint="pass model=, or a number")
    return counting


def _counted(name: str, messages: Sequence[Message], counting: Counting) -> Line:
    counts = [counting.text(text) for text in map(message_text, messages) if text]
    n_tokens = sum(count.n for count in counts)
    reserved = sum(map(_upper, counts))
    return Line(name, n_tokens, reserved, weakest([count.basis for count in counts]), len(messages))


def _with_framing(
    lines: list[Line],
    given: _Given,
    tools: Sequence[Mapping[str, Any]] | None,
    counting: Counting,
    framing: int | None,
) -> list[Line]:
    """Adds what the template puts around the messages, and what the tools take: both by counting the whole."""
    counts_framing = framing is None and bool(given.messages)
    if not (counts_framing or tools):
        return lines
    asked = given.sent() or [{"role": "user", "content": "x"}]
    try:
        bare = counting.chat(asked, None)
        whole = counting.chat(asked, tools) if tools else bare
    except TemplateError:
        if tools:
            raise
        # Without a template nobody knows what stands around the messages: it is more than nothing.
        return [*lines, Line(FRAMING, 0, 0, "lower-bound", len(given.sent()))]
    if tools:
        n_tools = max(0, whole.n - bare.n)
        reserved = max(n_tools, _upper(whole) - _upper(bare))
        line = Line("tools", n_tools, reserved, weakest([bare.basis, whole.basis]), len(tools))
        lines = [line if one.name == "tools" else one for one in lines]
    if counts_framing:
        bodies = [counting.text(text) for text in map(message_text, given.messages) if text]
        n_framing = max(0, bare.n - sum(count.n for count in bodies))
        # Of an estimate the band of the whole is wider than those of its texts: the lines together reserve all of it.
        reserved = max(n_framing, _upper(bare) - sum(map(_upper, bodies)))
        lines = [*lines, Line(FRAMING, n_framing, reserved, bare.basis, len(asked))]
    return lines


def _upper(count: Count) -> int:
    return count.n if count.band is None else max(count.n, count.band[1])


def _after_system(lines: Sequence[Line]) -> int:
    return 1 if lines and lines[0].name == "system" else 0


def plan_budget(
    limits: Limits, lines: Sequence[Line], *, model: str | None, notes: Sequence[str] = ()
) -> Budget:
    """Puts lines into a model's limits."""
    return Budget(
        window=limits.window.n_tokens,
        lines=tuple(lines),
        window_source=str(limits.window.source),
        max_output_tokens=None if limits.max_output is None else limits.max_output.n_tokens,
        max_input_tokens=None if limits.max_input is None else limits.max_input.n_tokens,
        model=model,
        notes=(*limits.notes, *notes),
    )


def amount_of(text: str) -> int | str:
    """What a person wrote for a line: a number where it is one, such as `147 + 7*65`, else the text."""
    number = read_amount(text)
    return text if number is None else number
