"""Gathers what the detectors yield: counts all, keeps a bounded number of each kind and severity, and places them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from piecework._safety.finding import SEVERITIES, Finding, Kind, Scan, Severity
from piecework._safety.skeleton import is_invisible

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ACTIONS", "Hit", "collect", "visible"]

ACTIONS: Final[dict[Kind, str]] = {
    "control-token": 'encode it with special="text", or with `chat`, which trusts the template alone',
    "normalized-control-token": "normalize before filtering, and do not encode decoded text with control tokens on",
    "look-alike": "remove it, or quote it as data",
    "other-marker": "harmless to this tokenizer; remove it if the text also goes to that family",
    "forbidden-phrase": "refuse or review the text",
    "hidden-phrase": "refuse the text, and let the filter see it as it is read here",
    "bidi-control": "remove it: a reader sees another order than the model",
    "bidi-mark": "remove it where the text has no script written from right to left",
    "tag-characters": "remove them",
    "variation-selectors": "remove them",
    "invisible-characters": "remove them",
    "byte-order-mark": "remove it: it costs tokens",
    "control-character": "remove it",
    "mixed-scripts": "check the word: a filter does not see it as a reader does",
    "look-alike-word": "check the word: a filter does not see it as a reader does",
    "styled-letters": "apply NFKC before filtering",
}

_SHOWN_CHARS = 64
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)


class Hit(NamedTuple):
    """What a detector yields.

    Attributes:
        kind: What it is.
        severity: How much it matters.
        span: Where, in characters.
        message: What is wrong.
        names: The token, marker or phrase in question.
    """

    kind: Kind
    severity: Severity
    span: tuple[int, int]
    message: str
    names: str | None = None


def collect(hits: Iterable[Hit], text: str, tokenizer: str, max_per_kind: int) -> Scan:
    """Returns the result of a scan: every hit counted, and at most `max_per_kind` of each kind and severity kept.

    Complexity: O(n_hits + n_chars); memory for what is kept.
    """
    n_of: Counter[tuple[Kind, Severity]] = Counter()
    kept = []
    for hit in hits:
        sort = (hit.kind, hit.severity)
        n_of[sort] += 1
        if n_of[sort] <= max_per_kind:
            kept.append(hit)
    n_of_kind: Counter[Kind] = Counter()
    n_of_severity: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
    for (kind, severity), n in n_of.items():
        n_of_kind[kind] += n
        n_of_severity[severity] += n
    kept.sort(key=lambda hit: (hit.span, SEVERITIES.index(hit.severity)))
    return Scan(
        tokenizer, len(text), tuple(_placed(kept, text)), dict(sorted(n_of_kind.items())), n_of_severity
    )


def _placed(hits: list[Hit], text: str) -> Iterable[Finding]:
    """Findings with their places in bytes and lines, in one pass over the text, since hits are in its order."""
    at = at_bytes = 0
    line = 1
    for hit in hits:
        start, end = hit.span
        passed = text[at:start]
        at_bytes += len(passed.encode("utf-8", "surrogatepass"))
        line += passed.count("\n")
        at = start
        n_bytes = len(text[start:end].encode("utf-8", "surrogatepass"))
        yield Finding(
            kind=hit.kind,
            severity=hit.severity,
            byte_span=(at_bytes, at_bytes + n_bytes),
            char_span=hit.span,
            line=line,
            column=start - text.rfind("\n", 0, start),
            text=visible(text[start:end]),
            names=hit.names,
            message=hit.message,
            action=ACTIONS[hit.kind],
        )


def visible(text: str) -> str:
    r"""Returns a short text with what is not seen written out, and long runs of one character counted.

    Examples:
        >>> print(visible("a\u200bb" + "\u2060" * 500))
        a\u{200B}b\u{2060}×500
    """
    short = _RUN.sub(_counted, text[: 1 << 12])
    shown = "".join(char if _is_shown(char) else f"\\u{{{ord(char):04X}}}" for char in short[:_SHOWN_CHARS])
    shown = shown.replace("\x00", "×")
    return f"{shown}…" if len(short) > _SHOWN_CHARS or len(text) > 1 << 12 else shown


def _counted(run: re.Match[str]) -> str:
    if _is_shown(run[1]):
        return run[0]
    return f"{run[1]}×{len(run[0])}"


def _is_shown(char: str) -> bool:
    return char == " " or (char.isprintable() and not is_invisible(char))
