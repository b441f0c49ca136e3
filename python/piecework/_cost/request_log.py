"""A log of one's own requests: a JSON line for each, with the local count in its parts and what the provider billed."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from piecework.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["append_row", "request_row"]

SCHEMA = "piecework.request/1"


def request_row(
    *,
    time: str,
    model: str,
    n_tokens: int,
    basis: str,
    tokenizer: str,
    fingerprint: str,
    parts: Sequence[tuple[str, int]],
    dropped: Sequence[Mapping[str, object]],
    usage: Mapping[str, Any] | None,
    response: Mapping[str, Any] | None,
    max_output_tokens: int | None,
) -> dict[str, object]:
    """Makes a row of the log; parts of the same name are summed."""
    sums: dict[str, int] = {}
    for name, n in parts:
        sums[name] = sums.get(name, 0) + n
    row: dict[str, object] = {
        "schema": SCHEMA,
        "time": time,
        "model": model,
        "n_tokens": n_tokens,
        "basis": basis,
        "tokenizer": tokenizer,
        "fingerprint": fingerprint,
        "parts": sums,
        "dropped": list(dropped),
    }
    if max_output_tokens is not None:
        row["max_output_tokens"] = max_output_tokens
    if response is not None:
        row["response"] = response
    elif usage is not None:
        row["usage"] = usage
    return row


def append_row(path: str | os.PathLike[str], row: Mapping[str, object]) -> None:
    """Appends a row to a log, whole or not at all: one write to a file opened for appending, so that processes may share it.

    Raises:
        InputError: The row holds something that JSON does not.
        OutputError: The file cannot be written.
    """
    name = os.fspath(path)
    try:
        line = (
            json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace") + b"\n"
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"the row cannot be written as JSON: {error}", path=str(name), reason=str(error)
        ) from None
    try:
        handle = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            written = os.write(handle, line)
            if written != len(line):
                _take_back(handle, written)
                raise OSError("the disk is full")
        finally:
            os.close(handle)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{name} cannot be written: {reason}", path=str(name), reason=reason) from error


def _take_back(handle: int, n_bytes: int) -> None:
    """Cuts off the half of a row that a full disk took, unless somebody has written behind it."""
    end = os.lseek(handle, 0, os.SEEK_CUR)
    if os.fstat(handle).st_size == end:
        os.ftruncate(handle, end - n_bytes)
