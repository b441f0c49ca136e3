"""What providers charge for a picture, by the rules that they publish: tiles, patches, or a fixed number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from piecework._chat.served.image_size import ImageSize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from piecework._chat.served.models import ServedModel

__all__ = ["IMAGE_SOURCES", "Charge", "claude_image", "gemini_image", "openai_image"]

IMAGE_SOURCES: Mapping[str, str] = {
    "openai": "OpenAI, 'Images and vision: calculating costs', 2026-04",
    "anthropic": "Anthropic, 'Vision: resolution and token cost', 2026-09",
    "google": "Google, 'Image understanding: token calculation' and 'Media resolution', 2026-09",
}
"""Where each provider's rule is published, and when it was read."""


class Charge(NamedTuple):
    """The tokens of a picture, and the least and the most that they can be where the rule leaves that open."""

    n: int
    least: int
    most: int


class _Tiles(NamedTuple):
    """Tokens of the whole and of each tile of 512 pixels."""

    base: int
    tile: int


class _Patches(NamedTuple):
    """Tokens of each patch of 32 pixels; what was measured where it differs from what is published; the most patches."""

    multiplier: float
    measured: float
    max_patches: int = 1_536
    max_side: int = 2_048


_LARGE = {"max_patches": 10_000, "max_side": 6_000}

# By name without date and `preview`; of gpt-4 only the vision previews take pictures. gpt-5-mini: 1.20 measured from 256x256 to the cap (OpenAI's forum, 2026-06-17), as its price
# calculator has it; gpt-5.2: 1.2 in bills (the same forum, 2025-12), while the guide has no multiplier for it.
_OPENAI: Mapping[str, _Tiles | _Patches] = {
    **dict.fromkeys(("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-4-turbo", "gpt-4"), _Tiles(85, 170)),
    "chatgpt-4o-latest": _Tiles(85, 170),
    "gpt-4o-mini": _Tiles(2_833, 5_667),
    **dict.fromkeys(("o1", "o1-pro", "o3"), _Tiles(75, 150)),
    **dict.fromkeys(("gpt-5", "gpt-5-chat-latest"), _Tiles(70, 140)),
    "gpt-5-mini": _Patches(1.62, 1.20),
    "gpt-5-nano": _Patches(2.46, 2.46),
    "gpt-5.4-mini": _Patches(1.62, 1.62),
    "gpt-5.4-nano": _Patches(2.46, 2.46),
    "gpt-4.1-mini": _Patches(1.62, 1.62),
    "gpt-4.1-nano": _Patches(2.46, 2.46),
    "o4-mini": _Patches(1.72, 1.72),
    **dict.fromkeys(("gpt-5.2", "gpt-5.2-chat-latest"), _Patches(1.0, 1.2)),
    "gpt-5.4": _Patches(1.0, 1.0, max_patches=2_500),
    "gpt-5.5": _Patches(1.0, 1.0, **_LARGE),
}  # fmt: skip
_LOW_SIDE = 512
_TILE, _PATCH, _CLAUDE_PATCH = 512, 32, 28

# Edge and tokens at most: Claude from 4.7 on, and before.
_CLAUDE_HIGH, _CLAUDE_STANDARD = (2_576, 4_784), (1_568, 1_568)

_GEMINI_TILE, _GEMINI_SMALL_SIDE, _GEMINI_TOKENS = 768, 384, 258
# Gemini 3 and later, the most for each setting of media_resolution; nothing said is high.
_GEMINI_LEVELS = {"low": 280, "medium": 560, "high": 1_120, "ultra_high": 2_240}


def openai_image(model: str, size: ImageSize | None, detail: str | None) -> Charge | None:
    """Charges a picture as OpenAI does.

    Args:
        model: The model's name without a date.
        size: The picture's; None where it is not known.
        detail: `low`, `high`, `original`, `auto` or None, which is `auto`.

    Returns:
        The charge; None where the model's rule is not published or the size is needed and not known.

    Examples:
        >>> openai_image("gpt-4o", ImageSize(2048, 4096), "high"), openai_image("gpt-4o", None, "low").n
        (Charge(n=1105, least=1105, most=1105), 85)
        >>> openai_image("gpt-4.1-mini", ImageSize(1800, 2400), "high").n  # 1,452 patches
        2353

    Source: `IMAGE_SOURCES["openai"]`, with its examples.
    """
    rule = _OPENAI.get(model)
    if isinstance(rule, _Tiles):
        if detail == "low":
            return Charge(rule.base, rule.base, rule.base)
        if size is None:
            return None
        n = rule.base + rule.tile * _n_tiles(size)
        # With `auto`, the server may choose to look less closely.
        return Charge(n, n if detail == "high" else rule.base, n)
    if rule is None or size is None:
        return None
    if detail == "low":
        size = _fitted(size, _LOW_SIDE)
    if detail == "original" and rule.max_patches > 1_536:
        rule = rule._replace(**_LARGE)
    elif detail == "high" and rule.max_patches > 2_500:
        rule = rule._replace(max_patches=2_500, max_side=2_048)
    n_patches = _n_patches(size, rule)
    by_rule, measured = (math.ceil(n_patches * factor) for factor in (rule.multiplier, rule.measured))
    return Charge(by_rule, min(by_rule, measured), max(by_rule, measured))


