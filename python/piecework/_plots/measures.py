"""The measures that bars and heat maps can draw: how each is called in full, in which unit, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MEASURES", "Measure", "measure_of"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a text under a tokenizer.

    Attributes:
        title: What a picture of it says.
        axis: Its name with its unit.
        number_format: How its values are written, as d3-format has it.
    """

    title: str
    axis: str
    number_format: str = ".2f"


MEASURES: dict[str, Measure] = {
    "premium": Measure("Tokens for the same meaning", "tokens relative to the reference language (times)"),
    "bytes_per_token": Measure("Compression", "compression (UTF-8 bytes per token)"),
    "characters_per_token": Measure("Compression", "compression (characters per token)"),
    "tokens_per_word": Measure("Fertility", "fertility (tokens per word)"),
    "n_tokens": Measure("Tokens", "tokens", ",d"),
    "split_share": Measure("Words that are split", "words of more than one token (share)", ".0%"),
    "coverage": Measure("Coverage", "characters that stand whole in a token (share)", ".0%"),
    "renyi_efficiency": Measure("Rényi efficiency", "Rényi efficiency, order 2.5 (0 to 1)"),
}


def measure_of(name: str) -> Measure:
    """A measure by the name of its column; one that is not listed is called by that name.

    Examples:
        >>> measure_of("tokens_per_word").axis, measure_of("my_figure").axis
        ('fertility (tokens per word)', 'my figure')
    """
    words = name.replace("_", " ")
    return MEASURES.get(name) or Measure(words[:1].upper() + words[1:], words, ".3~g")
