"""Tokenizers that another library holds, told by their types' modules: none of these libraries is imported here."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from piecework import _core
from piecework._files.additions import with_folder
from piecework._files.formats import Part, kind_of, open_parts
from piecework._files.model_files import ROLES, ModelFiles
from piecework._files.origin import Origin
from piecework._files.reading import in_file, read_regular
from piecework.errors import LoadError, PieceworkError

__all__ = ["open_object"]

_Opener = Callable[[Any], tuple[_core.Tokenizer, str, ModelFiles]]

_ACCEPTED = (
    "load takes a name or a path, or a live tokenizer: tokenizers.Tokenizer, a tokenizer of transformers, tiktoken.Encoding, "
    "sentencepiece.SentencePieceProcessor"
)


def open_object(source: object) -> tuple[_core.Tokenizer, str, Origin]:
    """Opens a live tokenizer of another library as it is now; later changes of it are not seen.

    Returns:
        The native tokenizer, a name for it, and its origin.

    Raises:
        TypeError: It is none that is known.
        LoadError: It is one that cannot be read.
    """
    for kind in type(source).__mro__:
        package = (kind.__module__ or "").partition(".")[0]
        opener = _OPENERS.get((package, kind.__name__))
        if opener is None and package == "transformers" and hasattr(type(source), "convert_ids_to_tokens"):
            opener = _transformers
        if opener is not None:
            return _opened(source, opener)
    raise TypeError(f"{_ACCEPTED}, not {type(source).__name__}")


def _opened(source: object, opener: _Opener) -> tuple[_core.Tokenizer, str, Origin]:
    try:
        native, name, files = opener(source)
        return native, name, _origin(source, files)
    except PieceworkError:
        raise
    except Exception as error:  # whatever another library's code, or code that somebody put into it, raises
        kind = type(source)
        raise LoadError(
            f"the {kind.__module__}.{kind.__qualname__} cannot be read: {type(error).__name__}: {_text(error)}",
            hint="a custom component that is written in Python cannot be loaded",
        ) from error


def _text(error: Exception) -> str:
    try:
        return str(error).encode("utf-8", "backslashreplace").decode()
    except Exception:  # noqa: BLE001 - the error is somebody's own, too
        return "it does not say why"


def _tokenizers(source: Any) -> tuple[_core.Tokenizer, str, ModelFiles]:  # noqa: ANN401 - another library's
    data = str(source.to_str()).encode()
    return _core.Tokenizer.from_tokenizer_json(data), "tokenizers.Tokenizer", ModelFiles()


def _tiktoken(source: Any) -> tuple[_core.Tokenizer, str, ModelFiles]:  # noqa: ANN401
    for rank in source._mergeable_ranks.values():  # noqa: SLF001
        # True and 1.0 would be written as numbers.
        if type(rank) is not int:
            raise TypeError(f"a rank is an int, not {type(rank).__name__}")
    ranks = sorted(source._mergeable_ranks.items(), key=lambda item: item[1])  # noqa: SLF001 - it has no public one
    data = b"".join(b"%s %d\n" % (b64encode(token), rank) for token, rank in ranks)
    native = _core.Tokenizer.from_tiktoken(
        data,
        pattern=source._pat_str,  # noqa: SLF001
        special_tokens=dict(source._special_tokens),  # noqa: SLF001
    )
    return native, str(source.name), ModelFiles()


def _sentencepiece(source: Any) -> tuple[_core.Tokenizer, str, ModelFiles]:  # noqa: ANN401
    native = open_parts((Part("sentencepiece", bytes(source.serialized_model_proto())),))
    return native, "sentencepiece.SentencePieceProcessor", ModelFiles()


def _transformers(source: Any) -> tuple[_core.Tokenizer, str, ModelFiles]:  # noqa: ANN401
    files = _settings(source)
    name = str(getattr(source, "name_or_path", "") or type(source).__name__)
    backend = getattr(source, "backend_tokenizer", None)
    if backend is not None:
        native = _core.Tokenizer.from_tokenizer_json(str(backend.to_str()).encode())
        return with_folder(native, "tokenizer-json", files), name, files
    model = getattr(source, "sp_model", None)
    if model is not None:
        part = Part("sentencepiece", bytes(model.serialized_model_proto()))
    else:
        path = getattr(source, "vocab_file", None)
        if not isinstance(path, str) or not Path(path).is_file():
            raise LoadError(
                f"the {type(source).__name__} has no file that it was made from",
                hint="save it with save_pretrained, and load that folder",
            )
        data = read_regular(Path(path))
        part = Part(kind_of(data), data)
        native = in_file(Path(path), lambda: with_folder(open_parts((part,)), part.kind, files))
        return native, name, files
    return with_folder(open_parts((part,)), part.kind, files), name, files


def _settings(source: Any) -> ModelFiles:  # noqa: ANN401
    """What a tokenizer of transformers says of itself, in the fields of a tokenizer_config.json."""
    config: dict[str, Any] = {"tokenizer_class": type(source).__name__}
    for field in ROLES:
        value = getattr(source, field, None)
        if value is not None:
            config[field] = str(value)
    for flag in ("add_bos_token", "add_eos_token"):
        if isinstance(getattr(source, flag, None), bool):
            config[flag] = getattr(source, flag)
    config |= {side: getattr(source, side, None) for side in ("padding_side", "truncation_side")}
    config["model_input_names"] = list(getattr(source, "model_input_names", None) or ())
    files = ModelFiles(values={"tokenizer_config.json": config})
    template = getattr(source, "chat_template", None)
    if isinstance(template, str):
        files.chat_templates["default"] = template
    elif isinstance(template, dict):
        files.chat_templates.update({str(name): str(text) for name, text in template.items()})
    return files


def _origin(source: object, files: ModelFiles) -> Origin:
    kind = type(source)
    return Origin(
        source="object",
        place=f"{kind.__module__}.{kind.__qualname__}",
        roles=MappingProxyType(files.roles()),
        tokenizer_class=files.tokenizer_class,
        chat_templates=MappingProxyType(dict(files.chat_templates)),
        settings=MappingProxyType(files.settings()),
    )


_OPENERS = {
    ("tokenizers", "Tokenizer"): _tokenizers,
    ("tiktoken", "Encoding"): _tiktoken,
    ("sentencepiece", "SentencePieceProcessor"): _sentencepiece,
}
