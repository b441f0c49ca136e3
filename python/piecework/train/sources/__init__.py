"""Where words come from: files of many formats, texts of the caller, counts that somebody else made."""

from __future__ import annotations

from piecework.train.sources.batch import OnInvalid
from piecework.train.sources.given_words import Words

__all__ = ["OnInvalid", "Words"]
