"""Engines whose rules for a cache are published: the rule, where it was read and when.

Rules are those of each engine's defaults; results are calibrated, not exact. Numbers after a file are the commit at
which it was read. Where a rule does not say what is asked, asking for it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from piecework.memory.reserving import grouped, paged, whole_context

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.memory.architecture import Architecture
    from piecework.memory.dtypes import DType
    from piecework.memory.reserving import Load

__all__ = ["ENGINES", "Engine", "EngineName", "default_page", "engine_named"]

EngineName: TypeAlias = Literal["vllm", "llama.cpp", "sglang", "tensorrt-llm", "tgi"]
"""The engines whose rules are known."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine's rule.

    Attributes:
        name: Its name.
        page_tokens: Tokens of a page, by default.
        rule: The rule in words.
        source: Where it stands.
        date: When it was read.
        dtypes: The number formats that its cache can have.
        windows: Whether there is a rule for layers with a window.
        states: Whether there is a rule for recurrent layers.
        latent: Whether that default holds for latent attention; where not, it depends on the GPU's kernel.
        head_dims: The head sizes for which that default holds; None for all.
        other_types: Types of models for which it does not hold.
        reserve: The rule: bytes of a model's cache under a load, with pages of so many tokens.
    """

    name: EngineName
    page_tokens: int
    rule: str
    source: str
    date: str
    dtypes: tuple[str, ...]
    reserve: Callable[[Architecture, Load, int], int]
    windows: bool = False
    states: bool = False
    latent: bool = False
    head_dims: frozenset[int] | None = None
    other_types: frozenset[str] = frozenset()


def engine_named(name: str, architecture: Architecture, dtype: DType) -> Engine:
    """Returns the rule of an engine.

    Raises:
        TypeError: The name is no str.
        ValueError: There is no such engine, or it has no rule for such layers or such a dtype.
    """
    if not isinstance(name, str):
        raise TypeError(f"engine= takes a name, not {type(name).__name__}")
    engine = ENGINES.get(name)
    if engine is None:
        raise ValueError(
            f"engine= takes one of {', '.join(ENGINES)}, not {name!r}; of another, page_tokens= alone gives the pages"
        )
    if dtype.name not in engine.dtypes:
        raise ValueError(f"the cache of {name} is of {', '.join(engine.dtypes)}, not of {dtype.name}")
    if architecture.states and not engine.states:
        raise ValueError(f"there is no published rule here for recurrent layers in {name}")
    layers = [layer for layer, _ in architecture.attentions]
    if not engine.windows and any(layer.window is not None for layer in layers):
        raise ValueError(f"there is no published rule here for layers with a window in {name}")
    if any(layer.index_dim for layer in layers):
        raise ValueError(f"there is no published rule here for the index of sparse attention in {name}")
    for dim in sorted({dim for layer in layers for dim in (layer.k_dim, layer.v_dim)}):
        if dim % dtype.block_values:
            raise ValueError(f"{name} refuses {dtype.name}: its blocks do not divide a head of {dim} values")
    return engine


def default_page(engine: Engine, architecture: Architecture, model_type: str) -> int:
    """Returns the tokens of a page where none is asked for.

    Raises:
        ValueError: The engine's default depends on the GPU for such a model.
    """
    layers = [layer for layer, _ in architecture.attentions]
    why = None
    if not engine.latent and any(layer.is_latent for layer in layers):
        why = "latent attention"
    elif model_type in engine.other_types:
        why = model_type
    elif engine.head_dims is not None:
        other = sorted({layer.k_dim for layer in layers} - engine.head_dims)
        why = f"heads of {other[0]} values" if other else None
    if why is not None:
        raise ValueError(
            f"the pages of {engine.name} depend on the GPU for {why}: give page_tokens= (--page-tokens)"
        )
    return engine.page_tokens


_HALF = ("float16", "bfloat16", "fp8")
_READ = "2026-11-30"
_ALL = (
    Engine(
        name="vllm",
        page_tokens=16,
        rule="pages of 16 tokens for groups of layers of equal number; windows give pages back; a page holds a state whole, one for each group, as without prefix caching",
        source="vllm-project/vllm: vllm/config/cache.py (002f10e0), docs/design/hybrid_kv_cache_manager.md (1153c0c8), vllm/v1/core/kv_cache_utils.py (001cabc1), vllm/v1/core/single_type_kv_cache_manager.py (002f3491), vllm/model_executor/models/config.py (0144dd5b)",
        date=_READ,
        dtypes=("float32", *_HALF),
        reserve=grouped,
        windows=True,
        states=True,
    ),
    Engine(
        name="llama.cpp",
        page_tokens=256,
        rule="the context of each sequence at once, padded to 256 (not --kv-unified); windows: window + 512 padded to 256; states in float32",
        source="ggml-org/llama.cpp: src/llama-context.cpp (001d906a), src/llama-kv-cache-iswa.cpp (02c28f53), states in the log of pull request 23792; measured on build 10107 in unslothai/unsloth pull request 7530",
        date=_READ,
        dtypes=("float32", "float16", "bfloat16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"),
        reserve=whole_context,
        windows=True,
        states=True,
        latent=True,
    ),
    Engine(
        name="sglang",
        page_tokens=1,
        rule="pages of 1 token (--page-size), unless the attention backend takes others: 64 with trtllm_mha, 128 with fa4 on SM100 (page_tokens=)",
        source="sgl-project/sglang: docs/advanced_features/server_arguments.md (004813e1), python/sglang/srt/arg_groups/overrides.py (003bbaf9)",
        date=_READ,
        dtypes=_HALF,
        reserve=paged,
    ),
    Engine(
        name="tensorrt-llm",
        page_tokens=32,
        rule="blocks of 32 tokens (KvCacheConfig.tokens_per_block)",
        source="https://nvidia.github.io/TensorRT-LLM/llm-api/reference/KvCacheConfig.html",
        date=_READ,
        dtypes=_HALF,
        reserve=paged,
    ),
    Engine(
        name="tgi",
        page_tokens=1,
        rule="blocks of 1 token with flashinfer, its default on CUDA for heads of 64, 128 and 256; 256 with flashdecoding, 16 with paged (page_tokens=)",
        source="huggingface/text-generation-inference: launcher/src/main.rs (009c4e0b), server/text_generation_server/models/globals.py (549f0e9c)",
        date=_READ,
        dtypes=_HALF,
        reserve=paged,
        head_dims=frozenset({64, 128, 256}),
        other_types=frozenset({"falcon"}),
    ),
)
ENGINES: Final[dict[str, Engine]] = {engine.name: engine for engine in _ALL}
