"""A trace for a notebook: the stages and reasons as text, each pretoken's picture inline; no JavaScript."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from piecework._explain.stages_text import render_stages
from piecework._explain.trace_svg import picture_svg
from piecework._explain.trace_text import heading, left_out, reason_lines, stop_text, token_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._explain.trace import Trace

__all__ = ["trace_html"]


def trace_html(trace: Trace, chosen: Sequence[int]) -> str:
    """Returns the chosen pretokens as HTML, each in a part that opens and closes by itself."""
    parts = [_pre(render_stages(trace.stages, max_pretokens=max(20, len(chosen))))]
    for at in chosen:
        reasons = trace.why[at]
        name, *cut = heading(trace, at)
        lines = [*cut, *reason_lines(trace, reasons), *stop_text(reasons)]
        lines.append(token_line(trace, reasons.tokens))
        inner = picture_svg(trace, reasons) + _pre("\n".join(lines))
        parts.append(f"<details open><summary><code>{escape(name)}</code></summary>{inner}</details>")
    parts += [f"<p>{escape(line)}</p>" for line in left_out(trace, chosen)]
    return "".join(parts)


def _pre(text: str) -> str:
    return f'<pre style="line-height:1.5">{escape(text)}</pre>'
