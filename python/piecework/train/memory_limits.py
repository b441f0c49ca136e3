"""What a training may take: `max_memory=`, or most of what the machine has left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from piecework.errors import ArgumentError
from piecework.memory.sizes import decimal
from piecework.train.sources.lines import BLOCK_BYTES, MAX_LINE_BYTES

__all__ = ["MIN_MEMORY_BYTES", "MemoryLimits", "available_bytes", "bytes_of", "memory_limits"]

MIN_MEMORY_BYTES = 256_000_000
# Blocks of text, what threads cut them with, and buffers of runs.
_RESERVE_BYTES = 80_000_000
_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", re.ASCII)
_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
    ),
)
_MEMINFO = Path("/proc/meminfo")


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """The limits of a training.

    Attributes:
        max_table_bytes: What tables of words may hold before they go to disk; None for no limit.
        max_bytes: What learning may take; None for no limit.
        max_line_bytes: What a line may have that cannot be cut.
    """

    max_table_bytes: int | None
    max_bytes: int | None
    max_line_bytes: int


def memory_limits(max_memory: str | int | None) -> MemoryLimits:
    """The limits that `max_memory` means.

    Args:
        max_memory: Bytes, or a size such as `"2GB"`; None for four fifths of what the machine has left.

    Raises:
        TypeError: It is no size.
        ValueError: It is less than 256 MB.
    """
    if max_memory is not None:
        n_bytes = bytes_of("max_memory", max_memory)
        if n_bytes < MIN_MEMORY_BYTES:
            least = decimal(MIN_MEMORY_BYTES)
            raise ArgumentError(
                f"max_memory is {decimal(n_bytes)}, and training takes at least {least}: a text and its threads"
            )
        max_line_bytes = min(MAX_LINE_BYTES, max(2 * BLOCK_BYTES, n_bytes // 16))
        return MemoryLimits(n_bytes - _RESERVE_BYTES, n_bytes, max_line_bytes)
    left = available_bytes()
    if left is None:
        return MemoryLimits(None, None, MAX_LINE_BYTES)
    n_bytes = max(MIN_MEMORY_BYTES, left * 4 // 5)
    return MemoryLimits(n_bytes - _RESERVE_BYTES, n_bytes, MAX_LINE_BYTES)


def bytes_of(name: str, size: object) -> int:
    """A number of bytes, given as such or with a unit: kB, MB, GB, TB are powers of 1,000, KiB, MiB, GiB of 1,024.

    Raises:
        TypeError: It is neither a whole number nor a str.
        ValueError: It is no size, is negative, or is over 2**63 - 1.

    Examples:
        >>> bytes_of("max_memory", "1.5 GB"), bytes_of("max_memory", 4096)
        (1500000000, 4096)
    """
    if isinstance(size, int) and not isinstance(size, bool):
        return _checked(name, size, size)
    if not isinstance(size, str):
        raise TypeError(f'{name} is a number of bytes or a size such as "2GB", not {type(size).__name__}')
    match = _SIZE.fullmatch(size)
    unit = None if match is None or len(match[1]) > 25 else _UNITS.get(match[2].lower())
    if match is None or unit is None:
        raise ArgumentError(f'{name} is a number of bytes or a size such as "2GB", not {size!r}')
    return _checked(name, int(Decimal(match[1]) * unit), size)


def _checked(name: str, n_bytes: int, size: object) -> int:
    if not 0 <= n_bytes < 1 << 63:
        raise ArgumentError(f"{name} is a number of bytes from 0 to 2**63 - 1, not {size}")
    return n_bytes


def available_bytes() -> int | None:
    """What may still be taken before the system, or the container, runs out; None where it does not say."""
    found = [_cgroup(*files) for files in _CGROUPS]
    found.append(_field(_MEMINFO, "MemAvailable:", unit=1024))
    known = [n_bytes for n_bytes in found if n_bytes is not None]
    return min(known, default=None)


def _cgroup(limit_file: str, usage_file: str, stat_file: str) -> int | None:
    """What a container may still take: files that are only cached are given back."""
    limit, usage = _number(limit_file), _number(usage_file)
    if limit is None or usage is None:
        return None
    cached = _field(Path(stat_file), "inactive_file", unit=1) or 0
    return max(0, limit - usage + cached)


def _number(file: str) -> int | None:
    try:
        return int(Path(file).read_text())
    except (OSError, ValueError):  # no container, or "max"
        return None


def _field(file: Path, name: str, *, unit: int) -> int | None:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) > 1 and words[0] == name and words[1].isdecimal():
            return int(words[1]) * unit
    return None
