"""How much of each source of a mix is taken, and which documents: decided by their content, not by order or chance."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from piecework.errors import TrainError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from piecework.train.mix_file import Mix

__all__ = ["N_BUCKETS", "Drawing", "Scale", "drawings", "mix_record"]

# Documents are told apart by two bytes of their hashes: what is taken misses its target by less than one bucket of these.
N_BUCKETS = 1 << 16
_PRECISE = Context(prec=50)


class Scale:
    """What a source weighs: its documents and their bytes, by the buckets that they hash to."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._key = hashlib.blake2b(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).digest()
        self.documents = array("Q", bytes(8 * N_BUCKETS))
        self.bytes = array("Q", bytes(8 * N_BUCKETS))

    def bucket(self, document: bytes) -> int:
        """The bucket of a document."""
        return int.from_bytes(hashlib.blake2b(document, digest_size=2, key=self._key).digest(), "big")

    def add(self, documents: Iterable[bytes]) -> None:
        """Weighs documents; empty ones weigh nothing and are not counted."""
        for document in documents:
            if document:
                bucket = self.bucket(document)
                self.documents[bucket] += 1
                self.bytes[bucket] += len(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What is taken of a source: each document `n_times`, and those of the first `n_buckets` once more.

    Attributes:
        n_times: How often every document is taken.
        n_buckets: The documents that hash to a bucket below it are taken once more.
    """

    n_times: int
    n_buckets: int

    def drawn(self, scale: Scale, documents: Sequence[bytes]) -> list[tuple[int, list[bytes]]]:
        """How often, and which documents; those that are not taken are left out."""
        if not self.n_buckets:
            return [(self.n_times, list(documents))] if self.n_times else []
        more: list[bytes] = []
        rest: list[bytes] = []
        for document in documents:
            (more if scale.bucket(document) < self.n_buckets else rest).append(document)
        taken = [(self.n_times + 1, more), (self.n_times, rest)]
        return [(n, some) for n, some in taken if n and some]


def drawings(mix: Mix, scales: Sequence[Scale]) -> tuple[list[Drawing], list[Fraction]]:
    """What is taken of each source, and the share of it that was asked for.

    Raises:
        TrainError: A source has no text, or the sources with `sample_bytes` leave nothing for the others.
    """
    sizes = [sum(scale.bytes) for scale in scales]
    for source, size in zip(mix.sources, sizes, strict=True):
        if not size:
            raise TrainError(f"the source {source.name!r} of the mix has no text")
    targets = _targets(mix, sizes)
    n_all = sum(targets)
    found = [
        _drawing(scale, size, target) for scale, size, target in zip(scales, sizes, targets, strict=True)
    ]
    return found, [target / n_all for target in targets]


def _targets(mix: Mix, sizes: Sequence[int]) -> list[Fraction]:
    """The bytes to take of each source."""
    fixed = {
        at: Fraction(source.sample_bytes)
        for at, source in enumerate(mix.sources)
        if source.sample_bytes is not None
    }
    parts = {
        at: Fraction(source.weight if source.weight is not None else _powered(sizes[at], mix.temperature))
        for at, source in enumerate(mix.sources)
        if at not in fixed
    }
    rest = Fraction(sum(sizes[at] for at in parts))
    if mix.sample_bytes is not None:
        rest = mix.sample_bytes - sum(fixed.values(), Fraction())
        if rest < 0 or (parts and not rest):
            raise TrainError(
                f"the mix takes {mix.sample_bytes:,} bytes in all, and its sources with sample_bytes take "
                f"{int(sum(fixed.values())):,} of them"
            )
    n_parts = sum(parts.values(), Fraction())
    return [fixed[at] if at in fixed else rest * parts[at] / n_parts for at in range(len(sizes))]


def _powered(size: int, temperature: Decimal) -> Decimal:
    """The size to the power of the temperature: decimal, so that every machine finds the same."""
    return _PRECISE.power(Decimal(size), temperature)


def _drawing(scale: Scale, size: int, target: Fraction) -> Drawing:
    n_times, left = divmod(int(target), size)
    n_buckets = 0
    while n_buckets < N_BUCKETS and scale.bytes[n_buckets] <= left:
        left -= scale.bytes[n_buckets]
        n_buckets += 1
    if n_buckets == N_BUCKETS or not any(scale.bytes[:n_buckets]):
        n_buckets = 0
    return Drawing(n_times=n_times, n_buckets=n_buckets)


def mix_record(
    mix: Mix, scales: Sequence[Scale], drawn: Sequence[Drawing], shares: Sequence[Fraction]
) -> Mapping[str, object]:
    """What was asked for and what is taken, exactly; sizes are bytes of texts as UTF-8."""
    sources = []
    for source, scale, drawing, share in zip(mix.sources, scales, drawn, shares, strict=True):
        n_documents, n_bytes = sum(scale.documents), sum(scale.bytes)
        sources.append(
            {
                "name": source.name,
                "n_files": len(source.files),
                "n_documents": n_documents,
                "n_bytes": n_bytes,
                "weight": None if source.weight is None else float(source.weight),
                "share": float(share),
                "n_times": drawing.n_times,
                "n_documents_taken": drawing.n_times * n_documents
                + sum(scale.documents[: drawing.n_buckets]),
                "n_bytes_taken": drawing.n_times * n_bytes + sum(scale.bytes[: drawing.n_buckets]),
                "n_buckets_more": drawing.n_buckets,
            }
        )
    return {
        "seed": mix.seed,
        "sample_bytes": mix.sample_bytes,
        "temperature": float(mix.temperature),
        "sources": sources,
    }
