"""The state of recurrent layers: Mamba, Mamba-2, gated linear attention, short convolutions.

What is needed of a convolution are its last inputs: one less than its kernel is wide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from piecework.memory.layers import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.memory.config import Config

__all__ = ["state"]

_MAMBA = frozenset({"mamba", "falcon_mamba"})
_WIDTH = ("hidden_size", "d_model", "n_embd")


def state(config: Config) -> State:
    """Returns the state of a recurrent layer.

    Raises:
        FormatError: The config has none of the fields that say it, or not all of one kind.
    """
    for is_so, read in _RULES:
        if is_so(config):
            return read(config)
    raise config.missing(
        "linear_num_value_heads", "nothing says how large the state of its recurrent layers is"
    )


def _delta_net(config: Config) -> State:
    """Qwen3-Next: keys, queries and values pass a convolution; each value head has a key-by-value matrix."""
    keys = config.need("linear_num_key_heads") * config.need("linear_key_head_dim")
    n_heads, value_dim = config.need("linear_num_value_heads"), config.need("linear_value_head_dim")
    conv = (2 * keys + n_heads * value_dim) * (config.need("linear_conv_kernel_dim") - 1)
    return State("gated delta net", conv, n_heads * config.need("linear_key_head_dim") * value_dim)


def _kimi(config: Config) -> State:
    fields = config.raw("linear_attn_config")
    if not isinstance(fields, dict):
        flat = ("linear_num_heads", "linear_head_dim", "linear_conv_kernel_dim")
        fields = dict(
            zip(("num_heads", "head_dim", "short_conv_kernel_size"), map(config.need, flat), strict=True)
        )
    sizes = []
    for name in ("num_heads", "head_dim", "short_conv_kernel_size"):
        if name not in fields:
            raise config.missing(f"linear_attn_config.{name}", "the state of its linear attention needs it")
        sizes.append(config.whole(f"linear_attn_config.{name}", fields[name]))
    n_heads, dim, kernel = sizes
    return State("Kimi delta attention", 3 * n_heads * dim * (kernel - 1), n_heads * dim * dim)


def _mamba(config: Config) -> State:
    d_state = config.need("mamba_d_state", "state_size")
    inner = config.maybe("intermediate_size") if config.model_type in _MAMBA else None
    if inner is None:
        inner = config.need("mamba_expand", "expand") * config.need(*_WIDTH)
    return State("Mamba", inner * (config.need("mamba_d_conv", "conv_kernel") - 1), inner * d_state)


def _mamba2(config: Config) -> State:
    n_heads = config.need("mamba_n_heads", "mamba_num_heads", "num_heads")
    inner = config.maybe("mamba_d_ssm")
    head_dim = config.raw("mamba_d_head")
    if isinstance(head_dim, int):
        inner = n_heads * config.need("mamba_d_head")
    elif config.has("mamba_head_dim") or (config.model_type == "mamba2" and config.has("head_dim")):
        inner = n_heads * config.need("mamba_head_dim", "head_dim")
    elif inner is None:
        inner = config.need("mamba_expand", "expand") * config.need(*_WIDTH)
    d_state = config.need("mamba_d_state", "ssm_state_size", "state_size")
    groups = config.need("mamba_n_groups", "n_groups")
    conv = (inner + 2 * groups * d_state) * (config.need("mamba_d_conv", "conv_kernel") - 1)
    return State("Mamba-2", conv, inner * d_state)


def _convolution(config: Config) -> State:
    """LFM2: gated short convolutions alone."""
    return State("short convolution", config.need(*_WIDTH) * (config.need("conv_L_cache") - 1), 0)


def _lru(config: Config) -> State:
    width = config.need("lru_width")
    return State("RG-LRU", width * (config.need("conv1d_width") - 1), width)


def _lightning(config: Config) -> State:
    """MiniMax: a key-by-value matrix for each head."""
    n_heads = config.need("num_attention_heads")
    head_dim = config.maybe("head_dim") or config.need("hidden_size") // n_heads
    return State("lightning attention", 0, n_heads * head_dim**2)


# The first whose test holds.
_RULES: Final[tuple[tuple[Callable[[Config], bool], Callable[[Config], State]], ...]] = (
    (lambda config: config.has("linear_num_value_heads"), _delta_net),
    (
        lambda config: isinstance(config.raw("linear_attn_config"), dict) or config.has("linear_num_heads"),
        _kimi,
    ),
    (lambda config: config.has("mamba_n_heads") or config.has("mamba_num_heads"), _mamba2),
    (lambda config: config.model_type == "mamba2", _mamba2),
    (lambda config: config.has("mamba_d_state") or config.model_type in _MAMBA, _mamba),
    (lambda config: config.has("conv_L_cache"), _convolution),
    (lambda config: config.has("lru_width"), _lru),
    (lambda config: config.model_type.startswith("minimax"), _lightning),
)
