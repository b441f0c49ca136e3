"""What tokenizers cost: counts, premiums between languages, and other measures, with how sure they are.

A measure is a function in the file of its family, with its definition and source; `compare_tokenizers` tallies rows and
puts them together. Everything loads on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._measure.bundled import SETS, built_in
    from piecework._measure.compare import Settings, compare_tokenizers
    from piecework._measure.comparison import Comparison, Extrapolation
    from piecework._measure.measure import Resampling, Subject
    from piecework._measure.samples import Samples, SampleText

__all__ = [
    "SETS",
    "Comparison",
    "Extrapolation",
    "Resampling",
    "SampleText",
    "Samples",
    "Settings",
    "Subject",
    "built_in",
    "compare_tokenizers",
]

_HOMES = {
    "SETS": "bundled",
    "Comparison": "comparison",
    "Extrapolation": "comparison",
    "SampleText": "samples",
    "Resampling": "measure",
    "Samples": "samples",
    "Settings": "compare",
    "Subject": "measure",
    "built_in": "bundled",
    "compare_tokenizers": "compare",
}

__getattr__ = lazy_names(__name__, _HOMES)
