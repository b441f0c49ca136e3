"""Counts by a provider's own endpoint: Anthropic's `count_tokens` and Gemini's `countTokens`, kept by what was asked.

The only network access of counting, and only where the caller asks for it.
"""

from __future__ import annotations

from piecework._chat.remote.counting import remote_count, remote_count_async

__all__ = ["remote_count", "remote_count_async"]
