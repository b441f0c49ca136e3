"""Texts to compare on: each language or kind of content with its rows; aligned where row i means the same in all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._measure.arguments import check_keys
from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._measure.columns import LeftOut

__all__ = ["SampleText", "Samples", "check_aligned", "listed", "sample_from_mapping"]

_LISTED = 20
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class SampleText:
    """The rows of one language, or of one kind of content.

    Attributes:
        key: Its short name; for a language a BCP 47 tag.
        name: Its English name, or the key where none is known.
        rows: Its rows, in order.
        script: The ISO 15924 code of what it is written with; None where that is not known.
        is_parallel: Whether row i means the same as row i of the other parallel texts.
    """

    key: str
    name: str
    rows: tuple[str, ...]
    script: str | None = None
    is_parallel: bool = True


@dataclass(frozen=True, slots=True)
class Samples:
    """Several texts from one source.

    Attributes:
        source: Where they come from.
        texts: The texts, in order; their keys differ.
        label: How far they can be trusted; None where the caller knows.
        left_out: Columns of a table that are not among them.
    """

    source: str
    texts: tuple[SampleText, ...]
    label: str | None = None
    left_out: tuple[LeftOut, ...] = ()

    @property
    def is_aligned(self) -> bool:
        """Whether at least two texts say the same in each row."""
        return sum(text.is_parallel for text in self.texts) > 1

    @property
    def sha256(self) -> str:
        """The SHA-256 of all keys and rows, in order, as hexadecimal digits."""
        digest = hashlib.sha256()
        for text in self.texts:
            for part in (text.key, *text.rows):
                data = part.encode("utf-8", "surrogatepass")
                # The length first: rows may hold any character, so that none could separate them.
                digest.update(len(data).to_bytes(8, "big") + data)
            digest.update(b"\xff" * 8)
        return digest.hexdigest()


def check_aligned(samples: Samples) -> Samples:
    """Returns samples whose parallel texts have equally many rows.

    Raises:
        InputError: They do not, so that row i cannot mean the same in each.
    """
    counts = {text.key: len(text.rows) for text in samples.texts if text.is_parallel}
    if len(set(counts.values())) > 1:
        found = listed([f"{key} {n:,}" for key, n in sorted(counts.items(), key=lambda item: item[1])])
        raise InputError(
            f"{samples.source}: aligned texts have equally many rows, these have {found}",
            path=samples.source,
            reason="not aligned",
            hint="one sentence a line in each file, an empty line where one is missing",
        )
    return samples


def listed(names: Sequence[str]) -> str:
    """Names for a message: the first of them, and how many more there are.

    Examples:
        >>> listed(["en", "hi"]), listed(["x"] * 22)[-15:]
        ('en, hi', 'x, x and 2 more')
    """
    n_more = len(names) - _LISTED
    short = (name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…" for name in names[:_LISTED])
    return ", ".join(short) + (f" and {n_more:,} more" if n_more > 0 else "")


def sample_from_mapping(texts: Mapping[str, str | Sequence[str]], *, source: str = "given") -> Samples:
    """Samples from a mapping: a list of rows is one side of aligned texts, a str is a text by itself.

    Raises:
        TypeError: A value is neither, or a key no str.
        ValueError: There are no texts.
        InputError: Lists differ in length.

    Examples:
        >>> sample_from_mapping({"en": ["Hello"], "fr": ["Bonjour"]}).is_aligned
        True
    """
    if not texts:
        raise ValueError("there are no samples to compare on")
    check_keys("samples", list(texts))
    return check_aligned(Samples(source, tuple(_text(key, value) for key, value in texts.items())))


def _text(key: str, value: object) -> SampleText:
    if isinstance(value, str):
        return SampleText(key, key, (value,), is_parallel=False)
    rows = tuple(value) if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray) else ()
    if not rows or not all(isinstance(row, str) for row in rows):
        raise TypeError(f"the sample {key!r} is a str, or a list of at least one str")
    return SampleText(key, key, rows)
