"""The words of files are counted unit by unit: in a part of the corpus, by a mix, with a checkpoint, all as asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from piecework import _core
from piecework.errors import InputError, LoadError
from piecework.train.interrupts import Interrupts
from piecework.train.mixing import Drawing, Scale, drawings, mix_record
from piecework.train.progress import Progress, TrainingProgress
from piecework.train.sources.feeding import documents, feed
from piecework.train.sources.formats import file_status
from piecework.train.sources.units import read_unit

if TYPE_CHECKING:
    from piecework.train.checkpoint import Checkpoint
    from piecework.train.corpus import Corpus
    from piecework.train.memory_limits import MemoryLimits
    from piecework.train.mix_file import Mix
    from piecework.train.sources.batch import Batch, Reading, Unit

__all__ = ["Counted", "Counting"]

# What Arrow's library takes for itself and for the pages that it reads, as measured on Parquet of 2,000,000 rows.
_ARROW_BYTES = 80_000_000


@dataclass(slots=True, kw_only=True)
class Counted:
    """Words that are counted and not added up yet.

    Attributes:
        counter: What counted them.
        n_words: Words, each as often as it occurs.
        n_bytes: Their bytes.
        n_invalid: Byte sequences that were no UTF-8.
        mix: What was taken of which source, or None.
        checkpoint: Where the counts lie as well, or None.
        corpus: The files that they are of, or None.
    """

    counter: _core.WordCounter
    n_words: int
    n_bytes: int
    n_invalid: int = 0
    mix: Mapping[str, object] | None = None
    checkpoint: Checkpoint | None = None
    corpus: Corpus | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Lets go of the checkpoint, if it is there still."""
        if self.checkpoint is not None:
            self.checkpoint.leave()

    def close(self) -> None:
        """Removes the checkpoint: what was asked for is there."""
        if self.checkpoint is not None:
            self.checkpoint.remove()


@dataclass(slots=True, kw_only=True)
class Counting:
    """How units are counted.

    Attributes:
        stages: A tokenizer.json with what stands before the model.
        reading: How units are read.
        n_threads: None for all processors.
        limits: What tables may hold.
        progress: Who is told, or None.
        checkpoint: Where it is written down how far the counting is, or None.
        interrupts: Ctrl-C, which waits until what is done is written down.
    """

    stages: bytes
    reading: Reading
    n_threads: int | None
    limits: MemoryLimits
    progress: Progress | None = None
    checkpoint: Checkpoint | None = None
    interrupts: Interrupts = field(default_factory=Interrupts)

    def count(self, corpus: Corpus) -> Counted:
        """Counts the chosen units of a corpus; a mix is weighed by all.

        Raises:
            KeyboardInterrupt: After Ctrl-C; with a checkpoint, as soon as it is written.
            PieceworkError: As `piecework.train.bpe`.
        """
        units = corpus.chosen
        is_by_line = corpus.mix is None and all(unit.format.kind == "lines" for unit in units)
        drawn, record = self._drawn(corpus.mix, corpus.units)
        checkpoint = self.checkpoint
        folder = None if checkpoint is None else str(checkpoint.folder)
        counter = _core.WordCounter(
            self.stages,
            is_by_line,
            max_table_bytes=self._table_bytes(units),
            folder=folder,
            is_named=checkpoint is not None,
        )
        run = _Run(self, units, counter, record, is_by_line=is_by_line)
        if checkpoint is None:
            run.count(drawn)
        else:
            run.begin(checkpoint)
            with self.interrupts.waiting():
                run.count(drawn)
        return Counted(
            counter=counter,
            n_words=run.n_words,
            n_bytes=run.n_bytes,
            n_invalid=run.n_invalid,
            mix=record,
            checkpoint=checkpoint,
            corpus=corpus,
        )

    def _table_bytes(self, units: Sequence[Unit]) -> int | None:
        """What tables may hold beside what reads the units."""
        limit = self.limits.max_table_bytes
        has_tables = any(unit.format.kind in ("parquet", "arrow") for unit in units)
        return limit if limit is None or not has_tables else limit - _ARROW_BYTES

    def _drawn(
        self, mix: Mix | None, corpus: Sequence[Unit]
    ) -> tuple[list[_Draw], Mapping[str, object] | None]:
        """What is drawn of each source, and the record of it; weighs the corpus unless a checkpoint knows."""
        if mix is None:
            return [], None
        scales = [Scale(source.name, mix.seed) for source in mix.sources]
        state = None if self.checkpoint is None else self.checkpoint.state
        if state is not None:
            known = state["mix"]["drawings"]
            drawn = [Drawing(n_times=n_times, n_buckets=n_buckets) for n_times, n_buckets in known]
            return _draws(drawn, scales), state["mix"]["record"]
        n_all = sum(unit.n_bytes for unit in corpus)
        n_before = 0
        for unit in corpus:
            for batch in read_unit(unit, self.reading):
                for texts, _ in documents(unit, batch, self.reading):
                    scales[unit.source].add(texts)
                self.tell("weigh", n_before + batch.n_done, n_all, 0)
            n_before += unit.n_bytes
        drawn, shares = drawings(mix, scales)
        return _draws(drawn, scales), mix_record(mix, scales, drawn, shares)

    def tell(self, phase: Any, done: int, total: int | None, n_distinct_words: int) -> None:  # noqa: ANN401 - its Literal
        """Tells how many bytes are done."""
        if self.progress is not None:
            self.progress(
                TrainingProgress(
                    phase=phase, done=done, total=total, unit="bytes", n_distinct_words=n_distinct_words
                )
            )


