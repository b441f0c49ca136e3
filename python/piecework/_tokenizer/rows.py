"""Rows for models that read many texts at once: texts or pairs, cut to a limit and padded to a rectangle."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, final

from piecework import _core
from piecework._optional import optional_module
from piecework._tokenizer.arguments import check_limit, check_side, check_threads, text_sequence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    from piecework._types import Errors, Side, Special, Strategy, Text

__all__ = ["Rows", "Table", "encode_rows"]

_KINDS = {"B": 1, "I": 4}
_PAD_TOKENS = ("[PAD]", "<pad>", "<|pad|>")


@final
class Table:
    """A rectangle of numbers: `shape` is (n_rows, width). Immutable; reads as rows, nested lists or one NumPy array.

    Examples:
        >>> import piecework as pw
        >>> table = pw.load("qwen3").encode_batch(["a b", "c"], pad="longest", pad_id=151643).ids
        >>> table.shape, table.tolist()
        ((2, 2), [[64, 293], [66, 151643]])
    """

    __slots__ = ("_code", "_data", "shape")
    shape: tuple[int, int]
    _data: memoryview
    _code: Literal["B", "I"]

    def __init__(self, data: Buffer, shape: tuple[int, int], code: Literal["B", "I"]) -> None:
        view = memoryview(data)
        if view.nbytes != shape[0] * shape[1] * _KINDS[code]:
            raise ValueError(f"{view.nbytes} bytes are no table of {shape}")
        object.__setattr__(self, "_data", view.cast("B") if view.format != "B" else view)
        object.__setattr__(self, "_code", code)
        object.__setattr__(self, "shape", shape)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Table does not change: {name}")

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, row: int) -> memoryview:
        place = operator.index(row)
        n_rows, width = self.shape
        if not -n_rows <= place < n_rows:
            raise IndexError(f"row {row} of {n_rows}")
        n_bytes = width * _KINDS[self._code]
        start = (place % n_rows) * n_bytes
        return self._data[start : start + n_bytes].cast(self._code)

    def __iter__(self) -> Iterator[memoryview]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Table):
            return self.shape == other.shape and self.tolist() == other.tolist()
        return isinstance(other, list) and self.tolist() == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Table({self.shape[0]} × {self.shape[1]})"

    def tolist(self) -> list[list[int]]:
        """The numbers: one list a row."""
        return [row.tolist() for row in self]

    def numpy(self) -> np.ndarray[Any, Any]:
        """The numbers as a read-only NumPy array of `shape`, uint32 or uint8, without a copy.

        Raises:
            MissingExtraError: NumPy is not installed.
        """
        dtype = "uint32" if self._code == "I" else "uint8"
        numpy = optional_module("numpy", extra="numpy")
        array: np.ndarray[Any, Any] = numpy.frombuffer(self._data, dtype=dtype)
        return array.reshape(self.shape)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None
    ) -> np.ndarray[Any, Any]:
        array = self.numpy()
        return array.astype(dtype) if dtype is not None else array.copy() if copy else array


@final
class Rows:
    """Rows of ids. Made by `Tokenizer.encode_batch` with `pairs=`, `pad=` or `max_tokens=`; immutable.

    Without `pad=` the lists are flat, and row `i` has the entries `offsets[i]` to `offsets[i + 1]`; with it they are
    tables, and `offsets` says how long each row was. `rows[i]` are the ids of one row, without padding.

    Attributes:
        ids: The ids: (n_tokens,) uint32, or a table.
        type_ids: Per id, which of two texts it is of, as the tokenizer's template has it; shaped like `ids`.
        special_mask: Per id, 1 for what was put in (begin, end, separators, padding), else 0; shaped like `ids`.
        attention_mask: Per id, 1 where it is part of the row, 0 where it pads; a table, or None without `pad=`.
        offsets: Where each row begins in the flat lists, and the end: (n_rows + 1,) int64.
        texts: Per row, the index of its text: (n_rows,) int64. With `overflow=True` a text can have several.

    Examples:
        >>> import piecework as pw
        >>> rows = pw.load("qwen3").encode_batch(["one two three", "four"], max_tokens=2, overflow=True)
        >>> [rows[i].tolist() for i in range(len(rows))], rows.texts.tolist()
        ([[603, 1378], [2326], [34024]], [0, 0, 1])
    """

    __slots__ = ("_native", "attention_mask", "ids", "offsets", "special_mask", "texts", "type_ids")
    ids: _core.Ids | Table
    type_ids: _core.Ids | Table
    special_mask: memoryview | Table
    attention_mask: Table | None
    _native: tuple[_core.Rows, bool]
    offsets: _core.Counts
    texts: _core.Counts

    def __init__(self, native: _core.Rows, *, pads_left: bool) -> None:
        set_field = object.__setattr__
        set_field(self, "_native", (native, pads_left))
        set_field(self, "offsets", native.offsets)
        set_field(self, "texts", native.texts)
        if native.width is None or native.attention is None:
            set_field(self, "ids", native.ids)
            set_field(self, "type_ids", native.type_ids)
            set_field(self, "special_mask", memoryview(native.special))
            set_field(self, "attention_mask", None)
            return
        shape = (len(native.texts), native.width)
        set_field(self, "ids", Table(native.ids, shape, "I"))
        set_field(self, "type_ids", Table(native.type_ids, shape, "I"))
        set_field(self, "special_mask", Table(native.special, shape, "B"))
        set_field(self, "attention_mask", Table(native.attention, shape, "B"))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Rows do not change: {name}")

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, row: int) -> _core.Ids:
        place = operator.index(row)
        if not -len(self) <= place < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        place %= len(self)
        native, pads_left = self._native
        n_tokens = self.offsets[place + 1] - self.offsets[place]
        if native.width is None:
            start = self.offsets[place]
        else:
            start = place * native.width + (native.width - n_tokens if pads_left else 0)
        ids: _core.Ids = native.ids[start : start + n_tokens]
        return ids

    def __repr__(self) -> str:
        shape = f", padded to {self.ids.shape[1]}" if isinstance(self.ids, Table) else ""
        return f"Rows({len(self)} rows of {len(set(self.texts))} texts{shape})"


def encode_rows(
    tokenizer: _core.Tokenizer,
    texts: Sequence[Text],
    *,
    pairs: Sequence[Text] | None,
    pad: str | int | None,
    max_tokens: int | None,
    strategy: Strategy,
    overflow: bool,
    stride: int,
    side: Side,
    pad_side: Side,
    pad_id: int | None,
    pad_type_id: int,
    pad_to_multiple_of: int,
    special: Special,
    add_special_tokens: bool,
    errors: Errors,
    n_threads: int | None,
) -> Rows:
    """Encodes texts or pairs of texts into rows; the arguments are those of `Tokenizer.encode_batch`."""
    check_side(side)
    check_side(pad_side)
    if stride and not overflow:
        raise ValueError("stride= says what overflowing rows repeat, so it needs overflow=True")
    if overflow and max_tokens is None:
        raise ValueError("overflow=True says what becomes of what is cut off, so it needs max_tokens=")
    limit = None
    if max_tokens is not None:
        cut = check_limit(stride) if overflow else None
        limit = (check_limit(max_tokens), strategy, side, cut)
    padding = None
    if pad is not None:
        width = _width(pad, max_tokens)
        multiple = check_limit(pad_to_multiple_of)
        fill = _pad_id(tokenizer) if pad_id is None else pad_id
        padding = (width, max(1, multiple), pad_side, fill, pad_type_id)
    native = _core.rows(
        tokenizer,
        text_sequence(texts),
        None if pairs is None else text_sequence(pairs),
        special,
        add_special_tokens,
        errors,
        check_threads(n_threads),
        limit,
        padding,
    )
    return Rows(native, pads_left=pad_side == "left")


def _width(pad: str | int, max_tokens: int | None) -> int | None:
    if pad == "longest":
        return None
    if pad == "max":
        if max_tokens is None:
            raise ValueError('pad="max" pads to max_tokens=, so it needs it')
        return check_limit(max_tokens)
    if isinstance(pad, str | bool):
        raise ValueError(f'pad is {pad!r}; it is "longest", "max" or a number of tokens')  # noqa: TRY004
    return check_limit(pad)


def _pad_id(tokenizer: _core.Tokenizer) -> int:
    """The id of the padding token, where the tokenizer names one as such."""
    named = tokenizer.special_tokens
    for token in _PAD_TOKENS:
        if token in named:
            return named[token]
    raise ValueError("this tokenizer names no padding token ([PAD], <pad>): give pad_id=")
