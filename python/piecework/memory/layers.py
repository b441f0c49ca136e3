"""What a layer keeps of what it has read: keys and values of tokens, a state of fixed size, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from piecework.memory.dtypes import DType

__all__ = ["Attention", "Kind", "State"]

Kind: TypeAlias = Literal["full", "sliding", "chunked", "state", "both", "none"]
"""What a layer is: attention to all tokens, to the last ones, to those of one chunk; a state; attention and a state."""


@dataclass(frozen=True, slots=True)
class Attention:
    """The keys and values that an attention layer keeps of each token.

    Attributes:
        kind: `"full"`, `"sliding"` or `"chunked"`.
        window: How many tokens it keeps at most; None for all.
        n_heads: Heads that have keys and values of their own; 1 for a latent vector.
        k_dim: Values of a key.
        v_dim: Values of a value; 0 where keys and values are one latent vector.
        index_dim: Values of an indexer's key (DeepSeek sparse attention); 0 without.
        is_latent: Whether it is multi-head latent attention.
    """

    kind: Kind
    window: int | None
    n_heads: int
    k_dim: int
    v_dim: int
    index_dim: int = 0
    is_latent: bool = False

    def token_bytes(self, dtype: DType) -> int:
        """Returns the bytes that one token takes in one layer."""
        return self.n_heads * (dtype.vector(self.k_dim) + dtype.vector(self.v_dim)) + dtype.vector(
            self.index_dim
        )

    def n_held(self, n_tokens: int) -> int:
        """Returns how many of so many tokens the layer keeps."""
        return n_tokens if self.window is None else min(n_tokens, self.window)


@dataclass(frozen=True, slots=True)
class State:
    """The state of a recurrent layer, of the same size after any number of tokens.

    Attributes:
        name: What kind of layer it is, such as `Mamba-2`.
        conv_values: Values of the last inputs of its convolution.
        recurrent_values: Values of the state proper.
    """

    name: str
    conv_values: int
    recurrent_values: int

    def sequence_bytes(self, dtype: DType, state_dtype: DType) -> int:
        """Returns the bytes of one sequence in one layer."""
        return dtype.values(self.conv_values) + state_dtype.values(self.recurrent_values)
