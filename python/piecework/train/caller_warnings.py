"""Warnings that point at the caller's own line, however deep in the trainers they arise."""

from __future__ import annotations

import sys
import warnings

from piecework.errors import PieceworkWarning

__all__ = ["warn_caller"]

_PACKAGE = __name__.partition(".")[0]


def warn_caller(message: str) -> None:
    """Warns with the line outside the package that called into it."""
    level, frame = 1, sys._getframe()  # noqa: SLF001 - the only way to a caller that no constant depth leads to
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, PieceworkWarning, stacklevel=level)
