"""How many keys and values an attention layer keeps of a token: all heads, groups, one head, or one latent vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from piecework.memory.layers import Attention

if TYPE_CHECKING:
    from piecework.memory.config import Config
    from piecework.memory.layers import Kind

__all__ = ["attention"]

_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
_KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num")
# Each head has keys and values of its own: the model's definition (or, for llama, the class's documentation) says so.
_MULTI_HEAD: Final = frozenset(
    {
        "gpt2",
        "gpt_neo",
        "gpt_neox",
        "gptj",
        "opt",
        "bloom",
        "codegen",
        "mpt",
        "llama",
        "phi",
        "stablelm_epoch",
        "xglm",
    }
)
_WINDOWS = ("sliding_window", "attention_window_size")


def attention(config: Config, kind: Kind, at: int, n: int) -> Attention:
    """Returns what one layer keeps of a token.

    Args:
        config: The model's config.
        kind: `"full"`, `"sliding"` or `"chunked"`.
        at: The layer's index.
        n: How many layers there are.

    Raises:
        FormatError: The config does not say it.
    """
    window = None
    if kind == "sliding":
        window = config.need(*_WINDOWS)
    elif kind == "chunked":
        window = config.need("attention_chunk_size")
    if config.has("kv_lora_rank"):
        # Multi-head latent attention keeps one latent vector and one rotary key for all heads.
        latent = config.need("kv_lora_rank") + config.need("qk_rope_head_dim")
        return Attention(kind, window, 1, latent, 0, config.maybe("index_head_dim") or 0, is_latent=True)
    own = "swa_" if kind == "sliding" else "global_" if kind == "full" else ""
    heads = _own_heads(config, kind, own) or _kv_heads(config, at, n)
    k_dim = (config.maybe(f"{own}head_dim") if own else None) or _head_dim(config)
    v_dim = (config.maybe(f"{own}v_head_dim") if own else None) or config.maybe("v_head_dim") or k_dim
    return Attention(kind, window, heads, k_dim, v_dim)


def _own_heads(config: Config, kind: Kind, own: str) -> int | None:
    """Heads that only layers of this kind have: MiMo's `swa_num_key_value_heads`, Gemma 4's global ones."""
    if kind == "full":
        shares = config.raw("attention_k_eq_v") is True
        return config.maybe("num_global_key_value_heads") if shares else None
    return config.maybe(f"{own}num_key_value_heads") if own else None


def _kv_heads(config: Config, at: int, n: int) -> int:
    listed = config.raw("num_key_value_heads") or config.raw("num_kv_heads")
    if isinstance(listed, list):
        if len(listed) != n:
            raise config.wrong("num_key_value_heads", f"it names {len(listed)} layers of {n}")
        return config.whole("num_key_value_heads", listed[at])
    one_for_all = config.raw("multi_query") is True and config.raw("new_decoder_architecture") is not True
    if config.model_type in {"falcon", "gpt_bigcode"}:
        if not config.has("multi_query"):
            raise config.missing("multi_query", "it says whether all heads share keys and values")
        if one_for_all:
            return 1
    found = config.maybe(*_KV_HEADS)
    if found is not None:
        return found
    inner = config.raw("attn_config")
    if isinstance(inner, dict) and "kv_n_heads" in inner:
        return config.whole("attn_config.kv_n_heads", inner["kv_n_heads"])
    if config.model_type in _MULTI_HEAD or config.raw("multi_query") is False:
        heads = config.need(*_HEADS)
        note = f"num_key_value_heads is absent: each of the {heads} heads of {config.model_type} has its own"
        if note not in config.notes:
            config.notes.append(note)
        return heads
    raise config.missing("num_key_value_heads", "how many heads have keys and values of their own is needed")


def _head_dim(config: Config) -> int:
    found = config.maybe("head_dim", "kv_channels")
    if found is not None:
        return found
    width = config.need("hidden_size", "n_embd", "d_model")
    heads = config.need(*_HEADS)
    if width % heads:
        raise config.missing("head_dim", f"{heads} heads do not divide a width of {width}")
    note = f"head_dim is absent: {width} / {heads} = {width // heads}"
    if note not in config.notes:
        config.notes.append(note)
    return width // heads
