"""What one tokenizer makes of the rows of one text, as counts for each row: all figures are sums of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from piecework._files.unknown import unknown_id
from piecework._measure.boundaries import DigitCuts, digit_cuts, n_utf8_crossings
from piecework._measure.pieces import Pieces, pieces_of_rows
from piecework._measure.vocabulary import n_covered, n_covered_by_cuts
from piecework._measure.word_costs import n_cut_words, n_split_words
from piecework.errors import EncodeError

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


class _OfRow(NamedTuple):
    """The counts of one row."""

    split: int
    n_covered: int
    n_crossings: int
    digits: DigitCuts


def tally_rows(
    native: _core.Tokenizer,
    rows: Sequence[Row | None],
    *,
    errors: Errors,
    on_bytes: Callable[[int], object],
    n_threads: int | None = None,
) -> Tally:
    """Encodes rows, control tokens in them as text, and counts.

    Args:
        native: The tokenizer.
        rows: The rows; None for one that is left out.
        errors: What becomes of broken Unicode.
        on_bytes: Told the bytes of each row when it is done.
        n_threads: How many threads encode; None for as many as there are cores.

    Raises:
        EncodeError: A row cannot be encoded.

    Complexity: As encoding, and O(words log tokens) for each row.
    """
    unknown = unknown_id(native)
    tokens, split = [0] * len(rows), [0] * len(rows)
    n_unknown = covered = boundaries = crossings = right = found = wanted = 0
    seen: Counter[int] = Counter()
    kept = [(at, row) for at, row in enumerate(rows) if row is not None]
    of_rows = pieces_of_rows(
        native, [row for _, row in kept], unknown=unknown, errors=errors, n_threads=n_threads
    )
    for (at, row), pieces in zip(kept, _located(native, kept, of_rows, errors), strict=True):
        seen.update(pieces.ids)
        tokens[at] = len(pieces.ids)
        one = _of_cut_row(row, pieces) if pieces.spans is None else _of_row(row, pieces, unknown)
        split[at] = one.split
        n_unknown += pieces.ids.count(unknown) if unknown is not None else 0
        covered += one.n_covered
        boundaries += max(len(pieces.ids) - 1, 0)
        crossings += one.n_crossings
        cuts = one.digits
        right, found, wanted = right + cuts.n_right, found + cuts.n_found, wanted + cuts.n_wanted
        on_bytes(row.n_bytes)
    digits = DigitCuts(right, found, wanted)
    return Tally(tokens, split, n_unknown, covered, boundaries, crossings, digits, seen)


def _located(
    native: _core.Tokenizer, rows: Sequence[tuple[int, Row]], found: Iterator[Pieces], errors: Errors
) -> Iterator[Pieces]:
    """Names the row in the error about one that cannot be encoded: a batch, and a thread, do not know it."""
    n_done = 0
    try:
        for pieces in found:
            yield pieces
            n_done += 1
    except EncodeError:
        for at, row in rows[n_done:]:
            try:
                native.count(row.text, "text", False, errors)
            except EncodeError as error:
                message = f"row {at + 1:,}: {error.message}"
                raise type(error)(message, hint=error.hint, **error.fields()) from None
        raise


def _of_cut_row(row: Row, pieces: Pieces) -> _OfRow:
    """The counts of a row whose tokens are its bytes: what they need is where it is cut."""
    ends, data = pieces.ends, row.data
    # A cut inside a character needs one of several bytes.
    is_ascii = len(data) == len(row.text)
    inside = [] if is_ascii else [end for end in ends[:-1] if 0x80 <= data[end] < 0xC0]
    return _OfRow(
        n_cut_words(row.words, ends),
        n_covered_by_cuts(row, inside),
        len(inside),
        digit_cuts(row, {0, *ends[:-1]}) if row.numbers else DigitCuts(0, 0, 0),
    )


def _of_row(row: Row, pieces: Pieces, unknown: int | None) -> _OfRow:
    spans = pieces.spans or []
    return _OfRow(
        n_split_words(row.words, spans),
        n_covered(row, spans, [one == unknown for one in pieces.ids]),
        n_utf8_crossings(pieces.piece_bytes),
        digit_cuts(row, {start for start, end in spans if start < end})
        if row.numbers
        else DigitCuts(0, 0, 0),
    )
