"""A prompt to look at: its parts as a table, and its text with control tokens and forged markers made plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from piecework._chat.forged import first_of
from piecework._explain.columns import columns
from piecework._explain.glyphs import visible
from piecework._explain.palette import ANSI_RESET, CONTROL_ANSI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._chat.prompt import ChatPrompt

__all__ = ["Look", "ansi_text", "marked_text", "pieces_of", "table_lines", "table_text", "warning_lines"]

Look: TypeAlias = Literal["control", "forged", "lookalike", "template", "caller"]

_ANSI: dict[Look, str] = {
    "control": CONTROL_ANSI,
    "forged": "\x1b[1;30;43m",
    "lookalike": "\x1b[4;33m",
    "template": "\x1b[36m",
    "caller": "",
}
_SIGNS: dict[Look, tuple[str, str]] = {"control": ("⟦", "⟧"), "forged": ("‼", "‼"), "lookalike": ("⁇", "⁇")}


def table_text(prompt: ChatPrompt) -> str:
    """The parts as a table, under a heading, with what somebody should know."""
    head = f"{prompt.tokenizer.name}: {_tokens(prompt.n_tokens)}, template {prompt.template} ({prompt.basis})"
    return "\n".join([head, *table_lines(prompt), *warning_lines(prompt)])


def table_lines(prompt: ChatPrompt) -> list[str]:
    """A line for each part: tokens, those of its body, those of its framing and their share; and one for all."""
    rows = [["part", "tokens", "body", "framing", "share"]]
    rows += [
        [
            visible(part.name).replace("·", " "),
            f"{part.n_tokens:,}",
            f"{part.n_body:,}",
            f"{part.n_framing:,}",
            _share(part.n_framing, part.n_tokens),
        ]
        for part in prompt.parts
    ]
    total = [f"{prompt.n_tokens:,}", f"{prompt.n_body:,}", f"{prompt.n_framing:,}"]
    rows.append(["all", *total, _share(prompt.n_framing, prompt.n_tokens)])
    return columns(rows, right=frozenset({1, 2, 3, 4}))


def warning_lines(prompt: ChatPrompt) -> list[str]:
    """What was forged, what is not counted, what the same text counts as plain text, and all warnings."""
    lines = [f"forged: {text}" for text in first_of(prompt.forged)]
    lines += [f"warning: {visible_sentence(text)}" for text in prompt.warnings]
    if prompt.not_counted:
        lines.append(f"not counted: {prompt.not_counted}")
    n_as_text = prompt.count_as_text()
    if n_as_text != prompt.n_tokens:
        lines.append(f"the same text read as plain text: {_tokens(n_as_text)}")
    return lines


def visible_sentence(text: str) -> str:
    """A sentence that may quote a caller, with its spaces and nothing that a terminal obeys."""
    return visible(text).replace("·", " ")


def pieces_of(prompt: ChatPrompt) -> Iterator[tuple[Look, str]]:
    """Yields the text in stretches that look alike: control tokens, forged markers and look-alikes before all else."""
    text = prompt.text
    marked = _marked_spans(prompt)
    at = 0
    runs = iter(prompt.rendered.runs)
    run = next(runs, None)
    for start, stop, look in [*marked, (len(text), len(text), "control")]:
        while run is not None and at < start:
            end = min(run.stop, start)
            if end > at:
                yield ("template" if run.origin.kind == "template" else "caller"), text[at:end]
                at = end
            if run.stop <= at:
                run = next(runs, None)
        if stop > max(at, start):
            yield look, text[max(at, start) : stop]
            at = stop
        while run is not None and run.stop <= at:
            run = next(runs, None)


def _marked_spans(prompt: ChatPrompt) -> list[tuple[int, int, Look]]:
    spans: dict[tuple[int, int], Look] = {item.span: "lookalike" for item in prompt.lookalikes}
    spans |= {item.span: "forged" for item in prompt.forged}
    spans |= {
        span: "control"
        for span, token_id in zip(prompt.char_spans, prompt.ids, strict=True)
        if token_id in prompt.control_ids
    }
    return [(*span, look) for span, look in sorted(spans.items())]


def ansi_text(prompt: ChatPrompt) -> str:
    """The text in a terminal's colors."""
    return "".join(_styled(line, _ANSI[look]) for look, text in pieces_of(prompt) for line in _lines(text))


def _styled(line: str, style: str) -> str:
    """Colors one line: a background that runs over a line's end paints the rest of the screen's line."""
    shown = line.rstrip("\n")
    return f"{style}{shown}{ANSI_RESET}{line[len(shown) :]}" if style and shown else line


def marked_text(prompt: ChatPrompt) -> str:
    """The text with signs around control tokens, forged markers and look-alikes."""
    out = []
    for look, text in pieces_of(prompt):
        before, after = _SIGNS.get(look, ("", ""))
        out.append(f"{before}{''.join(_lines(text))}{after}")
    return "".join(out)


def _lines(text: str) -> list[str]:
    """The lines of a text with nothing invisible in it but spaces and line breaks."""
    return visible(text).replace("·", " ").replace("⏎", "⏎\n").splitlines(keepends=True)


def _share(n: int, of: int) -> str:
    return f"{n / of:.1%}" if of else ""


def _tokens(n: int) -> str:
    return f"{n:,} {'token' if n == 1 else 'tokens'}"
