"""What a training will take, before anything runs: bytes, time, memory and disk, each exact or an estimate that says how."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework.errors import EmptyCorpusError, InputError, VocabSizeError
from piecework.train.bpe_options import BpeOptions
from piecework.train.memory_limits import available_bytes, memory_limits
from piecework.train.planning.figures import Planned, estimated, exactly
from piecework.train.planning.long_lines import refused_line
from piecework.train.planning.needs import advice, free_disk_bytes, needs_of, result_bytes
from piecework.train.planning.sample import sampled
from piecework.train.planning.words import CorpusWords, words_of
from piecework.train.request import DEFAULT_FIELD, Request, stages_file
from piecework.train.sources.batch import Reading
from piecework.train.sources.formats import file_status
from piecework.train.sources.lines import safe_cut
from piecework.train.stages import normalizer_of, pre_tokenizer_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from piecework.train.bpe_options import Base
    from piecework.train.planning.growth import Growth

__all__ = ["Plan", "parts_advice", "plan"]

# Counting that takes longer is worth sharing out.
_LONG_S = 1_800


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a training will take. Every number says whether it is exact or an estimate, and how it was found.

    Attributes:
        n_files: Files.
        file_bytes: Their bytes.
        text_bytes: Bytes of text in them.
        counted_bytes: Bytes of text that are counted: all of it, or what a mix draws.
        n_words: Words in these, each as often as it occurs.
        n_distinct_words: Distinct words.
        n_kept_words: Those that `min_word_count` keeps.
        counting_s: Seconds to count.
        learning_s: Seconds to learn the merges.
        table_bytes: Memory that counting takes at its peak.
        learning_bytes: Memory that learning takes at its peak; with `building_bytes`, `MemoryCapError.needed` where
            all words were counted.
        building_bytes: Memory to make a tokenizer of what was learned.
        memory_bytes: Memory at its peak, above what the interpreter takes.
        run_bytes: What sorted runs take on the disk.
        result_bytes: What the tokenizer takes on the disk.
        growth: The law that distinct words follow; None where all words were counted.
        max_bytes: What the training may take: `max_memory`, or four fifths of what the machine has left; None where the
            system does not say.
        free_memory_bytes: What the machine has left; None where the system does not say.
        free_disk_bytes: What the folder for temporary files has left; None where the system does not say.
        fits: Whether memory and disk suffice, and no line is refused for its length, as far as is known.
        advice: What would help, or what else is to be known.
    """

    n_files: Planned
    file_bytes: Planned
    text_bytes: Planned
    counted_bytes: Planned
    n_words: Planned
    n_distinct_words: Planned
    n_kept_words: Planned
    counting_s: Planned
    learning_s: Planned
    table_bytes: Planned
    learning_bytes: Planned
    building_bytes: Planned
    memory_bytes: Planned
    run_bytes: Planned
    result_bytes: Planned
    growth: Growth | None
    max_bytes: int | None
    free_memory_bytes: int | None
    free_disk_bytes: int | None
    fits: bool
    advice: tuple[str, ...]

    def __str__(self) -> str:
        from piecework.train.planning.text import plan_text  # noqa: PLC0415 - where it is read by people

        return plan_text(self)

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON can hold it."""
        values = {name: getattr(self, name) for name in Plan.__slots__}
        plain = {name: one.to_dict() if hasattr(one, "to_dict") else one for name, one in values.items()}
        return {"schema": "piecework.plan/1", **plain, "advice": list(self.advice)}


def plan(
    *,
    files: Iterable[str | os.PathLike[str]] | None = None,
    mix: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    vocab_size: int | None = None,
    n_merges: int | None = None,
    base: Base = "bytes",
    pre_tokenizer: str | None = "default",
    normalizer: str | Iterable[str] | None = None,
    field: str = DEFAULT_FIELD,
    min_word_count: int = 1,
    max_memory: str | int | None = None,
    part: object = None,
    seed: int | None = None,
    n_threads: int | None = None,
) -> Plan:
    """Plans a training of `piecework.train.bpe`: reads a sample of at most about 16 MB, and reckons the rest.

    Args:
        files: Paths, as `bpe` takes them. One of files and mix is given.
        mix: A mix, as `bpe` takes it.
        vocab_size: Entries in all. One of this and `n_merges` is given.
        n_merges: Merges to learn.
        base: What words are made of: `"bytes"` or `"chars"`.
        pre_tokenizer: Where merges end, as in `bpe`.
        normalizer: One or more normalizers, as in `bpe`.
        field: The field or column of the text in files of records.
        min_word_count: Words that occur less are left out.
        max_memory: What the training may take, in bytes or as `"2GB"`; None for four fifths of what the machine has left.
        part: The part of the corpus that is counted here, as in `piecework.train.words`.
        seed: The seed of a mix.
        n_threads: Threads that count; None for all processors.

    Returns:
        The plan. Sizes of plain files are exact; where the corpus is no larger than the sample, words are exact as well.
        Times are this machine's, as measured on the sample.

    Raises:
        EmptyCorpusError: There is no word.
        InputError: A file is missing, unreadable, not what its suffix says, or an archive with a line that training refuses.
        TrainError: The mix cannot be drawn.
        VocabSizeError: `vocab_size` is smaller than the alphabet of the sample.
        TypeError: An argument has the wrong type, or none or both sources or sizes are given.
        ValueError: An argument has no known value.

    Examples:
        >>> import piecework as pw
        >>> found = pw.train.plan(files=["examples/languages/de.txt", "examples/languages/fr.txt"], vocab_size=300)
        >>> found.file_bytes.value, found.n_words.value, found.n_words.basis
        (144, 27, 'exact')

    Complexity: O(files + sample).
    """
    request = Request(
        files=files,
        mix=mix,
        field=field,
        pre_tokenizer=pre_tokenizer,
        normalizer=normalizer,
        n_threads=n_threads,
        max_memory=max_memory,
        min_word_count=min_word_count,
        part=part,
        seed=seed,
    ).settled()
    options = _options(vocab_size, n_merges, base)
    options.check()
    corpus = request.corpus()
    stages = stages_file(
        normalizer_of(request.normalizer), pre_tokenizer_of(request.pre_tokenizer, is_bytes=options.is_bytes)
    )
    limits = memory_limits(max_memory)
    cut = safe_cut(request.pre_tokenizer) if corpus.mix is None else None
    reading = Reading(errors="replace", cut=cut, max_line_bytes=limits.max_line_bytes)
    sample = sampled(
        corpus.chosen,
        stages,
        n_sources=1 if corpus.mix is None else len(corpus.mix.sources),
        is_by_line=corpus.mix is None and all(unit.format.kind == "lines" for unit in corpus.chosen),
        n_threads=n_threads,
        reading=reading,
    )
    refused = refused_line(corpus.chosen, reading)
    if not sample.n_words and refused is not None:
        reason = f"nothing could be read but a line that is too long: {refused}"
        raise InputError(reason, reason=reason)
    if not sample.n_words:
        source = "files" if mix is None else "mix"
        raise EmptyCorpusError(f"there is no word in {source}: nothing can be learned", source=source)
    words = words_of(sample, corpus.mix)
    learning_s, result, n_entries, unfilled = _learned(words, options, min_word_count, n_threads)
    needs = needs_of(words, limits, n_entries=n_entries, min_word_count=min_word_count, n_threads=n_threads)
    counting_s = _counting(words, is_mix=mix is not None)
    free_memory, free_disk = available_bytes(), free_disk_bytes()
    fits, advised = advice(
        words, needs, max_bytes=limits.max_bytes, free_memory=free_memory, free_disk=free_disk
    )
    return Plan(
        n_files=exactly(len(corpus.files)),
        file_bytes=exactly(sum(file_status(path).st_size for _, path in corpus.files)),
        text_bytes=words.text_bytes,
        counted_bytes=words.counted_bytes,
        n_words=words.n_words,
        n_distinct_words=words.n_distinct,
        n_kept_words=words.kept(min_word_count),
        counting_s=counting_s,
        learning_s=learning_s,
        table_bytes=needs.table_bytes,
        learning_bytes=needs.learning_bytes,
        building_bytes=needs.building_bytes,
        memory_bytes=needs.memory_bytes,
        run_bytes=needs.run_bytes,
        result_bytes=result,
        growth=None if words.is_exact else words.growth,
        max_bytes=limits.max_bytes,
        free_memory_bytes=free_memory,
        free_disk_bytes=free_disk,
        fits=fits and refused is None,
        advice=(*([] if refused is None else [refused]), *advised, *parts_advice(counting_s), *unfilled),
    )


def _counting(words: CorpusWords, *, is_mix: bool) -> Planned:
    sample = words.sample
    rate = sample.n_bytes / max(sample.seconds, 1e-9)
    # A mix is weighed before it is counted, which reads everything once more.
    n_bytes = words.counted_bytes.value + (words.text_bytes.value if is_mix else 0)
    return estimated(n_bytes / rate, f"the sample went at {rate / 1e6:,.3g} MB/s")


def parts_advice(counting_s: Planned) -> tuple[str, ...]:
    """What to do where counting takes long: nothing, or a line."""
    n_parts = math.ceil(counting_s.value / _LONG_S)
    if n_parts < 2:
        return ()
    said = f"words(part=...) counts on several machines: {n_parts:,} parts are about {_LONG_S // 60} minutes each."
    return (said,)


def _learned(
    words: CorpusWords, options: BpeOptions, min_word_count: int, n_threads: int | None
) -> tuple[Planned, Planned, int, tuple[str, ...]]:
    """Seconds to learn, the result's bytes and entries, what is to be said of it: the sample is learned from, and scaled."""
    counted = words.sample.words
    kept = [(word, n) for word, n in counted.items() if n >= min_word_count] or list(counted.items())
    counts = _core.WordCounts.of(kept)
    start = time.perf_counter()
    learned = _core.train_bpe(counts, options.engine(), n_threads=n_threads)
    seconds = time.perf_counter() - start
    n_bytes = sum(len(word) for word, _ in kept)
    factor = max(1.0, words.symbol_bytes(min_word_count) / n_bytes)
    n_entries = options.vocab_size or learned["n_alphabet"] + (options.n_merges or 0)
    how = f"{seconds:.2f} s from the sample's {len(kept):,} distinct words"
    n_reached = len(learned["tokens"])
    if options.vocab_size is not None and n_reached > options.vocab_size:
        raise VocabSizeError(
            f"vocab_size={options.vocab_size:,} is smaller than what is there before any merge: {n_reached:,} entries",
            vocab_size=options.vocab_size,
            needed=n_reached,
        )
    is_short = words.is_exact and n_reached < n_entries
    said = (f"The corpus fills only {n_reached:,} of {n_entries:,} entries.",) if is_short else ()
    n_entries = n_reached if is_short else n_entries
    return estimated(seconds * factor, how), result_bytes(learned, n_entries), n_entries, said


def _options(vocab_size: int | None, n_merges: int | None, base: Base) -> BpeOptions:
    return BpeOptions(
        vocab_size=vocab_size,
        n_merges=n_merges,
        base=base,
        end_of_word=None,
        unk=None,
        special_tokens=(),
        ties="hf",
        score="count",
        id_layout="hf",
        min_frequency=0,
        initial_alphabet=(),
        limit_alphabet=None,
        max_token_length=None,
        continuing_subword_prefix=None,
        end_of_word_suffix=None,
        steps=False,
    )
