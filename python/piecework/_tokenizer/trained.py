"""How a tokenizer was trained, as a part of `Tokenizer`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework.train.training import Training

__all__ = ["Trained"]


class Trained:
    """What the trainer left."""

    __slots__ = ()
    _training: Training | None

    @property
    def training(self) -> Training | None:
        """How it was trained: options, report, merges, steps; None where `piecework.train` did not make it here.

        Pickling keeps it; a saved file does not.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.train.bpe(words={"hug": 10, "pug": 5}, n_merges=1, base="chars")
            >>> print(tok.training)
            bpe: 15 words (2 distinct, 45 bytes) → 5 entries: 4 alphabet, 1 merges (as asked)
            >>> pw.load("gpt-4o").training is None
            True
        """
        return self._training
