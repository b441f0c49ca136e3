"""What a template is given: plain data, each of the caller's strings with the path where it stands.

Trust has to be earned: only the tokenizer's own tokens (`bos_token`, …) and known roles count as the template's. The
data is made plain as Transformers makes it: nothing with methods of its own reaches a template.
"""

# ruff: noqa: ANN401 - a template computes with anything

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Collection, Mapping
from typing import Any

from piecework._chat.engine.origins import TEMPLATE, Origin
from piecework._chat.engine.tracked import plain, tracked
from piecework.errors import MessageError

__all__ = ["TRUSTED_ROLES", "plain_variables", "sentinel_variables", "step", "tracked_variables"]

TRUSTED_ROLES: frozenset[str] = frozenset(
    {"system", "developer", "user", "assistant", "model", "tool", "function", "ipython", "observation"}
)


_MAX_DEPTH = 100
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_ROLE = re.compile(r"messages\[\d+\]\.role")
_TEXT = re.compile(r"(?:messages|tools|documents)\[")
_WORD = re.compile(r"\S+")
_REASONING = ("reasoning_content", "thinking", "reasoning")

Leaf = Callable[[str, str], str]


def tracked_variables(variables: Mapping[str, object], trusted_roles: Collection[str]) -> dict[str, Any]:
    """The variables with the origin of every string.

    Args:
        variables: `messages`, `tools`, `documents`, `bos_token` and whatever else the template is given, by name.
        trusted_roles: The roles that count as the template's own words.

    Returns:
        Fresh data of dicts, lists, tuples, numbers and tracked strings.

    Raises:
        MessageError: The data is nested too deep, or a message is no mapping.
    """

    def leaf(text: str, path: str) -> str:
        # A variable's name may be any string, also one that reads like the path of a text.
        if path.endswith("_token") and path in variables and path.isidentifier():
            return tracked(text, TEMPLATE)
        if text in trusted_roles and _ROLE.fullmatch(path):
            return tracked(text, TEMPLATE)
        return tracked(text, Origin("caller", path))

    return _variables(variables, leaf)


def plain_variables(variables: Mapping[str, object]) -> dict[str, Any]:
    """The same data with plain strings.

    Args:
        variables: As for `tracked_variables`.

    Returns:
        Fresh data of dicts, lists, tuples, numbers and strings.
    """
    return _variables(variables, lambda text, _: text)


def sentinel_variables(variables: Mapping[str, object], seed: int) -> dict[str, Any]:
    """The same data with random letters in place of the caller's texts.

    Args:
        variables: As for `tracked_variables`.
        seed: Which random letters.

    Returns:
        Fresh data. Roles, types, keys, white space and arguments of the template itself stay, so that the template goes
        the same way.
    """
    chosen = random.Random(seed)  # noqa: S311 - they need not be secret

    def leaf(text: str, path: str) -> str:
        if not _TEXT.match(path) or path.endswith((".role", ".type", "~key")):
            return text
        return _WORD.sub(lambda found: "".join(chosen.choices(string.ascii_lowercase, k=len(found[0]))), text)

    return _variables(variables, leaf)


def _variables(variables: Mapping[str, object], leaf: Leaf) -> dict[str, Any]:
    out = {name: _converted(value, name, leaf, 0) for name, value in variables.items() if name != "messages"}
    messages = variables.get("messages")
    if messages is not None:
        if not isinstance(messages, list | tuple):
            raise TypeError(f"messages must be a list, not {type(messages).__name__}")
        out["messages"] = [_message(message, f"messages[{i}]", leaf) for i, message in enumerate(messages)]
    return out


def _message(message: object, path: str, leaf: Leaf) -> dict[str, Any]:
    """A message without its empty fields; its reasoning stands under every name that templates read."""
    if not isinstance(message, Mapping):
        raise MessageError(
            f"{path} is {type(message).__name__}, not a mapping with role and content",
            path=path,
            reason="not a mapping",
        )
    kept = _converted({key: value for key, value in message.items() if value is not None}, path, leaf, 0)
    reasoning = next((kept[name] for name in _REASONING if kept.get(name) is not None), None)
    return kept if reasoning is None else {"thinking": reasoning, **kept, "reasoning_content": reasoning}


def _converted(value: object, path: str, leaf: Leaf, depth: int) -> Any:  # noqa: PLR0911 - a case for each type
    if depth > _MAX_DEPTH:
        raise MessageError(
            f"{path[:80]}… is nested more than {_MAX_DEPTH} deep", path=path[:80], reason="nested too deep"
        )
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return leaf(plain(value), path)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Mapping):
        return {
            _converted(key, f"{path}~key", leaf, depth + 1): _converted(
                part, path + step(key), leaf, depth + 1
            )
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        parts = [_converted(part, f"{path}[{i}]", leaf, depth + 1) for i, part in enumerate(value)]
        return tuple(parts) if isinstance(value, tuple) else parts
    return leaf(f"<{type(value).__name__}>", path)


def step(key: object) -> str:
    """How a path goes on to what stands under a key; a long key is cut."""
    if isinstance(key, str) and _NAME.fullmatch(key):
        return f".{key}"
    shown = repr(key)
    return f"[{shown if len(shown) <= 44 else shown[:40] + '…' + shown[0]}]"
