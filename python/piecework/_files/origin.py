"""Where a tokenizer came from, and what the files around it say: kept beside it for `info`, never part of its fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["EmbeddingRows", "FileRecord", "NamedIds", "Origin", "file_record"]


class FileRecord(NamedTuple):
    """A file that a tokenizer was made from, or that lies beside those.

    Attributes:
        name: Its name in its folder.
        n_bytes: Its size.
        sha256: The SHA-256 of its content in hexadecimal; None where it was not all read (weights, the
            tensors of a GGUF file).
        used_for: What was taken from it, such as `tokenizer` or `chat template`; empty where nothing was.
    """

    name: str
    n_bytes: int
    sha256: str | None
    used_for: str


class EmbeddingRows(NamedTuple):
    """How many rows a model's embedding has, and which file says so."""

    file: str
    n_rows: int


class NamedIds(NamedTuple):
    """Ids that a config of the model names, such as `eos_token_id`."""

    file: str
    name: str
    ids: tuple[int, ...]


_NOTHING: Mapping[str, str] = MappingProxyType({})


class Origin(NamedTuple):
    """Where a tokenizer came from.

    Attributes:
        source: `bundled`, `file`, `folder`, `hub` or `object`.
        place: The encoding, the path, the repository with its revision, or the object's type.
        files: The files, the tokenizer's own first.
        roles: Which token the files name for a role: `begin`, `end`, `padding`, `unknown` …, role to content.
        embedding_rows: What the model's config and weights say about its embedding.
        named_ids: Special ids that the model's configs name.
        max_positions: The positions that the model's config has, if it says.
        tokenizer_class: The class that the tokenizer_config.json names.
        chat_templates: The templates by name; `default` for the only or the first one.
        switches: What the tokenizer_config.json says of begin and end tokens, by the fields' names.
        remarks: What is odd about the files, in sentences.
        max_length: The longest text in tokens that the tokenizer_config.json names (`model_max_length`), if it is a limit.
        settings: What the tokenizer_config.json says of calling it (`model_input_names`, `padding_side`,
            `truncation_side`), by the fields' names.
    """

    source: str
    place: str
    files: tuple[FileRecord, ...] = ()
    roles: Mapping[str, str] = _NOTHING
    embedding_rows: tuple[EmbeddingRows, ...] = ()
    named_ids: tuple[NamedIds, ...] = ()
    max_positions: int | None = None
    tokenizer_class: str | None = None
    chat_templates: Mapping[str, str] = _NOTHING
    switches: Mapping[str, bool] = MappingProxyType({})
    remarks: tuple[str, ...] = ()
    max_length: int | None = None
    settings: Mapping[str, object] = MappingProxyType({})

    def __reduce__(self) -> tuple[object, ...]:
        # A mapping that cannot be changed cannot be pickled either.
        return _origin, tuple(dict(value) if isinstance(value, Mapping) else value for value in self)


def _origin(*values: object) -> Origin:
    frozen = (MappingProxyType(value) if isinstance(value, dict) else value for value in values)
    return Origin(*frozen)  # type: ignore[arg-type]  # the fields in their order, as __reduce__ writes them


def file_record(name: str, data: bytes, used_for: str) -> FileRecord:
    """The record of a file that was read."""
    from hashlib import sha256  # noqa: PLC0415 - a bundled tokenizer has no files

    return FileRecord(name, len(data), sha256(data).hexdigest(), used_for)
