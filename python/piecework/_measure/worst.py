"""The words of a text that cost most, with their pieces, and how to have each explained."""

from __future__ import annotations

import shlex
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._measure.word_costs import tokens_of_words

if TYPE_CHECKING:
    from piecework._measure.row import Row
    from piecework._measure.subjects import Subject
    from piecework._types import Errors

__all__ = ["WorstWord", "worst_words"]


@dataclass(frozen=True, slots=True)
class WorstWord:
    """A word of a text that costs much.

    Attributes:
        tokenizer: The tokenizer's name.
        key: The text's key.
        word: The word.
        n_tokens: Its tokens, where it costs most.
        n_times: How often it occurs.
        over_reference: Its tokens relative to the mean of the reference's words; None without a reference.
        pieces: Its pieces, readable.
        text: What to explain: the word with what its first token holds before it, such as a space.
        model: What `-m` takes to have the tokenizer again.
    """

    tokenizer: str
    key: str
    word: str
    n_tokens: int
    n_times: int
    over_reference: float | None
    pieces: tuple[str, ...]
    text: str
    model: str

    @property
    def command(self) -> str:
        """The command that explains its pieces."""
        return f"piecework explain --text {shlex.quote(self.text)} -m {shlex.quote(self.model)}"

    def to_dict(self) -> dict[str, object]:
        """Returns all of it, and the command, as JSON can hold it."""
        return {
            "tokenizer": self.tokenizer,
            "key": self.key,
            "word": self.word,
            "n_tokens": self.n_tokens,
            "n_times": self.n_times,
            "over_reference": self.over_reference,
            "pieces": list(self.pieces),
            "command": self.command,
        }


def worst_words(
    subject: Subject,
    rows: Sequence[Row],
    *,
    key: str,
    mean: float | None,
    n: int,
    errors: Errors,
) -> list[WorstWord]:
    """Finds the words of most tokens; of equally many, the shorter one first, which costs more for a character.

    Args:
        subject: The tokenizer.
        rows: The rows of the text.
        key: The text's key.
        mean: Tokens per word of the reference; None without one.
        n: At most so many.
        errors: What becomes of broken Unicode.

    Complexity: As encoding the rows.
    """
    n_times: Counter[str] = Counter()
    costs: dict[str, tuple[int, tuple[str, ...], str]] = {}
    for row in rows:
        encoding = subject.native.encode(row.text, "text", False, errors)  # noqa: FBT003 - the native signature
        spans, pieces = encoding.byte_spans, encoding.pieces
        starts, ends = [start for start, _ in spans], [end for _, end in spans]
        data = row.data
        words = row.word_texts()
        n_times.update(words)
        for word, place, cost in zip(words, row.words, tokens_of_words(row.words, spans), strict=True):
            if cost > costs.get(word, (0,))[0]:
                # Neither starts nor ends ever go back, so the tokens that touch the word stand in a row.
                first, behind = bisect_right(ends, place[0]), bisect_left(starts, place[1])
                text = data[min(place[0], starts[first]) : place[1]].decode(errors="ignore")
                costs[word] = cost, tuple(pieces[first:behind]), text
    ordered = sorted(costs, key=lambda word: (-costs[word][0], len(word), word))
    return [
        WorstWord(
            tokenizer=subject.name,
            key=key,
            word=word,
            n_tokens=costs[word][0],
            n_times=n_times[word],
            over_reference=costs[word][0] / mean if mean else None,
            pieces=costs[word][1],
            text=costs[word][2],
            model=subject.loadable,
        )
        for word in ordered[:n]
    ]
