"""Which chat template is meant: the tokenizer's own, one of its named ones, our ChatML, a template's source, or a file."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from piecework._chat.chatml import CHATML, CHATML_LABEL
from piecework.errors import TemplateError

if TYPE_CHECKING:
    from piecework._types import Basis

__all__ = ["Template", "TemplateChoice", "choose_template"]

TemplateChoice: TypeAlias = "str | os.PathLike[str] | None"
"""The tokenizer's own (None), a name among its named ones, `chatml`, a template's source, or a file."""

# The largest template in use has 40 kB.
_MAX_BYTES = 4 << 20
_CHATML_HINT = (
    'template="chatml" counts with a ChatML of our own (calibrated), template="FILE" takes a file (--template on the command '
    "line); chats of models behind a server are counted by piecework.count (count --chat)"
)


@dataclass(frozen=True, slots=True)
class Template:
    """A template that was chosen.

    Attributes:
        name: What it is called: `default`, `tool_use`, `chatml`, `given` for a source, or the file.
        source: Its text.
        label: What its name does not say, such as `our ChatML, not the model's own: calibrated`; "" for nothing.
        basis: What a count with it is worth: `"calibrated"` where no model was trained with it.
    """

    name: str
    source: str
    label: str = ""
    basis: Basis = "exact"


def choose_template(
    chosen: TemplateChoice, own: Mapping[str, str], *, tokenizer: str, has_tools: bool
) -> Template:
    """Finds a template.

    Args:
        chosen: The tokenizer's own for None: the one named `tool_use` where there are tools and there is one, as
            transformers does; else a name, a source (it holds `{%` or `{{`), or a file, which may be a
            tokenizer_config.json.
        own: The tokenizer's templates by name.
        tokenizer: The tokenizer's name, for messages.
        has_tools: Whether there are tools.

    Raises:
        TemplateError: There is none, or no such one, or the file cannot be read.
        TypeError: `chosen` is none of these.
    """
    if chosen is None:
        return _default(own, tokenizer, has_tools=has_tools)
    if not isinstance(chosen, str | os.PathLike):
        raise TypeError(f"template= is a name, a template's source or a file, not {type(chosen).__name__}")
    if isinstance(chosen, str):
        if chosen in own:
            return Template(chosen, own[chosen])
        if chosen == "chatml":
            return Template("chatml", CHATML, CHATML_LABEL, "calibrated")
        if any(mark in chosen for mark in ("{%", "{{", "{#")):
            return Template("given", chosen, "a template given by its source")
    return _from_file(os.fspath(chosen), own, has_tools=has_tools)


def _default(own: Mapping[str, str], tokenizer: str, *, has_tools: bool) -> Template:
    if has_tools and "tool_use" in own:
        return Template("tool_use", own["tool_use"])
    if "default" in own:
        return Template("default", own["default"])
    if own:
        raise TemplateError(
            f"{tokenizer} has no default chat template", hint=f"template= names one: {', '.join(sorted(own))}"
        )
    raise TemplateError(f"{tokenizer} has no chat template", hint=_CHATML_HINT)


def _from_file(path: str, own: Mapping[str, str], *, has_tools: bool) -> Template:
    names = ", ".join([*sorted(own), "chatml"])
    try:
        mode = Path(path).stat().st_mode
        # A pipe is read: shells pass `<(command)` as one.
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise TemplateError(f"{path} is no file", template=path)
        with Path(path).open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (FileNotFoundError, ValueError):
        raise TemplateError(
            f"there is no template {_short(path)}",
            template=_short(path),
            hint=f"template= is one of {names}, a file, or a template's source",
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise TemplateError(
            f"{_short(path)} cannot be read: {reason}", template=_short(path), reason=reason
        ) from error
    if len(data) > _MAX_BYTES:
        raise TemplateError(f"{path} has more than {_MAX_BYTES:,} bytes", template=path)
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start}"
        raise TemplateError(f"{path}: {reason}", template=path, reason=reason) from None
    if path.endswith(".json"):
        source = _from_config(source, path, has_tools=has_tools)
    return Template(path, source, "a template from a file")


def _from_config(text: str, path: str, *, has_tools: bool) -> str:
    """The template in a tokenizer_config.json."""
    try:
        held: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TemplateError(f"{path} is no JSON: {error}", template=path, reason=str(error)) from None
    found = held.get("chat_template") if isinstance(held, dict) else None
    if isinstance(found, list):
        named = {item.get("name"): item.get("template") for item in found if isinstance(item, dict)}
        found = named.get("tool_use") if has_tools and "tool_use" in named else named.get("default")
    if not isinstance(found, str):
        raise TemplateError(f"{path} holds no chat_template", template=path)
    return found


def _short(path: str) -> str:
    return path if len(path) <= 80 else f"{path[:80]}…"
