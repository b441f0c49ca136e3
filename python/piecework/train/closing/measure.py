"""The figures of held-out text: tokens of each unit, their sums, and what a paired bootstrap says of their ratio."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from piecework._files.unknown import unknown_id
from piecework._measure.bootstrap import Interval, percentile, resampled_sums
from piecework.errors import EncodeError
from piecework.train.closing.figures import Domain, RivalFigures
from piecework.train.sources.groups import groups

if TYPE_CHECKING:
    from piecework._measure.subjects import Subject
    from piecework._types import Errors
    from piecework.train.closing.figures import Verdict
    from piecework.train.closing.held_out import HeldOutText, UnitKind

__all__ = ["Counted", "Resampling", "counted", "domain_figures"]

# Ids of so much text are held at a time.
_BATCH_CHARS = 1 << 22
# Drawing is a loop in Python: a domain of more units is resampled in so many blocks of neighbors.
_MAX_BLOCKS = 1_000


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: the number of resamples, the seed, and the share of them inside."""

    n_resamples: int
    seed: int
    level: float


@dataclass(frozen=True, slots=True)
class Counted:
    """What one tokenizer makes of one domain.

    Attributes:
        tokens: Tokens of each unit.
        n_unknown: Unknown tokens.
        ids: How often each id occurs; empty where nobody asked for it.
    """

    tokens: list[int]
    n_unknown: int
    ids: Counter[int]


def counted(
    subject: Subject, domain: HeldOutText, *, wants_ids: bool, errors: Errors, n_threads: int | None
) -> Counted:
    """Encodes the units of a domain, control tokens in them as text.

    Args:
        subject: The tokenizer.
        domain: The domain.
        wants_ids: Whether it is told how often each id occurs.
        errors: What becomes of broken Unicode.
        n_threads: Threads that encode; None for all processors.

    Raises:
        EncodeError: A unit cannot be encoded; the message names it.
        NotUnicodeError: A unit is not Unicode.
    """
    native = subject.native
    unknown = unknown_id(native)
    tokens: list[int] = []
    ids: Counter[int] = Counter()
    for units in groups(domain.units, _BATCH_CHARS):
        try:
            if wants_ids or unknown is not None:
                batch = native.encode_batch(units, "text", False, errors, n_threads)  # noqa: FBT003 - native
                tokens += [end - start for start, end in pairwise(batch.offsets)]
                ids.update(batch.ids)
            else:
                tokens += native.count_batch(units, "text", False, errors, n_threads)  # noqa: FBT003 - native
        except EncodeError as error:
            raise _named(error, subject, domain, errors, len(tokens)) from None
    return Counted(tokens, 0 if unknown is None else ids[unknown], ids)


def _named(
    error: EncodeError, subject: Subject, domain: HeldOutText, errors: Errors, start: int
) -> EncodeError:
    """The error of the unit that it is about: a batch does not know it."""
    for at, unit in enumerate(domain.units[start:], start + 1):
        try:
            subject.native.count(unit, "text", False, errors)
        except EncodeError as found:
            message = f"{subject.name}, {domain.kind} {at:,} of held_out[{domain.name!r}]: {found.message}"
            return type(found)(message, hint=found.hint, **found.fields())
    return error


