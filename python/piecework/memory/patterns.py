"""Which layer is what: read from the field by which each family of models says it.

Each rule is a function that returns the kinds of all layers, or None where its fields are absent; the first one wins.
A config that has windows or states, and does not say in which layers, is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.memory.config import Config
    from piecework.memory.layers import Kind

__all__ = ["layer_kinds"]

_OF_NAME: Final[dict[str, Kind]] = {
    "full_attention": "full",
    "attention": "full",
    "indexed_attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "state",
    "mamba": "state",
    "mamba2": "state",
    "recurrent": "state",
    "conv": "state",
    "moe": "none",
    "mlp": "none",
}
# Nemotron-H writes a letter for each layer.
_OF_LETTER: Final[dict[str, Kind]] = {"M": "state", "*": "full", "-": "none", "E": "none"}
_ALL_SLIDE = {"mistral", "mixtral", "ministral", "phi3", "phimoe", "starcoder2"}
_QWEN = {"qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "qwen2_vl_text", "qwen2_5_vl_text", "qwen3_vl_text"}
_PURE_STATE = {"mamba", "mamba2", "falcon_mamba"}
_HAVE_STATES = {
    "bamba",
    "granitemoehybrid",
    "jamba",
    "kimi_linear",
    "lfm2",
    "lfm2_moe",
    "minimax",
    "nemotron_h",
    "qwen3_next",
}
_STATE_FIELDS = ("mamba_", "ssm_", "linear_num_", "linear_key_", "rwkv", "conv_L_", "lru_")
_MAX_LAYERS = 10_000


def layer_kinds(config: Config) -> list[Kind]:
    """Returns the kind of each layer.

    Raises:
        FormatError: The config does not say it, or says something that is not known.
    """
    for rule in _RULES:
        kinds = rule(config)
        if kinds is not None:
            return kinds
    odd = [name for name in config.names() if name.startswith(_STATE_FIELDS)]
    if config.model_type in _HAVE_STATES:
        raise config.missing(
            "layer_types", f"{config.model_type} has layers with a state, and nothing says which they are"
        )
    if odd:
        raise config.missing(
            "layer_types", f"{odd[0]} speaks of layers with a state, and nothing says which they are"
        )
    return ["full"] * n_layers(config)


def n_layers(config: Config) -> int:
    """Returns the number of layers.

    Raises:
        FormatError: It is absent, or more than any model has.
    """
    found = config.need("num_hidden_layers", "n_layer", "num_layers", "n_layers")
    if found > _MAX_LAYERS:
        raise config.wrong("num_hidden_layers", f"{found:,} is more than any model has")
    return found


def _listed(config: Config) -> list[Kind] | None:
    name = "layer_types" if config.has("layer_types") else "layers_block_type"
    if not config.has(name):
        return None
    listed = config.raw(name)
    if not isinstance(listed, list) or not listed or len(listed) > _MAX_LAYERS:
        raise config.wrong(name, "a list with a name for each layer is needed")
    if config.has("num_hidden_layers") and len(listed) != n_layers(config):
        raise config.wrong(name, f"it names {len(listed)} layers of {n_layers(config)}")
    return [_of_name(config, name, one) for one in listed]


def _of_name(config: Config, place: str, name: object) -> Kind:
    kind = _OF_NAME.get(name) if isinstance(name, str) else None
    if kind is None:
        known = ", ".join(_OF_NAME)
        raise config.wrong(place, f"what a layer of type {name!r:.60} keeps is not known; known are {known}")
    return kind


def _lettered(config: Config) -> list[Kind] | None:
    pattern = config.raw("hybrid_override_pattern")
    if pattern is None:
        return None
    if not isinstance(pattern, str) or not pattern or not set(pattern) <= _OF_LETTER.keys():
        raise config.wrong("hybrid_override_pattern", "letters M, *, - and E are known, one for each layer")
    return [_OF_LETTER[letter] for letter in pattern[:_MAX_LAYERS]]


def _repeated_blocks(config: Config) -> list[Kind] | None:
    """RecurrentGemma: a pattern that is repeated; its attention is local."""
    blocks = config.raw("block_types") or config.raw("_block_types")
    if blocks is None:
        return None
    if not isinstance(blocks, list) or not blocks:
        raise config.wrong("block_types", "a list of names is needed")
    kinds = [_of_name(config, "block_types", one) for one in blocks]
    local = config.has("attention_window_size")
    pattern: list[Kind] = ["sliding" if kind == "full" and local else kind for kind in kinds]
    return [pattern[at % len(pattern)] for at in range(n_layers(config))]


def _by_number(config: Config) -> list[Kind] | None:
    """MiniMax: 1 is attention, 0 a state."""
    listed = config.raw("attn_type_list")
    if listed is None:
        return None
    if (
        not isinstance(listed, list)
        or len(listed) != n_layers(config)
        or not set(map(str, listed)) <= {"0", "1"}
    ):
        raise config.wrong("attn_type_list", "a 0 or 1 for each layer is needed")
    return ["full" if one else "state" for one in listed]


def _by_period(config: Config) -> list[Kind] | None:
    """Jamba: every so many layers one is attention; Qwen3-Next: the last of every so many."""
    period = config.maybe("attn_layer_period")
    if period is not None:
        offset = config.maybe("attn_layer_offset", least=0)
        if offset is None:
            raise config.missing("attn_layer_offset", "attn_layer_period needs it")
        return ["full" if at % period == offset else "state" for at in range(n_layers(config))]
    interval = config.maybe("full_attention_interval")
    if interval is None:
        return None
    return ["state" if (at + 1) % interval else "full" for at in range(n_layers(config))]


def _by_index(config: Config) -> list[Kind] | None:
    """Bamba and LFM2 list their layers of attention from 0, Kimi Linear from 1."""
    for name in ("attn_layer_indices", "full_attn_idxs"):
        if config.has(name):
            return _at_indices(config, name, config.raw(name), first=0)
    linear = config.raw("linear_attn_config")
    if isinstance(linear, dict) and "full_attn_layers" in linear:
        return _at_indices(config, "linear_attn_config", linear["full_attn_layers"], first=1)
    return None


def _at_indices(config: Config, name: str, listed: object, *, first: int) -> list[Kind]:
    n = n_layers(config)
    if not isinstance(listed, list) or len(listed) > n:
        raise config.wrong(name, "a list of layers is needed")
    full = {config.whole(name, one, least=first) - first for one in listed}
    if full and max(full) >= n:
        raise config.wrong(name, f"layer {max(full) + first} of {n}")
    return ["full" if at in full else "state" for at in range(n)]


def _by_type(config: Config) -> list[Kind] | None:
    if config.model_type == "falcon_h1":
        return ["both"] * n_layers(config)
    if config.model_type in _PURE_STATE:
        return ["state"] * n_layers(config)
    return None


def _chunks(config: Config) -> list[Kind] | None:
    """Llama 4: layers with rotary positions see one chunk, those without see all."""
    if not config.has("attention_chunk_size"):
        return None
    n = n_layers(config)
    listed = config.raw("no_rope_layers")
    if isinstance(listed, list) and listed:
        if len(listed) != n:
            raise config.wrong("no_rope_layers", f"it names {len(listed)} layers of {n}")
        return ["chunked" if one else "full" for one in listed]
    interval = config.need("no_rope_layer_interval")
    return ["chunked" if (at + 1) % interval else "full" for at in range(n)]


def _windows(config: Config) -> list[Kind] | None:
    """Sliding windows: switched off, in all layers, above a layer, or by a pattern."""
    if not config.has("sliding_window"):
        return None
    n = n_layers(config)
    if config.raw("use_sliding_window") is False:
        config.notes.append("use_sliding_window is false: all layers keep all tokens")
        return ["full"] * n
    if config.model_type in _ALL_SLIDE:
        return ["sliding"] * n
    if config.model_type in _QWEN:
        above = config.maybe("max_window_layers", least=0)
        if above is None or config.raw("use_sliding_window") is not True:
            raise config.missing(
                "use_sliding_window", "with sliding_window, it and max_window_layers say where it holds"
            )
        return ["sliding" if at >= above else "full" for at in range(n)]
    return _pattern(config, n)


def _pattern(config: Config, n: int) -> list[Kind]:
    letters = config.raw("sliding_window_pattern")
    if isinstance(letters, str):
        # EXAONE 4 writes L for local and G for global.
        if not letters or not set(letters) <= {"L", "G"}:
            raise config.wrong("sliding_window_pattern", "letters L and G are known")
        return ["sliding" if letters[at % len(letters)] == "L" else "full" for at in range(n)]
    every = config.maybe("sliding_window_pattern", "_sliding_window_pattern")
    if every is None:
        raise config.missing(
            "layer_types", "it has a sliding_window, and nothing says in which layers it holds"
        )
    return ["sliding" if (at + 1) % every else "full" for at in range(n)]


_RULES: Final[tuple[Callable[[Config], list[Kind] | None], ...]] = (
    _listed,
    _lettered,
    _repeated_blocks,
    _by_number,
    _by_index,
    _by_period,
    _by_type,
    _chunks,
    _windows,
)
