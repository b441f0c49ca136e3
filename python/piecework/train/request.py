"""What all trainers ask alike: one source of words, the stages before the model, special tokens."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework.errors import EmptyCorpusError, PieceworkWarning
from piecework.train.sources import count_files, count_texts, count_words
from piecework.train.stages import normalizer_of, pre_tokenizer_of

if TYPE_CHECKING:
    import os

    from piecework import _core
    from piecework._types import Errors, Text
    from piecework.train.sources import Words

__all__ = ["Request", "check_limit", "check_text", "specials_of", "stages_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The source and the stages before the model; the fields are the arguments of the trainers."""

    files: Iterable[str | os.PathLike[str]] | None
    texts: Iterable[Text] | None
    words: Words | None
    pre_tokenizer: str | None
    normalizer: str | Iterable[str] | None
    errors: Errors
    n_threads: int | None

    def check(self) -> None:
        """Raises where not exactly one source is given, or an argument is of the wrong kind.

        Raises:
            TypeError: No source, more than one, or an argument of the wrong type.
            ValueError: `n_threads` is not positive, or `errors` is no such word.
        """
        n_sources = sum(source is not None for source in (self.files, self.texts, self.words))
        if n_sources != 1:
            raise TypeError(f"give one of files=, texts= and words=, not {n_sources} of them")
        check_text("pre_tokenizer", self.pre_tokenizer)
        check_limit("n_threads", self.n_threads, smallest=1)
        if self.errors not in ("strict", "replace"):
            raise ValueError(f'errors is "strict" or "replace", not {self.errors!r}')

    @property
    def cuts(self) -> str | None:
        """The pre-tokenizer that acts: counted words are cut already."""
        return None if self.words is not None else self.pre_tokenizer

    def counts(self, *, is_bytes: bool) -> _core.WordCounts:
        """Counts the words.

        Raises:
            EmptyCorpusError: There is no word.
            InputError: A file is missing or unreadable.
            NotUnicodeError: What is read is not Unicode.
        """
        if self.pre_tokenizer is None and self.words is None:
            warnings.warn(
                "pre_tokenizer=None makes one word of each text: merges cross spaces, and training is slow",
                PieceworkWarning,
                stacklevel=4,
            )
        if self.words is not None:
            counts = count_words(self.words)
        else:
            stages = stages_file(
                normalizer_of(self.normalizer), pre_tokenizer_of(self.cuts, is_bytes=is_bytes)
            )
            if self.files is not None:
                counts = count_files(self.files, stages, errors=self.errors, n_threads=self.n_threads)
            else:
                texts = self.texts if self.texts is not None else ()
                counts = count_texts(texts, stages, errors=self.errors, n_threads=self.n_threads)
        if not counts.n_bytes:
            source = "files" if self.files is not None else "texts" if self.texts is not None else "words"
            raise EmptyCorpusError(f"there is no word in {source}: nothing can be learned", source=source)
        return counts


def stages_file(normalizer: dict[str, Any] | None, pre_tokenizer: dict[str, Any] | None) -> bytes:
    """A tokenizer.json with nothing but what stands before the model."""
    model = {"type": "BPE", "vocab": {}, "merges": []}
    file = {"version": "1.0", "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": model}
    return json.dumps(file).encode()


def specials_of(special_tokens: Sequence[str], unk: str | None) -> tuple[str, ...]:
    """The special tokens in order, `unk` first where it is not among them.

    Raises:
        TypeError: They are no strings.
        ValueError: One is empty or given twice.
    """
    if isinstance(special_tokens, str | bytes) or not isinstance(special_tokens, Iterable):
        raise TypeError("special_tokens is a sequence of strings, not one string")
    tokens = tuple(special_tokens)
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"a special token is a str, not {type(token).__name__}")
        check_text("special_tokens", token)
        if tokens.count(token) > 1:
            raise ValueError(f"the special token {token!r} is given twice")
    check_text("unk", unk)
    return tokens if unk is None or unk in tokens else (unk, *tokens)


def check_text(name: str, value: object) -> None:
    """Raises where an optional text is none, is empty, or is not Unicode."""
    if value is None:
        return
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str or None, not {type(value).__name__}")
    if not value:
        raise ValueError(f"{name} is empty: leave it out")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{name} has a lone surrogate: {value!r}")


def check_limit(name: str, value: object, *, smallest: int = 0) -> None:
    """Raises where an optional number is none, or is too small or too large."""
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is an int, not {type(value).__name__}")
    if not smallest <= value < 1 << 63:
        raise ValueError(f"{name} is at least {smallest} and below 2**63, not {value}")
