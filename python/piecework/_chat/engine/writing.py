"""A value as a template prints it, with origins."""

from __future__ import annotations

from collections.abc import Mapping

from jinja2.runtime import Undefined

from piecework._chat.engine.limits import weigh
from piecework._chat.engine.origins import UNKNOWN
from piecework._chat.engine.structures import shown
from piecework._chat.engine.tracked import Tracked, as_tracked, literal, tracked

__all__ = ["text_of"]


def text_of(value: object) -> Tracked:
    """`str(value)`: strings keep their origins, numbers and constants are the template's, other objects unknown.

    Args:
        value: Anything a template can hold.

    Returns:
        The text with its origins.

    Raises:
        LimitExceededError: The value holds too many others.
    """
    if isinstance(value, str):
        return as_tracked(value)
    if value is None or isinstance(value, bool | int | float | Undefined):
        return literal(str(value))
    if isinstance(value, list | tuple | Mapping):
        weigh(value)
        return shown(value)
    weigh(value)
    return tracked(str(value), UNKNOWN)
