"""The page that shows a chart with its tooltips: one file, every script inside, nothing fetched."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["page"]

# `<` could end the script from within a label, and U+2028 and U+2029 once ended a line of JavaScript inside a string.
_ESCAPES = str.maketrans({"<": "\\u003c", "\u2028": "\\u2028", "\u2029": "\\u2029"})

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ margin: 24px; background: #fff; }}</style>
<script>{scripts}</script>
</head>
<body>
<div id="chart"></div>
<script>
vegaEmbed("#chart", {definition}, {{"renderer": "svg"}}).catch(console.error);
</script>
</body>
</html>
"""


def page(title: str, definition: Mapping[str, Any], scripts: str) -> str:
    """Makes the page.

    Args:
        title: The page's title.
        definition: The Vega-Lite definition. Texts of it are data: none can end the script or become markup.
        scripts: Vega, Vega-Lite and Vega-Embed as one script.

    Returns:
        The page.

    Examples:
        >>> made = page("<b>", {"description": "</script><script>alert(1)"}, "")
        >>> "alert(1)" in made, made.count("</script>"), "<title>&lt;b&gt;</title>" in made
        (True, 2, True)
    """
    data = json.dumps(definition, ensure_ascii=False).translate(_ESCAPES)
    return _PAGE.format(title=html.escape(title), scripts=scripts, definition=data)
