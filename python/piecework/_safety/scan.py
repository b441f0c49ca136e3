"""The scan: every detector over one text, in one result."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from piecework._safety.bidi import bidi_controls
from piecework._safety.collect import Hit, collect
from piecework._safety.invisible import control_characters, invisible
from piecework._safety.markers import controls, lookalikes, normalized_controls, other_markers
from piecework._safety.normalized import Normalized
from piecework._safety.scripts import mixed_scripts, styled_letters
from piecework._safety.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from piecework._safety.finding import Scan
    from piecework._safety.phrases import Phrases
    from piecework._safety.subject import Subject

__all__ = ["scan"]


def scan(text: str, subject: Subject, *, phrases: Phrases, max_per_kind: int) -> Scan:
    """Returns what in a text could deceive a reader, a filter or the model.

    Args:
        text: The text, without lone surrogates.
        subject: Its tokenizer.
        phrases: What it must not hold.
        max_per_kind: How many findings of each kind and severity to keep; all are counted.

    Complexity: O(n_chars), whatever the text is.
    """
    normalized = None if subject.stages is None else Normalized(text, subject.stages(text))
    if normalized is not None and normalized.text == text:
        normalized = None
    hits = chain(
        _markers(text, subject, normalized),
        phrases.find(text, normalized, subject.name),
        bidi_controls(text),
        invisible(text),
        control_characters(text),
        mixed_scripts(text),
        styled_letters(text),
    )
    return collect(hits, text, subject.name, max_per_kind)


def _markers(text: str, subject: Subject, normalized: Normalized | None) -> Iterator[Hit]:
    """Markers, each once: what the tokenizer finds itself, then what its normalizer spells, then what looks like one."""
    certain = list(controls(text, subject))
    if normalized is not None:
        certain += _apart(normalized_controls(text, subject, normalized), certain)
    yield from certain
    yield from _apart(lookalikes(text, subject), certain)
    yield from _apart(other_markers(text, subject), certain)


def _apart(hits: Iterable[Hit], others: list[Hit]) -> Iterator[Hit]:
    taken = Spans(hit.span for hit in others)
    return (hit for hit in hits if not taken.touch(hit.span))
