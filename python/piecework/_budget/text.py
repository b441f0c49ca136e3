"""A budget as a table, in text and for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from piecework._budget.line import ANSWER, FRAMING

if TYPE_CHECKING:
    from piecework._budget.budget import Budget
    from piecework._budget.line import Line

__all__ = ["budget_html", "budget_text", "table_rows"]


def table_rows(budget: Budget) -> list[tuple[str, str, str, str]]:
    """Name, tokens, share of the window and remarks of each line, then of the sums."""
    rows = [
        (line.name, f"{line.reserved_tokens:,}", _share(line.reserved_tokens, budget), _remark(line))
        for line in budget.lines
    ]
    rows.append(("planned", f"{budget.planned_tokens:,}", _share(budget.planned_tokens, budget), ""))
    rows.append(("window", f"{budget.window:,}", "", budget.window_source))
    left = ("left", f"{budget.left_tokens:,}") if budget.fits else ("over", f"{budget.over_tokens:,}")
    rows.append((*left, _share(abs(budget.left_tokens), budget), budget.basis))
    return rows


def budget_text(budget: Budget) -> str:
    """The table, then what frees most and the notes."""
    rows = table_rows(budget)
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    lines = [
        f"{name:{widths[0]}}  {tokens:>{widths[1]}}  {share:>{widths[2]}}  {remark}".rstrip()
        for name, tokens, share, remark in rows
    ]
    return "\n".join([*lines, *remarks(budget)])


def remarks(budget: Budget) -> list[str]:
    """What to say beside the table."""
    said = []
    frees = budget.frees_most
    if frees is not None:
        without = budget.left_tokens + frees.reserved_tokens
        left = f"{without:,} left" if without >= 0 else f"still {-without:,} over"
        said.append(f"{frees.name} frees most: without it {left}")
    said += [
        f"{line.name} alone is {line.reserved_tokens - budget.window:,} over the whole window"
        for line in budget.lines
        if line.reserved_tokens > budget.window
    ]
    longest = budget.max_input_tokens
    if longest is not None and longest < budget.window - (budget.planned_tokens - budget.input_tokens):
        said.append(f"the model reads at most {longest:,}, whatever room the window has")
    answer = next((line for line in budget.lines if line.name == ANSWER), None)
    limit = budget.max_output_tokens
    if answer is not None and limit is not None and answer.n_tokens > limit:
        said.append(
            f"the answer is planned {answer.n_tokens - limit:,} over the model's output limit of {limit:,}"
        )
    return [*said, *budget.notes]


def budget_html(budget: Budget) -> str:
    """The table as HTML."""
    cells = "".join(
        f"<tr><td>{escape(name)}</td><td style='text-align:right'>{tokens}</td>"
        f"<td style='text-align:right'>{share}</td><td>{escape(remark)}</td></tr>"
        for name, tokens, share, remark in table_rows(budget)
    )
    said = "".join(f"<div>{escape(line)}</div>" for line in remarks(budget))
    return f"<table><tr><th>line</th><th>tokens</th><th>of the window</th><th></th></tr>{cells}</table>{said}"


def _share(n_tokens: int, budget: Budget) -> str:
    return f"{n_tokens / budget.window:.1%}"


def _remark(line: Line) -> str:
    said = [] if line.n_items == 1 else [f"{line.n_items:,} items"]
    if line.name == FRAMING and line.basis == "lower-bound":
        said.append("lower-bound: no chat template, so not counted")
    elif line.basis != "exact":
        band = "" if line.reserved_tokens == line.n_tokens else f" of {line.n_tokens:,}, its upper end"
        said.append(f"{line.basis}{band}")
    return ", ".join(said)
