"""What a person wants to know beside a result: what was read as text, what was not counted, what it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.glyphs import visible
from piecework._plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.counting import Controls
    from piecework._cli.options import Printing, Reading
    from piecework._tokenizer import Forged

__all__ = ["around_note", "chat_note", "controls_note", "forged_note", "n_around"]


def n_around(choice: Choice) -> int:
    """Returns how many begin and end tokens the tokenizer would add."""
    before, after = choice.tokenizer.added_around
    return len(before) + len(after)


def around_note(choice: Choice, reading: Reading, printing: Printing) -> None:
    """Says that begin and end tokens are not counted, where the tokenizer would add some."""
    n = n_around(choice)
    if n and not reading.add_special_tokens:
        printing.note(f"+{n} begin/end not counted (--add-special-tokens)")


def controls_note(controls: Controls, n_parsed: int | None, printing: Printing, *, label: str = "") -> None:
    """Says that control strings were read as text, and what the count is if they are parsed."""
    if not controls.n_strings:
        return
    where = f" in {plural(controls.n_texts, 'text')}" if label else ""
    parsed = (
        "--special parse reads them as control tokens"
        if n_parsed is None
        else f"parsed: {plural(n_parsed, 'token')} (--special parse)"
    )
    printing.note(f"{label}{plural(controls.n_strings, 'control string')}{where} read as text; {parsed}")


def forged_note(forged: Sequence[Forged], n_parsed: int, printing: Printing) -> None:
    """Says the same of one encoded text, with the strings."""
    if not forged:
        return
    tokens = ", ".join(visible(token) for token in dict.fromkeys(item.token for item in forged))
    printing.note(
        f"{plural(len(forged), 'control string')} read as text ({tokens}); "
        f"parsed: {plural(n_parsed, 'token')} (--special parse)"
    )


def chat_note(names: Sequence[str], printing: Printing) -> None:
    """Says that texts look like chat messages and were not counted as a model would read them."""
    if names:
        which = names[0] if len(names) == 1 else f"{len(names):,} files"
        verb = "looks" if len(names) == 1 else "look"
        printing.note(
            f"{which} {verb} like chat messages; counted as plain text, without a chat template (--chat)"
        )
