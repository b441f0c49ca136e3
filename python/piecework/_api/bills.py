"""The public functions about what was billed: writing a log of requests, and explaining one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework._counts import Count
from piecework.errors import InputError, LoadError, PieceworkError

if TYPE_CHECKING:
    from piecework._budget import Packed
    from piecework._cost.reconcile import Reconciliation
    from piecework._tokenizer import Tokenizer
    from piecework._types import Basis

__all__ = ["log_request", "reconcile"]

# Tokenizers that a model's bills are tried with: those that come with Piecework and may stand behind a service.
_CANDIDATES = ("o200k_base", "cl100k_base", "qwen3", "p50k_base", "r50k_base")


def log_request(
    path: str | os.PathLike[str],
    prompt: Count | Any,  # noqa: ANN401 - a Count, or anything with ids and parts, such as a ChatPrompt
    *,
    model: str,
    usage: Mapping[str, Any] | None = None,
    response: Mapping[str, Any] | None = None,
    packed: Packed | None = None,
    max_output_tokens: int | None = None,
    time: str | None = None,
) -> dict[str, object]:
    """Appends a line about a request to a log, which `piecework reconcile` reads.

    Args:
        path: The log, JSON Lines; made where it is not there.
        prompt: What was sent: a `Count`, or a `ChatPrompt`. Its texts are not written, only its numbers.
        model: The model that was asked.
        usage: The provider's usage, as its answer has it.
        response: The provider's whole answer, in place of `usage`; it is written as it is, text included.
        packed: How the request was packed: what was dropped is written.
        max_output_tokens: The limit of the reply.
        time: When, as ISO 8601; now, where it is not given.

    Returns:
        The row that was written.

    Raises:
        OutputError: The log cannot be written.
        InputError: Usage or response hold what JSON does not.
        TypeError: `prompt` is no count.
        ValueError: Both `usage` and `response` are given.

    Examples:
        >>> import piecework as pw
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "requests.jsonl"
        >>> usage = {"prompt_tokens": 11, "completion_tokens": 2}
        >>> row = pw.log_request(path, pw.count("Hello, world!", model="gpt-4o"), model="gpt-4o", usage=usage)
        >>> row["n_tokens"], row["tokenizer"], row["parts"]
        (4, 'o200k_base', {'text': 4})
    """
    if usage is not None and response is not None:
        raise ValueError("pass usage=, or response=, which has its own")
    from datetime import UTC, datetime  # noqa: PLC0415 - only where a log is written

    from piecework._cost.request_log import append_row, request_row  # noqa: PLC0415 - as above

    found = _numbers(prompt)
    _check_logged(model=(model, str), time=(time, str), max_output_tokens=(max_output_tokens, int))
    _check_logged(usage=(usage, Mapping), response=(response, Mapping))
    if packed is not None and not hasattr(packed, "dropped"):
        raise TypeError(f"packed is what pack gives, not {type(packed).__name__}")
    row = request_row(
        time=time or datetime.now(UTC).isoformat(timespec="seconds"),
        model=model,
        dropped=[drop.to_dict() for drop in packed.dropped] if packed is not None else [],
        usage=usage,
        response=response,
        max_output_tokens=max_output_tokens,
        **found,
    )
    append_row(path, row)
    return row


def _check_logged(**arguments: tuple[object, type]) -> None:
    """Refuses what could be written and not be read back."""
    for name, (value, kind) in arguments.items():
        if value is None and name != "model":
            continue
        if not isinstance(value, kind) or isinstance(value, bool):
            hint = ", as .model_dump() of a client's object gives" if kind is Mapping else ""
            raise TypeError(f"{name} is a {kind.__name__.lower()}{hint}, not {type(value).__name__}")


def _numbers(prompt: Any) -> dict[str, Any]:  # noqa: ANN401 - as log_request has it
    parts = getattr(prompt, "parts", None)
    n_tokens = prompt.n if isinstance(prompt, Count) else len(prompt.ids) if hasattr(prompt, "ids") else None
    if parts is None or n_tokens is None:
        raise TypeError(f"log_request takes a Count or a ChatPrompt, not a {type(prompt).__name__}")
    counted = isinstance(prompt, Count)
    return {
        "n_tokens": n_tokens,
        "basis": prompt.basis,
        "tokenizer": prompt.tokenizer if counted else prompt.tokenizer.name,
        "fingerprint": prompt.fingerprint if counted else prompt.tokenizer.fingerprint,
        "parts": [(part.name, part.n_tokens) for part in parts],
    }


def reconcile(
    log: str | os.PathLike[str] | Iterable[Mapping[str, Any] | bytes],
    *,
    model: str | None = None,
    tokenizer: str | Tokenizer | None = None,
    window: int | None = None,
    near_share: float = 0.9,
    date: str | None = None,
) -> Reconciliation:
    """Explains what was billed: usage records beside local counts, what makes up the gap, and what to look at.

    Args:
        log: A file of JSON Lines, or rows (or lines as bytes): answers of OpenAI, Anthropic or Gemini, alone or as `response` beside their
            `request`; spans with OpenTelemetry's GenAI attributes; rows of `log_request`.
        model: The model of records that name none.
        tokenizer: What counts, in place of each model's own.
        window: The window, in place of each model's own.
        near_share: The share of the window from which on a request is near its limit.
        date: The date of calibrations, ISO 8601; today, where it is not given.

    Returns:
        A `Reconciliation`: `str()` is the report; each model's `gap`, `causes`, `fits` and `calibration`.

    Raises:
        InputError: The log cannot be read, or holds no usage record.

    Examples:
        >>> import piecework as pw
        >>> usage = {"prompt_tokens": 1008, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1000}}
        >>> rows = [{"model": "gpt-4o", "usage": usage, "choices": [{"finish_reason": "length"}]}]
        >>> for cause in pw.reconcile(rows)["gpt-4o"].causes:
        ...     print(cause.name, cause.says)
        cache 1,000 input tokens were read from a cache
        cut-replies 1 of 1 replies were cut by their output limit

    Complexity: As counting each text once for each tokenizer that is tried.
    """
    from datetime import UTC, datetime  # noqa: PLC0415 - only where a log is read

    from piecework._cost.reconcile import read_usage_log, reconcile_records  # noqa: PLC0415 - as above
    from piecework._tokenizer import load  # noqa: PLC0415 - as above

    if isinstance(near_share, bool) or not isinstance(near_share, int | float):
        raise TypeError(f"near_share is a number, not {type(near_share).__name__}")
    if window is not None and (isinstance(window, bool) or not isinstance(window, int)):
        raise TypeError(f"window is a number of tokens, not {type(window).__name__}")
    if window is not None and window < 1:
        raise ValueError(f"window is {window}, and at least 1 token is needed")
    if not 0 < near_share <= 1:
        raise ValueError(f"near_share is a share of the window, above 0 and at most 1, not {near_share}")
    read = read_usage_log(_rows(log), model=model)
    if not read.records:
        first = f"; line {read.unread[0].line}: {read.unread[0].reason}" if read.unread else ""
        name = os.fsdecode(log) if isinstance(log, str | os.PathLike) else "the log"
        raise InputError(f"{name} holds no usage record{first}", path=name, reason="no usage record")
    tried = {name: load(name) for name in _CANDIDATES}
    return reconcile_records(
        read.records,
        counting_of=lambda name: _counting_of(name, tokenizer),
        candidates={name: tok.count for name, tok in tried.items()},
        fingerprints={name: tok.fingerprint for name, tok in tried.items()},
        window_of=lambda name: window if window is not None else _window_of(name),
        near_share=near_share,
        date=date or datetime.now(UTC).date().isoformat(),
        unread=read.unread,
    )


class _RecordCounting:
    """Counts a model's records by one tokenizer, and by `piecework.count` where messages have a template or rules."""

    def __init__(self, model: str | Tokenizer, tok: Tokenizer) -> None:
        self._model = model
        self._tok = tok
        self.tokenizer = tok.name
        self.fingerprint = tok.fingerprint
        self.basis: Basis = "exact"

    def text(self, text: str) -> int:
        """The count of a text alone."""
        return self._tok.count(text, errors="replace")

    def chat(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None) -> Count:
        """The count of messages as they are sent."""
        # Not by a calibration: that came of such a log, and would be compared with itself.
        from piecework._api.counting import count_by_rules  # noqa: PLC0415 - loads what chats need

        return count_by_rules(messages, model=self._model, tools=tools)


