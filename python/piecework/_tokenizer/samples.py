"""Segmentations other than the best one, as a part of `Tokenizer`: each method says all about itself."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

from piecework import _core
from piecework._tokenizer.arguments import check_limit

if TYPE_CHECKING:
    from piecework._types import Errors, Special, Text

__all__ = ["Samples"]

_MAX_SEED = 2**64


class Samples:
    """Random segmentations, and the best few."""

    __slots__ = ()
    _native: _core.Tokenizer

    def sample(
        self,
        text: Text,
        *,
        seed: int,
        alpha: float = 1.0,
        dropout: float | None = None,
        nbest_size: int | None = None,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
    ) -> _core.Ids:
        """Draws a random segmentation: what training with subword regularization feeds a model.

        Added tokens, normalizer and pre-tokenizer do as always. WordPiece and WordLevel have only one segmentation.

        Args:
            text: A str, or its UTF-8 bytes.
            seed: Where the random numbers begin: 0 to 2**64 - 1. The same seed gives the same ids on every machine.
            alpha: For Unigram, how much a segmentation's score counts: at 0 all are equally likely.
            dropout: For BPE, the probability with which a join is left out, 0 to 1; None for what the file says.
            nbest_size: For Unigram, from how many of the best segmentations one is drawn; None for all.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            The ids: (n_tokens,) uint32.

        Raises:
            EncodeError: As `ids` does; a pretoken is too long for `nbest_size`.
            ValueError: `seed`, `alpha` or `dropout` is out of its range.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.load("qwen3")
            >>> tok.sample("castanha", seed=1, dropout=1.0) == [tok.id(letter) for letter in "castanha"]
            True
            >>> tok.sample("castanha", seed=1, dropout=0.3) == tok.sample("castanha", seed=1, dropout=0.3)
            True

        Source: Kudo (2018), "Subword Regularization"; Provilkov et al. (2020), "BPE-Dropout".
        """
        number = operator.index(seed)
        if not 0 <= number < _MAX_SEED:
            raise ValueError(f"seed is {seed}; it must be from 0 to 2**64 - 1")
        try:
            is_finite = math.isfinite(alpha)
        except OverflowError as error:
            raise ValueError(
                "alpha is an integer beyond any float; it must be a finite number, at least 0"
            ) from error
        if not (is_finite and alpha >= 0):
            raise ValueError(f"alpha is {alpha}; it must be a finite number, at least 0")
        if dropout is not None and not 0 <= dropout <= 1:
            raise ValueError(f"dropout is {dropout}; it must be from 0 to 1")
        size = None if nbest_size is None else check_limit(nbest_size, "nbest_size")
        return _core.sample(
            self._native, text, special, add_special_tokens, errors, number, alpha, dropout, size
        )

    def nbest(
        self,
        text: Text,
        n: int,
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
    ) -> list[tuple[_core.Ids, float]]:
        """Finds the best segmentations of a Unigram tokenizer.

        Args:
            text: A str, or its UTF-8 bytes.
            n: How many.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            Up to `n` pairs of ids and score (a log probability, the sum of the pieces'), the best first.

        Raises:
            FormatError: The model is not Unigram: no other has scores.
            EncodeError: As `ids` does; a pretoken is too long for `n`.
            ValueError: `n` is negative.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.load("t5")
            >>> [([tok.piece(id) for id in ids], round(score, 2)) for ids, score in tok.nbest("hello", 2)]
            [([' hello'], -12.68), ([' hell', 'o'], -17.38)]

        Complexity: That of `ids`, and O(n log n) for each token.
        """
        return _core.nbest(self._native, text, check_limit(n, "n"), special, add_special_tokens, errors)
