"""GitHub's workflow commands, which mark the lines of a change: `::error file=a.md,line=3,title=…::…`."""

from __future__ import annotations

__all__ = ["annotation"]


def annotation(
    level: str, message: str, *, file: str, title: str, line: int | None = None, column: int | None = None
) -> str:
    """Writes one.

    Args:
        level: `error`, `warning` or `notice`.
        message: What is wrong.
        file: The file, from the root of the repository.
        title: What kind of thing it is.
        line: The line, from 1; None for the whole file.
        column: The place in the line, from 1.

    Examples:
        >>> annotation("error", "6 tokens, 1 over", file="a,b.md", title="over-limit", line=2)
        '::error file=a%2Cb.md,line=2,title=over-limit::6 tokens, 1 over'
    """
    places = {"file": file, "line": line, "col": column, "title": title}
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in places.items() if value is not None)
    return f"::{level} {shown}::{_data(message)}"


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
