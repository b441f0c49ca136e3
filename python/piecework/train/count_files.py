"""Count files, as `piecework.train.words`, Spark or SQL write them: what they say of themselves, and what goes together."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from piecework import _core
from piecework.errors import FormatError, InputError, LoadError, NotUnicodeError, TrainError
from piecework.train.sources.formats import Packed, file_status
from piecework.train.sources.lines import line_blocks
from piecework.train.sources.packed import opened
from piecework.train.sources.tables import column_strings, is_text, naming_table, pyarrow_module
from piecework.train.sources.units import MAX_PARTS
from piecework.train.stages import NORMALIZERS, pre_tokenizer_of, stages_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


__all__ = ["MARK", "META_KEY", "CountFile", "check_pattern", "check_sum", "check_together", "read_count_file"]

SCHEMA = "piecework.words/1"
MARK = b"# " + SCHEMA.encode() + b" "
META_KEY = b"piecework.words"
_BOM = b"\xef\xbb\xbf"
_MAX_META_BYTES = 16 << 20
_BATCH_WORDS = 1 << 16
_MAX_SUM = (1 << 63) - 1
# Above it a float says no whole number exactly.
_MAX_FLOAT = 1 << 53
# As count, COUNT(*) and count(1).
_HEADING = re.compile(rb"[A-Za-z_\"][\w ()*\"]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountFile:
    """A count file.

    Attributes:
        path: The file.
        kind: Its format.
        packed: How a TSV is compressed.
        meta: What it says of itself; None where somebody else wrote it.
        n_lead_bytes: Bytes of a TSV before its first count.
        columns: The columns of the word and the count in Parquet.
    """

    path: Path
    kind: Literal["tsv", "parquet"]
    packed: Packed = ""
    meta: Mapping[str, Any] | None = None
    n_lead_bytes: int = 0
    columns: tuple[str, str] = ("word", "count")

    @property
    def part(self) -> tuple[int, int]:
        """Which part of the corpus it is."""
        part = (self.meta or {}).get("part") or (1, 1)
        return part[0], part[1]

    def feed(self, counter: _core.WordCounter) -> Iterator[int]:
        """Counts its words; yields how many bytes of the file are done.

        Raises:
            InputError: A line or a row is no word with its count.
            NotUnicodeError: A word is not UTF-8.
        """
        n_before = counter.n_words
        try:
            yield from self._feed_tsv(counter) if self.kind == "tsv" else self._feed_parquet(counter)
        except LoadError as error:
            place = error.place if hasattr(error, "place") and error.place else ""
            reason = getattr(error, "reason", None) or error.message
            reason = f"{place}: {reason}" if place else reason
            raise InputError(f"{self.path}: {reason}", path=str(self.path), reason=reason) from None
        n_words = counter.n_words - n_before
        if self.meta is not None and self.meta["n_words"] != n_words:
            reason = f"it has {n_words:,} words, and says that it has {self.meta['n_words']:,}: it was cut off or changed"
            raise InputError(f"{self.path}: {reason}", path=str(self.path), reason=reason)

    def _feed_tsv(self, counter: _core.WordCounter) -> Iterator[int]:
        n_lines = 1
        with opened(self.path, self.packed) as (stream, n_read):
            for at, block in line_blocks(stream, self.path, whole="a word is read whole, with its count"):
                lead = min(len(block), max(0, self.n_lead_bytes - at))
                try:
                    block.decode()
                except UnicodeDecodeError as error:
                    place = at + error.start
                    message = f"{self.path} is not UTF-8 at byte {place}"
                    raise NotUnicodeError(message, index=place, hint="words are UTF-8") from None
                n_lines += block.count(b"\n", 0, lead)
                counter.add_tsv(block[lead:], n_lines)
                n_lines += block.count(b"\n", lead)
                yield n_read()

    def _feed_parquet(self, counter: _core.WordCounter) -> Iterator[int]:
        parquet = pyarrow_module("pyarrow.parquet")
        size = self.path.stat().st_size
        with naming_table(self.path), parquet.ParquetFile(self.path, pre_buffer=False) as file:
            row, n_rows = 0, file.metadata.num_rows
            for batch in file.iter_batches(batch_size=_BATCH_WORDS, columns=list(self.columns)):
                names = batch.schema.names
                words = column_strings(batch, self.columns[0]).to_pylist()
                counts = batch.column(names.index(self.columns[1])).to_pylist()
                counter.add(*self._checked(words, counts, row))
                row += len(words)
                yield size * row // max(1, n_rows)

    def _checked(
        self, words: list[bytes | None], counts: list[int | float | None], row: int
    ) -> tuple[list[bytes], list[int]]:
        """Words and counts of the rows from `row` on; those of pandas are floats after a join."""
        found: tuple[list[bytes], list[int]] = [], []
        for at, (word, count) in enumerate(zip(words, counts, strict=True), row + 1):
            if isinstance(count, float) and not (count.is_integer() and abs(count) < _MAX_FLOAT):
                reason = f"row {at:,}: a count that is a float is a whole number below 2**53, not {count!r}"
                raise InputError(f"{self.path}: {reason}", path=str(self.path), reason=reason)
            if word is None or count is None or not 0 <= count < 1 << 63:
                reason = f"row {at:,}: no word with a count from 0 to 2**63 - 1, but {word!r} with {count!r}"
                raise InputError(f"{self.path}: {reason}", path=str(self.path), reason=reason)
            try:
                word.decode()
            except UnicodeDecodeError as error:
                message = f"{self.path}: row {at:,}: the word is not UTF-8 at byte {error.start}"
                raise NotUnicodeError(message, index=error.start, hint="words are UTF-8") from None
            found[0].append(word)
            found[1].append(int(count))
        return found


def read_count_file(path: Path, field: str | None) -> CountFile:
    """What a count file is, without its counts.

    Args:
        path: The file.
        field: The column of the word in Parquet, where it is not `word`.

    Raises:
        InputError: It is missing, unreadable, or holds no counts.
    """
    file_status(path)
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _read_parquet(path, field)
    packed: Packed = "gz" if suffix == ".gz" else "zst" if suffix == ".zst" else ""
    with opened(path, packed) as (stream, _):
        lead = stream.read(_MAX_META_BYTES)
    meta = None
    # Tables that were saved in an editor or a spreadsheet may begin with a mark of their own.
    n_bytes, n_lines = len(_BOM) if lead.startswith(_BOM) else 0, 0
    if lead.startswith(MARK, n_bytes):
        start = n_bytes + len(MARK)
        n_bytes, n_lines = lead.find(b"\n") + 1, 1
        meta = _meta(path, lead[start:n_bytes])
    line = lead[n_bytes : lead.find(b"\n", n_bytes) + 1 or len(lead)]
    columns = line.rstrip(b"\r\n").split(b"\t")
    if len(columns) == 2 and _HEADING.fullmatch(columns[1]):
        # The heading of another order would be read as counts, line for line.
        if columns[0].lower() in (b"count", b"n", b"counts", b"freq", b"frequency"):
            reason = f"line {n_lines + 1}: the word comes first, then its count"
            raise InputError(f"{path}: {reason}", path=str(path), reason=reason)
        n_bytes += len(line)
    return CountFile(path=path, kind="tsv", packed=packed, meta=meta, n_lead_bytes=n_bytes)


def _meta(path: Path, text: bytes) -> Mapping[str, Any]:
    try:
        meta = json.loads(text)
    except (ValueError, RecursionError):
        meta = None
    if not isinstance(meta, dict) or not _is_meta(meta):
        reason = f"what it says of itself is not {SCHEMA}"
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason)
    return meta


def _is_meta(meta: Mapping[str, Any]) -> bool:
    """Whether what a file says of itself is all there and of the right kind."""
    names, part, mix = (meta.get(name) for name in ("normalizer", "part", "mix"))
    is_share = isinstance(part, list) and len(part) == 2 and all(type(number) is int for number in part)
    return (
        {"pre_tokenizer", "normalizer", "inputs"} <= meta.keys()
        and all(isinstance(meta[name], str | None) for name in ("pre_tokenizer", "inputs"))
        and all(type(meta.get(name)) is int for name in ("n_words", "n_bytes", "n_invalid"))
        and (names is None or (isinstance(names, list) and bool(names) and all(map(_is_normalizer, names))))
        and (part is None or (is_share and 1 <= part[0] <= part[1] <= MAX_PARTS))
        and isinstance(mix, dict | None)
    )


def _is_normalizer(name: object) -> bool:
    return isinstance(name, str) and name in NORMALIZERS


def _read_parquet(path: Path, field: str | None) -> CountFile:
    pa, parquet = pyarrow_module(), pyarrow_module("pyarrow.parquet")
    with naming_table(path), parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
    own = (schema.metadata or {}).get(META_KEY)
    meta = None if own is None else _meta(path, own)
    word = "word" if field is None or "word" in schema.names else field
    count = _count_column(pa, schema)
    named = ", ".join(schema.names[:8])
    if word not in schema.names:
        reason = f"there is no column {word!r} of words; there are {named}"
        hint = "field= names the column of the word"
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason, hint=hint)
    if count is None:
        reason = f"there is no column of counts; there are {named}"
        hint = "the counts are the column count, or the only one of whole numbers"
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason, hint=hint)
    type_ = schema.field(count).type
    if not (pa.types.is_integer(type_) or pa.types.is_float64(type_)):
        reason = f"the column {count!r} holds no counts, but {type_}"
        hint = "counts are whole numbers: int64, or float64 below 2**53"
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason, hint=hint)
    if not is_text(schema.field(word).type):
        reason = f"the column {word!r} holds no text, but {schema.field(word).type}"
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason)
    return CountFile(path=path, kind="parquet", meta=meta, columns=(word, count))


def _count_column(pa: Any, schema: Any) -> str | None:  # noqa: ANN401 - of an optional module
    """The column `count`, or the only one of whole numbers, or else of floats."""
    if "count" in schema.names:
        return "count"
    for is_number in (pa.types.is_integer, pa.types.is_float64):
        numbers: list[str] = [one.name for one in schema if is_number(one.type)]
        if numbers:
            return numbers[0] if len(numbers) == 1 else None
    return None


def check_sum(counter: _core.WordCounter, source: str) -> None:
    """Raises TrainError where counts, with those of `source`, are more than can be added up and written down.

    Words are as many, or more, than any of them occurs, and their bytes as many as the symbols that are learned from.
    """
    for n, what in ((counter.n_words, "words"), (counter.n_bytes, "bytes of words")):
        if n > _MAX_SUM:
            raise TrainError(
                f"the counts of {source} come to over 2**63 - 1 {what} in all",
                hint="divide all counts by the same number",
            )


def check_pattern(cuts: str | None, path: Path | None) -> None:
    """Raises where counted words are said to be cut by what is no pattern; `path` is the file that says so."""
    if cuts is None:
        return
    try:
        _core.WordCounter(stages_file(None, pre_tokenizer_of(cuts, is_bytes=False)), by_line=False)
    except FormatError as error:
        if path is None:
            raise
        reason = f"its pre_tokenizer is {error.reason}"
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason) from None


def check_together(files: Sequence[CountFile]) -> None:
    """Raises TrainError where the counts cannot be added up: other stages, a part twice, a part missing.

    Examples:
        >>> from pathlib import Path
        >>> meta = {"pre_tokenizer": "gpt2", "normalizer": None, "inputs": "a1", "part": [1, 2]}
        >>> one = CountFile(path=Path("one.tsv"), kind="tsv", meta=meta)
        >>> check_together([one])
        Traceback (most recent call last):
        piecework.errors.TrainError: part 2/2 is missing beside one.tsv: its counts are no whole corpus
    """
    known = [(file, file.meta) for file in files if file.meta is not None]
    for file, meta in known[1:]:
        first, first_meta = known[0]
        for name in ("pre_tokenizer", "normalizer"):
            if meta[name] != first_meta[name]:
                raise TrainError(
                    f"the counts of {file.path} were made with {name}={meta[name]!r}, those of {first.path} with "
                    f"{name}={first_meta[name]!r}",
                    hint="count both alike",
                )
    corpora: dict[object, list[CountFile]] = {}
    for file, meta in known:
        if meta["inputs"] is not None:
            corpora.setdefault(meta["inputs"], []).append(file)
    for parts in corpora.values():
        _check_parts(parts)


def _check_parts(files: Sequence[CountFile]) -> None:
    met: dict[int, CountFile] = {}
    n_parts = files[0].part[1]
    for file in files:
        at, n = file.part
        if n != n_parts:
            raise TrainError(
                f"{file.path} is part {at}/{n}, and {files[0].path} is part {files[0].part[0]}/{n_parts} of the same corpus"
            )
        if at in met:
            what = f"part {at}/{n}" if n > 1 else "the same corpus"
            raise TrainError(f"{what} is given twice: {met[at].path} and {file.path}")
        met[at] = file
    missing = [f"{at}/{n_parts}" for at in range(1, n_parts + 1) if at not in met]
    if missing:
        one = len(missing) == 1
        named = ", ".join(missing[:8]) + (", …" if len(missing) > 8 else "")
        raise TrainError(
            f"part{'' if one else 's'} {named} {'is' if one else 'are'} missing beside {files[0].path}: its counts are no "
            "whole corpus"
        )
