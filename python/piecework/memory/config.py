"""A model's config.json: its fields by all the names that they go by, and an error that names the one that is missing.

Nothing is guessed. A value that a class of transformers documents for an absent field is used only where it is listed
here, and a note says so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from piecework.errors import FormatError, InputError

__all__ = ["Config", "ConfigSource", "read_config"]

ConfigSource: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A config.json, a folder that holds one, or its content."""

_MAX_BYTES = 16 << 20
_MAX_NUMBER = 1 << 40
_NESTED = ("text_config", "llm_config", "language_config", "text_model_config")

# What classes of transformers 5.24 say of absent fields, for models whose published files leave them out.
_GEMMA3 = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "sliding_window_pattern": 6}
_GEMMA3N = {
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "sliding_window_pattern": 5,
    "num_kv_shared_layers": 15,
}
DOCUMENTED: Final[dict[str, dict[str, int]]] = {
    "gemma3_text": _GEMMA3,
    "gemma3n_text": _GEMMA3N,
    "gemma": {"head_dim": 256},
    "gemma2": {"head_dim": 256, "sliding_window_pattern": 2},
    "cohere2": {"sliding_window_pattern": 4},
    "qwen3": {"head_dim": 128},
    "qwen3_next": {"head_dim": 256, "full_attention_interval": 4},
    "gpt_oss": {"head_dim": 64},
    "llama4_text": {"head_dim": 128, "no_rope_layer_interval": 4},
}


class Config:
    """The fields of a text model.

    Attributes:
        path: The file, or None.
        notes: What was taken from elsewhere than a field of its own, a sentence each.
    """

    def __init__(self, fields: Mapping[str, Any], path: str | None) -> None:
        self._fields = fields
        self.path = path
        self.notes: list[str] = []

    @property
    def model_type(self) -> str:
        """The model's type; empty where the file has none."""
        value = self._fields.get("model_type")
        return value if isinstance(value, str) else ""

    def has(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return self._fields.get(name) is not None

    def raw(self, name: str) -> Any:  # noqa: ANN401 - JSON
        """Returns a field as it stands; None where it is absent."""
        return self._fields.get(name)

    def names(self) -> list[str]:
        """Returns the names of fields that are not null."""
        return [name for name, value in self._fields.items() if value is not None]

    def maybe(self, *names: str, least: int = 1) -> int | None:
        """Returns the whole number of the first of these fields that is there, or what is documented; else None.

        Raises:
            FormatError: It is no whole number, or less than `least`.
        """
        for name in names:
            if self.has(name):
                return self.whole(name, self._fields[name], least=least)
        for name in names:
            value = DOCUMENTED.get(self.model_type, {}).get(name)
            if value is not None:
                note = f"{name} is absent: {value}, as transformers 5.24 documents for {self.model_type}"
                if note not in self.notes:
                    self.notes.append(note)
                return value
        return None

    def need(self, *names: str) -> int:
        """Returns the same.

        Raises:
            FormatError: None of the fields is there.
        """
        value = self.maybe(*names)
        if value is None:
            raise self.missing(names[0], f"it has no {' or '.join(names)}")
        return value

    def whole(self, place: str, value: object, *, least: int = 1) -> int:
        """Returns a value that must be a whole number.

        Raises:
            FormatError: It is none, or out of range.
        """
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MAX_NUMBER:
            raise self.wrong(place, f"it is {value!r:.60}, and a whole number from {least} on is needed")
        return value

    def missing(self, place: str, reason: str) -> FormatError:
        """Returns the error of an absent field."""
        kind = f" of type {self.model_type}" if self.model_type else ""
        return FormatError(
            f"{self._name()}{kind} does not say {place}: {reason}",
            path=self.path,
            place=place,
            reason=reason,
            hint=f"add {place} to the config (a dict will do), or give that of the text model",
        )

    def wrong(self, place: str, reason: str) -> FormatError:
        """Returns the error of a field that cannot be what it is."""
        return FormatError(f"{self._name()}, {place}: {reason}", path=self.path, place=place, reason=reason)

    def _name(self) -> str:
        return self.path or "the config"


def _content(path: Path) -> bytes:
    """What a config's file holds; a device may say that it is empty and never end."""
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        reason = f"larger than any config ({_MAX_BYTES:,} bytes)"
        raise FormatError(f"{path} is {reason}", path=str(path), reason=reason)
    return data


def read_config(source: ConfigSource) -> Config:
    """Reads a model's config.

    Args:
        source: A config.json, a folder that holds one, or its content. Of a model of several kinds of input, the text
            model's part (`text_config` and the like) is read.

    Raises:
        TypeError: The source is something else.
        InputError: The file is not there or cannot be read.
        FormatError: It is no JSON object, or larger than any config.
    """
    if isinstance(source, Mapping):
        return _text_model(source, None)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"a config is a path or a dict, not {type(source).__name__}")
    path = Path(source).expanduser()
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for a name too long
        path /= "config.json"
    try:
        value = json.loads(_content(path))
    except FormatError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "name a model's config.json, or a folder that holds one"
        raise InputError(
            f"{path} cannot be read: {reason}", path=str(path), reason=reason, hint=hint
        ) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is no JSON: {error}", path=str(path), reason=str(error)) from None
    if not isinstance(value, dict):
        raise FormatError(f"{path} is no JSON object", path=str(path), reason="not an object")
    return _text_model(value, str(path))


def _text_model(fields: Mapping[str, Any], path: str | None) -> Config:
    thinker = fields.get("thinker_config")
    if isinstance(thinker, Mapping):
        fields = thinker
    for name in _NESTED:
        part = fields.get(name)
        if isinstance(part, Mapping):
            # The number format, and whether tables are tied, may stand beside the text model's part.
            above = {
                key: fields[key] for key in ("dtype", "torch_dtype", "tie_word_embeddings") if key in fields
            }
            config = Config({**above, **part}, path)
            config.notes.append(f"read from {name}")
            return config
    return Config(fields, path)
