"""What can be drawn, and as what: tokenizers, or plain rows. Results of other rooms give their rows here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from piecework import _core
from piecework._plots.token_lengths import length_rows

if TYPE_CHECKING:
    from piecework._plots.kinds import KindName
    from piecework._plots.rows import Row

__all__ = ["Drawable", "drawable"]


@dataclass(frozen=True, slots=True)
class Drawable:
    """Rows with the kind that they are for.

    Attributes:
        kind: The kind of chart.
        rows: Its rows.
    """

    kind: KindName
    rows: Iterable[Mapping[str, object]]


def drawable(result: object, kind: KindName | None) -> Drawable:
    """Finds the rows of something to draw.

    Args:
        result: A tokenizer, several, or rows.
        kind: The kind that is wanted; None for the result's own.

    Raises:
        TypeError: It is nothing that can be drawn.
        ValueError: It cannot be drawn as this kind, or rows came without a kind.
    """
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