class _Estimating:
    """Estimates a model's records, where its tokenizer is not published."""

    def __init__(self, model: str, sample: Count) -> None:
        self._model = model
        self.tokenizer = sample.tokenizer
        self.fingerprint = sample.fingerprint
        self.basis: Basis = sample.basis

    def text(self, text: str) -> int:
        """The estimate of a text alone."""
        from piecework._chat.counting import estimate_served  # noqa: PLC0415 - loads the table of figures

        found = estimate_served(text, self._model, "replace")
        return 0 if found is None else found.n

    def chat(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None) -> Count:
        """The estimate of messages as they are sent."""
        from piecework._api.counting import count_by_rules  # noqa: PLC0415 - loads what chats need

        return count_by_rules(messages, model=self._model, tools=tools)


def _estimating(model: str) -> _Estimating | None:
    """What estimates a model; None where nothing is known of it."""
    from piecework._chat.counting import estimate_served  # noqa: PLC0415 - loads the table of figures

    try:
        sample = estimate_served("a", model, "replace")
    except LoadError:
        return None
    return None if sample is None else _Estimating(model, sample)


def _counting_of(model: str, tokenizer: str | Tokenizer | None) -> _RecordCounting | _Estimating | None:
    """What counts for a model; None where its tokenizer is not known here."""
    from piecework._tokenizer import load  # noqa: PLC0415 - as above

    if tokenizer is not None:
        tok = load(tokenizer) if isinstance(tokenizer, str) else tokenizer
        return _RecordCounting(tok, tok)
    if _is_path(model):
        return None
    try:
        tok = load(model)
    except LoadError:
        return _estimating(model)
    return _RecordCounting(model, tok)


