"""A tokenizer's own file, read: whole, but of a GGUF file, which holds a model's weights too, only the front.

The front is the metadata before the tensors. It says how long it is only piece by piece, so it is read in steps, each
twice as far as the one before, until it is all there; the tensors are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework import _core
from piecework._files.formats import Part, kind_of
from piecework._files.origin import FileRecord, file_record
from piecework._files.reading import in_file, read_regular, read_start, regular_size
from piecework.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from piecework._files.model_files import ModelFiles

__all__ = ["TokenizerFile", "add_beside", "read_tokenizer_file"]

_MAGIC = b"GGUF"

# The metadata of published models has 3 to 30 MB: the first step is enough for most.
_FIRST_BYTES = 16 << 20
# Far more than any: what claims more is damaged.
_MAX_FRONT_BYTES = 512 << 20


# What text is taken for that is of no known format, or of one that is told by little.
_ANY_TEXT = ("text", "merges-txt", "vocab-txt")
_JSON_NAMES = {"tokenizer.json": "tokenizer-json", "tekken.json": "tekken", "vocab.json": "vocab-json"}


class TokenizerFile(NamedTuple):
    """A tokenizer's file, or one of its two.

    Attributes:
        path: Where it is.
        part: What was read of it.
        record: Its record. A GGUF file has a SHA-256 there only where all of it was read: gigabytes are not read for that.
    """

    path: Path
    part: Part
    record: FileRecord


def read_tokenizer_file(path: Path) -> TokenizerFile:
    """Reads what a tokenizer needs of its file.

    Raises:
        FormatError: It begins as a GGUF file and does not go on as one.
        LoadError: As `reading.read_regular`; a GGUF file may have any size.
    """
    if read_start(path, len(_MAGIC)) != _MAGIC:
        data = read_regular(path)
        return TokenizerFile(path, Part(_kind(path, data), data), file_record(path.name, data, "tokenizer"))
    size = regular_size(path)
    data = in_file(path, lambda: _front(path, size))
    if len(data) == size:
        record = file_record(path.name, data, "tokenizer")
    else:
        record = FileRecord(path.name, size, None, "tokenizer")
    return TokenizerFile(path, Part(kind_of(data), data), record)


def add_beside(part: Part, notes: list[str], files: ModelFiles) -> None:
    """Adds to `files` what a tokenizer's own file says beside the tokenizer: what is odd, and a GGUF's chat template.

    Args:
        part: The file.
        notes: What its reader found odd.
        files: What lies beside it. A template there goes before the file's own.
    """
    files.remarks.extend(notes)
    if part.kind == "gguf" and not files.chat_templates:
        template = _core.gguf_beside(part.data)[0]
        if template is not None:
            files.chat_templates["default"] = template


def _kind(path: Path, data: bytes) -> str:
    """What a file holds; what holds nothing known is what it is called, so that its reader says where it is none."""
    kind = kind_of(data)
    if kind in _ANY_TEXT and path.suffix.lower() == ".tiktoken":
        return "tiktoken"
    return _JSON_NAMES.get(path.name, kind) if kind == "json" else kind


def _front(path: Path, size: int) -> bytes:
    n_wanted = min(_FIRST_BYTES, size)
    data = read_start(path, n_wanted)
    while _core.gguf_front(data) is None and len(data) == n_wanted < size:
        if n_wanted >= _MAX_FRONT_BYTES:
            reason = f"the metadata has more than {_MAX_FRONT_BYTES:,} bytes"
            raise FormatError(reason, place=f"byte {n_wanted}", reason=reason)
        n_wanted = min(2 * n_wanted, size, _MAX_FRONT_BYTES)
        data = read_start(path, n_wanted)
    return data
