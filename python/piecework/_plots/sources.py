"""What can be drawn, and as what: results that say so themselves, traces, tokenizers, or plain rows.

A result of another room knows nothing of charts but its rows: `chart_kinds` and `chart_rows(kind)` are all it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from piecework import _core
from piecework._explain.trace import Trace
from piecework._plots.reasons import reason_rows
from piecework._plots.token_lengths import length_rows

if TYPE_CHECKING:
    from piecework._plots.kinds import KindName
    from piecework._plots.rows import Row

__all__ = ["Charted", "Drawable", "drawable"]


@runtime_checkable
class Charted(Protocol):
    """A result that can be drawn."""

    @property
    def chart_kinds(self) -> tuple[KindName, ...]:
        """The kinds of chart that it has rows for, the one that is drawn unasked first."""

    def chart_rows(self, kind: KindName) -> Iterable[Mapping[str, object]]:
        """The rows of one of them, with the columns that the kind reads."""


@dataclass(frozen=True, slots=True)
class Drawable:
    """Rows with the kind that they are for.

    Attributes:
        kind: The kind of chart.
        rows: Its rows.
        label: How far its figures can be trusted; None where nothing is said.
    """

    kind: KindName
    rows: Iterable[Mapping[str, object]]
    label: str | None = None


def drawable(result: object, kind: KindName | None, pretoken: int | None = None) -> Drawable:
    """Finds the rows of something to draw.

    Args:
        result: A result, a tokenizer, several, or rows.
        kind: The kind that is wanted; None for the result's own.
        pretoken: For a trace: the place of the pretoken that is drawn.

    Raises:
        TypeError: It is nothing that can be drawn.
        ValueError: It cannot be drawn as this kind, or rows came without a kind.
    """
    if isinstance(result, Trace):
        return _of_trace(result, kind, pretoken)
    if pretoken is not None:
        raise ValueError(f"pretoken chooses one of a trace's; this is a {type(result).__name__}")
    if isinstance(result, Charted):
        return _of_result(result, kind)
    tokenizers = _tokenizers(result)
    if tokenizers:
        return _lengths(tokenizers, kind)
    if isinstance(result, str | bytes | Mapping) or not isinstance(result, Iterable):
        raise TypeError(
            f"plot draws a result, a tokenizer, several tokenizers, or rows (mappings); not a {type(result).__name__}"
        )
    if kind is None:
        raise ValueError(
            "plain rows do not say what they are: pass kind=, one of piecework's kinds of charts"
        )
    return Drawable(kind, cast("Iterable[Mapping[str, object]]", result))


def _of_trace(trace: Trace, kind: KindName | None, pretoken: int | None) -> Drawable:
    own, rows = reason_rows(trace, pretoken)
    if kind not in {None, own}:
        raise ValueError(f"the model of this trace is drawn as {own}, not as {kind}")
    return Drawable(own, rows)


def _of_result(result: Charted, kind: KindName | None) -> Drawable:
    kinds = result.chart_kinds
    chosen = kind or (kinds[0] if kinds else None)
    if chosen is None or chosen not in kinds:
        drawn = f"is drawn as {', '.join(kinds)}" if kinds else "has nothing to draw"
        raise ValueError(f"this {type(result).__name__} {drawn}" + (f", not as {kind}" if kind else ""))
    # A picture is passed on without its page: what is said of the figures goes with it.
    return Drawable(chosen, result.chart_rows(chosen), getattr(result, "label", None))


def _tokenizers(result: object) -> list[Any]:
    """The tokenizers that a result is; none where it is something else. Their class stands above this room."""
    found = list(result) if isinstance(result, Sequence) and not isinstance(result, str | bytes) else [result]
    are_tokenizers = all(isinstance(getattr(one, "_native", None), _core.Tokenizer) for one in found)
    return found if are_tokenizers else []


def _lengths(tokenizers: Sequence[Any], kind: KindName | None) -> Drawable:
    if kind not in {None, "token-lengths"}:
        raise ValueError(f"a tokenizer alone is drawn as token-lengths, not as {kind}")
    rows: list[Row] = []
    for tokenizer in tokenizers:
        rows += length_rows(tokenizer._native, tokenizer.name)  # noqa: SLF001 - the pieces as bytes
    return Drawable("token-lengths", rows)
