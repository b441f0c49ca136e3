"""The options of the BPE trainer: checked, and as the engine takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from piecework import _core
from piecework.errors import ArgumentError
from piecework.train.request import check_limit, check_text

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Base", "BpeOptions", "IdLayout", "Score", "Ties", "characters"]

Base = Literal["bytes", "chars"]
Ties = Literal["hf", "first-seen", "lexicographic", "smallest-ids"]
IdLayout = Literal["hf", "bytes"]
Score = Literal["count", "wordpiece"]

_BASES = ("bytes", "chars")
_TIES = ("hf", "first-seen", "lexicographic", "smallest-ids")
_LAYOUTS = ("hf", "bytes")
_SCORES = ("count", "wordpiece")
# Ids of one vocabulary; the engine holds no more.
_MAX_ENTRIES = (1 << 24) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BpeOptions:
    """The arguments of `piecework.train.bpe` that shape the model."""

    vocab_size: int | None
    n_merges: int | None
    base: Base
    end_of_word: str | None
    unk: str | None
    special_tokens: tuple[str, ...]
    ties: Ties
    score: Score
    id_layout: IdLayout
    min_frequency: int
    initial_alphabet: tuple[str, ...]
    limit_alphabet: int | None
    max_token_length: int | None
    continuing_subword_prefix: str | None
    end_of_word_suffix: str | None
    steps: bool

    @property
    def is_bytes(self) -> bool:
        """Whether words are made of bytes."""
        return self.base == "bytes"

    def check(self) -> None:
        """Raises where an option is of the wrong type, unknown, or at odds with another.

        Raises:
            TypeError: The type is wrong, or neither or both of `vocab_size` and `n_merges` are given.
            ValueError: The value is none that is known, or two do not go together.
        """
        if (self.vocab_size is None) == (self.n_merges is None):
            raise TypeError("give one of vocab_size= and n_merges=")
        for name, value, choices in (
            ("base", self.base, _BASES),
            ("ties", self.ties, _TIES),
            ("score", self.score, _SCORES),
            ("id_layout", self.id_layout, _LAYOUTS),
        ):
            if value not in choices:
                raise ArgumentError(f"{name} is one of {', '.join(choices)}, not {value!r}")
        for name in ("vocab_size", "n_merges", "min_frequency", "limit_alphabet", "max_token_length"):
            check_limit(name, getattr(self, name))
        if max(self.vocab_size or 0, self.n_merges or 0) > _MAX_ENTRIES:
            raise ArgumentError(f"a vocabulary has at most {_MAX_ENTRIES:,} entries")
        for name in ("end_of_word", "continuing_subword_prefix", "end_of_word_suffix"):
            check_text(name, getattr(self, name))
        self._check_pairs()

    def _check_pairs(self) -> None:
        if self.ties != "hf" and not self.steps:
            raise ArgumentError(f"ties={self.ties!r} counts anew after each merge: it goes with steps=True")
        if self.score != "count" and not self.steps:
            raise ArgumentError(f"score={self.score!r} counts anew after each merge: it goes with steps=True")
        if self.id_layout == "bytes" and not self.is_bytes:
            raise ArgumentError('id_layout="bytes" goes with base="bytes"')
        if self.end_of_word is not None and len(self.end_of_word) != 1:
            raise ArgumentError("end_of_word is one character; end_of_word_suffix= takes longer ones")
        if self.end_of_word is not None and self.end_of_word_suffix is not None:
            raise ArgumentError("give one of end_of_word= and end_of_word_suffix=")
        if self.is_bytes and self.initial_alphabet:
            raise ArgumentError(
                'initial_alphabet= goes with base="chars": the 256 bytes are always all there'
            )
        if self.is_bytes:
            self._check_displays()
            for name in (
                "end_of_word",
                "unk",
                "continuing_subword_prefix",
                "end_of_word_suffix",
                "limit_alphabet",
            ):
                if getattr(self, name) is not None:
                    raise ArgumentError(
                        f'{name}= goes with base="chars": every text is made of the 256 bytes'
                    )

    def _check_displays(self) -> None:
        """Raises where a special token would be read as bytes in a saved file, which writes a token of bytes like it."""
        displayed = frozenset(_core.byte_alphabet())
        for token in self.special_tokens:
            if len(token) > 1 and not token.isascii() and displayed.issuperset(token):
                raise ArgumentError(
                    f"special_tokens has {token!r}, which is how a saved tokenizer writes a token of {len(token)} bytes: "
                    "it could not be told from that one"
                )

    def engine(self) -> dict[str, object]:
        """The options as the engine takes them."""
        alphabet = _core.byte_alphabet() if self.is_bytes else list(self.initial_alphabet)
        return {
            "vocab_size": self.vocab_size,
            "n_merges": self.n_merges,
            "base": self.base,
            "ties": self.ties,
            "score": self.score,
            "id_layout": self.id_layout,
            "min_frequency": self.min_frequency,
            "special_tokens": list(self.special_tokens),
            "initial_alphabet": alphabet,
            "limit_alphabet": self.limit_alphabet,
            "max_token_length": self.max_token_length,
            "continuing_subword_prefix": self.continuing_subword_prefix,
            "end_of_word_suffix": self.end_of_word_suffix,
            "end_of_word": self.end_of_word,
            "steps": self.steps,
        }


def characters(alphabet: Iterable[str]) -> tuple[str, ...]:
    """The characters of `initial_alphabet`.

    Raises:
        TypeError: One is no str.
        ValueError: One is not a single character.
    """
    given = tuple(alphabet)
    for character in given:
        if not isinstance(character, str):
            raise TypeError(f"initial_alphabet holds characters, not {type(character).__name__}")
        if len(character) != 1 or "\ud800" <= character <= "\udfff":
            raise ArgumentError(f"initial_alphabet holds single characters, not {character!r}")
    return given