def _is_path(model: str) -> bool:
    """Whether a name would be read as a path: a log names it, which may come from anybody, and no file is opened for that."""
    if model.startswith(("/", ".", "~")) or "\\" in model or "\0" in model:
        return True
    return "/" in model and os.path.exists(model)  # noqa: PTH110 - of a name too long too, without an error


def _window_of(model: str) -> int | None:
    from piecework._budget.limits import model_limits  # noqa: PLC0415 - loads the price tables

    try:
        return model_limits(model).window.n_tokens
    except PieceworkError:
        return None


def _rows(log: str | os.PathLike[str] | Iterable[Mapping[str, Any] | bytes]) -> Iterable[str | bytes]:
    """The lines of a log."""
    import json  # noqa: PLC0415 - only where a log is read

    if isinstance(log, Mapping | bytes):
        raise TypeError(f"a log is a path or rows, not {type(log).__name__}")
    if not isinstance(log, str | os.PathLike):
        try:
            return [row if isinstance(row, bytes) else json.dumps(row) for row in log]
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"a row of the log cannot be written as JSON: {error}", path="the log", reason=str(error)
            ) from None
    return _file_lines(Path(log))


def _file_lines(log: Path) -> Iterator[bytes]:
    """The lines of a file, one after the other, so that the whole file is not held beside its records."""
    try:
        with log.open("rb") as file:
            yield from file
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{os.fsdecode(log)} cannot be read: {reason}", path=os.fsdecode(log), reason=reason
        ) from error
