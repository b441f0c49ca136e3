"""What Anthropic's server writes around messages and tools, as far as that is published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._chat.served.models import ServedModel

__all__ = ["FRAMING_SOURCE", "TOOLS_SOURCE", "Around", "message_framing", "tool_prompt"]

FRAMING_SOURCE = "R. Gupta, 'Reverse engineering Claude's token counter', 2026-02: 7 around one message"
TOOLS_SOURCE = "Anthropic, 'Tool use: pricing', read 2026-11"

# Tokens of the instructions that the server adds where there are tools, with tool_choice auto. Earlier editions of the
# page had 346 for all of Claude 3.5 to 4.7, which is the other end of their band.
_PROMPTS: Mapping[tuple[str, tuple[int, int]], int] = {
    ("opus", (5, 0)): 286,
    ("opus", (4, 8)): 290,
    ("opus", (4, 7)): 675,
    ("opus", (4, 6)): 497,
    ("opus", (4, 5)): 496,
    ("opus", (4, 1)): 313,
    ("opus", (4, 0)): 313,
    ("opus", (3, 0)): 530,
    ("sonnet", (5, 0)): 354,
    ("sonnet", (4, 6)): 497,
    ("sonnet", (4, 5)): 496,
    ("sonnet", (4, 0)): 313,
    ("sonnet", (3, 7)): 346,
    ("sonnet", (3, 5)): 346,
    ("sonnet", (3, 0)): 159,
    ("haiku", (4, 5)): 496,
    ("haiku", (3, 5)): 264,
    ("haiku", (3, 0)): 264,
}
_EARLIER_EDITION = 346
_UNLISTED = 354
_FAMILY = re.compile(r"opus|sonnet|haiku")

# Three for the request and four for each message make up the seven around one; nothing is published for more messages.
_PER_REQUEST, _PER_MESSAGE = 3, 4
_MESSAGE_BAND = (3, 8)


class Around(NamedTuple):
    """Tokens around what the caller wrote, with the least and the most."""

    n: int
    least: int
    most: int


def message_framing(n_messages: int) -> Around:
    """The tokens that frame messages.

    Examples:
        >>> message_framing(1), message_framing(0)
        (Around(n=7, least=6, most=11), Around(n=0, least=0, most=0))
    """
    if not n_messages:
        return Around(0, 0, 0)
    least, most = _MESSAGE_BAND
    return Around(
        _PER_REQUEST + _PER_MESSAGE * n_messages,
        _PER_REQUEST + least * n_messages,
        _PER_REQUEST + most * n_messages,
    )


def tool_prompt(model: ServedModel) -> Around:
    """The tokens of the instructions that the server adds where there are tools.

    Returns:
        Those of the model, and in the band those of an earlier edition of the table; for a model that it does not list,
        between the least and the most of those that it does.

    Examples:
        >>> from piecework._chat.served.models import served_model
        >>> tool_prompt(served_model("claude-opus-4-7")), tool_prompt(served_model("claude-fable-5"))
        (Around(n=675, least=346, most=675), Around(n=354, least=159, most=675))
    """
    family = _FAMILY.search(model.name)
    n = _PROMPTS.get((family[0], model.version)) if family else None
    if n is None:
        return Around(_UNLISTED, min(_PROMPTS.values()), max(_PROMPTS.values()))
    is_in_both = (3, 5) <= model.version <= (4, 7) and (
        family is None or (family[0], model.version) != ("haiku", (3, 5))
    )
    if not is_in_both:
        return Around(n, n, n)
    return Around(n, min(n, _EARLIER_EDITION), max(n, _EARLIER_EDITION))
