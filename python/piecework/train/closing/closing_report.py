"""The closing report: what a trained tokenizer makes of held-out text beside others, and what is in its vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._measure import Subject, named_subjects
from piecework._measure.arguments import whole_number
from piecework._measure.bootstrap import CONFIDENCE
from piecework._plural import plural
from piecework._tokenizer import Tokenizer, load
from piecework.errors import ArgumentError
from piecework.train.closing.figures import (
    Alphabet,
    Domain,
    Dropped,
    Junk,
    LongToken,
    Rival,
    WorstText,
    plain,
)
from piecework.train.closing.held_out import HeldOut, HeldOutText, read_held_out
from piecework.train.closing.losses import worst_texts
from piecework.train.closing.measure import Resampling, counted, domain_figures
from piecework.train.closing.vocabulary import alphabet_of, entries_of, junk_of, longest_of
from piecework.train.request import DEFAULT_FIELD, Request, check_limit

if TYPE_CHECKING:
    import os

    from piecework._types import Errors
    from piecework.train.sources import OnInvalid
    from piecework.train.training import TrainingReport

__all__ = ["ClosingReport", "report"]

_OURS = "ours"
_FEW_UNITS = 30
_MAX_RESAMPLES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingReport:
    """What a tokenizer is worth on held-out text. Every number is exact but the ends of intervals, which are estimates.

    Attributes:
        fingerprint: The tokenizer's.
        vocab_size: Its entries, special tokens in.
        rivals: What it is measured beside, in the order that was asked for, with their sizes.
        training: How it was trained, as a line; None where it does not say.
        domains: The held-out texts, in the order they were given.
        total: All of them together.
        worst: For each rival the texts on which ours needs most more tokens.
        longest: The entries of most bytes.
        junk: Entries that may be of little use.
        alphabet: What is a single token.
        dropped: What the training left out; None where the tokenizer does not say.
        notes: What is to be known before a figure is believed.
        level: The share of resamples inside an interval.
        n_resamples: How often units were drawn.
        seed: What the drawing started from.
    """

    fingerprint: str
    vocab_size: int
    rivals: tuple[Rival, ...]
    training: str | None
    domains: tuple[Domain, ...]
    total: Domain
    worst: tuple[WorstText, ...]
    longest: tuple[LongToken, ...]
    junk: Junk
    alphabet: Alphabet
    dropped: Dropped | None
    notes: tuple[str, ...]
    level: float
    n_resamples: int
    seed: int

    @property
    def losses(self) -> tuple[tuple[str, str], ...]:
        """Domain and rival where ours loses: the interval of the ratio lies wholly below 1. The largest loss first."""
        lost = [
            (one.ratio.value, domain.name, one.name)
            for domain in self.domains
            for one in domain.rivals
            if one.verdict == "worse" and one.ratio is not None
        ]
        return tuple((domain, rival) for _, domain, rival in sorted(lost, key=lambda one: one[0]))

    def __str__(self) -> str:
        from piecework.train.closing.text import report_text  # noqa: PLC0415 - where it is read by people

        return report_text(self)

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON can hold it."""
        return {
            "schema": "piecework.training_report/1",
            **{name: plain(getattr(self, name)) for name in ClosingReport.__slots__},
            "losses": plain(self.losses),
        }


def report(
    tok: Tokenizer,
    *,
    held_out: HeldOut,
    rivals: Sequence[str | os.PathLike[str] | Tokenizer] = ("o200k_base", "qwen3"),
    n_resamples: int = 1_000,
    seed: int = 0,
    level: float = CONFIDENCE,
    n_longest: int = 20,
    n_worst: int = 5,
    field: str = DEFAULT_FIELD,
    errors: OnInvalid = "strict",
    n_threads: int | None = None,
) -> ClosingReport:
    """Reports what a tokenizer is worth on text that it was not trained on, beside others, and what it holds.

    Args:
        tok: The tokenizer; one of `piecework.train` says more of itself.
        held_out: A name for each domain, with its file, its files (UTF-8, cut into paragraphs, or into lines where there
            are fewer than 30), or its texts.
        rivals: What it is measured beside: as `piecework.load` takes them.
        n_resamples: How often units are drawn for the intervals, a million times at most.
        seed: What the drawing starts from; the same seed gives the same intervals.
        level: The share of resamples inside an interval, between 0 and 1.
        n_longest: How many of the longest entries are shown.
        n_worst: How many texts are shown for each rival.
        field: The field or column of the text in files of records (JSON lines, Parquet, Arrow); each record is a unit.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD, `"skip"` leaves the line or text out.
        n_threads: Threads that encode; None for all processors. It changes no figure.

    Returns:
        The report. A ratio is our bytes per token over the rival's, so that above 1 ours needs fewer tokens; its interval
        is that of a paired bootstrap over units, or over 1,000 blocks of neighboring units where there are more.

    Raises:
        EmptyCorpusError: There is no domain, or one has no text.
        EncodeError: A text cannot be encoded, such as one with a character that a vocabulary without `unk` lacks.
        InputError: A file is missing or unreadable.
        NotUnicodeError: A text is not Unicode.
        UnknownTokenizerError: A rival is not known.
        TypeError: An argument has the wrong type.
        ValueError: A number lies outside its range, or a rival is there twice.

    Examples:
        >>> import piecework as pw
        >>> tok = pw.train.bpe(texts=["the cat sat on the mat", "the dog sat on the log"], vocab_size=265)
        >>> found = pw.train.report(tok, held_out={"pets": ["the cat sat on the log", "the dog sat"]}, rivals=["gpt2"])
        >>> found.total.n_bytes, found.total.n_tokens, found.total.rivals[0].n_tokens
        (33, 15, 9)

    Complexity: As encoding for each tokenizer, O(vocabulary), and O(blocks · n_resamples) for each domain.

    Source: Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13.
    """
    if not isinstance(tok, Tokenizer):
        raise TypeError(f"a report is one of a Tokenizer, not of {type(tok).__name__}")
    _check(n_resamples, seed, level, {"n_longest": n_longest, "n_worst": n_worst}, n_threads)
    if errors not in ("strict", "replace", "skip"):
        raise ArgumentError(f'errors is "strict", "replace" or "skip", not {errors!r}')
    # What would be left out is out already where texts are encoded.
    left: Errors = "strict" if errors == "skip" else errors
    subjects = [Subject(_OURS, tok._native), *_rivals(rivals)]  # noqa: SLF001 - rooms share the engine's object
    names = [one.name for one in subjects[1:]]
    domains = read_held_out(held_out, field=field, errors=errors)
    counts = [
        [
            counted(subject, domain, wants_ids=at == 0, errors=left, n_threads=n_threads)
            for at, subject in enumerate(subjects)
        ]
        for domain in domains
    ]
    figures, total = domain_figures(domains, counts, names, Resampling(n_resamples, seed, level))
    worst = [
        text
        for at, subject in enumerate(subjects[1:], 1)
        for text in worst_texts(
            subjects[0].native,
            subject.native,
            name=subject.name,
            domains=domains,
            counts=[(of_domain[0].tokens, of_domain[at].tokens) for of_domain in counts],
            n_worst=n_worst,
            errors=left,
        )
    ]
    n_times = sum((of_domain[0].ids for of_domain in counts), Counter[int]())
    entries = entries_of(subjects[0].native)
    return ClosingReport(
        fingerprint=tok.fingerprint,
        vocab_size=tok.vocab_size,
        rivals=tuple(Rival(name=one.name, vocab_size=one.native.vocab_size) for one in subjects[1:]),
        training=None if tok.training is None else str(tok.training),
        domains=figures,
        total=total,
        worst=tuple(worst),
        longest=longest_of(subjects[0].native, entries, n_times, n_longest),
        junk=junk_of(entries, n_times),
        alphabet=alphabet_of(entries, n_times),
        dropped=None if tok.training is None else _dropped(tok.training.report),
        notes=(*_trained_on(tok, domains, field, errors, n_threads), *_doubts(figures)),
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )


