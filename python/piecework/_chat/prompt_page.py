"""A prompt in a notebook: its parts as a table and its text in colors, without a script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from piecework._chat.prompt_text import pieces_of, warning_lines
from piecework._explain.glyphs import harmless
from piecework._explain.palette import CONTROL_CSS, FORGED_CSS

if TYPE_CHECKING:
    from piecework._chat.prompt import ChatPrompt
    from piecework._chat.prompt_text import Look

__all__ = ["prompt_html"]

# A cell with more text than this only makes the page slow.
_MAX_CHARS = 20_000
_CSS: dict[Look, str] = {
    "control": f"{CONTROL_CSS};border-radius:3px",
    "forged": f"background:#ffe08a;color:#000{FORGED_CSS}",
    "lookalike": "border-bottom:2px dotted #b07000",
    "template": "color:#00767a",
    "caller": "",
}


def prompt_html(prompt: ChatPrompt) -> str:
    """The table of parts, the text, and what somebody should know."""
    rows = "".join(
        f"<tr><td style='text-align:left'>{escape(harmless(part.name))}</td><td>{part.n_tokens:,}</td>"
        f"<td>{part.n_body:,}</td><td>{part.n_framing:,}</td></tr>"
        for part in prompt.parts
    )
    head = (
        f"<div><b>{prompt.n_tokens:,}</b> {'token' if prompt.n_tokens == 1 else 'tokens'} · "
        f"{escape(harmless(prompt.tokenizer.name))} · template {escape(harmless(prompt.template))} · {prompt.basis}</div>"
    )
    notes = "".join(f"<div>{escape(line)}</div>" for line in warning_lines(prompt))
    table = f"<table><tr><th>part</th><th>tokens</th><th>body</th><th>framing</th></tr>{rows}</table>"
    style = "font-family:monospace;white-space:pre-wrap;line-height:1.6"
    return f'<div>{head}{table}<div style="{style}">{_text(prompt)}</div>{notes}</div>'


def _text(prompt: ChatPrompt) -> str:
    out: list[str] = []
    n_left = _MAX_CHARS
    for look, text in pieces_of(prompt):
        if n_left <= 0:
            out.append(f"<div>… and {len(prompt.text) - _MAX_CHARS:,} more characters</div>")
            break
        shown = "\n".join(harmless(line) for line in text[:n_left].split("\n"))
        out.append(f'<span style="{_CSS[look]}">{escape(shown)}</span>' if _CSS[look] else escape(shown))
        n_left -= len(text)
    return "".join(out)
