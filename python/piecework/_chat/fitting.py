"""A conversation in the form that one template takes: parts of text joined, arguments as objects or as JSON strings.

What was given in the target form stays as given, as transformers does, unless the caller asks; what was converted from
another form takes the shape that the template can write.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from piecework._chat.conversation.checks import refuse
from piecework._chat.conversation.media_kinds import MEDIUM_OF_TYPE
from piecework._chat.conversation.media_parts import as_medium
from piecework._chat.engine import render
from piecework.errors import ChatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from piecework._chat.conversation import Conversation
    from piecework._chat.templates import Template

__all__ = ["Arguments", "Parts", "easier_forms", "fit", "with_media"]

Arguments: TypeAlias = Literal["given", "object", "string"]
"""The arguments of calls: as given, as JSON objects, or as JSON strings; templates differ in what they write."""

Parts: TypeAlias = Literal["given", "join"]
"""Content that is a list of text parts: as given, or joined with line breaks."""

_PROBES = ("piecework-first-part", "piecework-second-part")


def fit(
    conversation: Conversation, template: Template, *, arguments: Arguments, parts: Parts
) -> Conversation:
    """Returns the conversation in the form that the template takes.

    Raises:
        MessageError: Arguments are no JSON object, or a message holds images where only text can be joined.
        ValueError: A choice that does not exist.
    """
    if arguments not in {"given", "object", "string"}:
        raise ValueError(f'arguments is {arguments!r}; it is "given", "object" or "string"')
    if parts not in {"given", "join"}:
        raise ValueError(f'parts is {parts!r}; it is "given" or "join"')
    notes: list[str] = []
    messages = []
    for at, given in enumerate(conversation.messages):
        message = given
        content = given.get("content")
        is_converted = at in conversation.converted
        if isinstance(content, list) and (parts == "join" or (is_converted and not _takes_parts(template))):
            path = conversation.place(f"messages[{at}].content")
            message = {**message, "content": _joined(content, path)}
            notes += (
                [f"{path}: {len(content)} text parts joined with line breaks"] if len(content) > 1 else []
            )
        if arguments != "given" and isinstance(given.get("tool_calls"), list | tuple):
            path = conversation.place(f"messages[{at}]")
            message = {**message, "tool_calls": _calls(given["tool_calls"], arguments, path)}
        messages.append(message)
    return replace(conversation, messages=tuple(messages), notes=(*conversation.notes, *notes))


def easier_forms(conversation: Conversation, template: Template) -> Iterator[Conversation]:
    """Yields forms that mean the same and that more templates take, for one that fails on what was given.

    Each has a note that says what was changed: a message without content gets an empty one, JSON strings become objects,
    parts such as `image_url` become `image`, text parts are joined.
    """
    for change in (_with_contents, _with_objects, with_media, _with_text):
        try:
            easier = change(conversation, template)
        except ChatError:
            continue
        if easier.messages != conversation.messages:
            conversation = easier
            yield easier


def _with_contents(conversation: Conversation, _: Template) -> Conversation:
    bare = [at for at, message in enumerate(conversation.messages) if message.get("content") is None]
    messages = [dict(message) for message in conversation.messages]
    for at in bare:
        messages[at]["content"] = ""
    notes = [
        f"{conversation.place(f'messages[{at}]')}: without content; the template is given an empty one"
        for at in bare
    ]
    return replace(conversation, messages=tuple(messages), notes=(*conversation.notes, *notes))


def _with_objects(conversation: Conversation, template: Template) -> Conversation:
    note = "arguments of calls: the template is given the JSON strings as objects"
    easier = fit(conversation, template, arguments="object", parts="given")
    return replace(easier, notes=(*easier.notes, note))


def with_media(conversation: Conversation, _: Template) -> Conversation:
    """The same with parts of type `image_url`, `input_audio` and the like as the `image`, `audio` that more templates know."""
    notes: list[str] = []
    messages = []
    for at, message in enumerate(conversation.messages):
        content = message.get("content")
        if isinstance(content, list):
            path = conversation.place(f"messages[{at}].content")
            message = {  # noqa: PLW2901 - the same in another form
                **message,
                "content": [_medium(part, f"{path}[{i}]", notes) for i, part in enumerate(content)],
            }
        messages.append(message)
    return replace(conversation, messages=tuple(messages), notes=(*conversation.notes, *notes))


def _medium(part: dict[str, Any], path: str, notes: list[str]) -> dict[str, Any]:
    given = part["type"]
    kind = MEDIUM_OF_TYPE.get(given)
    if kind is None or kind == given:
        return part
    notes.append(f"{path}: a part of type {given}; the template is given one of type {kind}, which it takes")
    return as_medium(part)


def _with_text(conversation: Conversation, template: Template) -> Conversation:
    return fit(conversation, template, arguments="given", parts="join")


def _calls(calls: Sequence[Mapping[str, Any]], arguments: Arguments, path: str) -> list[dict[str, Any]]:
    return [_call(call, arguments, f"{path}.tool_calls[{at}]") for at, call in enumerate(calls)]


def _joined(content: list[dict[str, Any]], path: str) -> str:
    for index, part in enumerate(content):
        if part["type"] != "text":
            raise refuse(
                f"{path}[{index}]", f"the template takes text only, and this is a part of type {part['type']}"
            )
    return "\n".join(part["text"] for part in content)


def _call(call: Mapping[str, Any], arguments: Arguments, path: str) -> dict[str, Any]:
    is_nested = "function" in call
    function = call["function"] if is_nested else call
    given = function.get("arguments")
    made = given
    if arguments == "string" and given is not None and not isinstance(given, str):
        made = json.dumps(given, ensure_ascii=False)
    elif arguments == "object" and isinstance(given, str):
        try:
            made = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError) as error:
            raise refuse(f"{path}.function.arguments", f"arguments are no JSON: {error}") from None
        if not isinstance(made, dict):
            raise refuse(f"{path}.function.arguments", "arguments are no JSON object")
    changed = {**function, "arguments": made}
    return {**call, "function": changed} if is_nested else changed


def _takes_parts(template: Template) -> bool:
    return _writes_parts(template.source, template.name)


@lru_cache(maxsize=64)
def _writes_parts(source: str, name: str) -> bool:
    """Whether a template writes the texts of parts, and not a list as Python prints it: tried once for each template."""
    content = [{"type": "text", "text": probe} for probe in _PROBES]
    try:
        text = render(
            source,
            name=name,
            variables={"messages": [{"role": "user", "content": content}], "add_generation_prompt": False},
        ).text
    except ChatError:
        return False
    return all(probe in text for probe in _PROBES) and "'text'" not in text and '"text"' not in text
