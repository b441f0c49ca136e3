"""The result of a count: one number, a table, or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._cli.counting import sum_known
from piecework._cli.notes import n_around
from piecework._explain.columns import columns
from piecework._explain.glyphs import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.counting import Row, Tally
    from piecework._cli.options import Reading

__all__ = ["count_json", "table_lines"]


def table_lines(tally: Tally, chosen: Sequence[Choice], *, top: int, up_to: int | None) -> Iterator[str]:
    """The table: a column for each tokenizer, the file's name last, as `wc` has it.

    Args:
        tally: The counts.
        chosen: The tokenizers.
        top: How many rows, the largest first; 0 for all, in the order of input.
        up_to: The limit that some counts may be over.

    Yields:
        Lines: a heading where there are several tokenizers, rows, what is left out, the total.
    """
    rows = tally.rows
    if 0 < top < len(rows):
        rows = sorted(rows, key=_size, reverse=True)[:top]
    cells = [[*(_cell(n, up_to) for n in row.n_tokens), harmless(row.name)] for row in rows]
    if len(chosen) > 1:
        cells.insert(0, [*(choice.label for choice in chosen), ""])
    if len(rows) < len(tally.rows):
        shown = set(map(id, rows))
        others = [row for row in tally.rows if id(row) not in shown]
        rest = [sum_known(row.n_tokens[at] for row in others) for at in range(len(chosen))]
        n_more = len(others)
        cells.append([*(_cell(n, None) for n in rest), f"in {n_more:,} more (--top 0 lists all)"])
    if len(tally.rows) != 1:
        totals = [tally.total(at) for at in range(len(chosen))]
        cells.append([*(_cell(n, None) for n in totals), f"total of {len(tally.rows):,}"])
    yield from columns(cells, right=frozenset(range(len(chosen))))


def count_json(
    tally: Tally, chosen: Sequence[Choice], reading: Reading, *, up_to: int | None
) -> dict[str, object]:
    """The count as JSON can hold it; lists of counts stand in the order of `tokenizers`."""
    return {
        "tokenizers": [
            {
                **choice.to_dict(),
                "begin_end_not_counted": 0 if reading.add_special_tokens else n_around(choice),
                "control_strings_as_text": controls.n_strings,
                "n_tokens_if_parsed": tally.total_if_parsed(at),
                "n_unknown": tally.n_unknown[at],
            }
            for at, (choice, controls) in enumerate(zip(chosen, tally.controls, strict=True))
        ],
        "special": reading.special,
        "add_special_tokens": reading.add_special_tokens,
        "up_to": up_to,
        "n_tokens": [tally.total(at) for at in range(len(chosen))],
        "n_texts": len(tally.rows),
        "n_bytes": sum(row.n_bytes for row in tally.rows),
        "texts": [
            {
                "name": row.name,
                "n_bytes": row.n_bytes,
                "n_tokens": list(row.n_tokens),
                "over": None in row.n_tokens,
            }
            for row in tally.rows
        ],
        "look_like_chat": tally.chats,
        "skipped": [{"name": item.name, "reason": item.reason} for item in tally.skipped],
        "failed": [{"name": item.name, **item.error.to_dict()} for item in tally.failed],
    }


def _size(row: Row) -> tuple[bool, int, int]:
    """Orders rows by their first count; what is over the limit is larger than all else."""
    n = row.n_tokens[0]
    return n is None, n or 0, row.n_bytes


def _cell(n: int | None, up_to: int | None) -> str:
    """Returns a count; one that is not known as `?`, one that is only known to be over the limit as `>N`."""
    if n is not None:
        return f"{n:,}"
    return "?" if up_to is None else f">{up_to:,}"
