"""CSV as RFC 4180 has it, with fields of any length and errors that name the line: the one place that reads it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

__all__ = ["csv_rows"]

# The module's own limit of 131,072 characters is less than a document has. It holds for the whole process, so that it is
# raised once and never lowered: two threads that set it and put it back would cut each other's fields. A C long of 32 bits
# holds no more than this.
_MAX_CHARACTERS = 2**31 - 1


def csv_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    r"""The rows of CSV, each with the line that it ends on, from 1. An empty line is a row of no cells.

    Args:
        text: The table, with its heading.

    Yields:
        The line and the cells of each row.

    Raises:
        ValueError: A quotation mark opens and does not close, or text follows one; the message names the line.

    Examples:
        >>> list(csv_rows('a,b\n"1\n2",3\n'))
        [(1, ['a', 'b']), (3, ['1\n2', '3'])]
    """
    if csv.field_size_limit() < _MAX_CHARACTERS:
        csv.field_size_limit(_MAX_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num:,}: {error}") from None
