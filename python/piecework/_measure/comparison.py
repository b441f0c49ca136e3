"""The result of a comparison: figures with what they rest on, as text, JSON, rows for charts, and a paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._measure.asked_tables import extrapolation_table, words_table, words_to_tidy
from piecework._measure.bootstrap import CONFIDENCE, Interval
from piecework._measure.figures import Cell, TextFigures, TokenizerFigures, plain
from piecework._measure.methods import methods_text
from piecework._measure.model_figures import model_tables
from piecework._measure.table_formats import Table, TableFormat, render
from piecework._measure.tables import comparison_tables
from piecework._measure.tidy_table import tidy_table

if TYPE_CHECKING:
    from piecework._measure.columns import LeftOut
    from piecework._measure.model_figures import ModelFigures
    from piecework._measure.suspect import Suspect
    from piecework._measure.words import Words
    from piecework._measure.worst import WorstWord
    from piecework._plots.kinds import KindName

__all__ = ["Comparison", "Extrapolation"]

_MAX_DOCUMENT = 10**15
_CHARTED = ("premium", "tokens_per_word", "bytes_per_token", "split_share")


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """How long a document of the reference language would be in another.

    Attributes:
        tokenizer: The tokenizer's name.
        key: The other language.
        n_tokens: The document's tokens in the reference language.
        expected: Its tokens in the other, with the interval of the premium.
        n_rows: The rows that this rests on.
        is_flattered: Whether text of them is lost to unknown tokens: few tokens say little then.
    """

    tokenizer: str
    key: str
    n_tokens: int
    expected: Interval
    n_rows: int
    is_flattered: bool = False

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return plain(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Tokenizers on texts. `str()` gives tables, a notebook shows them, `to_dict()` is the JSON form.

    Attributes:
        source: Where the texts come from.
        label: How far they can be trusted; None where only the caller knows.
        sha256: The SHA-256 of the texts.
        reference: The key of the text that premiums are relative to; None where no texts are aligned.
        words: The rule for words.
        segmenter: What found them.
        n_resamples: How often rows were drawn for the intervals.
        seed: Where the generator started.
        keep_suspect: Whether suspect rows are in the figures.
        version: The version of Piecework.
        tokenizers: The tokenizers.
        texts: The texts.
        cells: Each text under each tokenizer, text by text.
        suspects: Rows that are not what they should be.
        worst: The words that cost most, for the texts that they were asked for.
        left_out: Columns of a table that were not taken for texts.
        models: Window, price and KV cache of each model, where they were asked for.
    """

    source: str
    label: str | None
    sha256: str
    reference: str | None
    words: Words
    segmenter: str
    n_resamples: int
    seed: int
    keep_suspect: bool
    version: str
    tokenizers: tuple[TokenizerFigures, ...]
    texts: tuple[TextFigures, ...]
    cells: tuple[Cell, ...]
    suspects: tuple[Suspect, ...]
    worst: tuple[WorstWord, ...]
    left_out: tuple[LeftOut, ...] = ()
    models: tuple[ModelFigures, ...] = ()

    def cell(self, tokenizer: str, key: str) -> Cell:
        """The figures of a text under a tokenizer.

        Args:
            tokenizer: The name of its column, or what was asked for, or the tokenizer's own name where one column has it.
            key: The text's key.

        Raises:
            KeyError: The comparison has no such text or tokenizer.
        """
        name = self._column(tokenizer)
        for cell in self.cells:
            if (cell.tokenizer, cell.key) == (name, key):
                return cell
        raise KeyError(f"no {key!r} under {tokenizer!r} in this comparison")

    def _column(self, tokenizer: str) -> str | None:
        for known_as in ("name", "model", "tokenizer"):
            found = [one.name for one in self.tokenizers if getattr(one, known_as) == tokenizer]
            if len(found) == 1:
                return found[0]
        return None

    def extrapolate(self, n_tokens: int, *, key: str | None = None) -> list[Extrapolation]:
        """How many tokens a document of the reference language would have in the other languages.

        Args:
            n_tokens: Its tokens in the reference language, under each tokenizer; 1 to 10^15.
            key: Only this language; all parallel ones where None.

        Returns:
            One for each language and tokenizer, with the rows it rests on and the interval; a document of another kind than
            the samples can lie outside.

        Raises:
            KeyError: The comparison has no such text.
            ValueError: It has no reference to start from, the text is not parallel to it, or there are no so long documents.
        """
        if not 1 <= n_tokens <= _MAX_DOCUMENT:
            raise ValueError(f"a document has 1 to {_MAX_DOCUMENT:,} tokens, not {n_tokens}")
        if self.reference is None:
            raise ValueError(
                "there is nothing to extrapolate from: the texts are not aligned with a reference"
            )
        n_rows = {text.key: text.n_rows for text in self.texts}
        if key is not None and key not in n_rows:
            raise KeyError(f"no {key!r} in this comparison")
        found = [
            Extrapolation(
                cell.tokenizer,
                cell.key,
                n_tokens,
                _times(cell.premium, n_tokens),
                n_rows[cell.key],
                is_flattered=cell.n_unknown > 0,
            )
            for cell in self.cells
            if cell.premium is not None and cell.key != self.reference and key in {None, cell.key}
        ]
        if key is not None and not found:
            raise ValueError(f"{key} is the reference itself, or not parallel to it")
        return found

    def table(
        self,
        format: TableFormat = "table",  # noqa: A002 - the flag's name
        *,
        window: int | None = None,
        extrapolate: int | None = None,
    ) -> str:
        """The figures as tables, the costliest words with them where they were asked for.

        Args:
            format: `"table"` (plain text), `"md"` or `"latex"`; or `"csv"`: one table of all figures, a text under a tokenizer
                a row and each end of an interval a column, without the words, which `words_csv()` has.
            window: A model's window in tokens, at least 1: adds the share of it that each text fills.
            extrapolate: Tokens of a document of the reference, at least 1: adds how long it would be in the other languages.

        Raises:
            ValueError: There is no such format, a number is too small, or there is no reference to extrapolate from.
        """
        if window is not None and window < 1:
            raise ValueError(f"a window has at least 1 token, not {window}")
        extrapolated = [] if extrapolate is None else self.extrapolate(extrapolate)
        if format == "csv":
            return render(tidy_table(self, window=window, extrapolated=extrapolated), format)
        tables = self._tables(window, extrapolated)
        return "\n\n".join(render(table, format) for table in tables)

    def _tables(self, window: int | None = None, extrapolated: Sequence[Extrapolation] = ()) -> list[Table]:
        tables = comparison_tables(self, window=window) + model_tables(self)
        tables += [extrapolation_table(self, extrapolated)] if extrapolated else []
        tables += [words_table(self, key) for key in dict.fromkeys(word.key for word in self.worst)]
        return tables

    def words_csv(self) -> str:
        """The costliest words as CSV: a word of a text under a tokenizer a row, its pieces as a JSON list."""
        return render(words_to_tidy(self), "csv")

    def methods(self) -> str:
        """A paragraph for a paper: versions, fingerprints, the data's hash, the segmenter, the seed, the definitions."""
        return methods_text(self)

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        head = (
            "source", "label", "sha256", "reference", "words", "segmenter", "n_resamples", "seed", "keep_suspect", "version"
        )  # fmt: skip
        return {
            **{name: getattr(self, name) for name in head},
            "confidence": CONFIDENCE,
            "tokenizers": [plain(one) for one in self.tokenizers],
            "texts": [plain(one) for one in self.texts],
            "cells": [plain(one) for one in self.cells],
            "suspects": [one.to_dict() for one in self.suspects],
            "worst": [one.to_dict() for one in self.worst],
            "left_out": [one.to_dict() for one in self.left_out],
            "models": [one.to_dict() for one in self.models],
        }

    @property
    def chart_kinds(self) -> tuple[KindName, ...]:
        """The kinds of chart that it can be drawn as."""
        return ("heat-map", "premium", "bars") if self.reference is not None else ("bars",)

    def chart_rows(self, kind: KindName) -> Iterator[dict[str, object]]:
        """The rows of a chart: the cells of parallel texts, for bars those of all."""
        names = {text.key: text.name for text in self.texts}
        for cell in self.cells:
            if kind != "bars" and cell.premium is None:
                continue
            figures = {name: _value(getattr(cell, name)) for name in _CHARTED}
            yield {
                "language": names[cell.key],
                "content": names[cell.key],
                "tokenizer": cell.tokenizer,
                **figures,
                "low": None if cell.premium is None else cell.premium.low,
                "high": None if cell.premium is None else cell.premium.high,
                "n_tokens": cell.n_tokens,
                "n_unknown": cell.n_unknown,
                "coverage": cell.coverage,
                "renyi_efficiency": cell.renyi_efficiency,
            }

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from piecework._measure.table_html import table_html  # noqa: PLC0415 - notebooks only

        return f"<div>{''.join(table_html(table) for table in self._tables())}</div>"


def _times(interval: Interval, n: int) -> Interval:
    low, high = interval.low, interval.high
    return Interval(interval.value * n, None if low is None else low * n, None if high is None else high * n)


def _value(interval: Interval | None) -> float | None:
    return None if interval is None else interval.value
