"""What tokenizers cost: counts, premiums between languages, and other measures, with how sure they are.

A measure is a function in the file of its family, with its definition and source; `compare_tokenizers` tallies rows and
puts them together. Everything loads on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._measure.bundled import SETS, built_in
    from piecework._measure.compare import Settings, check_comparison, compare_tokenizers
    from piecework._measure.comparison import Comparison, Extrapolation
    from piecework._measure.measure import Resampling
    from piecework._measure.samples import Samples, SampleText
    from piecework._measure.subjects import Subject, named_subjects

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
    "check_comparison",
    "compare_tokenizers",
    "named_subjects",
]

_HOMES = {
    "SETS": "bundled",
    "Comparison": "comparison",
    "Extrapolation": "comparison",
    "SampleText": "samples",
    "Resampling": "measure",
    "Samples": "samples",
    "Settings": "compare",
    "Subject": "subjects",
    "built_in": "bundled",
    "check_comparison": "compare",
    "compare_tokenizers": "compare",
    "named_subjects": "subjects",
}

__getattr__ = lazy_names(__name__, _HOMES)
