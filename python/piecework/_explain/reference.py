"""Byte-pair encoding to read in an evening: learn merges, cut words by them, put them together again.

Nothing is imported from the engine; the tests hold the two against each other. Words with their counts become symbols, every
pair of neighbors is counted, the best one is merged everywhere, and all is counted anew. To see it at work:

    python -m piecework._explain.reference low lower lowest

Sources: Gage, "A New Algorithm for Data Compression", 1994 (the idea); Sennrich, Haddow, Birch, "Neural Machine Translation of
Rare Words with Subword Units", 2016, algorithm 1 (for words); Schuster and Nakajima, "Japanese and Korean Voice Search", 2012
(WordPiece; its score as it is taught today).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise

__all__ = ["Bpe", "Step", "byte_alphabet", "learn"]

Pair = tuple[str, str]


@cache
def byte_alphabet() -> list[str]:
    """The character that stands for each byte, as GPT-2 has it: printable ones are themselves, the rest start at U+0100.

    Examples:
        >>> alphabet = byte_alphabet()
        >>> alphabet[ord("a")], alphabet[ord(" ")], alphabet[0]
        ('a', 'Ġ', 'Ā')
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) if byte in printable else chr(0x100 + others.index(byte)) for byte in range(256)]


@dataclass(frozen=True)
class Step:
    """One merge: the pair, how often it stood there, and what was to be seen before and after.

    Attributes:
        pair: The two symbols.
        count: How often they stood side by side.
        counts: Every pair and its count before the merge, in the order in which pairs are met.
        scores: Every pair and its score before the merge.
        corpus: The words after the merge.
        n_symbols: Symbols of all words after the merge, each word as often as it occurs.
    """

    pair: Pair
    count: int
    counts: dict[Pair, int]
    scores: dict[Pair, Fraction]
    corpus: list[list[str]]
    n_symbols: int


@dataclass
class Bpe:
    """What was learned: the symbols that words start from, the merges in order, an id for every symbol."""

    base: str
    end_of_word: str | None
    ids: dict[str, int]
    steps: list[Step] = field(default_factory=list)

    @property
    def ranks(self) -> dict[Pair, int]:
        """Each merge and its place in the order: the earlier it was learned, the earlier it applies."""
        return {step.pair: rank for rank, step in enumerate(self.steps)}

    def encode(self, word: str) -> list[str]:
        """Cuts a word: while some pair of neighbors is a merge, the one of the lowest rank is merged."""
        ranks = self.ranks
        symbols = spell(word, self.base, self.end_of_word)
        while merges := [pair for pair in pairs_of(symbols) if pair in ranks]:
            symbols = merge(symbols, min(merges, key=ranks.__getitem__))
        return symbols

    def decode(self, symbols: list[str]) -> str:
        """Puts symbols together; a byte sequence that is no text reads as U+FFFD."""
        text = "".join(symbols)
        if self.base == "bytes":
            alphabet = byte_alphabet()
            return bytes(alphabet.index(character) for character in text).decode("utf-8", "replace")
        return text.removesuffix(self.end_of_word) if self.end_of_word else text


def spell(word: str, base: str, end_of_word: str | None = None) -> list[str]:
    """A word as symbols before any merge: its characters, or its bytes in the display alphabet."""
    if base == "bytes":
        alphabet = byte_alphabet()
        return [alphabet[byte] for byte in word.encode()]
    return [*word, *([end_of_word] if end_of_word else [])]


def pairs_of(symbols: list[str]) -> list[Pair]:
    """The neighbors in a word. In `a a a` there are two, though only one of them can be merged."""
    return list(pairwise(symbols))


def merge(symbols: list[str], pair: Pair) -> list[str]:
    """The word with each occurrence of the pair as one symbol, from the left.

    Examples:
        >>> merge(list("aaa"), ("a", "a"))
        ['aa', 'a']
    """
    merged: list[str] = []
    at = 0
    while at < len(symbols):
        if tuple(symbols[at : at + 2]) == pair:
            merged.append(symbols[at] + symbols[at + 1])
            at += 2
        else:
            merged.append(symbols[at])
            at += 1
    return merged


def learn(
    words: Mapping[str, int],
    n_merges: int,
    *,
    base: str = "chars",
    ties: str = "first-seen",
    score: str = "count",
    end_of_word: str | None = None,
) -> Bpe:
    """Learns merges of counted words.

    Args:
        words: Distinct words, in the order in which they were met, and how often each occurs, at least once.
        n_merges: Merges to learn; fewer where no pair is left.
        base: What words are made of: `"chars"` or `"bytes"`.
        ties: Which of the best pairs is merged: `"first-seen"` in the words as they are now, `"lexicographic"` (smallest by
            code points), or `"smallest-ids"` (smaller left id, then smaller right id). `"hf"` is the last of these too:
            `BpeTrainer` keeps counts up to date instead of counting anew, which shows only with options that are not here.
        score: `"count"`, or `"wordpiece"`: the pair's count divided by the counts of its two symbols.
        end_of_word: A symbol of its own behind each word.

    Returns:
        What was learned, with every step.

    Examples:
        >>> bpe = learn({"low": 1, "lower": 1, "lowest": 1}, 3)
        >>> [step.pair for step in bpe.steps], bpe.encode("slow")
        ([('l', 'o'), ('lo', 'w'), ('low', 'e')], ['s', 'low'])

    Complexity: O(symbols) for each merge.
    """
    corpus = [spell(word, base, end_of_word) for word in words]
    counts_of_words = list(words.values())
    alphabet = sorted(byte_alphabet() if base == "bytes" else set("".join(words)))
    ids = {symbol: at for at, symbol in enumerate([*alphabet, *([end_of_word] if end_of_word else [])])}
    bpe = Bpe(base=base, end_of_word=end_of_word, ids=ids)
    rules = {"lexicographic": lambda pair: pair, "first-seen": lambda _: 0}
    rule = rules.get(ties, lambda pair: (ids[pair[0]], ids[pair[1]]))
    while len(bpe.steps) < n_merges:
        counts: dict[Pair, int] = {}
        n_of: dict[str, int] = {}
        for symbols, n in zip(corpus, counts_of_words, strict=True):
            for pair in pairs_of(symbols):
                counts[pair] = counts.get(pair, 0) + n
            for symbol in symbols:
                n_of[symbol] = n_of.get(symbol, 0) + n
        if not counts:
            break
        by_score = score == "wordpiece"
        scores = {
            (left, right): Fraction(n, n_of[left] * n_of[right] if by_score else 1)
            for (left, right), n in counts.items()
        }
        highest = max(scores.values())
        # A dict keeps the order in which pairs were met, and min takes the first of equals.
        best = min((pair for pair in scores if scores[pair] == highest), key=rule)
        corpus = [merge(symbols, best) for symbols in corpus]
        ids.setdefault("".join(best), len(ids))
        n_symbols = sum(len(symbols) * n for symbols, n in zip(corpus, counts_of_words, strict=True))
        bpe.steps.append(Step(best, counts[best], counts, scores, corpus, n_symbols))
    return bpe


if __name__ == "__main__":
    given: dict[str, int] = {}
    for one in sys.argv[1:]:
        given[one] = given.get(one, 0) + 1
    for made in learn(given, 10).steps:
        words_now = "   ".join(" ".join(symbols) for symbols in made.corpus)
        sys.stdout.write(f"{' + '.join(made.pair)}  {made.count}×  {words_now}\n")
