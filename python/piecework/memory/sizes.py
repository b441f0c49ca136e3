"""Numbers in and out: whole numbers checked, bytes written with decimal prefixes."""

from __future__ import annotations

__all__ = ["check_whole", "decimal"]

_MOST = 10**15
_PREFIXES = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


def check_whole(name: str, value: object, *, least: int) -> int:
    """Returns a whole number that is at least so large, and at most 10^15.

    Raises:
        TypeError: It is no whole number.
        ValueError: It is less, or more.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}= takes a whole number, not {type(value).__name__}")
    if value > _MOST:
        raise ValueError(f"{name}= is at most 10^15")
    if value < least:
        raise ValueError(f"{name}= is at least {least}" + (f", not {value}" if value > -_MOST else ""))
    return value


def decimal(n_bytes: int) -> str:
    """Returns bytes as people write them, with decimal prefixes.

    Examples:
        >>> decimal(2_949_120_000), decimal(147_456), decimal(12)
        ('2.95 GB', '147.46 kB', '12 B')
    """
    for name, size in _PREFIXES:
        if n_bytes >= size:
            return f"{n_bytes / size:,.2f} {name}"
    return f"{n_bytes} B"
