"""The table that turns ids into vectors, and the one that turns vectors into scores."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from piecework.memory.dtypes import read_dtype
from piecework.memory.sizes import check_whole, decimal

__all__ = ["EmbeddingMemory", "embedding"]


@dataclass(frozen=True, slots=True)
class EmbeddingMemory:
    """What the embedding and output tables take.

    Attributes:
        vocab_size: Rows of a table.
        d_model: Values of a row.
        dtype: The number format.
        tied: Whether the output uses the same table.
        n_parameters: Values of one table.
        table_bytes: Bytes of one table, without scales beside it.
        total_bytes: Bytes of both, which is one table where they are tied.
    """

    vocab_size: int
    d_model: int
    dtype: str
    tied: bool
    n_parameters: int
    table_bytes: int
    total_bytes: int

    def matrix(self, n_ids: int) -> tuple[tuple[int, int], int]:
        """Returns what ids become: the shape `(n_ids, d_model)`, and its bytes.

        Raises:
            ValueError: `n_ids` is negative.
        """
        check_whole("n_ids", n_ids, least=0)
        return (n_ids, self.d_model), read_dtype(self.dtype).values(n_ids * self.d_model)

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        size = (
            f"{self.table_bytes:,} bytes ({self.table_bytes / 2**20:,.1f} MiB, {decimal(self.table_bytes)})"
        )
        tables = (
            "tied: one table for input and output"
            if self.tied
            else f"two tables: {decimal(self.total_bytes)}"
        )
        return (
            f"{self.vocab_size:,} × {self.d_model:,} = {self.n_parameters:,} values in {self.dtype}\n"
            f"{size}; {tables}\n"
            f"n ids become an n × {self.d_model:,} matrix"
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def embedding(vocab_size: int, *, d_model: int, dtype: str = "float16", tied: bool = True) -> EmbeddingMemory:
    """Returns what the embedding and output tables of a model take.

    Args:
        vocab_size: Rows: the ids that the model knows.
        d_model: Values of each row, the width of the model.
        dtype: The number format, such as `"fp16"`, `"fp8"` or `"float32"`.
        tied: Whether the output uses the embedding table, and there is one; otherwise there are two of the same size.

    Returns:
        An `EmbeddingMemory`, exact.

    Raises:
        TypeError: An argument is of another type.
        ValueError: A number is below 1, or there is no such dtype.

    Examples:
        >>> import piecework as pw
        >>> table = pw.memory.embedding(32_000, d_model=4_096)
        >>> table.n_parameters, table.table_bytes, table.table_bytes / 2**20
        (131072000, 262144000, 250.0)
        >>> table.matrix(7)
        ((7, 4096), 57344)
    """
    check_whole("vocab_size", vocab_size, least=1)
    check_whole("d_model", d_model, least=1)
    known = read_dtype(dtype)
    n_parameters = vocab_size * d_model
    table_bytes = known.values(n_parameters)
    total_bytes = table_bytes if tied else 2 * table_bytes
    return EmbeddingMemory(vocab_size, d_model, known.name, tied, n_parameters, table_bytes, total_bytes)
