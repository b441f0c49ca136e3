"""Counts of many texts under several tokenizers, read and counted in batches so that memory stays bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._cli.documents import Failed, Planned, Skipped, open_document
from piecework._cli.inputs import named
from piecework._cli.unknowns import n_unknown
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Reading
    from piecework._tokenizer import Tokenizer

__all__ = ["Controls", "Row", "Tally", "count_documents", "sum_known"]

# A batch is large enough to keep all cores busy and small enough to hold in memory and to show progress.
_BATCH_BYTES = 16 << 20
_BATCH_TEXTS = 512


class Row(NamedTuple):
    """The counts of one text.

    Attributes:
        name: Its name.
        n_bytes: Its size.
        n_tokens: Its count under each tokenizer; None where it is more than the limit.
    """

    name: str
    n_bytes: int
    n_tokens: tuple[int | None, ...]


class Controls:
    """The control strings that one tokenizer met and read as text.

    Attributes:
        n_strings: How many.
        n_texts: In how many texts.
        n_saved: How many tokens fewer all texts would count if they were parsed.
    """

    def __init__(self) -> None:
        self.n_strings = 0
        self.n_texts = 0
        self.n_saved = 0


class Tally:
    """All that came of a count.

    Attributes:
        rows: One for each text that was counted.
        controls: For each tokenizer, the control strings that were read as text.
        n_unknown: For each tokenizer, how many tokens stand for what its vocabulary lacks.
        chats: The names of texts that look like chat messages.
        skipped: Files of folders that are no text.
        failed: What could not be counted.
    """

    def __init__(self, n_tokenizers: int) -> None:
        self.rows: list[Row] = []
        self.controls = [Controls() for _ in range(n_tokenizers)]
        self.n_unknown = [0] * n_tokenizers
        self.chats: list[str] = []
        self.skipped: list[Skipped] = []
        self.failed: list[Failed] = []

    def total(self, at: int) -> int | None:
        """Returns the sum under one tokenizer; None where one of the counts is over the limit."""
        return sum_known(row.n_tokens[at] for row in self.rows)

    def total_if_parsed(self, at: int) -> int | None:
        """Returns the sum if control strings were parsed; None where the sum itself is None."""
        total = self.total(at)
        return None if total is None else total - self.controls[at].n_saved


def sum_known(counts: Iterable[int | None]) -> int | None:
    """Returns the sum, or None where one of the counts is None."""
    known = list(counts)
    return None if None in known else sum(n for n in known if n is not None)


def count_documents(
    planned: Iterable[Planned | Skipped | Failed],
    chosen: Sequence[Choice],
    reading: Reading,
    *,
    up_to: int | None,
    looks_like_chat: Callable[[bytes], bool],
    on_bytes: Callable[[int], None],
) -> Tally:
    """Counts everything that was planned.

    Args:
        planned: What to count, and what is already known to be no text.
        chosen: The tokenizers.
        reading: How the texts are read.
        up_to: A limit for each text, over which its count is None; None for no limit.
        looks_like_chat: Tells texts that are chat messages.
        on_bytes: Called with the size of each batch, when it is done.

    Returns:
        The tally; rows in the order of `planned`.
    """
    tally = Tally(len(chosen))
    for batch in _batches(_opened(planned, reading, tally)):
        for text, counts in _count_each(batch, chosen, reading, up_to, tally):
            tally.rows.append(Row(text.name, len(text.data), counts))
            if looks_like_chat(text.data):
                tally.chats.append(text.name)
            _add_unknown(tally, chosen, text, counts, reading)
            if reading.special == "text":
                for choice, controls, n_tokens in zip(chosen, tally.controls, counts, strict=True):
                    _add_controls(controls, choice.tokenizer, text, n_tokens, reading)
        on_bytes(sum(len(text.data) for text in batch))
    return tally


def _opened(
    planned: Iterable[Planned | Skipped | Failed], reading: Reading, tally: Tally
) -> Iterator[TextInput]:
    for item in planned:
        opened = open_document(item, reading.errors) if isinstance(item, Planned) else item
        if isinstance(opened, Skipped):
            tally.skipped.append(opened)
        elif isinstance(opened, Failed):
            tally.failed.append(opened)
        else:
            yield opened


def _batches(texts: Iterable[TextInput]) -> Iterator[list[TextInput]]:
    batch: list[TextInput] = []
    n_bytes = 0
    for text in texts:
        batch.append(text)
        n_bytes += len(text.data)
        if n_bytes >= _BATCH_BYTES or len(batch) >= _BATCH_TEXTS:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch


def _count_each(
    batch: Sequence[TextInput], chosen: Sequence[Choice], reading: Reading, up_to: int | None, tally: Tally
) -> list[tuple[TextInput, tuple[int | None, ...]]]:
    """Counts a batch; where one of its texts cannot be counted, that one fails and the others still count."""
    try:
        columns = [_count(choice.tokenizer, batch, reading, up_to) for choice in chosen]
    except EncodeError as error:
        if len(batch) == 1:
            tally.failed.append(Failed(batch[0].name, named(error, batch[0].name)))
            return []
        return [pair for text in batch for pair in _count_each([text], chosen, reading, up_to, tally)]
    return list(zip(batch, zip(*columns, strict=True), strict=True))


def _count(
    tokenizer: Tokenizer, batch: Sequence[TextInput], reading: Reading, up_to: int | None
) -> Sequence[int | None]:
    special, add, errors = reading.special, reading.add_special_tokens, reading.errors
    if up_to is not None:
        return [
            tokenizer.count_up_to(text.data, up_to, special=special, add_special_tokens=add, errors=errors)
            for text in batch
        ]
    if len(batch) == 1:
        return [tokenizer.count(batch[0].data, special=special, add_special_tokens=add, errors=errors)]
    texts = [text.data for text in batch]
    return tokenizer.count_batch(texts, special=special, add_special_tokens=add, errors=errors).tolist()


def _add_unknown(
    tally: Tally, chosen: Sequence[Choice], text: TextInput, counts: Sequence[int | None], reading: Reading
) -> None:
    for at, (choice, n_tokens) in enumerate(zip(chosen, counts, strict=True)):
        if n_tokens is not None:
            tally.n_unknown[at] += n_unknown(choice.tokenizer, text.data, reading)


def _add_controls(
    controls: Controls, tokenizer: Tokenizer, text: TextInput, n_tokens: int | None, reading: Reading
) -> None:
    add, errors = reading.add_special_tokens, reading.errors
    found = tokenizer.find_controls(text.data, errors=errors)
    if not found:
        return
    controls.n_strings += len(found)
    controls.n_texts += 1
    if n_tokens is not None:
        n_parsed = tokenizer.count(text.data, special="parse", add_special_tokens=add, errors=errors)
        controls.n_saved += n_tokens - n_parsed
