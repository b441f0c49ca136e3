"""Compression against vocabulary size in one pass: a smaller vocabulary is the first merges of a larger one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from piecework import _core
from piecework._tokenizer import Tokenizer
from piecework.errors import ArgumentError
from piecework.train.request import Request, check_limit

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from piecework._plots.kinds import KindName
    from piecework._types import Text
    from piecework.train.sources import OnInvalid, Words
    from piecework.train.training import Training

__all__ = ["Curve", "CurvePoint", "curve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """What one size of vocabulary makes of the text. Exact.

    Attributes:
        vocab_size: Entries, special tokens in.
        n_merges: Merges of them.
        n_tokens: Tokens of the text; a character without an entry is one.
        bytes_per_token: Its bytes for each token, as the pre-tokenizer leaves them.
        chars_per_token: Its characters for each token.
    """

    vocab_size: int
    n_merges: int
    n_tokens: int
    bytes_per_token: float
    chars_per_token: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Compression against vocabulary size.

    Attributes:
        points: From the smallest vocabulary to the largest.
        n_bytes: Bytes of the words.
        n_chars: Their characters.
    """

    points: tuple[CurvePoint, ...]
    n_bytes: int
    n_chars: int

    def __str__(self) -> str:
        return "\n".join(
            f"{point.vocab_size:>9,} entries: {point.bytes_per_token:.3f} bytes, {point.chars_per_token:.3f} characters "
            "per token"
            for point in self.points
        )

    @property
    def chart_kinds(self) -> tuple[KindName, ...]:
        """What `piecework.plot` draws of it: a line, in bytes or with `measure="characters_per_token"`."""
        return ("compression-curve",)

    def chart_rows(self, kind: KindName) -> list[dict[str, object]]:  # noqa: ARG002 - there is one
        """The points of the line, with the columns of `compression-curve`."""
        return [
            {
                "series": "held-out text",
                "vocab_size": point.vocab_size,
                "bytes_per_token": point.bytes_per_token,
                "characters_per_token": point.chars_per_token,
            }
            for point in self.points
        ]

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON can hold it."""
        points = [{name: getattr(point, name) for name in CurvePoint.__slots__} for point in self.points]
        return {
            "schema": "piecework.curve/1",
            "n_bytes": self.n_bytes,
            "n_chars": self.n_chars,
            "points": points,
        }


def curve(
    tok: Tokenizer,
    *,
    files: Iterable[str | os.PathLike[str]] | None = None,
    texts: Iterable[Text] | None = None,
    words: Words | None = None,
    field: str = "text",
    sizes: Iterable[int] | None = None,
    errors: OnInvalid = "strict",
    n_threads: int | None = None,
) -> Curve:
    """Measures how a text shrinks with the vocabulary: what each size would make of it, without training each.

    Args:
        tok: A tokenizer of `piecework.train.bpe`, with its `training`.
        files: Held-out files, read as the trainer reads them. One of files, texts and words is given.
        texts: Held-out texts.
        words: Held-out words with their counts, or count files.
        field: The field of a record, or the column of a table, that holds the text.
        sizes: Vocabulary sizes; others than those from the alphabet's to the tokenizer's own are refused. None for the
            alphabet's, each doubling of it, and the tokenizer's own.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD, `"skip"` leaves the text out.
        n_threads: Threads that count; None for all processors.

    Returns:
        A point for each size.

    Raises:
        EmptyCorpusError: There is no word.
        InputError: A file is missing or unreadable.
        NotUnicodeError: What is read is not Unicode.
        TypeError: The tokenizer is none, or none or several sources are given.
        ValueError: The tokenizer was not trained here by BPE, or a size lies outside.

    Examples:
        >>> import piecework as pw
        >>> tok = pw.train.bpe(words={"hug": 10, "pug": 5, "hugs": 5}, vocab_size=258)
        >>> print(pw.train.curve(tok, words={"hug": 1, "pug": 1}))
              256 entries: 1.000 bytes, 1.000 characters per token
              258 entries: 2.000 bytes, 2.000 characters per token

    Complexity: O(bytes) to count, then about linear in the distinct words' bytes; no size is cut by itself.
    """
    if not isinstance(tok, Tokenizer):
        raise TypeError(f"a curve is one of a Tokenizer, not of {type(tok).__name__}")
    training = tok.training
    if training is None or training.trainer != "bpe":
        raise ArgumentError(
            "a curve needs a tokenizer that piecework.train.bpe made, with its training, which says how words are cut "
            "and what merges start from; a saved tokenizer.json does not keep it, pickle does"
        )
    pre_tokenizer, normalizer = training.options["pre_tokenizer"], training.options["normalizer"]
    request = Request(
        files=files,
        texts=texts,
        words=words,
        field=field,
        pre_tokenizer=pre_tokenizer,  # type: ignore[arg-type]
        normalizer=normalizer,  # type: ignore[arg-type]
        errors=errors,
        n_threads=n_threads,
        is_measured=True,
    )
    request.check()
    counted = request.counts(is_bytes=training.options["base"] == "bytes")
    n_before, n_chars, applied = _applied(counted, tok, training)
    n_after = [n_before, *(n_before - n for n in accumulate(applied))]
    reached = _sizes(tok, training)
    n_bytes = counted.n_bytes
    points = []
    for size in _asked(sizes, reached):
        # Merges that make no new entry go with the one before.
        n_merges = max(at for at, n in enumerate(reached) if n <= size)
        n_tokens = n_after[n_merges]
        points.append(
            CurvePoint(
                vocab_size=size,
                n_merges=n_merges,
                n_tokens=n_tokens,
                bytes_per_token=n_bytes / n_tokens,
                chars_per_token=n_chars / n_tokens,
            )
        )
    return Curve(points=tuple(points), n_bytes=n_bytes, n_chars=n_chars)


def _asked(sizes: Iterable[int] | None, reached: list[int]) -> list[int]:
    first, last = reached[0], reached[-1]
    if sizes is None:
        doubled = []
        while first < last:
            doubled.append(first)
            first *= 2
        return [*doubled, last]
    asked = sorted(set(sizes))
    for size in asked:
        check_limit("sizes", size)
        if not first <= size <= last:
            raise ArgumentError(f"a size lies from {first:,} to {last:,}, and {size:,} does not")
    return asked


def _sizes(tok: Tokenizer, training: Training) -> list[int]:
    """The number of entries after so many merges."""
    prefix = str(training.options.get("continuing_subword_prefix") or "")
    products = [left + right.removeprefix(prefix) for left, right in training.merges]
    n_start = tok.vocab_size - len(set(products) - set(training.alphabet) - set(tok.special_tokens))
    met = set(training.alphabet) | set(tok.special_tokens)
    sizes = [n_start]
    for product in products:
        sizes.append(sizes[-1] + (product not in met))
        met.add(product)
    return sizes


def _applied(counted: _core.WordCounts, tok: Tokenizer, training: Training) -> tuple[int, int, list[int]]:
    """The symbols before any merge, the characters, and how often each merge applies."""
    options = training.options
    prefix = str(options.get("continuing_subword_prefix") or "")
    # Text never becomes a special token: a merge of one, or to one, is no merge of the tokenizer.
    specials = {token for token in tok.special_tokens if len(token) > 1}
    merges = [(left, right, left + right.removeprefix(prefix)) for left, right in training.merges]
    acts = [specials.isdisjoint(merge) for merge in merges]
    model: dict[str, object] = {
        "base": options["base"],
        "alphabet": list(training.alphabet),
        "merges": [merge for merge, is_kept in zip(merges, acts, strict=True) if is_kept],
        "prefix": prefix,
        "suffix": str(options.get("end_of_word_suffix") or ""),
        "end_of_word": options.get("end_of_word"),
        "unk": options.get("unk"),
    }
    n_symbols, n_chars, found = _core.train_curve(counted, model)
    n_applied = iter(found)
    return n_symbols, n_chars, [next(n_applied) if is_kept else 0 for is_kept in acts]
