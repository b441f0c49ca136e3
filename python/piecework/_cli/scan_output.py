"""What `scan` prints: a table of findings, GitHub's annotations, or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._cli.annotations import annotation
from piecework._safety import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._safety import Finding, Scan, Severity

__all__ = ["Scanned", "github_lines", "n_of_severity", "numbers", "table_lines"]

# GitHub shows three levels.
_LEVEL_OF: dict[Severity, str] = {"high": "error", "medium": "warning", "low": "notice", "info": "notice"}


class Scanned(NamedTuple):
    """One text and what was found in it.

    Attributes:
        name: Its name.
        scan: The result.
    """

    name: str
    scan: Scan

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {"name": self.name, **self.scan.to_dict()}


def n_of_severity(texts: Sequence[Scanned]) -> dict[Severity, int]:
    """Returns the findings of all texts by severity."""
    return {one: sum(text.scan.n_of_severity[one] for text in texts) for one in SEVERITIES}


def numbers(texts: Sequence[Scanned]) -> str:
    """Returns how much was found in how many texts, in one line."""
    found = n_of_severity(texts)
    n = sum(found.values())
    named = ", ".join(f"{n_one:,} {severity}" for severity, n_one in found.items() if n_one)
    noun = "finding" if n == 1 else "findings"
    where = "text" if len(texts) == 1 else "texts"
    return f"{n:,} {noun} in {len(texts):,} {where}{': ' if named else ''}{named}"


def table_lines(texts: Sequence[Scanned]) -> Iterator[str]:
    """Yields the table: a line for each finding, and one below it that says what to do."""
    rows = [(f"{text.name}:{one.line}:{one.column}", one) for text in texts for one in text.scan.findings]
    if not rows:
        yield from ["nothing found"] if texts else []
        return
    places = max(len("place"), *(len(place) for place, _ in rows))
    kinds = max(len("kind"), *(len(finding.kind) for _, finding in rows))
    yield f"{'place':{places}}  severity  {'kind':{kinds}}  text"
    for place, one in rows:
        yield f"{place:{places}}  {one.severity:8}  {one.kind:{kinds}}  {one.text}".rstrip()
        yield f"    {one.message}; {one.action}"
    n_hidden = sum(text.scan.n_findings - len(text.scan.findings) for text in texts)
    if n_hidden:
        yield f"... and {n_hidden:,} more of the same kinds (--max-per-kind)"


def github_lines(texts: Sequence[Scanned]) -> Iterator[str]:
    """Yields workflow commands that GitHub shows beside the lines of a change."""
    for text in texts:
        for one in text.scan.findings:
            yield _annotation(text.name, one)


def _annotation(name: str, one: Finding) -> str:
    return annotation(
        _LEVEL_OF[one.severity],
        f"{one.text}: {one.message}; {one.action}",
        file=name,
        title=f"{one.kind} ({one.severity})",
        line=one.line,
        column=one.column,
    )
