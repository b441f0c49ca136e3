"""Columns of Parquet and Arrow files, a part at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._optional import optional_module
from piecework.errors import InputError
from piecework.train.sources.batch import Batch, Unit
from piecework.train.sources.lines import BLOCK_BYTES
from piecework.train.sources.packed import naming, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from piecework.train.sources.formats import Format

__all__ = [
    "as_bytes",
    "column_strings",
    "is_text",
    "naming_table",
    "parquet_units",
    "read_arrow",
    "read_parquet",
    "sliced",
]

_MAGIC = b"ARROW1"
_MAX_ROWS = 1 << 16


def pyarrow_module(name: str = "pyarrow") -> Any:  # noqa: ANN401 - an optional module
    """A module of pyarrow."""
    # By its own name first: a module inside of what is not installed is not what is missing.
    whole = optional_module("pyarrow", extra="arrow")
    return whole if name == "pyarrow" else optional_module(name, extra="arrow")


def naming_table(path: Path) -> AbstractContextManager[None]:
    """Turns the failures of reading a table into an InputError that names the file.

    Names of columns may be no UTF-8, and sizes larger than any memory.
    """
    return naming(path, pyarrow_module().ArrowException, UnicodeDecodeError, MemoryError)


def _parquet(path: Path) -> Any:  # noqa: ANN401 - of an optional module
    parquet = pyarrow_module("pyarrow.parquet")
    with naming_table(path):
        # Column by column and page by page: a row group may be far larger than the memory.
        return parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)


def parquet_units(path: Path, format_: Format, field: str) -> list[Unit]:
    """A unit for each row group.

    Raises:
        InputError: It is no Parquet file, or has no such column of text.
    """
    with _parquet(path) as file, naming_table(path):
        column = _column(path, file.schema_arrow, field)
        units, row = [], 0
        for group in range(file.metadata.num_row_groups):
            meta = file.metadata.row_group(group)
            leaves = [meta.column(at) for at in range(meta.num_columns)]
            prefix = column + "."
            n_bytes = sum(
                leaf.total_uncompressed_size
                for leaf in leaves
                if leaf.path_in_schema == column or leaf.path_in_schema.startswith(prefix)
            )
            end = row + meta.num_rows
            units.append(
                Unit(path=path, format=format_, field=field, start=row, end=end, group=group, n_bytes=n_bytes)
            )
            row = end
    return units


def read_parquet(unit: Unit) -> Iterator[Batch]:
    """The column of a row group.

    Raises:
        InputError: It cannot be read.
    """
    with _parquet(unit.path) as file, naming_table(unit.path):
        column = _column(unit.path, file.schema_arrow, unit.field)
        n_rows = (unit.end or 0) - unit.start
        each = max(1, min(_MAX_ROWS, BLOCK_BYTES * n_rows // max(1, unit.n_bytes)))
        row = unit.start
        for part in file.iter_batches(batch_size=each, row_groups=[unit.group], columns=[column]):
            n_done = unit.n_bytes * (row + part.num_rows - unit.start) // max(1, n_rows)
            yield from _batches(unit, part, row, n_done)
            row += part.num_rows


def read_arrow(unit: Unit) -> Iterator[Batch]:
    """The column of an Arrow file or stream.

    Raises:
        InputError: It is none, or has no such column of text.
    """
    pa = pyarrow_module()
    with opened(unit.path, unit.format.packed) as (stream, n_read), naming_table(unit.path):
        row = 0
        for part in _record_batches(pa, stream, unit):
            yield from _batches(unit, part, row, min(n_read(), unit.n_bytes))
            row += part.num_rows


class _Whole:
    """A stream that is only read, as Arrow wants it, with bytes before it that were read already."""

    closed = False

    def __init__(self, stream: Any, lead: bytes) -> None:  # noqa: ANN401 - any stream
        self._stream = stream
        self._lead = lead

    def read(self, n_bytes: int | None = -1) -> bytes:
        """The next bytes, or all."""
        n_wanted = 1 << 62 if n_bytes is None or n_bytes < 0 else n_bytes
        lead, self._lead = self._lead[:n_wanted], self._lead[n_wanted:]
        if len(lead) == n_wanted:
            return lead
        rest: bytes = self._stream.read(n_wanted - len(lead))
        return lead + rest

    def close(self) -> None:
        """Does nothing: whoever opened the stream closes it."""


def _record_batches(pa: Any, source: Any, unit: Unit) -> Iterator[Any]:  # noqa: ANN401 - of an optional module
    lead = source.read(len(_MAGIC))
    if lead.startswith(b"FEA1"):
        reason = "Feather of version 1 is not read; version 2 is Arrow's own format"
        raise InputError(f"{unit.path}: {reason}", path=str(unit.path), reason=reason)
    if lead == _MAGIC and not unit.format.packed:
        with pa.ipc.open_file(source) as reader:
            options = _only(pa, reader.schema, unit)
        with pa.ipc.open_file(source, options=options) as reader:
            for at in range(reader.num_record_batches):
                yield reader.get_batch(at)
        return
    if lead == _MAGIC:
        # Behind the magic and two bytes a file is a stream, with its footer at the end.
        source.read(2)
        lead = b""
    whole = _Whole(source, lead)
    with pa.ipc.open_stream(pa.PythonFile(whole, mode="r")) as reader:
        options = _only(pa, reader.schema, unit)
        if unit.format.packed:
            yield from reader
            return
    source.seek(0)
    with pa.ipc.open_stream(pa.PythonFile(source, mode="r"), options=options) as reader:
        yield from reader


def _only(pa: Any, schema: Any, unit: Unit) -> Any:  # noqa: ANN401 - of an optional module
    """The option to read one column of many, which may be far larger than the text."""
    column = _column(unit.path, schema, unit.field)
    name = column if column in schema.names else column.split(".")[0]
    return pa.ipc.IpcReadOptions(included_fields=[schema.names.index(name)])


def _batches(unit: Unit, part: Any, row: int, n_done: int) -> Iterator[Batch]:  # noqa: ANN401 - a record batch
    """The texts of a record batch; a null is no text."""
    pc = pyarrow_module("pyarrow.compute")
    strings = column_strings(part, unit.field)
    rows = range(row, row + part.num_rows)
    if strings.null_count:
        rows = [row + at for at in pc.indices_nonzero(strings.is_valid()).to_pylist()]  # type: ignore[assignment]
        strings = strings.drop_null()
    at = 0
    for slice_ in sliced(strings):
        yield Batch(texts=slice_, places=rows[at : at + len(slice_)], n_done=n_done)
        at += len(slice_)


def sliced(strings: Any) -> Iterator[Any]:  # noqa: ANN401 - an array
    """An array of strings in parts of about the size of a block."""
    n_rows = len(strings)
    each = max(1, min(_MAX_ROWS, BLOCK_BYTES * n_rows // max(1, strings.nbytes)))
    for at in range(0, n_rows, each):
        yield strings.slice(at, each)


def column_strings(part: Any, field: str) -> Any:  # noqa: ANN401 - of an optional module
    """The column of a record batch by its name, or by the dotted path into a struct, as bytes.

    Files may hold anything: what lies outside of its buffers is refused, before Arrow's functions follow it.

    Raises:
        ArrowInvalid: It is not laid out as its type requires.
    """
    pa, pc = pyarrow_module(), pyarrow_module("pyarrow.compute")
    names = part.schema.names
    name, *rest = [field] if field in names else field.split(".")
    strings = part.column(names.index(name))
    strings.validate()
    if rest:
        strings = pc.struct_field(strings, rest)
    if pa.types.is_dictionary(strings.type):
        values = _checked(strings.dictionary)
        return pa.DictionaryArray.from_arrays(strings.indices, values, safe=True).dictionary_decode()
    return _checked(strings)


def _checked(strings: Any) -> Any:  # noqa: ANN401 - an array
    """Strings as bytes, each within its buffer."""
    pa = pyarrow_module()
    strings = as_bytes(strings)
    strings.validate(full=True)
    # What this library does not filter yet.
    return strings.cast(pa.large_binary()) if strings.type == pa.binary_view() else strings


def as_bytes(strings: Any) -> Any:  # noqa: ANN401 - an array
    """Arrow's strings as bytes, which need not be UTF-8, without a copy."""
    pa = pyarrow_module()
    kinds = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }
    kind = kinds.get(strings.type)
    if kind is None:
        return strings
    if isinstance(strings, pa.ChunkedArray):
        return pa.chunked_array([chunk.view(kind) for chunk in strings.chunks], kind)
    return strings.view(kind)


