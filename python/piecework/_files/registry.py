"""From a name to a bundled encoding: encodings by their own names, models by one table with a source and a date a row.

A name that the table lacks is an error with close matches and never a guess: a wrong count is worse than none.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from piecework.errors import UnknownTokenizerError

__all__ = ["ENCODINGS", "SERVED_HINT", "ModelRow", "model_rows", "packs", "resolve"]

_TABLE = Path(__file__).parent.parent / "_data" / "models.tsv"

# Each bundled encoding, and the one whose tokens it builds on: their packs are read together.
_BASES: dict[str, str | None] = {
    "r50k_base": None,
    "p50k_base": "r50k_base",
    "p50k_edit": "p50k_base",
    "cl100k_base": None,
    "o200k_base": None,
    "o200k_harmony": "o200k_base",
    "qwen3": "cl100k_base",
    "bert-base-uncased": None,
    "t5": None,
}

ENCODINGS = tuple(_BASES)
"""The bundled encodings, oldest first."""

# A snapshot date: it names a state of the model, and no model has changed its tokenizer between two.
_SNAPSHOT = r"-20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$"

# Models that can be fine-tuned, as the reference has them; `ft:gpt-4o-mini:some-company::id` reads as its base does.
_TUNABLE = ("gpt-4o", "gpt-4", "gpt-3.5-turbo", "davinci-002", "babbage-002")


# Models of which only counts are known.
_SERVED = r"(?i:claude|gemini|anthropic|google/gemini)(?:[-./]|$)"
SERVED_HINT = (
    "no tokenizer of Claude's or Gemini's is published; `piecework count` and piecework.count estimate, by names such as "
    "claude-opus-4-7 and gemini-2.5-pro"
)
"""What to do about a Claude or a Gemini where a tokenizer is asked for."""


class ModelRow(NamedTuple):
    """One row of the table.

    Attributes:
        name: The model's name, or a repository's whole id.
        encoding: The encoding it reads with.
        source: Where that is said.
        checked: When it was checked, as YYYY-MM-DD.
    """

    name: str
    encoding: str
    source: str
    checked: str


@cache
def model_rows() -> tuple[ModelRow, ...]:
    """The table of models, in its own order."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return tuple(ModelRow(*line.split("\t")) for line in lines if line and not line.startswith("#"))


def resolve(name: str) -> str:
    """Names the bundled encoding that a model reads with.

    Args:
        name: An encoding (`o200k_base`), a model (`gpt-4o`, with or without a snapshot date), a fine-tuned model
            (`ft:gpt-4o-mini:company::id`), or a listed repository (`Qwen/Qwen3-8B`).

    Returns:
        One of `ENCODINGS`.

    Raises:
        UnknownTokenizerError: The name is not known; `close_matches` has up to three that are like it.

    Examples:
        >>> resolve("gpt-4o-2024-08-06"), resolve("gpt2"), resolve("ft:gpt-3.5-turbo:acme::7p4lURel")
        ('o200k_base', 'r50k_base', 'cl100k_base')
        >>> resolve("gpt-4o-min")
        Traceback (most recent call last):
        piecework.errors.UnknownTokenizerError: no tokenizer is known by the name 'gpt-4o-min'
        hint: close names are gpt-4o-mini, gpt-5.4-mini, gpt-4.1-mini
    """
    found = name if name in _BASES else _of_model(name)
    if found is None:
        raise _unknown(name)
    return found


def packs(encoding: str) -> tuple[str, ...]:
    """Names the packs that make up a bundled encoding, each after the one that it builds on.

    Examples:
        >>> packs("p50k_edit")
        ('r50k_base', 'p50k_base', 'p50k_edit')
    """
    base = _BASES[encoding]
    return (encoding,) if base is None else (*packs(base), encoding)


@cache
def _encodings_by_model() -> dict[str, str]:
    return {row.name: row.encoding for row in model_rows()}


def _of_model(name: str) -> str | None:
    table = _encodings_by_model()
    base = name
    if name.startswith("ft:"):
        base = name.removeprefix("ft:").partition(":")[0]
        if not base.startswith(_TUNABLE):
            return None
    # Most names have no date, and to compile a pattern takes longer than all the rest of this.
    if "-20" in base and "/" not in base:
        base = re.sub(_SNAPSHOT, "", base)
    return table.get(base)


def _unknown(name: str) -> UnknownTokenizerError:
    # Imported only where something is wrong: it costs more than the lookup.
    from difflib import get_close_matches  # noqa: PLC0415

    if re.match(_SERVED, name):
        return UnknownTokenizerError(
            f"no tokenizer is known by the name {name!r}", name=name, close_matches=(), hint=SERVED_HINT
        )
    known = {known.casefold(): known for known in (*_encodings_by_model(), *ENCODINGS)}
    close = tuple(known[match] for match in get_close_matches(name.casefold(), known, n=3, cutoff=0.6))
    return UnknownTokenizerError(
        f"no tokenizer is known by the name {name!r}",
        name=name,
        close_matches=close,
        hint=f"close names are {', '.join(close)}"
        if close
        else "`piecework models` lists the names that are known",
    )
