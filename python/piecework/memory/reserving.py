"""How engines reserve a cache: pages, groups of layers of equal number, and whole contexts.

Each function takes a model's layers, a load and the tokens of a page, and returns bytes for all sequences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from piecework.memory.dtypes import read_dtype

if TYPE_CHECKING:
    from piecework.memory.architecture import Architecture
    from piecework.memory.dtypes import DType
    from piecework.memory.layers import Attention

__all__ = ["Load", "grouped", "paged", "whole_context"]

_UBATCH: Final = 512
_WINDOW_PAD: Final = 256
# The smallest block that vLLM's kernels take; with a state, pages grow in steps of it or of the page that was asked for.
_KERNEL_BLOCK: Final = 16
# vLLM makes groups of the size of the larger kind where it has less than this many times the layers of the smaller one.
_NEAR: Final = (3, 2)


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


def paged(architecture: Architecture, load: Load, page_tokens: int) -> int:
    """Returns the bytes of pages for each layer by itself."""
    total = 0
    for layer, n_layers in architecture.attentions:
        pages = _held_pages(layer, load.n_tokens, page_tokens)
        total += pages * page_tokens * layer.token_bytes(load.dtype) * n_layers
    for state, n_layers in architecture.states:
        total += state.sequence_bytes(load.dtype, load.state_dtype) * n_layers
    return total * load.batch


def grouped(architecture: Architecture, load: Load, page_tokens: int) -> int:
    """Returns the bytes of pages for groups of layers: all groups are of one size, and padded to it (vLLM).

    Raises:
        ValueError: Layers differ both in size and in kind, or latent attention stands beside states.
    """
    sizes = {layer.token_bytes(load.dtype) for layer, _ in architecture.attentions}
    kinds = {(layer.kind, layer.window) for layer, _ in architecture.attentions}
    counts = [n for _, n in (*architecture.attentions, *architecture.states)]
    if not architecture.attentions or len(counts) == 1 or (len(kinds) == 1 and not architecture.states):
        return paged(architecture, load, page_tokens)
    if len(sizes) > 1:
        raise ValueError("there is no published rule here for layers of several kinds and sizes in vllm")
    if architecture.states and any(layer.is_latent for layer, _ in architecture.attentions):
        raise ValueError("there is no published rule here for states beside latent attention in vllm")
    group = min(counts)
    if max(counts) * _NEAR[1] < min(counts) * _NEAR[0]:
        group = max(counts)
    (token_bytes,) = sizes
    state_bytes = max(
        (one.sequence_bytes(load.dtype, load.state_dtype) for one, _ in architecture.states), default=0
    )
    if state_bytes > page_tokens * token_bytes:
        # One page must hold a state: the pages of attention grow to that.
        step = max(_KERNEL_BLOCK, page_tokens)
        page_tokens = step * _pages(state_bytes, step * token_bytes)
    n_pages = sum(
        _held_pages(layer, load.n_tokens, page_tokens) * _pages(n_layers, group)
        for layer, n_layers in architecture.attentions
    )
    n_pages += sum(_pages(n_layers, group) for _, n_layers in architecture.states)
    return n_pages * page_tokens * token_bytes * group * load.batch


def whole_context(architecture: Architecture, load: Load, page_tokens: int) -> int:
    """Returns the bytes of each sequence's context from the start; windows have room for one batch of new tokens."""
    cells = _pages(load.n_tokens, page_tokens) * page_tokens
    total = 0
    for layer, n_layers in architecture.attentions:
        held = cells
        if layer.window is not None:
            held = _pages(min(cells, layer.window + _UBATCH), _WINDOW_PAD) * _WINDOW_PAD
        total += held * layer.token_bytes(load.dtype) * n_layers
    single = read_dtype("float32")
    for state, n_layers in architecture.states:
        total += state.sequence_bytes(single, single) * n_layers
    return total * load.batch


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
