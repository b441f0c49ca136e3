"""A chat template rendered so that every character of the prompt knows who wrote it.

`render` runs a model's own Jinja template in a sandbox with limits, and returns the text with its origins: the template,
a named field of the caller's, or unknown (which counts as the caller's).
"""

from __future__ import annotations

from piecework._chat.engine.limits import Limits
from piecework._chat.engine.markers import markers_in
from piecework._chat.engine.origins import TEMPLATE, UNKNOWN, Origin, Rendered, Run
from piecework._chat.engine.rendering import render
from piecework._chat.engine.taint import TRUSTED_ROLES

__all__ = [
    "TEMPLATE",
    "TRUSTED_ROLES",
    "UNKNOWN",
    "Limits",
    "Origin",
    "Rendered",
    "Run",
    "markers_in",
    "render",
]
