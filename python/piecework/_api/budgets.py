"""The public functions that plan and pack a request: they resolve a model to its limits and to what counts for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from piecework.errors import BudgetError

if TYPE_CHECKING:
    from piecework._budget import Budget, Packed
    from piecework._budget.content import Content, Message
    from piecework._budget.counting import CountsMessages
    from piecework._budget.planning import Amount
    from piecework._budget.turns import Unit
    from piecework._counts import Count
    from piecework._tokenizer import Tokenizer

__all__ = ["budget", "pack"]


# Names that the table gives to lines and sums of its own.
_TAKEN = frozenset({"template framing", "planned", "left", "over"})


class _ModelCounting:
    """Counts for one model by `piecework.count`, and remembers what its counts said of themselves."""

    def __init__(self, model: str | Tokenizer, template: str | None) -> None:
        self._model = model
        self._template = template
        self._notes: dict[str, None] = {}

    @property
    def calibrations(self) -> tuple[str, ...]:
        """What to say of the calibrations that were used."""
        from piecework._chat.calibration import CALIBRATED_ON  # noqa: PLC0415 - a budget of numbers counts nothing

        return tuple(note for note in self._notes if note.startswith(CALIBRATED_ON))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the counts stand on: rules, figures, calibrations, with their sources."""
        return tuple(self._notes)

    def _kept(self, counted: Count) -> Count:
        self._notes |= dict.fromkeys(counted.notes)
        return counted

    def text(self, text: str) -> Count:
        """The count of a text alone."""
        from piecework._api.counting import count  # noqa: PLC0415 - loads a tokenizer's home

        return self._kept(count(text, model=self._model))

    def chat(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] | None) -> Count:
        """The count of messages as they are sent."""
        from piecework._api.counting import count  # noqa: PLC0415 - as above

        return self._kept(count(messages, model=self._model, tools=tools, template=self._template))


def budget(
    model: str | Tokenizer | None = None,
    *,
    window: int | None = None,
    max_output_tokens: int | None = None,
    system: Amount | None = None,
    tools: int | Sequence[Mapping[str, Any]] | None = None,
    history: Amount | None = None,
    evidence: Amount | None = None,
    message: Amount | None = None,
    framing: int | None = None,
    answer: int = 0,
    margin: int = 0,
    template: str | None = None,
    **lines: Amount | None,
) -> Budget:
    """Plans what a request takes of a model's window.

    Args:
        model: A model's name or a tokenizer: says the window, and counts what is given as text. None for plain numbers.
        window: Tokens of input and answer together; in place of the model's.
        max_output_tokens: The longest answer; in place of the model's.
        system: Tokens, a text or messages; likewise `history`, `evidence` and `message`.
        tools: Tokens, or the tools themselves.
        history: The conversation so far.
        evidence: Texts that the answer is to stand on.
        message: What is asked now.
        framing: Tokens that the template puts around messages; counted where there are messages.
        answer: Tokens kept for the answer.
        margin: Tokens kept besides.
        template: The chat template, as `Tokenizer.chat` takes it.
        lines: Lines of your own, by name (`_` for a space).

    Returns:
        A `Budget`: `str()` is its table, `left_tokens` what is left. Of an estimate the upper end of its band is set aside.

    Raises:
        BudgetError: No window is known, a number is negative, or something is to be counted and nothing says by which model.
        UnknownTokenizerError: The model is unknown, and something is to be counted.
        ChatError: The messages cannot be rendered.
        TypeError: An amount is neither a number nor a text nor messages.
        ValueError: A line of your own has a name that the table needs itself.

    Examples:
        >>> import piecework as pw
        >>> plan = pw.budget(window=8192, system=400, history=2000, evidence=3000, answer=1000)
        >>> plan.planned_tokens, plan.left_tokens
        (6400, 1792)
        >>> pw.budget(window=4096, answer=768, margin=256).available_tokens
        3072
    """
    from piecework._budget.limits import model_limits  # noqa: PLC0415 - loads the price tables
    from piecework._budget.planning import plan_budget, plan_lines  # noqa: PLC0415 - as above

    name = model if model is None or isinstance(model, str) else model.name
    parts = {"system": system, "history": history, "evidence": evidence, "message": message}
    for line, amount in lines.items():
        own = line.replace("_", " ")
        if own in _TAKEN:
            raise ValueError(f"a line of your own cannot be named {own!r}: that is another thing in a budget")
        parts[own] = amount
    counting = None if model is None else _ModelCounting(model, template)
    planned = plan_lines(
        parts,
        tools=tools,
        framing=framing,
        answer=answer,
        margin=margin,
        counting=counting,
    )
    limits = model_limits(name, window=window, max_output=max_output_tokens)
    return plan_budget(limits, planned, model=name, notes=() if counting is None else counting.notes)


