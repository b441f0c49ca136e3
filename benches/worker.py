"""One measurement in a process of its own: `python -m benches.worker KIND ENGINE TOKENIZER ...` prints one JSON object."""

from __future__ import annotations

import json
import sys
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from benches.engines import load
from benches.texts import documents

if TYPE_CHECKING:
    from collections.abc import Callable

_MB = 1_000_000


def main() -> None:
    """Runs the measurement that the arguments name."""
    kind, engine, tokenizer, *rest = sys.argv[1:]
    print(json.dumps(_KINDS[kind](engine, tokenizer, *rest)))


def _encode(engine: str, tokenizer: str, text_set: str, megabytes: str) -> dict[str, float]:
    """Documents that this process has not seen, one call each."""
    texts = documents(text_set, max_bytes=int(float(megabytes) * _MB))
    n_bytes = sum(len(text.encode()) for text in texts)
    started = perf_counter()
    loaded = load(engine, tokenizer)
    load_s = perf_counter() - started
    clock = (perf_counter(), process_time())
    n_ids = sum(loaded.n_ids(loaded.ids(text)) for text in texts)
    wall, cpu = perf_counter() - clock[0], process_time() - clock[1]
    return {
        "mb_per_s": n_bytes / _MB / wall,
        "mb_per_cpu_s": n_bytes / _MB / cpu,
        "load_ms": load_s * 1e3,
        "n_bytes": n_bytes,
        "n_ids": n_ids,
    }


def _count(engine: str, tokenizer: str, text_set: str, megabytes: str) -> dict[str, float]:
    """As `encode`, but only the number is wanted."""
    texts = documents(text_set, max_bytes=int(float(megabytes) * _MB))
    n_bytes = sum(len(text.encode()) for text in texts)
    loaded = load(engine, tokenizer)
    started = perf_counter()
    n_ids = sum(loaded.count(text) for text in texts)
    return {"mb_per_s": n_bytes / _MB / (perf_counter() - started), "n_bytes": n_bytes, "n_ids": n_ids}


def _short(engine: str, tokenizer: str, text_set: str, n_strings: str) -> dict[str, float]:
    """Distinct strings of about 175 bytes, microseconds a call: first pass, then again."""
    texts = documents(text_set, max_bytes=int(n_strings) * 4096)
    strings = list(dict.fromkeys(text[:175] for text in texts))
    loaded = load(engine, tokenizer)
    loaded.ids("warm")
    passes = []
    for _ in range(2):
        started = perf_counter()
        for string in strings:
            loaded.ids(string)
        passes.append((perf_counter() - started) / len(strings) * 1e6)
    return {"first_us": passes[0], "again_us": passes[1], "n_strings": len(strings)}


def _random_letters(n: int) -> str:
    state, letters = 1, []
    for _ in range(n):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        letters.append(chr(97 + (state >> 33) % 26))
    return "".join(letters)


LONG_PIECES: dict[str, Callable[[int], str]] = {
    "a": lambda n: "a" * n,
    "spaces": lambda n: " " * n,
    "newlines": lambda n: "\n" * n,
    "one CJK character": lambda n: "返" * (n // 3),
    "random letters": _random_letters,
}


def _long(engine: str, tokenizer: str, piece: str, megabytes: str) -> dict[str, float]:
    """One pretoken of some megabytes in one call: processor seconds, since one call runs on one thread."""
    text = LONG_PIECES[piece](int(float(megabytes) * _MB))
    loaded = load(engine, tokenizer)
    loaded.ids("warm")
    started = process_time()
    try:
        n_ids = loaded.n_ids(loaded.ids(text))
    except Exception as error:  # noqa: BLE001 - a peer that refuses, however, has no time
        return {"s": float("nan"), "refused": str(error)[:80]}  # type: ignore[dict-item]
    return {"s": process_time() - started, "n_ids": n_ids}


_KINDS: dict[str, Callable[..., dict[str, float]]] = {
    "encode": _encode,
    "count": _count,
    "short": _short,
    "long": _long,
}

if __name__ == "__main__":
    main()
