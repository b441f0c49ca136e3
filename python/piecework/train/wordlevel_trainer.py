"""The word-level trainer: the most frequent words are the vocabulary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._tokenizer import Tokenizer
from piecework.errors import VocabSizeError
from piecework.train.request import Request, check_limit, specials_of
from piecework.train.stages import decoder_of, normalizer_of, pre_tokenizer_of
from piecework.train.training import Training, TrainingReport

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from piecework._types import Errors, Text
    from piecework.train.sources import Words

__all__ = ["wordlevel"]


def wordlevel(
    *,
    files: Iterable[str | os.PathLike[str]] | None = None,
    texts: Iterable[Text] | None = None,
    words: Words | None = None,
    vocab_size: int = 30_000,
    pre_tokenizer: str | None = "whitespace",
    normalizer: str | Iterable[str] | None = None,
    unk: str | None = None,
    special_tokens: Sequence[str] = (),
    min_frequency: int = 0,
    errors: Errors = "strict",
    n_threads: int | None = None,
) -> Tokenizer:
    """Trains a word-level tokenizer: the same vocabulary as `WordLevelTrainer` of tokenizers 0.23.3.

    Args:
        files: Paths of texts in UTF-8 (`.gz` too), read a line at a time with its end.
        texts: Texts, each as it is. One of files, texts and words is given.
        words: Counted words: `{"hug": 10}`, or pairs.
        vocab_size: Entries at most, special tokens in.
        pre_tokenizer: What cuts words: as in `bpe`; `whitespace` drops it.
        normalizer: One or more of `nfc`, `nfd`, `nfkc`, `nfkd`, `lowercase`, `strip-accents`, in order.
        unk: The token of a word without an entry; the first special token where it is none of them. None: such words have
            no ids.
        special_tokens: Entries that text never becomes, each once.
        min_frequency: Words that are rarer are left out.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD.
        n_threads: Threads that count; None for all processors. It changes no byte of the result.

    Returns:
        The tokenizer: special tokens first, then words, the most frequent first, of equals the smallest by code point.

    Raises:
        EmptyCorpusError: There is no word.
        VocabSizeError: `vocab_size` has no room for the special tokens and one word.
        InputError: A file is missing or unreadable.
        NotUnicodeError: What is read is not Unicode.
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
    )
    request.check()
    check_limit("vocab_size", vocab_size)
    check_limit("min_frequency", min_frequency)
    specials = specials_of(special_tokens, unk)
    if vocab_size <= len(specials):
        raise VocabSizeError(
            f"vocab_size={vocab_size:,} has no room for a word: {len(specials):,} entries are special",
            vocab_size=vocab_size,
            needed=len(specials) + 1,
        )
    stages = {
        "normalizer": normalizer_of(normalizer),
        "pre_tokenizer": pre_tokenizer_of(request.cuts, is_bytes=False),
        "post_processor": None,
        "decoder": decoder_of(
            is_bytes=False, is_spaced=request.cuts == "whitespace", prefix=None, suffix=None
        ),
    }
    counts = request.counts(is_bytes=False)
    counted = sorted((-n, word) for word, n in counts.items() if n >= min_frequency)
    found = [word.decode() for _, word in counted]
    tokens = [*specials, *(word for word in found if word not in specials)]
    kept = tokens[:vocab_size]
    native = _core.Tokenizer.from_tokenizer_json(_file(kept, specials, unk, stages))
    report = TrainingReport(
        n_words=counts.n_words,
        n_distinct_words=len(counts),
        n_bytes=counts.n_bytes,
        vocab_size=len(kept),
        n_alphabet=0,
        n_merges=0,
        n_symbols_before=counts.n_words,
        is_full=len(kept) >= vocab_size,
        dropped=(),
    )
    options: dict[str, object] = {
        "vocab_size": vocab_size,
        "unk": unk,
        "special_tokens": specials,
        "min_frequency": min_frequency,
        "pre_tokenizer": request.cuts,
        "normalizer": normalizer if normalizer is None or isinstance(normalizer, str) else tuple(normalizer),
    }
    training = Training(
        trainer="wordlevel", options=options, corpus_fingerprint=counts.fingerprint, report=report
    )
    return Tokenizer(native, "trained", is_bundled=False, training=training)


def _file(tokens: list[str], specials: tuple[str, ...], unk: str | None, stages: dict[str, Any]) -> bytes:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [{"id": at, "content": token, **flags} for at, token in enumerate(specials)]
    # The reference's own default, which it requires: where it is no entry, unknown words have no ids.
    model = {
        "type": "WordLevel",
        "vocab": {token: at for at, token in enumerate(tokens)},
        "unk_token": unk or "<unk>",
    }
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        **stages,
        "model": model,
    }
    return json.dumps(file, ensure_ascii=False).encode()
