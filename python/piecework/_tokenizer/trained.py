"""How a tokenizer was trained, as a part of `Tokenizer`, and that this goes along when it is pickled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from piecework import _core
    from piecework._files.origin import Origin
    from piecework.train.training import Training

__all__ = ["Trained"]


class Trained:
    """What the trainer left, and pickling."""

    __slots__ = ()
    _native: _core.Tokenizer
    _name: str
    _is_bundled: bool
    _origin: Origin | None
    _training: Training | None

    @property
    def training(self) -> Training | None:
        """How it was trained: options, report, merges, steps; None where `piecework.train` did not make it here.

        Pickling keeps it; a saved file does not.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.train.bpe(words={"hug": 10, "pug": 5}, n_merges=1, base="chars")
            >>> print(tok.training)
            bpe: 15 words (2 distinct, 45 bytes) → 5 entries: 4 alphabet, 1 merge (as asked)
            >>> pw.load("gpt-4o").training is None
            True
        """
        return self._training

    def __reduce__(self) -> tuple[Any, ...]:
        from piecework._tokenizer.pickling import reduce_tokenizer  # noqa: PLC0415 - few are pickled

        return reduce_tokenizer(
            self._native,
            self._name,
            is_bundled=self._is_bundled,
            origin=self._origin,
            training=self._training,
        )
