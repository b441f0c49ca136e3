"""Compares tokenizers on texts: the one way from samples to a `Comparison`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from piecework._core import __version__
from piecework._measure.arguments import check_keys, whole_number
from piecework._measure.comparison import Comparison
from piecework._measure.measure import (
    ReadText,
    Resampling,
    cells_of_texts,
    read_texts,
    tokenizer_figures,
)
from piecework._measure.samples import listed
from piecework._measure.tally import Tally, tally_rows
from piecework._measure.words import Words, segmenter, segmenter_name
from piecework._measure.worst import WorstWord, worst_words
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from piecework._measure.figures import Cell
    from piecework._measure.samples import Samples, SampleText
    from piecework._measure.subjects import Subject
    from piecework._types import Errors

__all__ = ["Settings", "check_comparison", "compare_tokenizers"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How tokenizers are compared.

    Attributes:
        words: The rule for words.
        reference: The key of the text that premiums are relative to; None for no premiums.
        resampling: How intervals are made.
        keep_suspect: Whether suspect rows are in the figures.
        worst: The keys of the texts whose costliest words are wanted.
        n_worst: How many of them.
        errors: What becomes of broken Unicode.
        on_bytes: Told the bytes of each row and tokenizer when they are done.
        n_threads: How many threads encode; None for as many as there are cores. Figures do not depend on it.
    """

    words: Words
    reference: str | None
    resampling: Resampling
    keep_suspect: bool = False
    worst: Sequence[str] = ()
    n_worst: int = 10
    errors: Errors = "strict"
    on_bytes: Callable[[int], object] = field(default=int, repr=False)
    n_threads: int | None = None


def compare_tokenizers(subjects: Sequence[Subject], samples: Samples, settings: Settings) -> Comparison:
    """Measures tokenizers on texts.

    Args:
        subjects: The tokenizers; their names differ.
        samples: The texts.
        settings: How.

    Raises:
        ValueError: As `check_comparison`.
        EncodeError: A text cannot be encoded.

    Complexity: As encoding for each tokenizer, and O(rows x n_resamples) for each text and tokenizer.
    """
    check_comparison(subjects, samples, settings)
    base = _reference(samples, settings.reference)
    find_words = segmenter(settings.words)
    reads = read_texts(samples, base, find_words, keep_suspect=settings.keep_suspect)
    reference = None if base is None else base.key
    cells = _cells(subjects, reads, reference, settings)
    return Comparison(
        source=samples.source,
        label=samples.label,
        sha256=samples.sha256,
        reference=reference,
        words=settings.words,
        segmenter=segmenter_name(settings.words),
        n_resamples=settings.resampling.n_resamples,
        seed=settings.resampling.seed,
        keep_suspect=settings.keep_suspect,
        version=__version__,
        tokenizers=tuple(tokenizer_figures(subject, cells) for subject in subjects),
        texts=tuple(read.figures() for read in reads),
        cells=tuple(cells),
        suspects=tuple(suspect for read in reads for suspect in read.suspects),
        worst=tuple(_worst(subjects, reads, cells, settings)),
        left_out=samples.left_out,
    )


def check_comparison(subjects: Sequence[Subject], samples: Samples, settings: Settings) -> None:
    """Checks that what is asked for is there, before anything is encoded.

    Raises:
        TypeError: A number is none, or the keys of `worst` are no list of str.
        ValueError: There are no tokenizers or texts, two have one name, a key is none of the texts', or a number is negative.
    """
    keys = [text.key for text in samples.texts]
    _check_names("tokenizer", [subject.name for subject in subjects])
    _check_names("text", keys)
    if whole_number("n_worst", settings.n_worst) < 0:
        raise ValueError(f"n_worst is at least 0, not {settings.n_worst}")
    if settings.n_threads is not None and whole_number("n_threads", settings.n_threads) < 1:
        raise ValueError(f"n_threads is {settings.n_threads}; it must be at least 1, or None for all cores")
    check_keys("worst", settings.worst)
    for key in settings.worst:
        if key not in keys:
            raise ValueError(f"{samples.source} has no text {key!r}; it has {listed(keys)}")
    segmenter(settings.words)
    _reference(samples, settings.reference)


def _check_names(what: str, names: Sequence[str]) -> None:
    if not names:
        raise ValueError(f"compare takes at least one {what}")
    twice = sorted(name for name, n in Counter(names).items() if n > 1)
    if twice:
        raise ValueError(f"each {what} is compared once, {listed(twice)} is there twice")


def _reference(samples: Samples, key: str | None) -> SampleText | None:
    """The text that premiums are relative to; None where none is wanted, or no texts are aligned."""
    if key is None or not samples.is_aligned:
        return None
    parallel = [text for text in samples.texts if text.is_parallel]
    for text in parallel:
        if text.key == key:
            return text
    found = listed([text.key for text in parallel])
    raise ValueError(f"{samples.source} has no text {key!r} to be the reference; it has {found}")


def _cells(
    subjects: Sequence[Subject], reads: Sequence[ReadText], reference: str | None, settings: Settings
) -> list[Cell]:
    tallies = [[_tally(subject, read, settings) for subject in subjects] for read in reads]
    return cells_of_texts(reads, subjects, tallies, reference, settings.resampling)


def _tally(subject: Subject, read: ReadText, settings: Settings) -> Tally:
    try:
        return tally_rows(
            subject.native,
            read.rows,
            errors=settings.errors,
            on_bytes=settings.on_bytes,
            n_threads=settings.n_threads,
        )
    except EncodeError as error:
        message = f"{listed([read.text.key])}, {error.message}"
        raise type(error)(message, hint=error.hint, **error.fields()) from None


def _worst(
    subjects: Sequence[Subject], reads: Sequence[ReadText], cells: Sequence[Cell], settings: Settings
) -> list[WorstWord]:
    means = {
        cell.tokenizer: cell.tokens_per_word.value
        for cell in cells
        if cell.key == settings.reference and cell.tokens_per_word is not None
    }
    kept = {read.text.key: read.kept for read in reads}
    return [
        word
        for key in settings.worst
        for subject in subjects
        for word in worst_words(
            subject,
            kept[key],
            key=key,
            mean=means.get(subject.name),
            n=settings.n_worst,
            errors=settings.errors,
        )
    ]
