"""How every chart looks: colors that color-blind readers tell apart, one font, sizes, and what a page's menu offers."""

from __future__ import annotations

from typing import Any

__all__ = [
    "CONFIG",
    "GRAY",
    "INK",
    "LEFT_COLOR",
    "MAX_SERIES",
    "OKABE_ITO",
    "OVER_COLOR",
    "SEQUENTIAL",
    "USER_META",
]

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
"""Eight colors that people with any color vision tell apart (Okabe and Ito, Color Universal Design, 2008)."""

MAX_SERIES = len(OKABE_ITO)

SEQUENTIAL = "cividis"
"""From dark blue to yellow, evenly light to all eyes (Nuñez, Anderton and Renslow, PLOS ONE 13, 2018)."""

INK = "#222222"
GRAY = "#767676"
LEFT_COLOR = "#e3e3e3"
OVER_COLOR = "#9b1c1c"

# Liberation Sans comes with vl-convert, so that a picture is the same on every machine; Arial has its widths.
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

CONFIG: dict[str, Any] = {
    "font": _FONT,
    "background": "#ffffff",
    "padding": 12,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": "#e6e6e6",
        "domainColor": GRAY,
        "tickColor": GRAY,
        "labelLimit": 240,
    },
    "title": {
        "anchor": "start",
        "fontSize": 15,
        "subtitleFontSize": 12,
        "subtitleColor": "#555555",
        "color": INK,
        "offset": 14,
        "subtitlePadding": 5,
    },
    "legend": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 240},
}

# The page's menu saves pictures and shows the definition; it does not send the data to an editor on the network.
USER_META: dict[str, Any] = {
    "embedOptions": {"actions": {"export": True, "source": True, "compiled": False, "editor": False}}
}
