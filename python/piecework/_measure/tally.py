"""What one tokenizer makes of the rows of one text, as counts for each row: all figures are sums of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._files.unknown import unknown_id
from piecework._measure.boundaries import DigitCuts, digit_cuts, n_utf8_crossings
from piecework._measure.vocabulary import n_covered
from piecework._measure.word_costs import tokens_of_words

if TYPE_CHECKING:
    from piecework import _core
    from piecework._measure.row import Row
    from piecework._types import Errors

__all__ = ["Tally", "tally_rows"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one tokenizer over one text; the columns have an entry a row, 0 where the row is left out.

    Attributes:
        tokens: Tokens of each row.
        split: Words of each row that have more than one token.
        n_unknown: Unknown tokens.
        n_covered: Characters that the vocabulary covers.
        n_boundaries: Boundaries between two tokens.
        n_crossings: Those that lie inside a character.
        digits: Boundaries inside of numbers.
        ids: How often each token occurs.
    """

    tokens: list[int]
    split: list[int]
    n_unknown: int
    n_covered: int
    n_boundaries: int
    n_crossings: int
    digits: DigitCuts
    ids: Counter[int]


def tally_rows(
    native: _core.Tokenizer, rows: Sequence[Row | None], *, errors: Errors, on_bytes: Callable[[int], object]
) -> Tally:
    """Encodes rows, control tokens in them as text, and counts.

    Args:
        native: The tokenizer.
        rows: The rows; None for one that is left out.
        errors: What becomes of broken Unicode.
        on_bytes: Told the bytes of each row when it is done.

    Raises:
        EncodeError: A row cannot be encoded.

    Complexity: As encoding, and O(tokens log words).
    """
    unknown = unknown_id(native)
    tokens, split = [0] * len(rows), [0] * len(rows)
    n_unknown = covered = boundaries = crossings = right = found = wanted = 0
    seen: Counter[int] = Counter()
    for at, row in enumerate(rows):
        if row is None:
            continue
        encoding = native.encode(row.text, "text", False, errors)  # noqa: FBT003 - the native signature
        ids, spans = encoding.ids.tolist(), encoding.byte_spans
        seen.update(ids)
        tokens[at] = len(ids)
        split[at] = sum(n > 1 for n in tokens_of_words(row.words, spans))
        is_unknown = [one == unknown for one in ids]
        n_unknown += sum(is_unknown)
        covered += n_covered(row, spans, is_unknown)
        boundaries += max(len(ids) - 1, 0)
        crossings += n_utf8_crossings(encoding.piece_bytes)
        cuts = digit_cuts(row, spans)
        right, found, wanted = right + cuts.n_right, found + cuts.n_found, wanted + cuts.n_wanted
        on_bytes(row.n_bytes)
    digits = DigitCuts(right, found, wanted)
    return Tally(tokens, split, n_unknown, covered, boundaries, crossings, digits, seen)