def domain_figures(
    domains: Sequence[HeldOutText],
    counts: Sequence[Sequence[Counted]],
    names: Sequence[str],
    resampling: Resampling,
) -> tuple[tuple[Domain, ...], Domain]:
    """Puts counts together.

    Args:
        domains: The held-out texts.
        counts: For each its counts: ours first, then the rivals'.
        names: The rivals' names.
        resampling: How intervals are made.

    Returns:
        The figures of each domain, and of all together: each resample draws the units of each domain from that domain.

    Complexity: O(units + blocks · n_resamples) for each domain and tokenizer.
    """
    sums = [_sums(domain, of_domain, resampling) for domain, of_domain in zip(domains, counts, strict=True)]
    found = tuple(
        _figures(domain.name, domain.kind, one, names, resampling)
        for domain, one in zip(domains, sums, strict=True)
    )
    return found, _figures("all", "unit", _together(sums), names, resampling)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of a domain, for each tokenizer: ours first."""

    n_bytes: int
    n_chars: int
    n_units: int
    n_blocks: int
    n_tokens: list[int]
    n_unknown: list[int]
    drawn: list[list[int]]
    """Tokens of each resample; no resamples where there are too few units."""


def _sums(domain: HeldOutText, counts: Sequence[Counted], resampling: Resampling) -> _Sums:
    columns = [_blocks(one.tokens) for one in counts]
    # Seeded by the domain's name: it draws the same whatever other domains there are.
    seed = hashlib.sha256(f"{resampling.seed} {domain.name}".encode("utf-8", "surrogatepass")).digest()[:8]
    drawn = resampled_sums(columns, n_resamples=resampling.n_resamples, seed=int.from_bytes(seed))
    return _Sums(
        n_bytes=domain.n_bytes,
        n_chars=sum(map(len, domain.units)),
        n_units=len(domain.units),
        n_blocks=len(columns[0]),
        n_tokens=[sum(column) for column in columns],
        n_unknown=[one.n_unknown for one in counts],
        drawn=drawn,
    )


def _blocks(tokens: Sequence[int]) -> list[int]:
    """Tokens of units, or of blocks of neighbors where there are many; the blocks' lengths differ by a unit at most."""
    n = len(tokens)
    if n <= _MAX_BLOCKS:
        return list(tokens)
    cuts = [at * n // _MAX_BLOCKS for at in range(_MAX_BLOCKS + 1)]
    return [sum(tokens[start:end]) for start, end in pairwise(cuts)]


def _together(sums: Sequence[_Sums]) -> _Sums:
    n_columns = range(len(sums[0].n_tokens))
    n_resamples = max(len(one.drawn[0]) for one in sums)
    return _Sums(
        n_bytes=sum(one.n_bytes for one in sums),
        n_chars=sum(one.n_chars for one in sums),
        n_units=sum(one.n_units for one in sums),
        n_blocks=sum(one.n_blocks for one in sums),
        n_tokens=[sum(one.n_tokens[at] for one in sums) for at in n_columns],
        n_unknown=[sum(one.n_unknown[at] for one in sums) for at in n_columns],
        drawn=[
            [sum(row) for row in zip(*(_drawn(one, at, n_resamples) for one in sums), strict=True)]
            for at in n_columns
        ],
    )


def _drawn(sums: _Sums, at: int, n_resamples: int) -> list[int]:
    """The resamples of a tokenizer; a single unit has none and stays as it is."""
    return sums.drawn[at] or [sums.n_tokens[at]] * n_resamples


def _figures(
    name: str, unit: UnitKind | Literal["unit"], sums: _Sums, names: Sequence[str], resampling: Resampling
) -> Domain:
    ratios = [
        _ratio(sums.n_tokens[at], sums.n_tokens[0], sums.drawn[at], sums.drawn[0], resampling.level)
        for at in range(1, len(names) + 1)
    ]
    return Domain(
        name=name,
        n_bytes=sums.n_bytes,
        n_chars=sums.n_chars,
        n_units=sums.n_units,
        unit=unit,
        n_blocks=sums.n_blocks,
        n_tokens=sums.n_tokens[0],
        n_unknown=sums.n_unknown[0],
        bytes_per_token=_per_token(sums.n_bytes, sums.n_tokens[0]),
        rivals=tuple(
            RivalFigures(
                name=rival,
                n_tokens=sums.n_tokens[at],
                n_unknown=sums.n_unknown[at],
                bytes_per_token=_per_token(sums.n_bytes, sums.n_tokens[at]),
                ratio=ratio,
                verdict=_verdict(ratio),
            )
            for at, (rival, ratio) in enumerate(zip(names, ratios, strict=True), 1)
        ),
    )


def _per_token(n_bytes: int, n_tokens: int) -> float | None:
    return n_bytes / n_tokens if n_tokens else None


def _ratio(
    n_rival: int, n_own: int, drawn_rival: Sequence[int], drawn_own: Sequence[int], level: float
) -> Interval | None:
    """Our bytes per token over the rival's: the bytes are the same, so it is the rival's tokens over ours."""
    if not n_own or not n_rival:
        return None
    ratios = sorted(rival / own for rival, own in zip(drawn_rival, drawn_own, strict=True) if own)
    if not ratios:
        return Interval(n_rival / n_own)
    tail = (1 - level) / 2
    return Interval(n_rival / n_own, percentile(ratios, tail), percentile(ratios, 1 - tail))


def _verdict(ratio: Interval | None) -> Verdict:
    if ratio is None or ratio.low is None or ratio.high is None:
        return "too few units"
    return "better" if ratio.low > 1 else "worse" if ratio.high < 1 else "no difference seen"
