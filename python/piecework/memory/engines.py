"""What engines reserve for a cache: pages, padding and minimum sizes, by each engine's published rules.

The rules are those of the source that is named, on its date, with the engine's defaults; results are calibrated, not exact.
Where an engine has no rule here for a kind of layer, asking for it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from piecework.memory.dtypes import read_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.memory.architecture import Architecture
    from piecework.memory.dtypes import DType
    from piecework.memory.layers import Attention

__all__ = ["ENGINES", "Engine", "EngineName", "Load", "engine_named", "paged"]

EngineName: TypeAlias = Literal["vllm", "llama.cpp", "sglang", "tensorrt-llm", "tgi"]
"""The engines whose rules are known."""

_UBATCH = 512
_LLAMA_PAD = 256
_VLLM_ALIGNMENT = 16
# vLLM makes groups of the size of the larger kind where it has less than this many times the layers of the smaller one.
_VLLM_NEAR = (3, 2)


@dataclass(frozen=True, slots=True)
class Load:
    """What is to be held.

    Attributes:
        n_tokens: Tokens of each sequence.
        batch: Sequences.
        dtype: The number format of keys and values.
        state_dtype: That of recurrent states.
    """

    n_tokens: int
    batch: int
    dtype: DType
    state_dtype: DType


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
        reserve: The rule: bytes of a model's cache under a load, with pages of so many tokens.
    """

    name: EngineName
    page_tokens: int
    rule: str
    source: str
    date: str
    dtypes: tuple[str, ...]
    windows: bool
    states: bool
    reserve: Callable[[Architecture, Load, int], int]


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
        raise ValueError(f"engine= takes one of {', '.join(ENGINES)}, not {name!r}")
    if dtype.name not in engine.dtypes:
        raise ValueError(f"the cache of {name} is of {', '.join(engine.dtypes)}, not of {dtype.name}")
    if architecture.states and not engine.states:
        raise ValueError(f"there is no published rule here for recurrent layers in {name}")
    if not engine.windows and any(one.window is not None for one, _ in architecture.attentions):
        raise ValueError(f"there is no published rule here for layers with a window in {name}")
    return engine


def _pages(n_tokens: int, page_tokens: int) -> int:
    return -(-n_tokens // page_tokens)


def _held_pages(layer: Attention, n_tokens: int, page_tokens: int) -> int:
    """Pages that still hold a token which the next one can see; earlier ones are given back."""
    if layer.window is None:
        return _pages(n_tokens, page_tokens)
    if layer.kind == "chunked":
        n_skipped = n_tokens // layer.window * layer.window
    else:
        n_skipped = max(0, n_tokens - layer.window + 1)
    return _pages(n_tokens, page_tokens) - n_skipped // page_tokens


def paged(architecture: Architecture, load: Load, page_tokens: int) -> int:
    """Returns the bytes of pages for each layer by itself."""
    total = 0
    for layer, n_layers in architecture.attentions:
        pages = _held_pages(layer, load.n_tokens, page_tokens)
        total += pages * page_tokens * layer.token_bytes(load.dtype) * n_layers
    for state, n_layers in architecture.states:
        total += state.sequence_bytes(load.dtype, load.state_dtype) * n_layers
    return total * load.batch


def _vllm(architecture: Architecture, load: Load, page_tokens: int) -> int:
    """Pages for groups of layers: all groups are of one size, and padded to it."""
    sizes = {layer.token_bytes(load.dtype) for layer, _ in architecture.attentions}
    counts = [n for _, n in (*architecture.attentions, *architecture.states)]
    if not architecture.attentions or len(sizes) > 1 or len(counts) == 1:
        return paged(architecture, load, page_tokens)
    group = min(counts)
    if max(counts) * _VLLM_NEAR[1] < min(counts) * _VLLM_NEAR[0]:
        group = max(counts)
    (token_bytes,) = sizes
    state_bytes = max(
        (one.sequence_bytes(load.dtype, load.state_dtype) for one, _ in architecture.states), default=0
    )
    if state_bytes > page_tokens * token_bytes:
        # One page must hold a state: the pages of attention grow to that.
        page_tokens = _VLLM_ALIGNMENT * _pages(state_bytes, _VLLM_ALIGNMENT * token_bytes)
    n_pages = sum(
        _held_pages(layer, load.n_tokens, page_tokens) * _pages(n_layers, group)
        for layer, n_layers in architecture.attentions
    )
    n_pages += sum(_pages(n_layers, group) for _, n_layers in architecture.states)
    return n_pages * page_tokens * token_bytes * group * load.batch


def _llama_cpp(architecture: Architecture, load: Load, page_tokens: int) -> int:
    """The whole context of each sequence from the start; windows with room for one batch of new tokens."""
    cells = _pages(load.n_tokens, page_tokens) * page_tokens
    total = 0
    for layer, n_layers in architecture.attentions:
        held = cells
        if layer.window is not None:
            held = _pages(min(cells, layer.window + _UBATCH), _LLAMA_PAD) * _LLAMA_PAD
        total += held * layer.token_bytes(load.dtype) * n_layers
    single = read_dtype("float32")
    for state, n_layers in architecture.states:
        total += state.sequence_bytes(single, single) * n_layers
    return total * load.batch


_HALF = ("float16", "bfloat16", "fp8")
_ALL = (
    Engine(
        name="vllm",
        page_tokens=16,
        rule="pages of 16 tokens (64 with FlashMLA: page_tokens=64) for groups of layers of equal size; windows give pages back; a page holds a state whole",
        source="vllm-project/vllm: docs/design/hybrid_kv_cache_manager, vllm/v1/core/kv_cache_utils.py",
        date="2026-11-30",
        dtypes=("float32", *_HALF),
        windows=True,
        states=True,
        reserve=_vllm,
    ),
    Engine(
        name="llama.cpp",
        page_tokens=256,
        rule="the context of each sequence at once, padded to 256; windows: window + 512 padded to 256; states in float32",
        source="ggml-org/llama.cpp: src/llama-context.cpp, src/llama-kv-cache-iswa.cpp",
        date="2026-11-30",
        dtypes=("float32", "float16", "bfloat16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"),
        windows=True,
        states=True,
        reserve=_llama_cpp,
    ),
    Engine(
        name="sglang",
        page_tokens=1,
        rule="pages of 1 token (--page-size)",
        source="SGLang documentation: server arguments",
        date="2026-11-30",
        dtypes=_HALF,
        windows=False,
        states=False,
        reserve=paged,
    ),
    Engine(
        name="tensorrt-llm",
        page_tokens=32,
        rule="blocks of 32 tokens (tokens_per_block)",
        source="TensorRT LLM documentation: KV cache system; KvCacheConfig",
        date="2026-11-30",
        dtypes=_HALF,
        windows=False,
        states=False,
        reserve=paged,
    ),
    Engine(
        name="tgi",
        page_tokens=1,
        rule="blocks of 1 token with flashinfer, its default on CUDA; 256 with flashdecoding, 16 else (page_tokens=)",
        source="huggingface/text-generation-inference: server/text_generation_server/models/globals.py",
        date="2026-11-30",
        dtypes=_HALF,
        windows=False,
        states=False,
        reserve=paged,
    ),
)
ENGINES: Final[dict[str, Engine]] = {engine.name: engine for engine in _ALL}
