"""How many rows a model's embedding has, from the header of its safetensors weights: a few kilobytes of files of any size."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piecework._files.origin import EmbeddingRows
from piecework._files.reading import read_json
from piecework.errors import LoadError

__all__ = ["INDEX_NAME", "embedding_rows"]

INDEX_NAME = "model.safetensors.index.json"
_SINGLE_NAME = "model.safetensors"

# The format's own limit for a header.
_MAX_HEADER_BYTES = 100_000_000

# What published models call the matrix with a row for each id.
_NAMES = (
    "embed_tokens.weight",
    "tok_embeddings.weight",
    "wte.weight",
    "word_embeddings.weight",
    "embed_in.weight",
    "shared.weight",
    "token_embedding.weight",
)


def embedding_rows(folder: Path) -> tuple[EmbeddingRows | None, str | None]:
    """Reads the rows of the embedding from the weights in a folder.

    Returns:
        The rows, or None where there are no weights or no embedding among them; and what is wrong with the weights, if
        anything: that is no reason not to load the tokenizer.
    """
    try:
        file = _file_with_embedding(folder)
        if file is None:
            return None, None
        return _rows(file), None
    except (LoadError, OSError, ValueError, RecursionError) as error:
        return None, f"the weights' header cannot be read: {getattr(error, 'message', error)}"


def _file_with_embedding(folder: Path) -> Path | None:
    single = folder / _SINGLE_NAME
    if _is_regular(single):
        return single
    index = folder / INDEX_NAME
    if not _is_regular(index):
        return None
    weight_map = read_json(index).get("weight_map")
    if not isinstance(weight_map, Mapping):
        return None
    name = _embedding_name(weight_map)
    shard = weight_map.get(name) if name is not None else None
    # A shard lies beside its index; a path that leads elsewhere is no shard.
    if not isinstance(shard, str) or Path(shard).name != shard or not _is_regular(folder / shard):
        return None
    return folder / shard


def _rows(file: Path) -> EmbeddingRows | None:
    header = _read_header(file)
    name = _embedding_name(header)
    if name is None:
        return None
    entry = header[name]
    shape = entry.get("shape") if isinstance(entry, Mapping) else None
    if not isinstance(shape, list) or not shape or type(shape[0]) is not int or shape[0] < 0:
        raise ValueError(f"{file.name}: {name!r} has no shape")
    return EmbeddingRows(file.name, shape[0])


def _read_header(file: Path) -> dict[str, Any]:
    size = file.stat().st_size
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if not 2 <= length <= min(_MAX_HEADER_BYTES, size - 8):
            raise ValueError(f"{file.name}: a header of {length:,} bytes in a file of {size:,}")
        header = json.loads(stream.read(length))
    if not isinstance(header, dict):
        raise ValueError(f"{file.name}: the header is no JSON object")  # noqa: TRY004 - the file's fault, not the caller's
    return header


def _embedding_name(tensors: Mapping[str, Any]) -> str | None:
    """The text embedding's name; a model that also sees has other embeddings under `visual` or the like."""
    found = [name for name in tensors if name.endswith(_NAMES)]
    return min(found, key=lambda name: ("vis" in name, len(name)), default=None)


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False
