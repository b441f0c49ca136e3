"""A word cut by a trainer's merges as one does it by hand: each merge in its order, wherever it applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import _core

if TYPE_CHECKING:
    from piecework.train.training import Training

__all__ = ["base_order", "first_symbols", "pieces"]


def pieces(word: str, training: Training) -> list[str]:
    """The pieces of a word; what they are is said at `Training.pieces`."""
    options = training.options
    symbols = first_symbols(word, training, frozenset(training.alphabet))
    prefix = str(options.get("continuing_subword_prefix") or "")
    for left, right in training.merges:
        at = 0
        while at + 1 < len(symbols):
            if (symbols[at], symbols[at + 1]) == (left, right):
                symbols[at : at + 2] = [left + right.removeprefix(prefix)]
            at += 1
    return symbols


def first_symbols(word: str, training: Training, known: frozenset[str]) -> list[str]:
    """The symbols of a word before the first merge; `known` are the entries of the alphabet."""
    options = training.options
    if options.get("base") == "bytes":
        alphabet = _core.byte_alphabet()
        return [alphabet[byte] for byte in word.encode()]
    prefix = str(options.get("continuing_subword_prefix") or "")
    suffix = str(options.get("end_of_word_suffix") or "")
    last = len(word) - 1
    symbols = [
        f"{prefix if at else ''}{character}{suffix if at == last else ''}"
        for at, character in enumerate(word)
    ]
    unk = options.get("unk")
    if isinstance(unk, str):
        symbols = [symbol if symbol in known else unk for symbol in symbols]
    marker = options.get("end_of_word")
    return [*symbols, marker] if isinstance(marker, str) else symbols


def base_order(training: Training) -> tuple[str, ...]:
    """The symbols before any merge in the order in which they were met; what is said at `Training.base_order`."""
    options = training.options
    if options.get("base") == "bytes" or not training.steps:
        return training.alphabet
    known = frozenset(training.alphabet)
    marker = options.get("end_of_word")
    met: dict[str, None] = {}
    for symbols in training.steps[0].corpus:
        met.update(dict.fromkeys(first_symbols(_word(symbols, training), training, known)))
    letters = [symbol for symbol in met if symbol != marker and symbol in known]
    return (*letters, marker) if isinstance(marker, str) else tuple(letters)


def _word(symbols: tuple[str, ...], training: Training) -> str:
    """The word that symbols spell, without what stands for its begin and its end."""
    prefix, suffix, marker = (
        str(training.options.get(name) or "")
        for name in ("continuing_subword_prefix", "end_of_word_suffix", "end_of_word")
    )
    first, rest = symbols[:1], symbols[1:]
    word = "".join([*first, *(symbol.removeprefix(prefix) for symbol in rest)])
    return word.removesuffix(suffix).removesuffix(marker)
