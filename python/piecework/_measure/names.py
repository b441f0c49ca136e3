"""Short names for what has long ones: the last parts of paths, as many as tell them apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

__all__ = ["short_paths"]

_MAX = 40
_SEPARATOR = re.compile(r"[/\\]")


def short_paths(paths: Sequence[str], *, n_parts: int = 1) -> list[str]:
    r"""The paths without the folders that nothing needs to tell them apart; what is still long loses its middle.

    Args:
        paths: Different paths.
        n_parts: How many parts each keeps at least.

    Returns:
        A name for each, all different; the whole path where shorter ones would coincide.

    Examples:
        >>> short_paths(["/data/old/a.txt", "/data/new/a.txt", "/data/new/b.txt"])
        ['old/a.txt', 'new/a.txt', 'b.txt']
        >>> short_paths(["/x/" + "long" * 20 + ".txt"])
        ['longlonglonglonglon…onglonglonglong.txt']
    """
    parts = [_SEPARATOR.split(path) for path in paths]
    kept = [n_parts] * len(paths)
    while True:
        names = [_joined(path, all_parts, n) for path, all_parts, n in zip(paths, parts, kept, strict=True)]
        counts = Counter(names)
        longer = [
            n + 1 if counts[name] > 1 and n < len(all_parts) else n
            for name, all_parts, n in zip(names, parts, kept, strict=True)
        ]
        if longer == kept:
            break
        kept = longer
    short = [_middle_out(name) for name in names]
    counts = Counter(short)
    return [brief if counts[brief] == 1 else path for brief, path in zip(short, paths, strict=True)]


def _joined(path: str, parts: Sequence[str], n: int) -> str:
    return path if n >= len(parts) else "/".join(parts[-n:])


def _middle_out(name: str) -> str:
    half = (_MAX - 1) // 2
    return name if len(name) <= _MAX else f"{name[:half]}…{name[-half:]}"
