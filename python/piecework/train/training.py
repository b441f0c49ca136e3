"""What a trainer was asked for and what came of it, as data that goes with the tokenizer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from piecework._plural import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Training", "TrainingReport", "TrainingStep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingReport:
    """What came of a training. Every number is exact.

    Attributes:
        n_words: Words counted, each as often as it occurs.
        n_distinct_words: Distinct words.
        n_bytes: Bytes of all words, each as often as it occurs.
        vocab_size: Entries of the vocabulary, special tokens in.
        n_alphabet: Entries that are single bytes or characters, with their prefixed and suffixed forms.
        n_merges: Merges learned.
        n_symbols_before: Symbols of all words before the first merge.
        is_full: Whether the size that was asked for was reached; if not, no pair was left to merge.
        dropped: Characters that `limit_alphabet` left out.
        n_invalid: Byte sequences that were no UTF-8, replaced or left out with their texts.
        n_left_out_words: Distinct words that `min_word_count` left out.
        n_left_out: How often these occur, together.
        n_merges_left_out: Merges that were learned and cannot apply, since they make a special token, which text never
            becomes, or have one as a part; the tokenizer does not have them.
    """

    n_words: int
    n_distinct_words: int
    n_bytes: int
    vocab_size: int
    n_alphabet: int
    n_merges: int
    n_symbols_before: int
    is_full: bool
    dropped: tuple[str, ...]
    n_invalid: int = 0
    n_left_out_words: int = 0
    n_left_out: int = 0
    n_merges_left_out: int = 0

    def __str__(self) -> str:
        # Whole words are made of no alphabet.
        is_words = not self.n_alphabet and not self.n_merges
        short = "there were no more words" if is_words else "no pair was left to merge"
        reached = "as asked" if self.is_full else short
        made = (
            "whole words" if is_words else f"{self.n_alphabet:,} alphabet, {plural(self.n_merges, 'merge')}"
        )
        dropped = f"; {plural(len(self.dropped), 'character')} dropped" if self.dropped else ""
        dropped += f"; {plural(self.n_left_out_words, 'rare word')} left out" if self.n_left_out_words else ""
        dropped += f"; {plural(self.n_invalid, 'sequence')} not UTF-8" if self.n_invalid else ""
        dropped += (
            f"; {plural(self.n_merges_left_out, 'merge')} of special tokens left out"
            if self.n_merges_left_out
            else ""
        )
        return (
            f"{plural(self.n_words, 'word')} ({self.n_distinct_words:,} distinct, {plural(self.n_bytes, 'byte')}) → "
            f"{self.vocab_size:,} entries: {made} ({reached}){dropped}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStep:
    """One merge, as a teacher shows it.

    Attributes:
        pair: The two symbols.
        count: How often they stood side by side.
        piece: What they became.
        counts: Every pair and its count before the merge: the most frequent first, of equals the one met first.
        score: What made it the pair to merge: its count, or its WordPiece score.
        scores: Every pair and its score before the merge: the highest first, of equals the one met first. The nearest
            float; the trainer compares exactly.
        corpus: The distinct words after the merge, in the order of first appearance.
        n_symbols: Symbols of all words after the merge, each word as often as it occurs.
    """

    pair: tuple[str, str]
    count: int
    piece: str
    counts: Mapping[tuple[str, str], int]
    score: float
    scores: Mapping[tuple[str, str], float]
    corpus: tuple[tuple[str, ...], ...]
    n_symbols: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """How a tokenizer was trained.

    Attributes:
        trainer: `bpe` or `wordlevel`.
        options: What was asked for, by the names of the call's arguments.
        corpus_fingerprint: SHA-256 over the sorted words and their counts: the same words give the same one,
            whatever file they came from.
        report: What came of it.
        alphabet: The entries that no merge made, special tokens left out.
        merges: The merges in order, as the vocabulary spells their parts; empty for other trainers.
        steps: One for each merge where `steps=True`, else none.
        mix: What was taken of which source of a mix, exactly: documents and bytes there, weight and share that were asked
            for, how often each document was taken, documents and bytes taken; None without a mix.
    """

    trainer: str
    options: Mapping[str, object]
    corpus_fingerprint: str
    report: TrainingReport
    alphabet: tuple[str, ...] = ()
    merges: tuple[tuple[str, str], ...] = ()
    steps: tuple[TrainingStep, ...] = ()
    mix: Mapping[str, object] | None = None

    def __str__(self) -> str:
        return f"{self.trainer}: {self.report}"

    @property
    def base_order(self) -> tuple[str, ...]:
        """The symbols before any merge, in the order in which the words show them, the end-of-word marker last.

        It needs steps, which keep the words; without them, and for bytes, it is the alphabet, whose order is that of ids.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.train.bpe(words={"low": 5, "new": 6}, n_merges=1, base="chars", end_of_word="_", steps=True)
            >>> tok.training.base_order, tok.training.alphabet
            (('l', 'o', 'w', 'n', 'e', '_'), ('e', 'l', 'n', 'o', 'w', '_'))
        """
        from piecework.train.blackboard import base_order  # noqa: PLC0415 - few look at it

        return base_order(self)

    def pieces(self, word: str) -> list[str]:
        """Cuts a word on the blackboard: the merges one after the other, each wherever it applies.

        Args:
            word: One word; it is not normalized and not cut into pretokens.

        Returns:
            The pieces. A character that the vocabulary lacks stays as it is, or is `unk=` where there is one.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.train.bpe(words={"low": 5, "lower": 2, "new": 6, "newer": 3}, n_merges=6, base="chars",
            ...                    end_of_word="_", ties="lexicographic", steps=True)
            >>> tok.training.pieces("renew"), tok.training.pieces("slow")
            (['r', 'e', 'new_'], ['s', 'lo', 'w_'])

        Complexity: O(n_merges · len(word)).
        """
        from piecework.train.blackboard import pieces  # noqa: PLC0415 - few words are cut by hand

        return pieces(word, self)

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON can hold it; `counts` and `scores` of a step are lists of left, right, value."""
        steps = [
            {
                "pair": list(step.pair),
                "count": step.count,
                "piece": step.piece,
                "counts": [[left, right, n] for (left, right), n in step.counts.items()],
                "score": step.score,
                "scores": [[left, right, value] for (left, right), value in step.scores.items()],
                "corpus": [list(word) for word in step.corpus],
                "n_symbols": step.n_symbols,
            }
            for step in self.steps
        ]
        return {
            "schema": "piecework.training/1",
            "trainer": self.trainer,
            "options": {name: _plain(value) for name, value in self.options.items()},
            "corpus_fingerprint": self.corpus_fingerprint,
            "mix": self.mix,
            "report": {name: _plain(value) for name, value in asdict(self.report).items()},
            "steps": steps,
        }


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
