"""What a comparison knows of models beside their tokens, window, price and cache, and the tables of what texts take of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from piecework._measure.table_formats import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._measure.comparison import Comparison

__all__ = ["ModelFigures", "model_tables", "with_models"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """A model of a comparison.

    Attributes:
        name: What its column is called.
        window_tokens: Tokens of prompt and answer together; None where nobody says.
        window_source: Who says so, and when.
        input_usd: Dollars for a million tokens of the prompt; None where no price is known: never zero.
        price_source: Whose price that is.
        kv_token_bytes: What a token takes in the KV cache; None where no config says.
        missing: Why a figure is None, a sentence each.
    """

    name: str
    window_tokens: int | None
    window_source: str | None
    input_usd: Decimal | None
    price_source: str | None
    kv_token_bytes: int | None
    missing: tuple[str, ...]

    def million_characters_usd(self, n_tokens: int, n_characters: int) -> Decimal | None:
        """Dollars for reading a million characters of a text with so many tokens and characters; None where unknown."""
        if self.input_usd is None or not n_characters:
            return None
        return self.input_usd * n_tokens / n_characters

    def million_characters_kv_bytes(self, n_tokens: int, n_characters: int) -> int | None:
        """Bytes of the KV cache for a million characters of such a text; None where unknown."""
        if self.kv_token_bytes is None or not n_characters:
            return None
        return round(self.kv_token_bytes * n_tokens * _MILLION / n_characters)

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "name": self.name,
            "window_tokens": self.window_tokens,
            "window_source": self.window_source,
            "input_usd": None if self.input_usd is None else str(self.input_usd),
            "price_source": self.price_source,
            "kv_token_bytes": self.kv_token_bytes,
            "missing": list(self.missing),
        }


def with_models(result: Comparison, models: Sequence[ModelFigures]) -> Comparison:
    """The comparison with what is known of its models."""
    return replace(result, models=tuple(models))


def model_tables(result: Comparison) -> list[Table]:
    """A table of the models, and what a million characters of each text take of each."""
    if not result.models:
        return []
    heads = ["model", "window", "$ per million input tokens", "KV bytes a token"]
    rows = [
        [one.name, _number(one.window_tokens), _dollars(one.input_usd), _number(one.kv_token_bytes)]
        for one in result.models
    ]
    sources = [source for one in result.models for source in (one.window_source, one.price_source) if source]
    said = [f"Windows and prices: {', '.join(dict.fromkeys(sources))}."] if sources else []
    said += [f"{one.name}: {reason}." for one in result.models for reason in one.missing]
    tables = [Table("Models", heads, rows, " ".join(said) or None)]
    if any(one.input_usd is not None for one in result.models):
        tables.append(_by_text(result, "Reading a million characters, in dollars", "usd"))
    if any(one.kv_token_bytes is not None for one in result.models):
        tables.append(_by_text(result, "The KV cache of a million characters, in gigabytes (10^9)", "kv"))
    return tables


def _by_text(result: Comparison, title: str, what: str) -> Table:
    rows = []
    for text in result.texts:
        row = [text.name]
        for one in result.models:
            n_tokens = result.cell(one.name, text.key).n_tokens
            if what == "usd":
                row.append(_dollars(one.million_characters_usd(n_tokens, text.n_characters)))
            else:
                n_bytes = one.million_characters_kv_bytes(n_tokens, text.n_characters)
                row.append("-" if n_bytes is None else f"{n_bytes / 1e9:,.2f}")
        rows.append(row)
    return Table(title, ["text", *(one.name for one in result.models)], rows)


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _dollars(value: Decimal | None) -> str:
    """Dollars with two digits, and with two that are not zero where they are small."""
    if value is None:
        return "-"
    if not value:
        return "0"
    n_digits = max(2, 1 - value.adjusted())
    return f"{value:,.{n_digits}f}"