def _dropped(report: TrainingReport) -> Dropped:
    return Dropped(
        characters=report.dropped,
        n_left_out_words=report.n_left_out_words,
        n_left_out=report.n_left_out,
        n_invalid=report.n_invalid,
        n_merges_left_out=report.n_merges_left_out,
    )


def _check(
    n_resamples: int, seed: int, level: object, shown: Mapping[str, int], n_threads: int | None
) -> None:
    check_limit("n_resamples", n_resamples, smallest=1)
    if n_resamples > _MAX_RESAMPLES:
        raise ArgumentError(f"n_resamples is at most {_MAX_RESAMPLES:,}: no interval gets better by more")
    check_limit("n_threads", n_threads, smallest=1)
    for name, value in shown.items():
        check_limit(name, value)
    whole_number("seed", seed)
    if not isinstance(level, float) or not 0 < level < 1:
        raise ArgumentError(f"level is a share between 0 and 1, such as 0.95, not {level!r}")


def _rivals(rivals: object) -> list[Subject]:
    if isinstance(rivals, str | bytes) or not isinstance(rivals, Sequence):
        raise TypeError('rivals is a list of tokenizers, such as ["o200k_base"], not one')
    asked = []
    for rival in rivals:
        loaded = load(rival)
        asked.append(Subject(loaded.name if rival is loaded else str(rival), loaded._native))  # noqa: SLF001 - as above
    found = named_subjects(asked) if asked else []
    twice = sorted(name for name, n in Counter(one.name for one in found).items() if n > 1)
    if twice:
        raise ArgumentError(f"each rival is measured once, {', '.join(twice)} is there twice")
    return found


def _trained_on(
    tok: Tokenizer, domains: Sequence[HeldOutText], field: str, errors: OnInvalid, n_threads: int | None
) -> list[str]:
    """A note for each domain whose words, with their counts, are those of the training."""
    training = tok.training
    if training is None or training.options.get("pre_tokenizer") is None:
        return []
    notes = []
    for domain in domains:
        request = Request(
            files=domain.files or None,
            texts=None if domain.files else domain.units,
            field=field,
            pre_tokenizer=training.options["pre_tokenizer"],  # type: ignore[arg-type]
            normalizer=training.options["normalizer"],  # type: ignore[arg-type]
            errors=errors,
            n_threads=n_threads,
        )
        counts = request.counts(is_bytes=training.options.get("base") == "bytes")
        if counts.fingerprint == training.corpus_fingerprint:
            notes.append(
                f"{domain.name} is what the tokenizer was trained on: its figures say nothing about other text."
            )
    return notes


def _doubts(domains: Sequence[Domain]) -> list[str]:
    notes = [
        f"{one.name} has {plural(one.n_units, one.unit)}, fewer than {_FEW_UNITS}: "
        + (
            "its interval is not reliable."
            if one.n_units > 1
            else "it has no interval, and stays as it is in that of all."
        )
        for one in domains
        if one.n_units < _FEW_UNITS
    ]
    for domain in domains:
        counts = [(_OURS, domain.n_unknown), *((rival.name, rival.n_unknown) for rival in domain.rivals)]
        notes += [
            f"{domain.name}: {plural(n_unknown, 'token')} of {name} {'is' if n_unknown == 1 else 'are'} unknown, "
            f"{100 * n_unknown / domain.n_chars:.2f} for each 100 characters: text is lost, which flatters {name}."
            for name, n_unknown in counts
            if n_unknown
        ]
    return notes
