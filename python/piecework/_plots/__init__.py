"""Pictures: a result object, or plain rows, becomes a chart. Nothing else in the package draws.

`kinds.py` lists the kinds, each a file of one definition; results stay free of Altair, which is imported on the first chart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._plots.chart import Chart, picture_format
    from piecework._plots.draw import plot
    from piecework._plots.kinds import KINDS

__all__ = ["KINDS", "Chart", "picture_format", "plot"]

_HOMES = {"KINDS": "kinds", "Chart": "chart", "picture_format": "chart", "plot": "draw"}

__getattr__ = lazy_names(__name__, _HOMES)