def claude_image(model: ServedModel, size: ImageSize | None) -> Charge | None:
    """Charges a picture as Anthropic does: a token for each patch of 28 pixels, after scaling down what is too large.

    Returns:
        The charge; None where the size is not known.

    Examples:
        >>> from piecework._chat.served.models import served_model
        >>> [claude_image(served_model(name), ImageSize(1920, 1080)).n for name in ("claude-opus-4-6", "claude-opus-4-7")]
        [1560, 2691]

    Source: `IMAGE_SOURCES["anthropic"]`, with its examples.
    """
    if size is None:
        return None
    max_side, max_tokens = _CLAUDE_HIGH if model.version >= (4, 7) else _CLAUDE_STANDARD

    def cost(side: int) -> int:
        scale = side / max(size)
        return _covering(size.width * scale, _CLAUDE_PATCH) * _covering(size.height * scale, _CLAUDE_PATCH)

    side = _largest(min(max(size), max_side), lambda side: cost(side) <= max_tokens)
    n = cost(side)
    return Charge(n, n, n)


def gemini_image(model: ServedModel, size: ImageSize | None, resolution: str | None) -> Charge | None:
    """Charges a picture as Google does: tiles of 258 tokens, from Gemini 3 on a number for each `media_resolution`.

    Returns:
        The charge; its band goes from one way that the guide counts tiles to the other, and from Gemini 3 on it begins
        with 1, since the numbers are called maximal. None where the size is needed and not known.

    Examples:
        >>> from piecework._chat.served.models import served_model
        >>> gemini_image(served_model("gemini-2.5-pro"), ImageSize(960, 540), None)
        Charge(n=1548, least=516, most=1548)

    Source: `IMAGE_SOURCES["google"]`, with its example.
    """
    if model.version >= (3, 0):
        level = (resolution or "high").lower().removeprefix("media_resolution_")
        n = _GEMINI_LEVELS.get(level, _GEMINI_LEVELS["high"])
        return Charge(n, 1, n)
    if size is None:
        return None
    if max(size) <= _GEMINI_SMALL_SIDE:
        return Charge(_GEMINI_TOKENS, _GEMINI_TOKENS, _GEMINI_TOKENS)
    unit = max(1, math.floor(min(size) / 1.5))
    by_unit, by_tile = (
        _GEMINI_TOKENS * _covering(size.width, side) * _covering(size.height, side)
        for side in (unit, _GEMINI_TILE)
    )
    return Charge(by_unit, min(by_unit, by_tile), max(by_unit, by_tile))


def _n_tiles(size: ImageSize) -> int:
    fitted = _fitted(size, 2_048)
    if min(fitted) > 768:
        scale = 768 / min(fitted)
        fitted = ImageSize(round(fitted.width * scale), round(fitted.height * scale))
    return _covering(fitted.width, _TILE) * _covering(fitted.height, _TILE)


def _n_patches(size: ImageSize, rule: _Patches) -> int:
    size = _fitted(size, rule.max_side)
    n = _covering(size.width, _PATCH) * _covering(size.height, _PATCH)
    if n <= rule.max_patches:
        return n
    shrink = math.sqrt(_PATCH**2 * rule.max_patches / (size.width * size.height))
    across, down = (side * shrink / _PATCH for side in size)
    shrink *= min(max(1, math.floor(across)) / across, max(1, math.floor(down)) / down)
    shrunk = (max(1, round(side * shrink)) for side in size)
    return min(rule.max_patches, math.prod(_covering(side, _PATCH) for side in shrunk))


def _fitted(size: ImageSize, max_side: int) -> ImageSize:
    """Scales down, never up, until no side is longer."""
    if max(size) <= max_side:
        return size
    scale = max_side / max(size)
    return ImageSize(max(1, round(size.width * scale)), max(1, round(size.height * scale)))


def _covering(length: float, piece: int) -> int:
    """How many pieces cover a length."""
    return max(1, math.ceil(round(length) / piece))


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest whole number from 1 to `most` that fits, where all below one that fits do."""
    if fits(most):
        return most
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
