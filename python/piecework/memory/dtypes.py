"""What one vector of a cache takes in each number format, its scales included and said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["DType", "read_dtype"]


@dataclass(frozen=True, slots=True)
class DType:
    """A number format.

    Attributes:
        name: Its name here.
        block_values: Values that are stored together.
        block_bytes: Bytes of those, with scales that are stored in the block.
        vector_bytes: Bytes of scales beside each vector (the key or the value of one head and token).
        scales: What is counted for scales, in words; None for formats without.
    """

    name: str
    block_values: int
    block_bytes: int
    vector_bytes: int = 0
    scales: str | None = None

    def vector(self, n_values: int) -> int:
        """Returns the bytes of one vector; 0 for an empty one."""
        if not n_values:
            return 0
        return -(-n_values // self.block_values) * self.block_bytes + self.vector_bytes

    def values(self, n_values: int) -> int:
        """Returns the bytes of a table of values, without scales that stand beside it."""
        return -(-n_values // self.block_values) * self.block_bytes

    @property
    def is_float(self) -> bool:
        """Whether values are floats of 16 bits or more."""
        return self.block_values == 1 and self.block_bytes > 1


_PER_VECTOR = "a 16-bit scale and zero point beside each key and value vector"
_PER_LAYER = "a scale for the keys and one for the values of each layer, not counted"
_FORMATS: Final = (
    (DType("float32", 1, 4), ("fp32", "f32", "float")),
    (DType("float16", 1, 2), ("fp16", "f16", "half")),
    (DType("bfloat16", 1, 2), ("bf16",)),
    (
        DType("fp8", 1, 1, scales=_PER_LAYER),
        ("float8", "fp8_e4m3", "fp8_e5m2", "float8_e4m3fn", "float8_e5m2"),
    ),
    (DType("int8", 1, 1, 4, _PER_VECTOR), ()),
    (DType("int4", 2, 1, 4, _PER_VECTOR), ()),
    (DType("q8_0", 32, 34, scales="a 16-bit scale in each block of 32"), ()),
    (DType("q5_1", 32, 24, scales="a 16-bit scale and minimum in each block of 32"), ()),
    (DType("q5_0", 32, 22, scales="a 16-bit scale in each block of 32"), ()),
    (DType("q4_1", 32, 20, scales="a 16-bit scale and minimum in each block of 32"), ()),
    (DType("q4_0", 32, 18, scales="a 16-bit scale in each block of 32"), ()),
    (DType("iq4_nl", 32, 18, scales="a 16-bit scale in each block of 32"), ()),
)
_BY_NAME: Final = {name: dtype for dtype, others in _FORMATS for name in (dtype.name, *others)}


def read_dtype(name: str) -> DType:
    """Returns the number format of a name, such as `fp16`, `torch.bfloat16`, `fp8` or `q8_0`.

    Raises:
        TypeError: The name is no str.
        ValueError: It is none that is known.

    Examples:
        >>> read_dtype("fp16").vector(128), read_dtype("int4").vector(128), read_dtype("q8_0").vector(128)
        (256, 68, 136)

    Source: read 2026-11-30, at the commits that are named. Of `q*` and `iq4_nl`, the block structures of ggml
    (ggml-org/llama.cpp: ggml/src/ggml-common.h, 01243c58); of `int8` and `int4`, two values of the model's format for each
    head and token beside its keys and beside its values (InternLM/lmdeploy: docs/en/quantization/kv_quant.md, 0bf868e8,
    and lmdeploy/pytorch/engine/cache_engine.py, 011536f5); of `fp8`, scalar scales of each layer
    (huggingface/text-generation-inference: server/text_generation_server/layers/attention/kv_cache.py).
    """
    if not isinstance(name, str):
        raise TypeError(f"dtype= takes a name such as 'fp16', not {type(name).__name__}")
    found = _BY_NAME.get(name.strip().lower().removeprefix("torch."))
    if found is None:
        raise ValueError(f"there is no dtype {name!r}; known are {', '.join(sorted(_BY_NAME))}")
    return found
