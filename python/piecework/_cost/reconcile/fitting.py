"""Which tokenizer explains bills best, and what a request and a message add: least squares on a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import fmean, linear_regression
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "CLOSER",
    "IS_OWN",
    "Fit",
    "Sample",
    "as_good",
    "best_fits",
    "fit",
    "fit_with_ratio",
    "shares_of_unseen",
    "varies",
]

# A fit this close, as a share of what was billed, is the model's own tokenizer: what is left is rounding.
IS_OWN = 0.005
# Another tokenizer must be this much closer before the model's own is doubted.
CLOSER = 3.0
# Fits within this factor and so many tokens a request are equally good.
_ALIKE, _ALIKE_TOKENS = 1.5, 0.05
# So many requests, or fewer, are left out one by one where the band is measured.
_FEW = 200
# Lengths that differ by less than this share of their mean do not say what a token costs.
_VARIES = 0.05


@dataclass(frozen=True, slots=True)
class Sample:
    """One request as a fit sees it.

    Attributes:
        billed: What was billed.
        n_messages: Its messages.
        n_tokens: The local count of its texts.
    """

    billed: int
    n_messages: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Fit:
    """`billed = per_request + per_message * n_messages + ratio * n_tokens`, and how far off that is.

    Attributes:
        tokenizer: Whose counts they are.
        ratio: Billed tokens for each local token.
        per_request: What every request adds.
        per_message: What every message adds.
        off: The mean of what it is off by, in tokens a request.
        n_samples: The requests that it rests on.
    """

    tokenizer: str
    ratio: float
    per_request: float
    per_message: float
    off: float
    n_samples: int

    def expected(self, sample: Sample) -> float:
        """What a request should be billed."""
        return self.per_request + self.per_message * sample.n_messages + self.ratio * sample.n_tokens


def fit(tokenizer: str, samples: Sequence[Sample]) -> Fit:
    """The best fit with a ratio of 1: the local tokens are the billed ones, and only the framing is sought.

    Examples:
        >>> found = fit("x", [Sample(10 + 3 * m + n, m, n) for m, n in [(1, 5), (2, 50), (4, 7)]])
        >>> round(found.per_request, 6), round(found.per_message, 6), round(found.off, 6)
        (10.0, 3.0, 0.0)
    """
    rest = [sample.billed - sample.n_tokens for sample in samples]
    per_request, per_message = _line([sample.n_messages for sample in samples], rest)
    return _made(tokenizer, samples, 1.0, per_request, per_message)


def fit_with_ratio(tokenizer: str, samples: Sequence[Sample]) -> Fit:
    """The best fit with any ratio, for a tokenizer that is not the model's own.

    Least squares of three numbers. What the messages explain is taken out of bills and tokens alike; the ratio is the slope
    of what is left (Frisch and Waugh 1933).
    """
    n_messages = [sample.n_messages for sample in samples]
    bill_rest = _rest(n_messages, [sample.billed for sample in samples])
    token_rest = _rest(n_messages, [sample.n_tokens for sample in samples])
    weight = sum(value**2 for value in token_rest)
    ratio = sum(a * b for a, b in zip(bill_rest, token_rest, strict=True)) / weight if weight else 1.0
    per_request, per_message = _line(
        n_messages, [sample.billed - ratio * sample.n_tokens for sample in samples]
    )
    return _made(tokenizer, samples, ratio, per_request, per_message)


def best_fits(samples: Mapping[str, Sequence[Sample]]) -> list[Fit]:
    """The fit of each tokenizer, the best first."""
    return sorted(
        (fit(name, rows) for name, rows in samples.items()), key=lambda one: (one.off, one.tokenizer)
    )


def as_good(fits: Sequence[Fit]) -> list[Fit]:
    """Those of the fits, the best first, that are as good as the best: a log does not tell them apart."""
    return [one for one in fits if one.off <= _ALIKE * fits[0].off + _ALIKE_TOKENS]


def varies(samples: Sequence[Sample]) -> bool:
    """Whether the texts differ in length beyond what the number of messages explains.

    Examples:
        >>> varies([Sample(30, 1, 20)] * 9), varies([Sample(10 + n, 1, n) for n in range(9)])
        (False, True)
    """
    tokens = [sample.n_tokens for sample in samples]
    rest = _rest([sample.n_messages for sample in samples], tokens)
    return sqrt(fmean(value**2 for value in rest)) > _VARIES * fmean(tokens)


def shares_of_unseen(made: Fit, samples: Sequence[Sample]) -> list[float]:
    """What share of the expected each request was billed, by a fit that has not seen it.

    A fit follows the few requests that it was made from more closely than it will the next ones: so each of them is left out
    in turn. Of many one more or less changes nothing, and the fit stands as it is.
    """
    shares = []
    again = fit if made.ratio == 1.0 else fit_with_ratio
    for at, sample in enumerate(samples):
        is_few = len(samples) <= _FEW
        by = again(made.tokenizer, [*samples[:at], *samples[at + 1 :]]) if is_few else made
        expected = by.expected(sample)
        if expected > 0:
            shares.append(sample.billed / expected)
    return shares


def _made(
    tokenizer: str, samples: Sequence[Sample], ratio: float, per_request: float, per_message: float
) -> Fit:
    found = Fit(tokenizer, ratio, per_request, per_message, 0.0, len(samples))
    off = fmean(abs(sample.billed - found.expected(sample)) for sample in samples)
    return Fit(tokenizer, ratio, per_request, per_message, off, len(samples))


def _line(x: Sequence[int], y: Sequence[float]) -> tuple[float, float]:
    """Intercept and slope of the line through points; a flat one where all x are the same."""
    if min(x) == max(x):
        return fmean(y), 0.0
    found = linear_regression(x, y)
    return found.intercept, found.slope


def _rest(x: Sequence[int], y: Sequence[float]) -> list[float]:
    """What the line through points leaves of each."""
    start, slope = _line(x, y)
    return [b - start - slope * a for a, b in zip(x, y, strict=True)]
