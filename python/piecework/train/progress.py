"""How far a training is, as a callable of the caller is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Progress", "TrainingProgress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingProgress:
    """How far a training is.

    Attributes:
        phase: `weigh`: the sources of a mix are measured; `count`: words are counted; `merge`: counts that went to disk are
            added up; `learn`: merges are learned.
        done: How much of the phase is done.
        total: How much there is; None where that is not known.
        unit: What is counted: `bytes` of files (as they lie on disk), `words` or `merges`.
        n_distinct_words: Distinct words held in memory.
    """

    phase: Literal["weigh", "count", "merge", "learn"]
    done: int
    total: int | None
    unit: Literal["bytes", "words", "merges"]
    n_distinct_words: int


Progress = Callable[[TrainingProgress], object]
