"""Which models run only behind a server, by the names that their providers give them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Provider", "ServedModel", "served_model"]

Provider: TypeAlias = Literal["anthropic", "google"]
"""Who runs a model whose tokenizer is not published."""

# claude-opus-4-7, claude-3-5-sonnet-20241022, claude-2.1, with what Bedrock and Vertex write around them.
# Families and endings are spelled out: a misspelled name must be an error, and not an estimate of something else.
_CLAUDE = re.compile(
    r"(?:(?:[a-z]{2,6}\.)?anthropic[./])?claude-(?:(?:opus|sonnet|haiku|instant|fable|mythos)-)?v?(?P<major>\d{1,2})"
    r"(?:[-.](?P<minor>\d))?(?:-(?:opus|sonnet|haiku))?(?:[-@:](?:\d{6,8}|v\d+(?::\d+)?|latest|default|fast|thinking|preview))*"
)
_GEMINI = re.compile(
    r"(?:google/|models/)?gemini-(?:(?:live|robotics-er|omni|nano-banana|flash|pro)-)?(?P<major>\d{1,2})(?:\.(?P<minor>\d))?"
    r"(?:-(?:pro|flash|ultra|nano|lite|live|image|tts|audio|native|dialog|computer|use|deep|research|exp|experimental|preview|"
    r"generation|thinking|latest|customtools|argon|vision|streaming|\d{1,4}b?))*"
)
_NEW_CLAUDE = (4, 7)


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model behind a server.

    Attributes:
        name: As given.
        provider: Who runs it.
        version: Its version, such as (4, 7).
        generation: Which rows of the estimators' table are its own; None where there are none.
    """

    name: str
    provider: Provider
    version: tuple[int, int]
    generation: str | None

    @property
    def wire_name(self) -> str:
        """The name that the provider's own endpoint knows."""
        for before in ("anthropic/", "google/", "models/"):
            if self.name.startswith(before):
                return self.name.removeprefix(before)
        return self.name


def served_model(name: str) -> ServedModel | None:
    """Reads the name of a Claude or a Gemini.

    Returns:
        The model; None for every other name. Claude from 3 to 4.6 has one tokenizer, from 4.7 on another, as Anthropic's
        pages on pricing and token counting say; earlier ones have a third, for which there is no figure. Gemini 2 and 3
        count as Gemma 3 does.

    Examples:
        >>> served_model("claude-opus-4-7").generation, served_model("claude-3-5-sonnet-20241022").version
        ('claude-4.7', (3, 5))
        >>> served_model("gemini-2.5-pro").provider, served_model("gemini-4-pro").generation
        ('google', None)
        >>> served_model("gpt-4o") is None
        True
    """
    found = _CLAUDE.fullmatch(name)
    if found is not None:
        version = _version(found)
        generation = "claude-4.7" if version >= _NEW_CLAUDE else "claude-3" if version >= (3, 0) else None
        return ServedModel(name, "anthropic", version, generation)
    found = _GEMINI.fullmatch(name)
    if found is not None:
        version = _version(found)
        return ServedModel(name, "google", version, "gemini-2" if version[0] in (2, 3) else None)
    return None


def _version(found: re.Match[str]) -> tuple[int, int]:
    return int(found["major"]), int(found["minor"] or 0)
