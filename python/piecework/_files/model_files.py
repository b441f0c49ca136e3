"""The files that lie beside a tokenizer in a model's folder, read: what they name, declare and contain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from piecework._files.origin import FileRecord, NamedIds, file_record
from piecework._files.reading import file_mode, read_json, read_regular, read_text
from piecework.errors import FormatError

__all__ = ["ROLES", "ModelFiles", "NamedToken", "read_model_files"]

ROLES: Mapping[str, str] = {
    "bos_token": "begin",
    "eos_token": "end",
    "unk_token": "unknown",
    "sep_token": "separator",
    "pad_token": "padding",
    "cls_token": "class",
    "mask_token": "mask",
}
"""The fields of a tokenizer_config.json that name a token for a role, and the role; new tokens get ids in this order."""

_JSON_NAMES = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "generation_config.json",
    "config.json",
)
_USES = {
    "tokenizer_config.json": "special tokens, chat template",
    "special_tokens_map.json": "special tokens",
    "added_tokens.json": "added tokens",
    "generation_config.json": "end tokens",
    "config.json": "embedding rows",
}
_TEMPLATE_FOLDER = "additional_chat_templates"
_MAX_TEMPLATES = 100


class NamedToken(NamedTuple):
    """A token that a file names.

    Attributes:
        role: The role, such as `begin`; `extra` for one without.
        content: Its text.
        options: What the file says of it (`lstrip`, `normalized` …); None where it only has its text.
    """

    role: str
    content: str
    options: Mapping[str, Any] | None


@dataclass(slots=True)
class ModelFiles:
    """What the files beside a tokenizer hold; empty where there are none.

    Attributes:
        values: The JSON files' objects, by file name.
        chat_templates: The templates by name; `default` first.
        records: A record of each file that was read.
        remarks: What is odd about files that do not decide how text is read.
    """

    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    chat_templates: dict[str, str] = field(default_factory=dict)
    records: list[FileRecord] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def tokenizer_config(self) -> dict[str, Any]:
        """The tokenizer_config.json."""
        return self.values.get("tokenizer_config.json", {})

    @property
    def tokenizer_class(self) -> str | None:
        """The class that the tokenizer_config.json names, without the `Fast` that makes no difference."""
        name = self.tokenizer_config.get("tokenizer_class")
        return name.removesuffix("Fast") if isinstance(name, str) else None

    def flag(self, name: str) -> bool | None:
        """A switch of the tokenizer_config.json; None where it does not say."""
        value = self.tokenizer_config.get(name)
        return value if isinstance(value, bool) else None

    def switches(self) -> dict[str, bool]:
        """What the tokenizer_config.json says of begin and end tokens."""
        flags = {name: self.flag(name) for name in ("add_bos_token", "add_eos_token")}
        return {name: value for name, value in flags.items() if value is not None}

    def settings(self) -> dict[str, object]:
        """What the tokenizer_config.json says of calling the tokenizer: the inputs that are made, and the sides."""
        config = self.tokenizer_config
        sides = {name: config.get(name) for name in ("padding_side", "truncation_side")}
        found: dict[str, object] = {name: side for name, side in sides.items() if side in ("left", "right")}
        names = config.get("model_input_names")
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            found["model_input_names"] = names
        return found

    def named_tokens(self) -> Iterator[NamedToken]:
        """Yields the tokens that the files name: for a usual role, for a role of their own, for none.

        New ones get their ids in this order. The special_tokens_map.json counts where the tokenizer_config.json has no list
        of added tokens; of its two lists only `extra_special_tokens` makes tokens special.
        """
        fields = {**self.tokenizer_config, **self._map()}
        named = {**{name: fields.get(name) for name in ROLES}, **self._own_roles()}
        for name, value in named.items():
            token = _token(ROLES.get(name, name.removesuffix("_token")), value)
            if token is not None:
                yield token
        extra = self.tokenizer_config.get("extra_special_tokens")
        if not (isinstance(extra, list) and extra):
            extra = self.tokenizer_config.get("additional_special_tokens")
        yield from _listed(extra)
        yield from _listed(self._map().get("extra_special_tokens"))

    def _own_roles(self) -> dict[str, Any]:
        """The tokens of a model's own roles by name, in the order of their ids; one can replace that of a usual role."""
        config, in_map = self.tokenizer_config, self._map()
        own = {name: value for name, value in config.items() if _is_own(name)}
        named = {name: value for name, value in own.items() if isinstance(value, str)}
        named |= _by_name(config.get("extra_special_tokens"))
        # The reference reads this field only where no other names such a token.
        named = named or _by_name(config.get("model_specific_special_tokens"))
        # What has options, and what the other file names, comes to it later, and gets the lower ids.
        late = {name: value for name, value in own.items() if isinstance(value, dict) and "__type" in value}
        late |= {name: value for name, value in in_map.items() if _is_own(name)}
        return {**late, **named, **_by_name(in_map.get("extra_special_tokens"))}

    def listed_in_map(self) -> Iterator[NamedToken]:
        """Yields the tokens that steer the model by the special_tokens_map.json, without being special."""
        yield from _listed(self._map().get("additional_special_tokens"))

    def _map(self) -> dict[str, Any]:
        has_list = "added_tokens_decoder" in self.tokenizer_config
        return {} if has_list else self.values.get("special_tokens_map.json", {})

    def roles(self) -> dict[str, str]:
        """The token of each role that the files name one for."""
        roles: dict[str, str] = {}
        for token in self.named_tokens():
            if token.role != "extra":
                roles.setdefault(token.role, token.content)
        return roles

    def declared_tokens(self) -> Iterator[NamedToken]:
        """Yields the tokens that are to be added, in the order of their ids as the files have them."""
        declared = self.tokenizer_config.get("added_tokens_decoder")
        if isinstance(declared, dict):
            for _, value in sorted(declared.items(), key=lambda item: _number(item[0])):
                token = _token("extra", value)
                if token is not None:
                    yield token
            return
        special = {token.content for token in self.named_tokens()}
        added = self.values.get("added_tokens.json", {})
        for content, _ in sorted(added.items(), key=lambda item: _number(item[1])):
            is_special = content in special
            yield NamedToken("extra", content, {"special": is_special, "normalized": not is_special})

    def added_ids(self) -> dict[int, str]:
        """The ids of the tokenizer_config.json's list of added tokens, with the content of each."""
        declared = self.tokenizer_config.get("added_tokens_decoder")
        found = {}
        for key, value in declared.items() if isinstance(declared, dict) else ():
            token = _token("extra", value)
            if token is not None and _number(key) < 1 << 32:
                found[_number(key)] = token.content
        return found

    def max_length(self) -> int | None:
        """The tokenizer_config.json's `model_max_length`; None where it is missing, or so large that it stands for none."""
        value = self.tokenizer_config.get("model_max_length")
        return value if type(value) is int and 0 < value < 1 << 40 else None

    def named_ids(self) -> Iterator[NamedIds]:
        """Yields the special ids that the model's configs name, their nested parts included."""
        for file in ("config.json", "generation_config.json"):
            for part in _parts(self.values.get(file, {})):
                for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
                    ids = _ids(part.get(name))
                    if ids:
                        yield NamedIds(file, name, ids)

    def model_number(self, *names: str) -> int | None:
        """The first of these fields of config.json, or of its part about text, that is a whole number."""
        for part in _parts(self.values.get("config.json", {})):
            for name in names:
                value = part.get(name)
                if type(value) is int and value > 0:
                    return value
        return None


