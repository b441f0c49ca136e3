"""Rows for models that read many texts at once: texts or pairs, cut to a limit and padded to a rectangle."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, final

from piecework import _core
from piecework._optional import optional_module
from piecework._tokenizer.arguments import check_limit, check_side, check_threads, text_sequence

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    from piecework._types import Errors, Side, Special, Strategy, Text

__all__ = ["PaddedRows", "Rows", "Table", "encode_rows"]

_KINDS = {"B": 1, "I": 4}
_PAD_TOKENS = ("[PAD]", "<pad>", "<|pad|>")
_MAX_TYPE_IDS = 2**32


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

    def __getitem__(self, row: int) -> memoryview[int]:
        n_bytes = self.shape[1] * _KINDS[self._code]
        start = _place(row, len(self)) * n_bytes
        return self._data[start : start + n_bytes].cast(self._code)

    def __iter__(self) -> Iterator[memoryview[int]]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Table):
            return self.shape == other.shape and self.tolist() == other.tolist()
        return isinstance(other, list) and self.tolist() == other

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return Table, (self._data.tobytes(), self.shape, self._code)

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
    """Rows of ids, each as long as it is. Made by `Tokenizer.encode_batch` with `pairs=` or `max_tokens=`; immutable.

    The lists are flat: row `i` has the entries `offsets[i]` to `offsets[i + 1]`. `rows[i]` are the ids of one row.

    Attributes:
        ids: The ids: (n_tokens,) uint32.
        type_ids: Per id, which of two texts it is of, as the tokenizer's template has it: (n_tokens,) uint32.
        special_mask: Per id, 1 for what was put in (begin, end, separators), else 0: (n_tokens,) uint8.
        offsets: Where each row begins in the flat lists, and the end: (n_rows + 1,) int64.
        texts: Per row, the index of its text: (n_rows,) int64. With `overflow=True` a text can have several.

    Examples:
        >>> import piecework as pw
        >>> rows = pw.load("qwen3").encode_batch(["one two three", "four"], max_tokens=2, overflow=True)
        >>> [row.tolist() for row in rows], rows.texts.tolist()
        ([[603, 1378], [2326], [34024]], [0, 0, 1])
    """

    __slots__ = ("ids", "offsets", "special_mask", "texts", "type_ids")
    ids: _core.Ids
    type_ids: _core.Ids
    special_mask: memoryview[int]
    offsets: _core.Counts
    texts: _core.Counts

    def __init__(self, native: _core.Rows) -> None:
        _set(self, ids=native.ids, type_ids=native.type_ids, special_mask=memoryview(native.special))
        _set(self, offsets=native.offsets, texts=native.texts)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Rows do not change: {name}")

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, row: int) -> _core.Ids:
        place = _place(row, len(self))
        return self.ids[self.offsets[place] : self.offsets[place + 1]]

    def __iter__(self) -> Iterator[_core.Ids]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return _fields(self) == _fields(other) if isinstance(other, Rows) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        # A view of bytes does not pickle; the bytes do.
        return _restored, (Rows, {**_fields(self), "special_mask": self.special_mask.tobytes()})

    def __repr__(self) -> str:
        return f"Rows({len(self)} rows of {len(set(self.texts))} texts)"


@final
class PaddedRows:
    """Rows of ids, all of one width. Made by `Tokenizer.encode_batch` with `pad=`; immutable.

    `rows[i]` are the ids of one row without its padding.

    Attributes:
        ids: The ids: (n_rows, width) uint32.
        type_ids: Per id, which of two texts it is of, as the tokenizer's template has it: (n_rows, width) uint32.
        attention_mask: Per id, 1 where it is part of the row, 0 where it pads: (n_rows, width) uint8.
        special_mask: Per id, 1 for what was put in (begin, end, separators, padding), else 0: (n_rows, width) uint8.
        lengths: How many ids each row had before it was padded: (n_rows,) list.
        texts: Per row, the index of its text: (n_rows,) int64. With `overflow=True` a text can have several.

    Examples:
        >>> import piecework as pw
        >>> rows = pw.load("qwen3").encode_batch(["one two", "three"], pad="longest", pad_id=151643)
        >>> rows.ids.tolist(), rows.attention_mask.tolist(), rows[1].tolist()
        ([[603, 1378], [27856, 151643]], [[1, 1], [1, 0]], [27856])
    """

    __slots__ = (
        "_flat",
        "_pads_left",
        "attention_mask",
        "ids",
        "lengths",
        "special_mask",
        "texts",
        "type_ids",
    )
    ids: Table
    type_ids: Table
    attention_mask: Table
    special_mask: Table
    lengths: list[int]
    texts: _core.Counts
    _flat: _core.Ids
    _pads_left: bool

    def __init__(self, native: _core.Rows, width: int, attention: bytes, *, pads_left: bool) -> None:
        shape = (len(native.texts), width)
        ends = native.offsets.tolist()
        _set(self, ids=Table(native.ids, shape, "I"), type_ids=Table(native.type_ids, shape, "I"))
        _set(
            self, special_mask=Table(native.special, shape, "B"), attention_mask=Table(attention, shape, "B")
        )
        _set(self, lengths=[end - start for start, end in pairwise(ends)], texts=native.texts)
        _set(self, _flat=native.ids, _pads_left=pads_left)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"PaddedRows do not change: {name}")

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, row: int) -> _core.Ids:
        place = _place(row, len(self))
        width = self.ids.shape[1]
        start = place * width + (width - self.lengths[place] if self._pads_left else 0)
        return self._flat[start : start + self.lengths[place]]

    def __iter__(self) -> Iterator[_core.Ids]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return _fields(self) == _fields(other) if isinstance(other, PaddedRows) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (PaddedRows, _fields(self))

    def __repr__(self) -> str:
        return f"PaddedRows({len(self)} rows of {len(set(self.texts))} texts, {self.ids.shape[1]} wide)"


def _set(rows: object, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(rows, name, value)


def _fields(rows: Rows | PaddedRows) -> dict[str, Any]:
    return {name: getattr(rows, name) for name in type(rows).__slots__}


def _restored(kind: type[Rows | PaddedRows], fields: dict[str, Any]) -> Rows | PaddedRows:
    """Rows of the fields that pickle kept of them."""
    rows = kind.__new__(kind)
    mask = fields["special_mask"]
    _set(rows, **{**fields, "special_mask": memoryview(mask) if isinstance(mask, bytes) else mask})
    return rows


def _place(row: int, n_rows: int) -> int:
    place = operator.index(row)
    if not -n_rows <= place < n_rows:
        raise IndexError(f"row {row} of {n_rows}")
    return place % n_rows


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
    pad_token: str | None,
    pad_type_id: int,
    pad_to_multiple_of: int,
    special: Special,
    add_special_tokens: bool,
    errors: Errors,
    n_threads: int | None,
) -> Rows | PaddedRows:
    """Encodes texts or pairs of texts into rows; the arguments are those of `Tokenizer.encode_batch`."""
    check_side(side)
    if pad_side not in {"left", "right"}:
        raise ValueError(f'pad_side is {pad_side!r}; it is "left" or "right"')
    if stride and not overflow:
        raise ValueError("stride= says what overflowing rows repeat, so it needs overflow=True")
    if overflow and max_tokens is None:
        raise ValueError("overflow=True says what becomes of what is cut off, so it needs max_tokens=")
    limit = None
    if max_tokens is not None:
        cut = check_limit(stride, "stride") if overflow else None
        limit = (check_limit(max_tokens), strategy, side, cut)
    padding = None
    if pad is not None:
        width = _width(pad, max_tokens)
        multiple = check_limit(pad_to_multiple_of, "pad_to_multiple_of")
        fill = _pad_id(tokenizer, pad_id, pad_token)
        padding = (width, max(1, multiple), pad_side, fill, _type_id(pad_type_id))
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
    if native.width is None or native.attention is None:
        return Rows(native)
    return PaddedRows(native, native.width, native.attention, pads_left=pad_side == "left")


def _width(pad: str | int, max_tokens: int | None) -> int | None:
    if pad == "longest":
        return None
    if pad == "max":
        if max_tokens is None:
            raise ValueError('pad="max" pads to max_tokens=, so it needs it')
        return check_limit(max_tokens)
    if isinstance(pad, str | bool):
        raise ValueError(f'pad is {pad!r}; it is "longest", "max" or a number of tokens')  # noqa: TRY004
    return check_limit(pad, "pad")


def _type_id(pad_type_id: int) -> int:
    number = operator.index(pad_type_id)
    if not 0 <= number < _MAX_TYPE_IDS:
        raise ValueError(f"pad_type_id is {pad_type_id}; it must be from 0 to 2**32 - 1")
    return number


def _pad_id(tokenizer: _core.Tokenizer, wanted: int | None, named: str | None) -> int:
    """The id that pads: the one asked for, the one that the tokenizer's files name, or that of `[PAD]` or `<pad>`."""
    if wanted is not None:
        number = operator.index(wanted)
        if not 0 <= number < tokenizer.vocab_size:
            raise ValueError(
                f"pad_id is {wanted}; this tokenizer has the ids 0 to {tokenizer.vocab_size - 1}"
            )
        return number
    if named is not None and (found := tokenizer.id(named)) is not None:
        return found
    specials = tokenizer.special_tokens
    for token in _PAD_TOKENS:
        if token in specials:
            return specials[token]
    raise ValueError(
        "no file of this tokenizer names a token for padding, and it has no [PAD] or <pad>: give pad_id="
    )