def is_text(type_: Any) -> bool:  # noqa: ANN401 - a type of an optional module
    """Whether a column of this type holds text, dictionary-encoded or not."""
    value = type_.value_type if pyarrow_module().types.is_dictionary(type_) else type_
    kinds = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    return str(value) in kinds


def _column(path: Path, schema: Any, field: str) -> str:  # noqa: ANN401 - of an optional module
    """The column's path in the file.

    Raises:
        InputError: There is none of this name, or it holds no text.
    """
    pa = pyarrow_module()
    type_ = None
    if field in schema.names:
        type_ = schema.field(schema.names.index(field)).type
    else:
        name, *rest = field.split(".")
        if name in schema.names:
            type_ = schema.field(schema.names.index(name)).type
        for inner in rest:
            is_inside = type_ is not None and pa.types.is_struct(type_) and type_.get_field_index(inner) >= 0
            type_ = type_.field(type_.get_field_index(inner)).type if is_inside and type_ else None
    if type_ is None:
        names = ", ".join(schema.names[:8]) or "none"
        reason = f"there is no column {field!r}; there are {names}"
    else:
        if is_text(type_):
            return field
        reason = f"the column {field!r} holds no text, but {type_}"
    raise InputError(
        f"{path}: {reason}", path=str(path), reason=reason, hint="field= names the column of the text"
    )
