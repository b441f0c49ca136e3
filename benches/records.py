"""The record of a day and a machine: rows by what was measured, so that a partial run replaces only its own."""

from __future__ import annotations

import datetime as dt
import json
import platform
from itertools import count
from pathlib import Path
from typing import Any

__all__ = ["write_rows"]

_FOLDER = Path(__file__).parent / "record"


def write_rows(rows: list[dict[str, Any]], versions: dict[str, str], **conditions: object) -> Path:
    """Adds rows to today's record; rows of the same quantity, tokenizer and text are replaced, all others stay.

    Args:
        rows: Each with `what`, `tokenizer`, `text` and its figures.
        versions: Of the measured libraries.
        conditions: What else holds for a part of the rows, by a name for that part.

    Returns:
        The file: another one of the day where the first is from another processor, Python or version of a library, since
        their figures do not stand beside each other.
    """
    machine = {"processor": _processor(), "python": platform.python_version()}
    path, record = _todays(machine, versions)
    new = {_key(row): row for row in rows}
    record["rows"] = [new.pop(_key(row), row) for row in record["rows"]] + list(new.values())
    record["versions"] |= versions
    record |= conditions
    _FOLDER.mkdir(exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _todays(machine: dict[str, str], versions: dict[str, str]) -> tuple[Path, dict[str, Any]]:
    date = dt.datetime.now(tz=dt.UTC).date().isoformat()
    for number in count(1):
        path = _FOLDER / (f"{date}.json" if number == 1 else f"{date}-{number}.json")
        if not path.exists():
            return path, {"date": date, **machine, "versions": {}, "rows": []}
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = record["versions"]
        is_of_versions = all(known.get(name, version) == version for name, version in versions.items())
        if is_of_versions and all(record[key] == value for key, value in machine.items()):
            return path, record
    raise AssertionError


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["what"], row["tokenizer"], row["text"]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor()
    )
