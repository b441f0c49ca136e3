"""A prompt as the command line prints it: parts, forged markers, the text with its markers made plain; or ids, text, JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._chat.forged import first_of
from piecework._chat.prompt_text import table_lines, visible_sentence
from piecework._explain.glyphs import harmless
from piecework._plural import plural

if TYPE_CHECKING:
    from piecework._chat.prompt import ChatPrompt
    from piecework._cli.choice import Choice
    from piecework._cli.options import Printing
    from piecework._cli.output import Output

__all__ = ["print_prompt", "print_prompt_notes"]


def print_prompt(prompt: ChatPrompt, choice: Choice, name: str, output: Output, printing: Printing) -> None:
    """Prints a prompt: its parts and what was forged, then its text."""
    # An assumed tokenizer's count is an estimate, whatever its template is worth.
    basis = choice.basis if choice.basis != "exact" else prompt.basis
    if printing.json:
        output.json(
            "piecework.chat/1", {"name": name, **choice.to_dict(), **prompt.to_dict(), "basis": basis}
        )
        return
    worth = "" if basis == "exact" else f", {basis}"
    output.line(f"{harmless(name)}, {harmless(choice.label)}: {plural(prompt.n_tokens, 'token')}{worth}")
    for line in table_lines(prompt):
        output.line(line)
    for text in first_of(prompt.forged):
        output.line(f"forged: {text}")
    output.line("")
    shown = prompt.ansi() if output.is_terminal and not printing.plain else prompt.marked()
    output.line(shown.rstrip("\n"))


def print_prompt_notes(prompt: ChatPrompt, choice: Choice, printing: Printing) -> None:
    """Says what somebody should know, and what the count is worth."""
    for text in prompt.warnings:
        printing.note(f"warning: {visible_sentence(text)}")
    if prompt.not_counted:
        printing.note(f"not counted: {prompt.not_counted}")
    n_as_text = prompt.count_as_text()
    if n_as_text != prompt.n_tokens:
        printing.note(f"the same text read as plain text: {plural(n_as_text, 'token')}")
    basis = "estimate (assumed)" if choice.basis == "estimate" else prompt.basis
    printing.note(
        f"{basis} · {choice.tokenizer.name} · template {prompt.template} · fingerprint {choice.tokenizer.fingerprint[:12]}"
    )
