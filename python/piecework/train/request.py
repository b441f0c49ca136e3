"""What all trainers ask alike: one source of words, the stages before the model, and how counting is driven."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework.errors import ArgumentError, EmptyCorpusError, TrainError
from piecework.train.argument_checks import check_limit, check_text, specials_of
from piecework.train.caller_warnings import warn_caller
from piecework.train.checkpoint import Checkpoint
from piecework.train.corpus import Corpus, corpus_of
from piecework.train.count_files import CountFile, check_pattern, check_sum, check_together, read_count_file
from piecework.train.counting import Counted, Counting
from piecework.train.memory_limits import MemoryLimits, memory_limits
from piecework.train.mix_file import read_mix
from piecework.train.progress import TrainingProgress
from piecework.train.sources.batch import Reading
from piecework.train.sources.given_words import word_batches, word_source
from piecework.train.sources.lines import safe_cut
from piecework.train.sources.texts import count_texts
from piecework.train.sources.units import part_of
from piecework.train.stages import doubtful_name, normalizer_of, pre_tokenizer_of, stages_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from piecework._types import Text
    from piecework.train.progress import Progress
    from piecework.train.sources import OnInvalid, Words

__all__ = ["DEFAULT_FIELD", "Request", "check_limit", "check_text", "specials_of", "stages_file"]

DEFAULT_FIELD = "text"
_DEFAULT = "default"
_ERRORS = ("strict", "replace", "skip")
_SOURCES = ("files", "texts", "words", "mix")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The source and the stages before the model; the fields are the arguments of the trainers.

    Attributes:
        default: The pre-tokenizer of files, texts and mixes where the caller names none.
        is_in_order: Whether words are counted in the order in which they come, in memory.
        is_measured: Whether the words are only measured: a tokenizer that is there says how they are cut.
    """

    files: Iterable[str | os.PathLike[str]] | None = None
    texts: Iterable[Text] | None = None
    words: Words | None = None
    mix: str | os.PathLike[str] | Mapping[str, Any] | None = None
    field: str = DEFAULT_FIELD
    pre_tokenizer: str | None = _DEFAULT
    normalizer: str | Iterable[str] | None = None
    errors: OnInvalid = "strict"
    n_threads: int | None = None
    max_memory: str | int | None = None
    min_word_count: int = 1
    seed: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    resume: bool = False
    part: object = None
    progress: Progress | None = None
    default: str | None = "o200k_base"
    is_in_order: bool = False
    is_measured: bool = False
    # What `settled` found.
    count_files: tuple[CountFile, ...] = ()
    pairs: Iterable[object] = ()
    is_settled: bool = False

    def check(self) -> None:
        """Raises where not exactly one source is given, or an argument is of the wrong kind.

        Raises:
            TypeError: No source, more than one, or an argument of the wrong type.
            ValueError: An argument is out of its range, is no known word, or does not go with the source.
        """
        n_sources = sum(getattr(self, name) is not None for name in _SOURCES)
        if n_sources != 1:
            raise TypeError(f"give mix= or one of files=, texts= and words=, not {n_sources} of them")
        check_text("pre_tokenizer", self.pre_tokenizer)
        check_text("field", self.field)
        check_limit("n_threads", self.n_threads, smallest=1)
        check_limit("min_word_count", self.min_word_count, smallest=1)
        check_limit("seed", self.seed)
        if self.errors not in _ERRORS:
            raise ArgumentError(f'errors is "strict", "replace" or "skip", not {self.errors!r}')
        if self.progress is not None and not callable(self.progress):
            raise TypeError(f"progress is a callable, not {type(self.progress).__name__}")
        if self.is_in_order and self.max_memory is not None:
            raise ArgumentError(
                'max_memory= may send words to disk, sorted: it goes with no ties="first-seen"'
            )
        self._check_pairs()

    def _check_pairs(self) -> None:
        if self.seed is not None and self.mix is None:
            raise ArgumentError("seed= draws the documents of a mix: it goes with mix=")
        in_files = self.files is not None or self.mix is not None
        if part_of(self.part) is not None and not in_files:
            raise ArgumentError("part= goes with files= or mix=, which are the same on every machine")
        if self.checkpoint is None:
            if self.resume:
                raise ArgumentError("resume=True goes on from a checkpoint: checkpoint= names its folder")
            return
        if not isinstance(self.checkpoint, str | os.PathLike):
            raise TypeError(f"checkpoint is the path of a folder, not {type(self.checkpoint).__name__}")
        if not os.fspath(self.checkpoint):
            raise ArgumentError("checkpoint is empty: it names a folder")
        if not in_files:
            raise ArgumentError("checkpoint= goes with files= or mix=, which can be read again")
        if self.is_in_order:
            raise ArgumentError(
                'checkpoint= does not keep the order of words: it goes with no ties="first-seen"'
            )

    def settled(self) -> Request:
        """The request with its pre-tokenizer and normalizer as they go into the tokenizer; checks everything.

        Counts that say how they were made bring both along.

        Raises:
            TrainError: Counts do not go together, or were made otherwise than is asked for.
            InputError: A count file is missing or is none, or was cut by what is no pattern.
            FormatError: `pre_tokenizer` is no pattern, and the words are counted already.
            TypeError: As `check`.
            ValueError: As `check`, and where a normalizer is unknown or `max_memory` too small.
        """
        if self.is_settled:
            return self
        self.check()
        memory_limits(self.max_memory)
        if doubt := doubtful_name(self.pre_tokenizer):
            warn_caller(doubt)
        normalizer = self.normalizer
        if normalizer is not None and not isinstance(normalizer, str):
            normalizer = tuple(normalizer)
        normalizer_of(normalizer)
        if self.words is None:
            cuts = self.default if self.pre_tokenizer == _DEFAULT else self.pre_tokenizer
            return replace(self, pre_tokenizer=cuts, normalizer=normalizer, is_settled=True)
        paths, pairs = word_source(self.words)
        field = None if self.field == DEFAULT_FIELD else self.field
        files = tuple(read_count_file(path, field) for path in paths)
        check_together(files)
        cuts = None if self.pre_tokenizer == _DEFAULT else self.pre_tokenizer
        made = next(((file.path, file.meta) for file in files if file.meta is not None), None)
        if made is not None:
            cuts, normalizer = self._as_made(*made, normalizer)
        check_pattern(cuts, None if made is None else made[0])
        return replace(
            self, pre_tokenizer=cuts, normalizer=normalizer, count_files=files, pairs=pairs, is_settled=True
        )

    def _as_made(
        self, path: Path, meta: Mapping[str, Any], normalizer: str | tuple[str, ...] | None
    ) -> tuple[str | None, str | tuple[str, ...] | None]:
        """The stages that counts were made with."""
        cuts, names = meta["pre_tokenizer"], meta["normalizer"]
        made = None if names is None else names[0] if len(names) == 1 else tuple(names)
        if self.pre_tokenizer not in (_DEFAULT, cuts):
            raise TrainError(
                f"pre_tokenizer={self.pre_tokenizer!r} is asked for, and the counts of {path} were made with {cuts!r}"
            )
        if normalizer is not None and normalizer_of(normalizer) != normalizer_of(made):
            raise TrainError(
                f"normalizer={normalizer!r} is asked for, and the counts of {path} were made with {made!r}"
            )
        return cuts, made

    @property
    def source(self) -> str:
        """The argument that the words come from."""
        return next(name for name in _SOURCES if getattr(self, name) is not None)

    @property
    def cuts(self) -> str | None:
        """The pre-tokenizer of the tokenizer; that of counted words is not used to cut them."""
        return self.settled().pre_tokenizer

    def counts(self, *, is_bytes: bool) -> _core.WordCounts:
        """Counts the words.

        Raises:
            EmptyCorpusError: There is no word.
            PieceworkError: As `counted`.
        """
        return self.finish(self.counted(is_bytes=is_bytes))

    def finish(self, counted: Counted, *, n_entries: int = 0) -> _core.WordCounts:
        """Adds the counts up.

        Args:
            counted: What was counted.
            n_entries: Entries that the vocabulary will have; what they take is part of `max_memory`.

        Raises:
            EmptyCorpusError: There is no word.
            MemoryCapError: There are too many to be learned from.
        """
        counter = counted.counter
        if self.progress is not None and counter.n_runs:
            n_held = counter.n_distinct_held
            self.progress(
                TrainingProgress(phase="merge", done=0, total=None, unit="words", n_distinct_words=n_held)
            )
        limits = memory_limits(self.max_memory)
        counts = counter.finish(
            min_word_count=self.min_word_count, max_bytes=limits.max_bytes, n_entries=n_entries
        )
        if not counts.n_bytes:
            source = self.source
            if counts.n_left_out_words:
                message = (
                    f"every word in {source} occurs less than min_word_count={self.min_word_count:,} times"
                )
            else:
                message = f"there is no word in {source}: nothing can be learned"
            raise EmptyCorpusError(message, source=source)
        return counts

    def counted(self, *, is_bytes: bool) -> Counted:
        """Counts the words, without adding them up.

        Raises:
            InputError: A file is missing, unreadable, or not what it should be.
            NotUnicodeError: What is read is not Unicode.
            TrainError: A checkpoint is one of something else, or a mix cannot be drawn.
            OutputError: The disk is full.
        """
        if not self.is_settled:
            return self.settled().counted(is_bytes=is_bytes)
        if self.pre_tokenizer is None and self.words is None and not self.is_measured:
            warn_caller(
                "pre_tokenizer=None makes one word of each text: merges cross spaces, and training is slow"
            )
        limits = memory_limits(self.max_memory)
        if self.words is not None:
            return self._counted_words(limits)
        stages = stages_file(
            normalizer_of(self.normalizer), pre_tokenizer_of(self.pre_tokenizer, is_bytes=is_bytes)
        )
        if self.texts is not None:
            return self._counted_texts(stages, limits)
        corpus = self.corpus()
        return self._counted_corpus(corpus, stages, limits)

    def corpus(self) -> Corpus:
        """The corpus that files or a mix are, and the part of it that is asked for.

        Raises:
            InputError: A file is missing or not what it should be, or the mix makes no sense.
        """
        mix = None if self.mix is None else read_mix(self.mix, field=self.field, seed=self.seed)
        is_ordered = self.checkpoint is not None
        return corpus_of(self.files, mix, field=self.field, part=part_of(self.part), is_ordered=is_ordered)

    def _counted_words(self, limits: MemoryLimits) -> Counted:
        counter = self._counter(stages_file(None, None), limits)
        for words, counts in word_batches(self.pairs):
            counter.add(words, counts)
            check_sum(counter, "words")
        n_all = sum(file.path.stat().st_size for file in self.count_files)
        n_before = 0
        for file in self.count_files:
            for n_done in file.feed(counter):
                self._tell_count(counter, n_before + n_done, n_all)
                check_sum(counter, str(file.path))
            n_before += file.path.stat().st_size
        metas = [file.meta for file in self.count_files if file.meta is not None]
        mixes = [meta.get("mix") for meta in metas]
        return Counted(
            counter=counter,
            n_words=counter.n_words,
            n_bytes=counter.n_bytes,
            n_invalid=sum(int(meta.get("n_invalid", 0)) for meta in metas),
            mix=mixes[0] if mixes and all(mix == mixes[0] for mix in mixes) else None,
        )

    def _counted_texts(self, stages: bytes, limits: MemoryLimits) -> Counted:
        counter = self._counter(stages, limits)
        n_done = 0

        def told(n_units: int) -> None:
            nonlocal n_done
            n_done += n_units
            self._tell_count(counter, n_done, None)

        n_invalid = count_texts(
            counter, self.texts, field=self.field, errors=self.errors, n_threads=self.n_threads, told=told
        )
        return Counted(counter=counter, n_words=counter.n_words, n_bytes=counter.n_bytes, n_invalid=n_invalid)

    def _counted_corpus(self, corpus: Corpus, stages: bytes, limits: MemoryLimits) -> Counted:
        checkpoint = None
        if self.checkpoint is not None:
            identity = {
                "pre_tokenizer": self.pre_tokenizer,
                "normalizer": normalizer_of(self.normalizer),
                "errors": self.errors,
                "part": part_of(self.part),
                **corpus.identity(),
            }
            checkpoint = Checkpoint(Path(self.checkpoint), identity, resume=self.resume)
        cut = safe_cut(self.pre_tokenizer) if corpus.mix is None else None
        how = Counting(
            stages=stages,
            reading=Reading(errors=self.errors, cut=cut, max_line_bytes=limits.max_line_bytes),
            n_threads=self.n_threads,
            limits=self._table_limits(limits),
            progress=self.progress,
            checkpoint=checkpoint,
        )
        try:
            return how.count(corpus)
        except BaseException:
            if checkpoint is not None:
                checkpoint.leave()
            raise

    def learning(self, n_merges: int | None, n_distinct_words: int) -> Callable[[int], object] | None:
        """What tells how many merges are learned, as the engine calls it; None where nobody is told."""
        progress = self.progress
        if progress is None:
            return None
        return lambda done: progress(
            TrainingProgress(
                phase="learn", done=done, total=n_merges, unit="merges", n_distinct_words=n_distinct_words
            )
        )

    @property
    def knows_stages(self) -> bool:
        """Whether it is known how the words were made: counts of others do not say."""
        is_named = self.words is None or any(file.meta is not None for file in self.count_files)
        return is_named or self.settled().pre_tokenizer is not None

    def named(self) -> dict[str, object]:
        """What was asked for that changes the tokenizer, by the names of the arguments."""
        settled = self.settled()
        return {
            "pre_tokenizer": settled.pre_tokenizer,
            "normalizer": settled.normalizer,
            "errors": self.errors,
            "min_word_count": self.min_word_count,
        }

    def _table_limits(self, limits: MemoryLimits) -> MemoryLimits:
        # A run on the disk is sorted.
        return replace(limits, max_table_bytes=None) if self.is_in_order else limits

    def _counter(self, stages: bytes, limits: MemoryLimits) -> _core.WordCounter:
        max_table_bytes = self._table_limits(limits).max_table_bytes
        return _core.WordCounter(stages, by_line=False, max_table_bytes=max_table_bytes)

    def _tell_count(self, counter: _core.WordCounter, done: int, total: int | None) -> None:
        if self.progress is not None:
            n_held = counter.n_distinct_held
            self.progress(
                TrainingProgress(phase="count", done=done, total=total, unit="bytes", n_distinct_words=n_held)
            )
