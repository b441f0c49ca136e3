"""Counts that an endpoint has given, kept in the user's cache folder by the hash of what was asked."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from piecework._files.whole_files import write_files
from piecework.errors import OutputError

if TYPE_CHECKING:
    from piecework._chat.remote.endpoints import Question

__all__ = ["Kept", "find_kept", "keep"]


class Kept(NamedTuple):
    """A count and the day on which it was given, as YYYY-MM-DD."""

    n: int
    date: str


def find_kept(question: Question) -> Kept | None:
    """The count that was given for the same question before; None where there is none that can be read."""
    try:
        held = json.loads(_path(question).read_bytes())
        n, date = held["n_tokens"], held["date"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return Kept(n, date) if type(n) is int and n >= 0 and isinstance(date, str) else None


def keep(question: Question, n: int) -> Kept:
    """Keeps a count; a folder that cannot be written to only means that it is asked for again."""
    kept = Kept(n, datetime.now(UTC).date().isoformat())
    path = _path(question)
    data = json.dumps({"n_tokens": kept.n, "date": kept.date, "provider": question.provider}).encode()
    with contextlib.suppress(OSError, OutputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_files({path: data})
    return kept


def _path(question: Question) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    # The key is no part of it: the count is the same for everyone.
    digest = hashlib.sha256(question.url.encode() + b"\n" + question.body).hexdigest()
    return Path(base).expanduser() / "piecework" / "remote-counts" / digest[:2] / f"{digest}.json"
