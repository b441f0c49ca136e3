"""The BPE trainer: words are counted, merges are learned of the counts, a tokenizer is made of the merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._plural import plural
from piecework._tokenizer import Tokenizer
from piecework.errors import TrainError, VocabSizeError
from piecework.train.bpe_file import file_of, stages_of
from piecework.train.bpe_options import BpeOptions, characters
from piecework.train.caller_warnings import warn_caller
from piecework.train.request import Request, specials_of
from piecework.train.training import Training, TrainingReport, TrainingStep

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from piecework._types import Text
    from piecework.train.bpe_options import Base, IdLayout, Score, Ties
    from piecework.train.counting import Counted
    from piecework.train.progress import Progress
    from piecework.train.sources import OnInvalid, Words

__all__ = ["bpe"]

# About a gigabyte of steps.
_MAX_STEP_WORDS = 4_000_000


def bpe(
    *,
    files: Iterable[str | os.PathLike[str]] | None = None,
    texts: Iterable[Text] | None = None,
    words: Words | None = None,
    mix: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    field: str = "text",
    vocab_size: int | None = None,
    n_merges: int | None = None,
    base: Base = "bytes",
    pre_tokenizer: str | None = "default",
    normalizer: str | Iterable[str] | None = None,
    end_of_word: str | None = None,
    unk: str | None = None,
    special_tokens: Sequence[str] = (),
    ties: Ties = "hf",
    score: Score = "count",
    id_layout: IdLayout = "hf",
    min_frequency: int = 0,
    initial_alphabet: Iterable[str] = (),
    limit_alphabet: int | None = None,
    max_token_length: int | None = None,
    continuing_subword_prefix: str | None = None,
    end_of_word_suffix: str | None = None,
    errors: OnInvalid = "strict",
    n_threads: int | None = None,
    max_memory: str | int | None = None,
    min_word_count: int = 1,
    seed: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    steps: bool = False,
) -> Tokenizer:
    """Trains a BPE tokenizer: the same merges and ids as `BpeTrainer` of tokenizers 0.23.3, with 64-bit counts.

    Args:
        files: Paths, by suffix: `.jsonl` and `.ndjson`, `.parquet`, `.arrow`, `.feather` and `.ipc` (each record or row a text);
            any other is UTF-8, read a line at a time with its end, as `train(files)` does there. With `.gz` or `.zst` behind
            it, except Parquet.
        texts: Texts, each as it is, as `train_from_iterator` does there; Arrow arrays, streams and tables too. One of files,
            texts, words and mix is given.
        words: Counted words: `{"hug": 10}`, pairs, or paths of count files (`.tsv`, `.tsv.gz`, `.tsv.zst`, `.parquet`), as
            `piecework.train.words`, Spark or SQL write them. They are taken whole.
        mix: A TOML file, or a mapping of the same shape, that says how much of which source is taken.
        field: The field of a record, or the column of a table, that holds the text; a dotted path goes inside.
        vocab_size: Entries in all, special tokens and alphabet in. One of this and `n_merges` is given.
        n_merges: Merges to learn.
        base: What words are made of: `"bytes"` (every text has ids) or `"chars"`.
        pre_tokenizer: Where merges end: `gpt2`, `cl100k_base`, `o200k_base`, `qwen3`, `llama3`, `whitespace` (which is
            dropped), or a regular expression whose matches, and what lies between them, are words; None warns. `default` is
            `o200k_base`; for counted words, what their file says they were cut by, or none. Another one goes into the
            tokenizer of counted words and does not cut them.
        normalizer: One or more of `nfc`, `nfd`, `nfkc`, `nfkd`, `lowercase`, `strip-accents`, in order.
        end_of_word: A character that stands as a symbol of its own behind each word. Base `"chars"`.
        unk: The token of a character without an entry; the first special token where it is none of them.
        special_tokens: Entries that text never becomes, each once.
        ties: Which of the pairs with the highest count is merged: `"hf"` (smaller left id, then smaller right id, with that
            trainer's bookkeeping); with `steps=True` also `"first-seen"`, `"lexicographic"` or `"smallest-ids"`.
        score: What is merged first: the pair of the highest `"count"`, or, with `steps=True`, that of the highest
            `"wordpiece"` score, its count divided by the counts of its two symbols, compared as exact fractions.
        id_layout: `"hf"`: special tokens, alphabet by display character, merges; `"bytes"`: the byte's value, merges from
            256, special tokens.
        min_frequency: Pairs that are rarer are not merged.
        initial_alphabet: Characters that are entries in any case. Base `"chars"` only: bytes are always all there.
        limit_alphabet: Characters at most: the most frequent, of equals those of smaller code points.
        max_token_length: A pair of more than two characters is merged only where it is shorter than this.
        continuing_subword_prefix: Stands before every symbol of a word but the first, such as `"##"`.
        end_of_word_suffix: Stands after a word's last symbol, such as `"</w>"`.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD, `"skip"` leaves the line or text out;
            `training.report.n_invalid` counts them.
        n_threads: Threads that count, and one or two that learn; None for all processors. It changes no byte of the result.
        max_memory: What training may take above what the interpreter has, at least 256 MB: bytes, or a size as `"2GB"`. Counts
            that do not fit go to disk. None for four fifths of what the machine has left. With no `ties="first-seen"`.
        min_word_count: Words that occur less often are left out; the report counts them.
        seed: What draws the documents of a mix, in place of its own.
        checkpoint: A folder where counting is written down twice a minute and when it ends; with files or a mix. It is removed
            when the tokenizer is there.
        resume: Whether to go on from what lies in `checkpoint`; the result has the same bytes.
        progress: Called with a `TrainingProgress` as the training goes on.
        steps: Whether `training.steps` shows every merge; for small corpora.

    Returns:
        The tokenizer. Its `training` has the options, the report, the merges and the corpus's fingerprint.

    Raises:
        EmptyCorpusError: There is no word.
        MemoryCapError: The distinct words do not fit into `max_memory`; the hint has the `min_word_count` that fits.
        TrainError: `steps=True` on a corpus that is too large to be shown; counts that do not go together; a checkpoint that
            is there already, or is one of another training; a mix that cannot be drawn.
        VocabSizeError: `vocab_size` is smaller than the alphabet with the special tokens; `needed` has that number.
        InputError: A file is missing, unreadable or not what its suffix says, or the mix makes no sense.
        NotUnicodeError: What is read is not Unicode.
        OutputError: The disk is full; a checkpoint stays as it was.
        MissingExtraError: A file needs pyarrow or zstandard.
        FormatError: `pre_tokenizer` is no pattern.
        TypeError: An argument has the wrong type, or none or several sources or sizes are given.
        ValueError: An argument has no known value, or two do not go together.

    Examples:
        >>> import piecework as pw
        >>> tok = pw.train.bpe(texts=["low lower lowest"], n_merges=3, base="chars", pre_tokenizer="whitespace",
        ...                    ties="first-seen", steps=True)
        >>> [step.piece for step in tok.training.steps]
        ['lo', 'low', 'lowe']
        >>> tok.training.steps[-1].corpus
        (('low',), ('lowe', 'r'), ('lowe', 's', 't'))

    Complexity: O(bytes) to count, then about linear in the distinct words' symbols; with steps, that for each merge.

    Source: Sennrich, Haddow, Birch, "Neural Machine Translation of Rare Words with Subword Units", 2016, section 3.2.
    """
    request = Request(
        files=files,
        texts=texts,
        words=words,
        pre_tokenizer=pre_tokenizer,
        normalizer=normalizer,
        errors=errors,
        n_threads=1 if ties == "first-seen" else n_threads,
        mix=mix,
        field=field,
        max_memory=max_memory,
        min_word_count=min_word_count,
        seed=seed,
        checkpoint=checkpoint,
        resume=resume,
        progress=progress,
        is_in_order=ties == "first-seen",
    )
    options = BpeOptions(
        vocab_size=vocab_size,
        n_merges=n_merges,
        base=base,
        end_of_word=end_of_word,
        unk=unk,
        special_tokens=specials_of(special_tokens, unk),
        ties=ties,
        score=score,
        id_layout=id_layout,
        min_frequency=min_frequency,
        initial_alphabet=characters(initial_alphabet),
        limit_alphabet=limit_alphabet,
        max_token_length=max_token_length,
        continuing_subword_prefix=continuing_subword_prefix,
        end_of_word_suffix=end_of_word_suffix,
        steps=steps,
    )
    request.check()
    options.check()
    return _trained(request.settled(), options)


def _trained(request: Request, options: BpeOptions) -> Tokenizer:
    stages = stages_of(request, options)
    with request.counted(is_bytes=options.is_bytes) as counted:
        counts = request.finish(counted, n_entries=_most_entries(options))
        if options.steps:
            _check_steps(counts, options)
        told = request.learning(_most_merges(options), len(counts))
        learned = _core.train_bpe(counts, options.engine(), told, n_threads=request.n_threads)
        if told is not None:
            told(len(learned["merges"]))
        tokens, size = learned["tokens"], options.vocab_size
        if size is not None and len(tokens) > size:
            n_special = len(tokens) - learned["n_alphabet"]
            raise VocabSizeError(
                f"vocab_size={size:,} is smaller than what is there before any merge: {len(tokens):,} entries "
                f"({learned['n_alphabet']:,} of the alphabet, {n_special:,} special)",
                vocab_size=size,
                needed=len(tokens),
                hint=None if options.is_bytes else "limit_alphabet= keeps only the most frequent characters",
            )
        native = _core.Tokenizer.from_tokenizer_json(file_of(learned, options, stages))
        n_left_out = len(learned["merges"]) - (native.info()["model"]["n_merges"] or 0)
        training = _training(counts, learned, options, request, counted, n_merges_left_out=n_left_out)
        if not training.report.is_full:
            _warn_not_full(training.report, options)
        counted.close()
        return Tokenizer(native, "trained", is_bundled=False, training=training)


def _most_merges(options: BpeOptions) -> int | None:
    """How many merges there will be, unless the corpus has no more pairs; None where the alphabet is not known yet."""
    if options.n_merges is not None:
        return options.n_merges
    if options.vocab_size is None or not options.is_bytes:
        return None
    return max(0, options.vocab_size - 256 - len(options.special_tokens))


def _most_entries(options: BpeOptions) -> int:
    """How many entries there will be, unless the corpus has no more pairs; about that where the alphabet is not known yet."""
    return options.vocab_size or 256 + len(options.special_tokens) + (options.n_merges or 0)


def _warn_not_full(report: TrainingReport, options: BpeOptions) -> None:
    """Says what was reached where the corpus cannot fill what was asked for."""
    if options.vocab_size is None:
        reached = f"the corpus gives {report.n_merges:,} of {plural(options.n_merges or 0, 'merge')}"
    else:
        reached = f"the corpus fills {report.vocab_size:,} of {options.vocab_size:,} entries"
    limits = [
        f"{name}={value}"
        for name, value in (
            ("min_frequency", options.min_frequency),
            ("max_token_length", options.max_token_length),
        )
        if value
    ]
    within = f" within {' and '.join(limits)}" if limits else ""
    warn_caller(f"{reached}: no pair is left to merge{within}")


def _check_steps(counts: _core.WordCounts, options: BpeOptions) -> None:
    """Raises TrainError where steps would hold far more than anybody looks at: every word after every merge."""
    n_bytes = sum(len(word) for word, _ in counts.items())
    # A merge makes the distinct words shorter by a symbol at least.
    n_merges = min(options.n_merges or options.vocab_size or 0, n_bytes)
    if len(counts) * n_merges > _MAX_STEP_WORDS:
        raise TrainError(
            f"steps=True shows every word after every merge: {len(counts):,} distinct words × {n_merges:,} merges are "
            f"over {_MAX_STEP_WORDS:,}",
            hint="train on fewer words or for fewer merges, or without steps",
        )


def _training(
    counts: _core.WordCounts,
    learned: dict[str, Any],
    options: BpeOptions,
    request: Request,
    counted: Counted,
    *,
    n_merges_left_out: int,
) -> Training:
    tokens, merges = learned["tokens"], learned["merges"]
    wanted, reached = options.vocab_size, len(tokens)
    if wanted is None:
        wanted, reached = options.n_merges or 0, len(merges)
    report = TrainingReport(
        n_words=counts.n_words,
        n_distinct_words=len(counts),
        n_bytes=counts.n_bytes,
        vocab_size=len(tokens),
        n_alphabet=learned["n_alphabet"],
        n_merges=len(merges),
        n_symbols_before=learned["n_symbols"],
        is_full=reached >= wanted,
        dropped=tuple(learned["dropped"]),
        n_invalid=counted.n_invalid,
        n_left_out_words=counts.n_left_out_words,
        n_left_out=counts.n_left_out,
        n_merges_left_out=n_merges_left_out,
    )
    names = [name for name in BpeOptions.__slots__ if name != "steps"]
    named: dict[str, object] = {name: getattr(options, name) for name in names}
    named.update(request.named())
    specials = frozenset(options.special_tokens)
    made = {product for _, _, product, _ in merges} | {
        at for at, token in enumerate(tokens) if token in specials
    }
    return Training(
        trainer="bpe",
        options=named,
        corpus_fingerprint=learned["fingerprint"],
        report=report,
        alphabet=tuple(token for at, token in enumerate(tokens) if at not in made),
        merges=tuple((tokens[left], tokens[right]) for left, right, _, _ in merges),
        steps=tuple(_step(step, tokens) for step in learned["steps"]),
        mix=counted.mix,
    )


def _step(step: tuple[Any, ...], tokens: list[str]) -> TrainingStep:
    (left, right, product, count), counts, fractions, corpus, n_symbols = step
    # Whole numbers of any size are divided to the nearest float.
    scored = [(pair, n / by) for pair, (n, by) in fractions] or [(pair, float(n)) for pair, n in counts]
    scores = {(tokens[a], tokens[b]): value for (a, b), value in scored}
    return TrainingStep(
        pair=(tokens[left], tokens[right]),
        count=count,
        piece=tokens[product],
        counts={(tokens[a], tokens[b]): n for (a, b), n in counts},
        score=scores[tokens[left], tokens[right]],
        scores=scores,
        corpus=tuple(tuple(tokens[symbol] for symbol in word) for word in corpus),
        n_symbols=n_symbols,
    )
