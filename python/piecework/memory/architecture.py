"""A model's layers as far as its cache goes, read from its config."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework.memory.attention import attention
from piecework.memory.known_types import ENCODER_TYPES, KNOWN_TYPES
from piecework.memory.patterns import layer_kinds
from piecework.memory.states import state

if TYPE_CHECKING:
    from piecework.memory.config import Config
    from piecework.memory.layers import Attention, Kind, State

__all__ = ["Architecture", "read_architecture"]


@dataclass(frozen=True, slots=True)
class Architecture:
    """The layers that keep something.

    Attributes:
        attentions: Kinds of attention layers, each with how many there are.
        states: Kinds of recurrent layers, likewise.
        n_layers: All layers, those included that keep nothing.
        n_sharing: Layers that use the keys and values of another layer.
        is_known: Whether the model's type is one of those whose layers are known.
    """

    attentions: tuple[tuple[Attention, int], ...]
    states: tuple[tuple[State, int], ...]
    n_layers: int
    n_sharing: int
    is_known: bool


def read_architecture(config: Config) -> Architecture:
    """Returns the layers of a model that generates text.

    Raises:
        FormatError: The config does not say what is needed, or is of an encoder with a decoder.
    """
    if config.raw("is_encoder_decoder") is True:
        raise config.wrong(
            "is_encoder_decoder", "of two caches, one depends on the encoder's text; not a decoder alone"
        )
    if config.model_type in ENCODER_TYPES:
        raise config.wrong(
            "model_type", f"{config.model_type} is an encoder: it reads a text at once and keeps no cache"
        )
    if config.has("block_configs"):
        raise config.wrong("block_configs", "layers that differ in heads by block_configs are not known")
    kinds = layer_kinds(config)
    sharing = _sharing(config, len(kinds))
    attentions: Counter[Attention] = Counter()
    states: Counter[State] = Counter()
    for at, kind in enumerate(kinds):
        if kind in {"full", "sliding", "chunked", "both"} and at not in sharing:
            seen: Kind = "full" if kind == "both" else kind
            attentions[attention(config, seen, at, len(kinds))] += 1
        if kind in {"state", "both"}:
            states[state(config)] += 1
    if config.maybe("num_nextn_predict_layers", least=0):
        config.notes.append("layers that predict further tokens (num_nextn_predict_layers) are not counted")
    is_known = config.model_type in KNOWN_TYPES
    if not is_known:
        named = f"the type {config.model_type}" if config.model_type else "a config without model_type"
        config.notes.append(f"{named} is not known here: read by its fields alone, and so an estimate")
    return Architecture(tuple(attentions.items()), tuple(states.items()), len(kinds), len(sharing), is_known)


def _sharing(config: Config, n: int) -> frozenset[int]:
    """The layers that keep no keys and values of their own."""
    last = config.maybe("num_kv_shared_layers", least=0) or 0
    if last:
        if last >= n:
            raise config.wrong("num_kv_shared_layers", f"{last} of {n} layers")
        return frozenset(range(n - last, n))
    if config.raw("use_cla") is True:
        every = config.need("cla_share_factor")
        return frozenset(at for at in range(n) if at % every)
    return frozenset()
