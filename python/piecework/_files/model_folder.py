"""A model's folder as transformers reads it: the tokenizer.json, and the files that say what it does not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework._files.call_settings import call_settings
from piecework._files.left_out import controls_of_files, other_form
from piecework._files.model_files import ROLES

if TYPE_CHECKING:
    from piecework import _core
    from piecework._files.origin import Origin

__all__ = ["folder_files"]

# Texts that say their role themselves, for a tokenizer that came without files around it. (`<|endoftext|>` ends, begins
# and pads, as the model has it: no role is read off it, but in OpenAI's encodings, where it ends a text.)
_USUAL: Mapping[str, tuple[str, ...]] = {
    "begin": ("<s>", "<bos>", "<|begin_of_text|>", "<｜begin▁of▁sentence｜>"),
    "end": ("</s>", "<eos>", "<|end_of_text|>", "<｜end▁of▁sentence｜>"),
    "padding": ("[PAD]", "<pad>"),
    "unknown": ("[UNK]", "<unk>"),
    "separator": ("[SEP]",),
    "class": ("[CLS]",),
    "mask": ("[MASK]", "<mask>"),
}

# A template's name becomes a file's name.
_TEMPLATE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}")

# Files that would be read together with those that are written, and would change what they say.
_IN_THE_WAY = ("added_tokens.json", "chat_template.jinja", "additional_chat_templates")


def folder_files(
    native: _core.Tokenizer, origin: Origin | None, folder: Path
) -> tuple[Mapping[Path, bytes], list[str]]:
    """What a model's folder holds.

    Returns:
        The files' contents by path, and what they do not hold.

    Raises:
        FormatError: A tokenizer.json cannot hold the tokenizer.
        FileExistsError: There is a file in the folder that would be read with those that are written.
    """
    templates = {} if origin is None else origin.chat_templates
    file, is_same = native.to_tokenizer_json()
    files = {folder / "tokenizer.json": file}
    named = _named(native, origin)
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
    }
    if origin is not None and origin.max_length is not None:
        config["model_max_length"] = origin.max_length
    config |= call_settings(native, origin)
    files[folder / "tokenizer_config.json"] = _json({**config, **named})
    files[folder / "special_tokens_map.json"] = _json(named)
    left_out = [
        *other_form(is_same=is_same),
        *controls_of_files(native, ("tokenizer_config", "generation_config")),
    ]
    if native.special_tokens and not named:
        left_out.append("what tokens are for: nothing says which of them begins, ends or pads a text")
    for name, text in templates.items():
        content = _template(name, text)
        if content is None:
            left_out.append(
                f"the chat template {name!r}: its name is none of a file, or its text is not Unicode"
            )
        else:
            files[folder / content[0]] = content[1]
    _check_free(folder, files)
    return files, left_out


def _named(native: _core.Tokenizer, origin: Origin | None) -> dict[str, str]:
    """The token of each role, by the name of its field: only such as are special anyway, so that no id changes."""
    special = native.special_tokens
    roles = dict(origin.roles) if origin is not None and origin.roles else _known_roles(native)
    pairs = ((name, roles.get(role)) for name, role in ROLES.items())
    return {name: content for name, content in pairs if content is not None and content in special}


def _known_roles(native: _core.Tokenizer) -> Mapping[str, str]:
    """The token of each role for a tokenizer without files that name them."""
    roles = _usual_roles(native.special_tokens)
    if not roles and str(native.info()["profile"]).startswith("tiktoken"):
        roles["end"] = "<|endoftext|>"
    return roles


def _usual_roles(special: Mapping[str, int]) -> dict[str, str]:
    roles = {}
    for role, contents in _USUAL.items():
        found = [content for content in contents if content in special]
        if len(found) == 1:
            roles[role] = found[0]
    return roles


def _template(name: str, text: str) -> tuple[str, bytes] | None:
    """The file of a chat template: its path in the folder, and its content."""
    if not _TEMPLATE_NAME.fullmatch(name):
        return None
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        return None
    path = "chat_template.jinja" if name == "default" else f"additional_chat_templates/{name}.jinja"
    return path, content


def _check_free(folder: Path, files: Mapping[Path, bytes]) -> None:
    for path in _would_be_read(folder):
        if path not in files:
            raise FileExistsError(
                f"{path} is there, and would be read together with the files that are saved; remove it, or save to "
                "another folder"
            )


def _would_be_read(folder: Path) -> Iterator[Path]:
    for name in _IN_THE_WAY:
        path = folder / name
        if path.is_dir():
            yield from sorted(path.glob("*.jinja"))
        elif path.exists():
            yield path


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
