"""What a scan found: each finding with its place and what to do, and how many there are in all."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SEVERITIES", "Finding", "Kind", "Scan", "Severity"]

Severity: TypeAlias = Literal["high", "medium", "low", "info"]
"""How much a finding matters: `high` can change what the model does, or hides text from a reader."""

SEVERITIES: Final[tuple[Severity, ...]] = ("high", "medium", "low", "info")
"""The most serious first."""

Kind: TypeAlias = Literal[
    "control-token",
    "normalized-control-token",
    "look-alike",
    "other-marker",
    "forbidden-phrase",
    "hidden-phrase",
    "bidi-control",
    "bidi-mark",
    "tag-characters",
    "variation-selectors",
    "invisible-characters",
    "byte-order-mark",
    "control-character",
    "mixed-scripts",
    "look-alike-word",
    "styled-letters",
]
"""What was found; docs/scan.md has a line on each."""


@dataclass(frozen=True, slots=True)
class Finding:
    r"""One thing that was found.

    Attributes:
        kind: What it is.
        severity: `"high"`, `"medium"`, `"low"` or `"info"`.
        byte_span: Where it stands, in bytes of the text as UTF-8.
        char_span: Where it stands, in characters.
        line: Its line, from 1; lines end with a line feed.
        column: Its first character's place in the line, from 1.
        text: What stands there, shortened, with what is not seen written out: `<|im\u{200B}_end|>`.
        names: The control token, marker or phrase that it is or resembles; None for other kinds.
        message: What is wrong.
        action: What to do about it.
    """

    kind: Kind
    severity: Severity
    byte_span: tuple[int, int]
    char_span: tuple[int, int]
    line: int
    column: int
    text: str
    names: str | None
    message: str
    action: str

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found in a text.

    Attributes:
        tokenizer: The tokenizer's name.
        n_chars: The text's length.
        findings: What was found, in the order of the text: at most `max_per_kind` of each kind and severity.
        n_of_kind: How many of each kind were found, those included that `findings` leaves out.
        n_of_severity: How many of each severity, likewise; all four are there.
    """

    tokenizer: str
    n_chars: int
    findings: tuple[Finding, ...]
    n_of_kind: Mapping[Kind, int]
    n_of_severity: Mapping[Severity, int]

    @property
    def n_findings(self) -> int:
        """How many findings there are, those included that `findings` leaves out."""
        return sum(self.n_of_severity.values())

    @property
    def severity(self) -> Severity | None:
        """The most serious severity among all; None where nothing was found."""
        return next((severity for severity in SEVERITIES if self.n_of_severity[severity]), None)

    def at_least(self, severity: Severity) -> int:
        """Returns how many findings are as serious as this, or more.

        Raises:
            ValueError: There is no such severity.
        """
        if severity not in SEVERITIES:
            raise ValueError(f"severity= takes one of {', '.join(SEVERITIES)}, not {severity!r}")
        return sum(self.n_of_severity[one] for one in SEVERITIES[: SEVERITIES.index(severity) + 1])

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {
            "tokenizer": self.tokenizer,
            "n_chars": self.n_chars,
            "severity": self.severity,
            "n_findings": self.n_findings,
            "n_of_kind": dict(self.n_of_kind),
            "n_of_severity": dict(self.n_of_severity),
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def __str__(self) -> str:
        if not self.findings:
            return f"nothing found in {self.n_chars:,} characters"
        rows = [("place", "severity", "kind", "text")]
        rows += [(f"{one.line}:{one.column}", one.severity, one.kind, one.text) for one in self.findings]
        widths = [max(len(row[at]) for row in rows) for at in range(3)]
        lines = []
        for at, row in enumerate(rows):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("  ".join([*cells, row[3]]).rstrip())
            if at:
                finding = self.findings[at - 1]
                lines.append(f"    {finding.message}; {finding.action}")
        return "\n".join([*lines, self.summary()])

    def summary(self) -> str:
        """Returns the numbers in one line: `3 findings: 2 high, 1 low`."""
        of_severity = [f"{n:,} {name}" for name in SEVERITIES if (n := self.n_of_severity[name])]
        noun = "finding" if self.n_findings == 1 else "findings"
        n_hidden = self.n_findings - len(self.findings)
        hidden = f" ({n_hidden:,} more of kinds that are shown)" if n_hidden else ""
        return f"{self.n_findings:,} {noun}{': ' if of_severity else ''}{', '.join(of_severity)}{hidden}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
