"""What goes to stderr: errors always, notes unless -q."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from piecework._explain.glyphs import harmless

if TYPE_CHECKING:
    from piecework.errors import PieceworkError

__all__ = ["print_error", "print_failure", "print_note"]

# An error's own hint speaks of Python's arguments; these say the same in flags.
_HINTS = {
    "incomplete-text": "--errors replace shows what is broken as U+FFFD; --raw writes the bytes as they are",
    "not-unicode": "--errors replace reads what is broken as U+FFFD",
    "special-token": "--special text reads it as ordinary text, --special parse as the control token",
}
# Or parts of it.
_FLAGS = (
    (" (--template on the command line)", ""),
    ('template="chatml"', "--template chatml"),
    ('template="FILE"', "--template FILE"),
    ("piecework.count (count --chat)", "`piecework count --chat`"),
    ("template= is", "--template is"),
    (", a file, or a template's source", ", or a file"),
    ("remote=True (--remote)", "--remote"),
    ("assume= (--assume NAME)", "--assume NAME"),
    ("window=", "--window N"),
)


def print_failure(error: PieceworkError) -> None:
    """Prints an error of the package."""
    own = error.hint or ""
    # That of a trainer is in flags already, and knows what else it takes.
    hint = own if own.startswith("--") else _HINTS.get(error.code, own)
    for argument, flag in _FLAGS:
        hint = hint.replace(argument, flag)
    print_error(error.code, error.message, hint)


def print_error(code: str, message: str, hint: str | None = None) -> None:
    """Prints `error[code]: message`, and the hint on a line of its own."""
    _print(f"error[{code}]: {message}")
    if hint:
        _print(f"hint: {hint}")


def print_note(text: str) -> None:
    """Prints a line that a person wants to know beside the result."""
    _print(text)


def _print(line: str) -> None:
    # A file's name may hold anything; and a closed stderr is no reason to fail.
    if sys.stderr is None:
        return
    shown = harmless(line)
    try:
        print(shown, file=sys.stderr, flush=True)
    except UnicodeEncodeError:
        print(shown.encode("ascii", "backslashreplace").decode(), file=sys.stderr, flush=True)
    except OSError:
        return
