"""`python -m benches`: the whole comparison, printed and recorded; `--train`: training only; `--quick`: the thresholds only."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from benches import quick
from benches.engines import engines_of
from benches.measure import Runs, alternate, median
from benches.records import write_rows
from benches.texts import TEXT_SETS
from benches.train_engines import TRAINERS
from benches.training import conditions, training_rows
from benches.worker import LONG_PIECES


def main() -> int:
    """Runs what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--quick", action="store_true", help="only the thresholds")
    parts.add_argument("--train", action="store_true", help="only training")
    parser.add_argument("--runs", type=int, help="fresh processes a figure (median): 5, in training 3")
    parser.add_argument(
        "--megabytes",
        type=float,
        help="text of one run: 20, in training 100 of English and 48 of 119 languages",
    )
    parser.add_argument("--no-record", action="store_true", help="do not write benches/record")
    arguments = parser.parse_args()
    if arguments.quick:
        return quick.run()
    keep = not arguments.no_record
    if not arguments.train:
        for row in _rows(arguments.runs or 5, arguments.megabytes or 20):
            _show(row, keep=keep, versions=_versions("piecework", "tiktoken", "tokenizers"))
    for row in training_rows(arguments.runs or 3, arguments.megabytes):
        _show(row, keep=keep, versions=_versions(*TRAINERS), training=conditions())
    return 0


def _show(row: dict[str, Any], *, keep: bool, versions: dict[str, str], **conditions: object) -> None:
    """Prints a row, and records it at once: a run that is ended keeps what it measured."""
    print(_line(row), flush=True)
    if keep:
        write_rows([row], versions, **conditions)


def _versions(*names: str) -> dict[str, str]:
    return {name: metadata.version(name) for name in names}


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


if __name__ == "__main__":
    raise SystemExit(main())