def pack(
    messages: Sequence[Message] | Mapping[str, Any] | None = None,
    *,
    model: str | Tokenizer | None = None,
    window: int | None = None,
    answer: int | None = None,
    margin: int = 0,
    system: Content | None = None,
    history: Content | None = None,
    evidence: str | Sequence[str] = (),
    message: Content | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    count: CountsMessages | None = None,
    scores: Sequence[float] | None = None,
    min_evidence: int | None = None,
    first: Literal["history", "evidence"] = "history",
    unit: Unit = "message",
    starts_with: Literal["any", "user"] = "any",
    slack_tokens: int = 0,
    summarize: Callable[[Sequence[Message]], str] | None = None,
    max_summary_tokens: int = 512,
    template: str | None = None,
) -> Packed:
    """Makes a request fit: drops the oldest whole turns, and tells what it dropped.

    The system messages, the tools, the current message and the answer stay whole, and so does evidence, unless it has
    scores or a minimum. Of the history the newest turns stay, up to the first that does not fit; a call stays with its
    results. Every choice is counted as it would be sent.

    Args:
        messages: A whole conversation, or the body of a request; its last turn is what is answered, and where that is a
            result or the beginning of an answer, the newest question stays too. As OpenAI's chat and Responses or Anthropic's
            API have them: those of the others become the first's. Or None, and the parts by name.
        model: A model's name or a tokenizer: says the window, and counts.
        window: Tokens of input and answer together; in place of the model's.
        answer: Tokens kept for the answer; None for the output limit of a request's body, where it has one, else 0.
        margin: Tokens kept besides.
        system: A text or messages that stand first.
        history: The conversation so far: messages, or texts (of the user).
        evidence: Texts; put before the current message, so that what stands before it can be cached.
        message: What is asked now.
        tools: The tools, which are sent too.
        count: Counts messages, in place of the model: a function from a list of messages to a number or a `Count`.
        scores: The worth of each piece of evidence: then the least worthy may go.
        min_evidence: How many pieces must stay; then the others may go.
        first: What gets room first, where both history and evidence may go.
        unit: What a turn is: `"message"` (with the results of its calls), or `"exchange"`, a user's message with all that
            answers it.
        starts_with: What the kept history begins with: `"user"` for templates that ask it.
        slack_tokens: Free tokens to make once anything is dropped, so that the next turns drop nothing and keep the
            provider's cache.
        summarize: Called with the dropped messages; its text takes their place.
        max_summary_tokens: The room kept for that text.
        template: The chat template, as `Tokenizer.chat` takes it.

    Returns:
        `Packed`: the messages, their exact count, what is left, and the log of what was dropped.

    Raises:
        ContextOverflowError: What must stay does not fit; `excess` says by how much.
        BudgetError: No window or no way to count is given, or the parts make no sense together.
        MessageError: The template refuses the messages, whatever is dropped.
        TypeError: An argument is not of its type.
        ValueError: `first`, `unit` or `starts_with` is none of its choices.

    Examples:
        >>> import piecework as pw
        >>> words = lambda messages: sum(len(message["content"].split()) for message in messages)
        >>> history = ["a b c d", "e f g", "h i"]
        >>> packed = pw.pack(system="s s", evidence=["x y z"], history=history, window=14, answer=3, count=words)
        >>> [message["content"] for message in packed.messages], packed.left_tokens
        (['s s', 'e f g', 'h i', 'x y z'], 1)

    Complexity: O(log n_turns + n_evidence) counts of the whole.
    """
    from piecework._budget.answer_limit import answer_limit  # noqa: PLC0415 - only what budgets need
    from piecework._budget.arguments import choice, token_number  # noqa: PLC0415 - only what budgets need
    from piecework._budget.content import as_messages  # noqa: PLC0415 - only what budgets need
    from piecework._budget.limits import model_limits  # noqa: PLC0415 - loads the price tables
    from piecework._budget.pack import Rules, pack_request  # noqa: PLC0415 - as above
    from piecework._budget.request import read_request  # noqa: PLC0415 - as above
    from piecework._chat.conversation import read_conversation  # noqa: PLC0415 - as above

    if messages is not None and (system, history, message) != (None, None, None):
        raise BudgetError("pass messages, or the parts by name, not both")
    if isinstance(messages, Mapping) and "role" not in messages:
        answer = answer_limit(messages) if answer is None else answer
        read = read_conversation(messages, tools)
        messages, tools = list(read.messages), None if read.tools is None else list(read.tools)
    choice("unit", unit, ("message", "exchange"))
    choice("first", first, ("history", "evidence"))
    choice("starts_with", starts_with, ("any", "user"))
    texts = _checked_texts(evidence)
    rules = Rules(
        scores=_checked_scores(scores, len(texts)),
        min_evidence=None if min_evidence is None else token_number("min_evidence", min_evidence),
        first=first,
        starts_with=starts_with,
        slack_tokens=token_number("slack_tokens", slack_tokens),
        summarize=summarize,
        max_summary_tokens=token_number("max_summary_tokens", max_summary_tokens),
    )
    request = read_request(
        as_messages(system, "system", name="system"),
        as_messages(
            history if messages is None else messages, "user", name="messages" if messages else "history"
        ),
        texts,
        as_messages(message, "user", name="message"),
        last_is_current=messages is not None,
        unit=unit,
    )
    counting = None if model is None else _ModelCounting(model, template)
    if count is None and counting is None:
        raise BudgetError(
            "nothing says how to count", hint="pass model=, or count= with a function of messages"
        )
    name = model if model is None or isinstance(model, str) else model.name
    packed = pack_request(
        request,
        window=model_limits(name, window=window).window.n_tokens,
        answer=token_number("answer", 0 if answer is None else answer),
        margin=token_number("margin", margin),
        count=count or (lambda sent: counting.chat(sent, tools)),  # type: ignore[union-attr]  # one of both is there
        count_text=None if counting is None or count else (lambda text: counting.text(text).n),
        rules=rules,
    )
    return packed if counting is None else replace(packed, notes=counting.calibrations)


def _checked_texts(evidence: object) -> list[str]:
    if isinstance(evidence, str):
        return [evidence]
    if isinstance(evidence, bytes | Mapping) or not isinstance(evidence, Sequence):
        raise TypeError(f"evidence is a text or a list of texts, not {type(evidence).__name__}")
    for at, text in enumerate(evidence):
        if not isinstance(text, str):
            raise TypeError(f"evidence[{at}] is a text, not {type(text).__name__}")
    return list(evidence)


def _checked_scores(scores: Sequence[float] | None, n_evidence: int) -> tuple[float, ...] | None:
    if scores is None:
        return None
    checked: tuple[object, ...] = tuple(scores)
    if len(checked) != n_evidence:
        raise BudgetError(f"{len(checked)} scores for {n_evidence} pieces of evidence")
    for at, score in enumerate(checked):
        if not hasattr(score, "__float__"):
            raise TypeError(f"scores[{at}] is a number, not {type(score).__name__}")
    if any(score != score for score in checked):  # noqa: PLR0124 - NaN is what differs from itself
        raise BudgetError("a score is not a number (NaN)")
    return tuple(scores)
