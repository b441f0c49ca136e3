"""One line of an ignore file to a pattern whose matching takes time that grows with the name's length, never explodes."""

from __future__ import annotations

import re

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

__all__ = ["pattern_of"]

# What stands for `*`, for an inner `**`, and for a leading `**` in the regexes of pathspec.
_STAR = "[^/]*"
_FOLDERS = "(?:/.+)?"
_FIRST_FOLDERS = "^(?:.+/)?"


def pattern_of(line: str) -> GitIgnoreSpecPattern | None:
    """The pattern of a line; None for a blank line or a comment.

    Raises:
        ValueError: It is no pattern that can match.
    """
    try:
        regex, include = GitIgnoreSpecPattern.pattern_to_regex(line)
        if regex is None:
            return None
        return GitIgnoreSpecPattern(re.compile(_without_backtracking(regex)), include)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from error


def _without_backtracking(regex: str) -> str:
    # A wildcard that another one follows may settle for the first place where what stands between the two fits: if the
    # rest fits after a later place, the later wildcard reaches it from the first one as well. So no choice is ever
    # taken back, but that of the last wildcard. Slashes stand in these regexes for slashes only, and in `[^/]`.
    spans = [_stars(span) for span in regex.split(_FOLDERS)]
    last = len(spans) - 1
    if last and spans[0].startswith(_FIRST_FOLDERS):
        spans[0] = f"^(?>(?:.+?/)??{spans[0].removeprefix(_FIRST_FOLDERS)}(?=/))"
    inner = [f"(?>(?:/.+?)??{span}(?=/))" for span in spans[1:last]]
    return "".join([spans[0], *inner, *([_FOLDERS + spans[last]] if last else [])])


def _stars(span: str) -> str:
    first, *parts = span.split(_STAR)
    out = [first]
    for n, part in enumerate(parts, 1):
        if n == len(parts) or "/" in part.replace("[^/]", ""):
            out.append(_STAR + part)
        elif part:
            out.append(f"(?>[^/]*?{part})")
    return "".join(out)
