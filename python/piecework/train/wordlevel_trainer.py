"""The word-level trainer: the most frequent words are the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._tokenizer import Tokenizer
from piecework.errors import VocabSizeError
from piecework.train.caller_warnings import warn_caller
from piecework.train.request import Request, check_limit, specials_of
from piecework.train.stages import decoder_of, normalizer_of, pre_tokenizer_of
from piecework.train.tokenizer_file import tokenizer_file
from piecework.train.training import Training, TrainingReport

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from piecework._types import Text
    from piecework.train.progress import Progress
    from piecework.train.sources import OnInvalid, Words

__all__ = ["wordlevel"]

_DEFAULT_SIZE = 30_000


def wordlevel(
    *,
    files: Iterable[str | os.PathLike[str]] | None = None,
    texts: Iterable[Text] | None = None,
    words: Words | None = None,
    mix: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    field: str = "text",
    vocab_size: int | None = None,
    pre_tokenizer: str | None = "default",
    normalizer: str | Iterable[str] | None = None,
    unk: str | None = None,
    special_tokens: Sequence[str] = (),
    min_frequency: int = 0,
    errors: OnInvalid = "strict",
    n_threads: int | None = None,
    max_memory: str | int | None = None,
    min_word_count: int = 1,
    seed: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Tokenizer:
    """Trains a word-level tokenizer: the same vocabulary as `WordLevelTrainer` of tokenizers 0.23.3.

    Args:
        files: Paths of texts, by suffix as in `bpe`.
        texts: Texts, each as it is. One of files, texts, words and mix is given.
        words: Counted words: `{"hug": 10}`, pairs, or paths of count files, as in `bpe`.
        mix: A TOML file, or a mapping, that says how much of which source is taken, as in `bpe`.
        field: The field or column of the text.
        vocab_size: Entries at most, special tokens in; None for 30,000, or as many as there are.
        pre_tokenizer: What cuts words: as in `bpe`; `whitespace`, which is the default, drops it.
        normalizer: One or more of `nfc`, `nfd`, `nfkc`, `nfkd`, `lowercase`, `strip-accents`, in order.
        unk: The token of a word without an entry; the first special token where it is none of them. None: such words have
            no ids.
        special_tokens: Entries that text never becomes, each once.
        min_frequency: Words that are rarer are left out.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD, `"skip"` leaves the line or text out.
        n_threads: Threads that count; None for all processors. It changes no byte of the result.
        max_memory: What training may take, at least 256 MB, as in `bpe`.
        min_word_count: Words that occur less often are left out before all else; the report counts them.
        seed: What draws the documents of a mix, in place of its own.
        checkpoint: A folder where counting is written down, as in `bpe`.
        resume: Whether to go on from what lies there.
        progress: Called with a `TrainingProgress` as the training goes on.

    Returns:
        The tokenizer: special tokens first, then words, the most frequent first, of equals the smallest by code point.

    Raises:
        EmptyCorpusError: There is no word.
        MemoryCapError: The distinct words do not fit into `max_memory`.
        TrainError: Counts, a checkpoint or a mix are not what is asked for, as in `bpe`.
        VocabSizeError: `vocab_size` has no room for the special tokens and one word.
        InputError: A file is missing, unreadable or not what its suffix says.
        NotUnicodeError: What is read is not Unicode.
        OutputError: The disk is full.
        MissingExtraError: A file needs pyarrow or zstandard.
        TypeError: An argument has the wrong type, or none or several sources are given.
        ValueError: An argument has no known value.

    Examples:
        >>> import piecework as pw
        >>> tok = pw.train.wordlevel(texts=["the cat and the dog"], vocab_size=3, unk="<unk>")
        >>> [tok.piece(token_id) for token_id in tok.ids("the cat and the bird")]
        ['the', '<unk>', 'and', 'the', '<unk>']

    Complexity: O(bytes), then O(n log n) for n distinct words.
    """
    request = Request(
        files=files,
        texts=texts,
        words=words,
        pre_tokenizer=pre_tokenizer,
        normalizer=normalizer,
        errors=errors,
        n_threads=n_threads,
        mix=mix,
        field=field,
        max_memory=max_memory,
        min_word_count=min_word_count,
        seed=seed,
        checkpoint=checkpoint,
        resume=resume,
        progress=progress,
        default="whitespace",
    )
    request.check()
    check_limit("vocab_size", vocab_size)
    check_limit("min_frequency", min_frequency)
    specials = specials_of(special_tokens, unk)
    size = _DEFAULT_SIZE if vocab_size is None else vocab_size
    if size <= len(specials):
        raise VocabSizeError(
            f"vocab_size={size:,} has no room for a word: {len(specials):,} entries are special",
            vocab_size=size,
            needed=len(specials) + 1,
        )
    request = request.settled()
    stages = {
        "normalizer": normalizer_of(request.normalizer),
        "pre_tokenizer": pre_tokenizer_of(request.cuts, is_bytes=False),
        "post_processor": None,
        "decoder": decoder_of(
            is_bytes=False, is_spaced=request.cuts == "whitespace", prefix=None, suffix=None
        ),
    }
    with request.counted(is_bytes=False) as counted:
        counts = request.finish(counted)
        ranked = sorted((-n, word) for word, n in counts.items() if n >= min_frequency)
        taken = frozenset(specials)
        found = [word.decode() for _, word in ranked]
        tokens = [*specials, *(word for word in found if word not in taken)]
        kept = tokens[:size]
        native = _core.Tokenizer.from_tokenizer_json(_file(kept, specials, unk, stages))
        report = TrainingReport(
            n_words=counts.n_words,
            n_distinct_words=len(counts),
            n_bytes=counts.n_bytes,
            vocab_size=len(kept),
            n_alphabet=0,
            n_merges=0,
            n_symbols_before=counts.n_words,
            is_full=len(kept) >= size,
            dropped=(),
            n_invalid=counted.n_invalid,
            n_left_out_words=counts.n_left_out_words,
            n_left_out=counts.n_left_out,
        )
        if vocab_size is not None and len(kept) < vocab_size:
            warn_caller(f"the corpus fills {len(kept):,} of {vocab_size:,} entries: no word is left")
        options: dict[str, object] = {
            "vocab_size": size,
            "unk": unk,
            "special_tokens": specials,
            "min_frequency": min_frequency,
            **request.named(),
        }
        training = Training(
            trainer="wordlevel",
            options=options,
            corpus_fingerprint=counts.fingerprint,
            report=report,
            mix=counted.mix,
        )
        counted.close()
        return Tokenizer(native, "trained", is_bundled=False, training=training)


def _file(tokens: list[str], specials: tuple[str, ...], unk: str | None, stages: dict[str, Any]) -> bytes:
    # The reference's own default, which it requires: where it is no entry, unknown words have no ids.
    model = {
        "type": "WordLevel",
        "vocab": {token: at for at, token in enumerate(tokens)},
        "unk_token": unk or "<unk>",
    }
    return tokenizer_file(model, stages, tokens, specials)