_Draw = tuple[Drawing, Callable[[Sequence[bytes]], list[tuple[int, list[bytes]]]]]


def _draws(drawn: Sequence[Drawing], scales: Sequence[Scale]) -> list[_Draw]:
    def draw(drawing: Drawing, scale: Scale) -> _Draw:
        return drawing, lambda texts: drawing.drawn(scale, texts)

    return [draw(drawing, scale) for drawing, scale in zip(drawn, scales, strict=True)]


class _Run:
    """One counting, from where it starts to its end."""

    def __init__(
        self,
        how: Counting,
        units: Sequence[Unit],
        counter: _core.WordCounter,
        record: Mapping[str, object] | None,
        *,
        is_by_line: bool,
    ) -> None:
        self._how = how
        self._units = units
        self._counter = counter
        self._record = record
        self._is_by_line = is_by_line
        self._next_unit = self._n_batches = 0
        self._n_words_before = self._n_bytes_before = 0
        self.n_invalid = 0

    @property
    def n_words(self) -> int:
        """Words so far, with those of earlier runs."""
        return self._n_words_before + self._counter.n_words

    @property
    def n_bytes(self) -> int:
        """Their bytes."""
        return self._n_bytes_before + self._counter.n_bytes

    def begin(self, checkpoint: Checkpoint) -> None:
        """Goes to where an earlier run was, or writes down that this one begins."""
        state = checkpoint.state
        if state is None:
            return
        for name in state["runs"]:
            # A pipe in its place would be waited for.
            file_status(checkpoint.folder / name)
        try:
            self._counter.adopt(state["runs"])
        except LoadError as error:
            reason = f"its counted words cannot be read: {error.message}"
            raise InputError(
                f"{checkpoint.folder}: {reason}",
                path=str(checkpoint.folder),
                reason=reason,
                hint="they are not what was written: start anew",
            ) from None
        self._next_unit, self._n_batches = state["next_unit"], state["n_batches"]
        self.n_invalid = state["n_invalid"]
        self._n_words_before, self._n_bytes_before = state["n_words"], state["n_bytes"]

    def count(self, drawn: Sequence[_Draw]) -> None:
        """Counts what is left."""
        how, checkpoint = self._how, self._how.checkpoint
        n_all = sum(unit.n_bytes for unit in self._units)
        n_before = sum(unit.n_bytes for unit in self._units[: self._next_unit])
        first, n_skipped, n_done = self._next_unit, self._n_batches, 0
        self._save(drawn, n_before)
        for at in range(first, len(self._units)):
            unit = self._units[at]
            self._next_unit = at
            for n, batch in enumerate(read_unit(unit, how.reading)):
                if at == first and n < n_skipped:
                    continue
                self._feed(unit, batch, drawn)
                self._n_batches = n + 1
                n_done = n_before + batch.n_done
                how.tell("count", n_done, n_all, self._counter.n_distinct_held)
                if checkpoint is not None and (how.interrupts.is_asked or checkpoint.is_due(n_done)):
                    self._save(drawn, n_done)
            self._next_unit, self._n_batches = at + 1, 0
            n_before += unit.n_bytes
        if first < len(self._units) and n_done < n_all:
            # Ranges within one line are read with the one where it begins, and tell nothing themselves.
            how.tell("count", n_all, n_all, self._counter.n_distinct_held)
        self._save(drawn, n_before)

    def _feed(self, unit: Unit, batch: Batch, drawn: Sequence[_Draw]) -> None:
        how = self._how
        if not drawn:
            self.n_invalid += feed(
                self._counter,
                unit,
                batch,
                how.reading,
                is_by_line=self._is_by_line,
                n_threads=how.n_threads,
            )
            return
        _, draw = drawn[unit.source]
        for texts, n_invalid in documents(unit, batch, how.reading):
            self.n_invalid += n_invalid
            for n_times, some in draw(texts):
                self._counter.feed(some, "strict", how.n_threads, n_times)

    def _save(self, drawn: Sequence[_Draw], n_done: int) -> None:
        checkpoint = self._how.checkpoint
        if checkpoint is None:
            return
        mix = None
        if self._record is not None:
            mix = {
                "drawings": [[drawing.n_times, drawing.n_buckets] for drawing, _ in drawn],
                "record": self._record,
            }
        # Both may take seconds.
        with self._how.interrupts.at_place():
            checkpoint.save(
                n_done,
                next_unit=self._next_unit,
                n_batches=self._n_batches,
                runs=self._counter.spill(),
                n_words=self.n_words,
                n_bytes=self.n_bytes,
                n_invalid=self.n_invalid,
                mix=mix,
                is_made=checkpoint.is_made,
            )
