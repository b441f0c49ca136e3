"""Adds to a count what is no text: pictures and sound by the provider's published rule, else as not counted."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from piecework._chat.served.images import IMAGE_SOURCES, Charge, claude_image, gemini_image, openai_image

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._chat.served.media import Medium
    from piecework._chat.served.models import ServedModel
    from piecework._chat.served.openai import OpenAIModel
    from piecework._chat.served.sums import Sum

__all__ = ["add_openai_media", "add_served_media", "not_counted"]

_NOUNS = {"image": "image", "audio": "sound", "video": "video", "file": "file"}
# Google, 'Understand and count tokens', read 2026-11: sound has 32 tokens a second; video has 263, but no head that is
# read here says how long it is.
_GEMINI_SOUND_PER_S = 32


def not_counted(media: Sequence[Medium]) -> str:
    """Returns such as `not counted: 2 images, 1 file`; "" for nothing.

    Examples:
        >>> from piecework._chat.served.media import Medium
        >>> not_counted([Medium("image"), Medium("image"), Medium("audio")])
        'not counted: 2 images, 1 sound'
    """
    n_of: Counter[str] = Counter(medium.kind for medium in media)
    amounts = [
        f"{n_of[kind]} {noun}{'' if n_of[kind] == 1 else 's'}" for kind, noun in _NOUNS.items() if n_of[kind]
    ]
    return f"not counted: {', '.join(amounts)}" if amounts else ""


def add_openai_media(total: Sum, media: Sequence[Medium], model: OpenAIModel) -> None:
    """Adds what OpenAI charges: pictures by size and detail."""

    def charge(medium: Medium) -> Charge | None:
        return openai_image(model.name, medium.size, medium.detail) if medium.kind == "image" else None

    _add(total, media, charge, IMAGE_SOURCES["openai"])


def add_served_media(total: Sum, media: Sequence[Medium], model: ServedModel) -> None:
    """Adds what Anthropic or Google charge: pictures by size; Google sound by its length."""

    def charge(medium: Medium) -> Charge | None:
        if medium.kind == "image":
            if model.provider == "anthropic":
                return claude_image(model, medium.size)
            return gemini_image(model, medium.size, medium.detail)
        if medium.kind == "audio" and model.provider == "google" and medium.seconds is not None:
            n = math.ceil(medium.seconds * _GEMINI_SOUND_PER_S)
            return Charge(n, n, n)
        return None

    _add(total, media, charge, IMAGE_SOURCES[model.provider])


def _add(total: Sum, media: Sequence[Medium], charge: Callable[[Medium], Charge | None], source: str) -> None:
    charged = [(medium, charge(medium)) for medium in media]
    for kind, noun in _NOUNS.items():
        known = [found for medium, found in charged if medium.kind == kind and found is not None]
        if known:
            n, least, most = (sum(figures) for figures in zip(*known, strict=True))
            total.add(f"{noun}s", n, band=(least, most), basis="calibrated")
            total.note(f"{noun}s: {source}")
    missing = [medium for medium, found in charged if found is None]
    if missing:
        total.lack(not_counted(missing))