def read_model_files(folder: Path) -> ModelFiles:
    """Reads what lies beside a tokenizer.

    Raises:
        FormatError: A file that decides how text is read is no JSON or no text.
        LoadError: A file cannot be read.
    """
    files = ModelFiles()
    for name in _JSON_NAMES:
        path = folder / name
        if file_mode(path) is None:
            continue
        try:
            files.values[name] = read_json(path)
        except FormatError as error:
            if name != "config.json":
                raise
            files.remarks.append(f"{name} cannot be read: {error.place}: {error.reason}")
        files.records.append(file_record(name, read_regular(path), _USES[name]))
    _read_templates(folder, files)
    return files


def _read_templates(folder: Path, files: ModelFiles) -> None:
    """Reads the chat templates: those in files of their own go before those in the tokenizer_config.json."""
    for name, path in _template_files(folder):
        text = read_text(path)
        files.chat_templates[name] = text
        files.records.append(
            file_record(path.relative_to(folder).as_posix(), read_regular(path), "chat template")
        )
    if files.chat_templates:
        return
    value = files.tokenizer_config.get("chat_template")
    if isinstance(value, str):
        files.chat_templates["default"] = value
    elif isinstance(value, list):
        for item in value[:_MAX_TEMPLATES]:
            if isinstance(item, dict) and isinstance(item.get("template"), str):
                files.chat_templates[str(item.get("name", "default"))] = item["template"]


def _template_files(folder: Path) -> Iterator[tuple[str, Path]]:
    if file_mode(folder / "chat_template.jinja") is not None:
        yield "default", folder / "chat_template.jinja"
    more = folder / _TEMPLATE_FOLDER
    if more.is_dir():
        for path in sorted(more.glob("*.jinja"))[:_MAX_TEMPLATES]:
            yield path.stem, path


def _is_own(name: str) -> bool:
    return name.endswith("_token") and name not in ROLES


def _by_name(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> Iterator[NamedToken]:
    for item in value if isinstance(value, list) else ():
        token = _token("extra", item)
        if token is not None:
            yield token


def _token(role: str, value: object) -> NamedToken | None:
    if isinstance(value, str) and value:
        return NamedToken(role, value, None)
    if isinstance(value, dict) and isinstance(value.get("content"), str) and value["content"]:
        return NamedToken(role, value["content"], value)
    return None


def _parts(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The config and its parts about text: models that also see or hear keep that apart."""
    for root in (config, config.get("thinker_config")):
        if not isinstance(root, dict):
            continue
        yield root
        for name in ("text_config", "llm_config", "language_config"):
            part = root.get(name)
            if isinstance(part, dict):
                yield part


def _ids(value: object) -> tuple[int, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if type(item) is int and item >= 0)


def _number(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError, OverflowError):  # of infinity, which JSON can hold
        return 1 << 62
