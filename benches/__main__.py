"""`python -m benches`: the whole comparison, printed and recorded; `--quick`: the thresholds only."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from benches import quick
from benches.engines import engines_of
from benches.measure import Runs, alternate, median
from benches.texts import TEXT_SETS
from benches.worker import LONG_PIECES

_RECORD = Path(__file__).parent / "record"


def main() -> int:
    """Runs what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the thresholds")
    parser.add_argument("--runs", type=int, default=5, help="fresh processes a figure (median)")
    parser.add_argument("--megabytes", type=float, default=20, help="text of one run")
    parser.add_argument("--no-record", action="store_true", help="do not write benches/record")
    arguments = parser.parse_args()
    if arguments.quick:
        return quick.run()
    rows = []
    for row in _rows(arguments.runs, arguments.megabytes):
        rows.append(row)
        print(_line(row), flush=True)
    if not arguments.no_record:
        _write(rows)
    return 0


def _rows(n_runs: int, megabytes: float) -> Iterator[dict[str, Any]]:
    for tokenizer in ("o200k_base", "cl100k_base", "qwen3"):
        for text_set in TEXT_SETS:
            engines = engines_of(tokenizer)
            runs = alternate("encode", engines, tokenizer, text_set, str(megabytes), n_runs=n_runs)
            _check_equal(runs, f"{text_set} {tokenizer}")
            yield _row("encode, MB/s", tokenizer, text_set, runs, "mb_per_s")
            yield _row("load, ms", tokenizer, text_set, runs, "load_ms")
    for text_set in TEXT_SETS:
        engines = engines_of("o200k_base")
        runs = alternate("count", engines, "o200k_base", text_set, str(megabytes), n_runs=n_runs)
        _check_equal(runs, f"count {text_set}")
        yield _row("count, MB/s", "o200k_base", text_set, runs, "mb_per_s")
    runs = alternate("short", engines_of("o200k_base"), "o200k_base", "english", "2000", n_runs=n_runs)
    yield _row("175 bytes, first pass, us", "o200k_base", "english", runs, "first_us")
    yield _row("175 bytes, again, us", "o200k_base", "english", runs, "again_us")
    for piece in LONG_PIECES:
        runs = alternate("long", engines_of("o200k_base"), "o200k_base", piece, "1", n_runs=min(n_runs, 3))
        yield _row("1 MB in one piece, s", "o200k_base", piece, runs, "s")


def _check_equal(runs: Runs, what: str) -> None:
    """Figures of engines that do not give the same number of ids would compare different work."""
    totals = {engine: {run["n_ids"] for run in results} for engine, results in runs.items()}
    if len(set().union(*totals.values())) != 1:
        raise SystemExit(f"{what}: the engines give different numbers of ids: {totals}")


def _row(what: str, tokenizer: str, text: str, runs: Runs, field: str) -> dict[str, Any]:
    return {
        "what": what,
        "tokenizer": tokenizer,
        "text": text,
        "median": {engine: round(median(results, field), 4) for engine, results in runs.items()},
        "all": {engine: [round(run[field], 4) for run in results] for engine, results in runs.items()},
    }


def _line(row: dict[str, Any]) -> str:
    figures = "  ".join(f"{engine} {value:9.3g}" for engine, value in row["median"].items())
    return f"{row['what']:32} {row['tokenizer']:12} {row['text']:18} {figures}"


def _write(rows: list[dict[str, Any]]) -> None:
    versions = {name: metadata.version(name) for name in ("piecework", "tiktoken", "tokenizers")}
    record = {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "processor": _processor(),
        "python": platform.python_version(),
        "versions": versions,
        "rows": rows,
    }
    _RECORD.mkdir(exist_ok=True)
    path = _RECORD / f"{record['date']}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"written to {path.relative_to(_RECORD.parent.parent)}")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor()
    )


if __name__ == "__main__":
    raise SystemExit(main())
