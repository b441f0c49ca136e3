"""The comparison itself: reads the rows once, tallies them under each tokenizer, and makes figures of the sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from piecework._files.unknown import unknown_id
from piecework._measure.arguments import whole_number
from piecework._measure.bootstrap import Interval, interval, resampled_sums
from piecework._measure.boundaries import digit_alignment
from piecework._measure.fairness import gini
from piecework._measure.figures import Cell, TextFigures, TokenizerFigures, baseline
from piecework._measure.row import Row, read_row
from piecework._measure.suspect import find_suspects
from piecework._measure.vocabulary import renyi_efficiency, vocabulary_use

if TYPE_CHECKING:
    from piecework import _core
    from piecework._measure.samples import Samples, SampleText
    from piecework._measure.subjects import Subject
    from piecework._measure.suspect import Suspect
    from piecework._measure.tally import Tally
    from piecework._measure.words import Span

__all__ = ["ReadText", "Resampling", "cells_of_texts", "read_texts", "tokenizer_figures"]

_MAX_RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made.

    Attributes:
        n_resamples: How often rows are drawn, at most 100,000; 0 makes none.
        seed: What the generator starts from.
    """

    n_resamples: int
    seed: int

    def __post_init__(self) -> None:
        if whole_number("seed", self.seed) < 0:
            raise ValueError(f"seed is {self.seed}, and at least 0 is needed: a generator takes -1 for 1")
        if whole_number("n_resamples", self.n_resamples) < 0 or self.n_resamples == 1:
            raise ValueError(
                f"n_resamples is {self.n_resamples}: an interval needs two draws at least, 0 makes none"
            )
        if self.n_resamples > _MAX_RESAMPLES:
            raise ValueError(
                f"n_resamples is {self.n_resamples:,}, and at most {_MAX_RESAMPLES:,} are drawn: more change no digit"
            )


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text whose rows are read.

    Attributes:
        text: The text.
        rows: Its rows; None for one that is left out.
        suspects: The suspect rows, left out or not.
    """

    text: SampleText
    rows: tuple[Row | None, ...]
    suspects: tuple[Suspect, ...]

    @property
    def kept(self) -> list[Row]:
        """The rows that are in the figures."""
        return [row for row in self.rows if row is not None]

    def figures(self) -> TextFigures:
        """The figures that need no tokenizer."""
        kept = self.kept
        return TextFigures(
            key=self.text.key,
            name=self.text.name,
            is_parallel=self.text.is_parallel,
            n_rows=len(kept),
            n_left_out=len(self.rows) - len(kept),
            n_characters=sum(len(row.text) for row in kept),
            n_bytes=sum(row.n_bytes for row in kept),
            n_words=sum(len(row.words) for row in kept),
            words=baseline([row.word_texts() for row in kept]),
            characters=baseline([row.text for row in kept]),
        )


def read_texts(
    samples: Samples,
    reference: SampleText | None,
    find_words: Callable[[str], list[Span]],
    *,
    keep_suspect: bool,
) -> list[ReadText]:
    """Reads the rows of all texts, and leaves out the suspect ones unless they are to be kept."""
    found = []
    for text in samples.texts:
        suspects = tuple(find_suspects(text, reference))
        left_out = set[int]() if keep_suspect else {suspect.row for suspect in suspects}
        rows = tuple(
            None if at in left_out else read_row(row, find_words) for at, row in enumerate(text.rows)
        )
        found.append(ReadText(text, rows, suspects))
    return found


def cells_of_texts(
    reads: Sequence[ReadText],
    subjects: Sequence[Subject],
    tallies: Sequence[Sequence[Tally]],
    reference: str | None,
    resampling: Resampling,
) -> list[Cell]:
    """The figures of each text under each tokenizer, text by text.

    Args:
        reads: The texts.
        subjects: The tokenizers.
        tallies: For each text what each tokenizer makes of it.
        reference: The key of the text that premiums are relative to.
        resampling: How intervals are made.
    """
    beside: list[Sequence[int]] = [()] * len(subjects)
    for read, of_text in zip(reads, tallies, strict=True):
        if read.text.key == reference:
            beside = [tally.tokens for tally in of_text]
    columns = [
        _Columns(read, of_text, beside if read.text.is_parallel else [()] * len(subjects))
        for read, of_text in zip(reads, tallies, strict=True)
    ]
    _resample(columns, resampling)
    return [
        _cell(subject, read, tally, of_text.intervals(at))
        for read, tallied, of_text in zip(reads, tallies, columns, strict=True)
        for at, (subject, tally) in enumerate(zip(subjects, tallied, strict=True))
    ]


class _Columns:
    """The columns of one text whose sums are resampled: the same rows are drawn for every text and tokenizer."""

    _N_SHARED = 2
    _N_EACH = 4

    def __init__(self, read: ReadText, tallies: Sequence[Tally], references: Sequence[Sequence[int]]) -> None:
        n_bytes = [0 if row is None else row.n_bytes for row in read.rows]
        n_words = [0 if row is None else len(row.words) for row in read.rows]
        self._kept = [row is not None for row in read.rows]
        self.columns: list[list[int]] = [n_bytes, n_words]
        self.sums: list[list[int]] = []
        for tally, reference in zip(tallies, references, strict=True):
            self._add(tally, reference)

    @property
    def n_kept(self) -> int:
        """How many rows are in the figures."""
        return sum(self._kept)

    def _add(self, tally: Tally, reference: Sequence[int]) -> None:
        """Adds the columns of a tokenizer. A row is paired where both it and the reference's are in."""
        paired, beside = [0] * len(tally.tokens), [0] * len(tally.tokens)
        for at, n in enumerate(reference):
            if n and self._kept[at]:
                paired[at], beside[at] = tally.tokens[at], n
        self.columns += [tally.tokens, tally.split, paired, beside]

    def intervals(self, at: int) -> tuple[Interval | None, ...]:
        """Premium, tokens per word, bytes per token and the share of split words of a tokenizer."""
        first = self._N_SHARED + at * self._N_EACH
        pairs = ((first + 2, first + 3), (first, 1), (0, first), (first + 1, 1))
        return tuple(self._ratio(above, below) for above, below in pairs)

    def _ratio(self, above: int, below: int) -> Interval | None:
        columns, sums = self.columns, self.sums
        return interval(sum(columns[above]), sum(columns[below]), sums[above], sums[below])


