"""The types of parts that no tokenizer of text counts, and what each is: one table, so that all who look find the same parts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

__all__ = ["MEDIUM_OF_TYPE", "MediumKind"]

MediumKind: TypeAlias = Literal["image", "audio", "video", "file"]
"""What a part is."""

MEDIUM_OF_TYPE: Mapping[str, MediumKind] = MappingProxyType(
    {
        "image": "image",
        "image_url": "image",
        "input_image": "image",
        "audio": "audio",
        "audio_url": "audio",
        "input_audio": "audio",
        "video": "video",
        "video_url": "video",
        "input_video": "video",
        "file": "file",
        "input_file": "file",
        "document": "file",
    }
)
"""A part's type, and what it is."""