def _resample(of_texts: Sequence[_Columns], resampling: Resampling) -> None:
    """Draws rows once for all texts that have equally many."""
    by_rows: dict[int, list[_Columns]] = {}
    for one in of_texts:
        # One row would be drawn again and again: no interval.
        by_rows.setdefault(len(one.columns[0]) if one.n_kept > 1 else 0, []).append(one)
    for n_rows, together in by_rows.items():
        sums = iter(
            resampled_sums(
                [column for one in together for column in one.columns],
                n_resamples=resampling.n_resamples if n_rows else 0,
                seed=resampling.seed,
            )
        )
        for one in together:
            one.sums = list(islice(sums, len(one.columns)))


def _cell(subject: Subject, read: ReadText, tally: Tally, intervals: tuple[Interval | None, ...]) -> Cell:
    n_characters = sum(row.n_visible for row in read.kept)
    premium, tokens_per_word, bytes_per_token, split_share = intervals
    return Cell(
        tokenizer=subject.name,
        key=read.text.key,
        n_tokens=sum(tally.tokens),
        premium=premium,
        tokens_per_word=tokens_per_word,
        bytes_per_token=bytes_per_token,
        split_share=split_share,
        coverage=tally.n_covered / n_characters if n_characters else None,
        vocabulary_use=vocabulary_use(tally.ids, subject.native.n_tokens),
        renyi_efficiency=renyi_efficiency(tally.ids.values()),
        utf8_crossings=tally.n_crossings / tally.n_boundaries if tally.n_boundaries else None,
        digit_alignment=digit_alignment(tally.digits),
        n_unknown=tally.n_unknown,
    )


def tokenizer_figures(subject: Subject, cells: Sequence[Cell]) -> TokenizerFigures:
    """The figures of a tokenizer over all texts."""
    own = [cell for cell in cells if cell.tokenizer == subject.name]
    costs = [cell.premium.value for cell in own if cell.premium is not None]
    native = subject.native
    return TokenizerFigures(
        name=subject.name,
        model=subject.asked,
        tokenizer=subject.own_name,
        basis=subject.basis,
        assumed=subject.basis == "estimate",
        fingerprint=native.fingerprint,
        n_tokens=native.n_tokens,
        unknown=_unknown(native),
        gini=gini(costs),
        gini_is_flattered=any(cell.n_unknown and cell.premium is not None for cell in own),
    )


def _unknown(native: _core.Tokenizer) -> str:
    unknown = unknown_id(native)
    if unknown is not None:
        return f"becomes {native.piece(unknown)}: the text is lost"
    model = native.info()["model"]
    if model.get("byte_fallback") or "byte" in str(model.get("algorithm", "")).lower():
        return "becomes bytes: nothing is lost"
    return "is an error"
