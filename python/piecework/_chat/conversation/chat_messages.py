"""Messages with a role: of the target form, passed as they are; and those whose content holds calls, results or thinking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.blocks import read_assistant_blocks, read_user_blocks
from piecework._chat.conversation.checks import list_at, mapping_at, refuse, text_at
from piecework._chat.conversation.parts import read_content, simplest

if TYPE_CHECKING:
    from piecework._chat.conversation.building import Building

__all__ = ["add_chat_message", "add_system", "is_of_other_form"]

_CALL_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
# Parts that only other APIs than the target's have: their message is converted, not passed.
_FOREIGN = frozenset({"input_text", "output_text", "input_image", "input_file", "document"})


def add_system(system: object, given: str, building: Building) -> None:
    """Adds instructions that stand outside the messages as the first message.

    Raises:
        MessageError: They are neither a string nor text parts.
    """
    content = read_content(system, given, building)
    if content is None or content == []:
        return
    if isinstance(content, list):
        content = simplest(content)
    path = building.add({"role": "system", "content": content}, given, is_converted=True)
    building.moved(f"{path}.content", given)
    if isinstance(system, list | tuple) and isinstance(content, str):
        building.moved(f"{path}.content", f"{given}[0].text")


def add_chat_message(message: Mapping[str, Any], given: str, building: Building) -> None:
    """Adds a message that has a role.

    Raises:
        MessageError: It has none, or holds what has no place.
    """
    role = text_at(message, "role", given)
    content = message.get("content")
    kinds = _kinds(content)
    if kinds & _CALL_BLOCKS:
        read_blocks = read_assistant_blocks if role == "assistant" else read_user_blocks
        read_blocks(message, role, given, building)
        return
    # A text part alone may be of either form; what stands around it tells.
    is_foreign = bool(kinds & _FOREIGN) or (building.is_of_other_form and isinstance(content, list | tuple))
    out = dict(message)
    if is_foreign:
        for key in ("type", "id", "status", "phase"):
            out.pop(key, None)
    if "content" in message:
        read = read_content(content, f"{given}.content", building, as_given=not is_foreign)
        out["content"] = simplest(read) if is_foreign and isinstance(read, list) else read
    _check_fields(out, role, given, building)
    path = building.add(out, given, is_converted=is_foreign)
    if is_foreign and isinstance(out.get("content"), str) and isinstance(content, list | tuple):
        building.moved(f"{path}.content", f"{given}.content[0].text")


def is_of_other_form(message: object) -> bool:
    """Whether a message has parts that only other APIs than the target form's have."""
    content = message.get("content") if isinstance(message, Mapping) else None
    return bool(_kinds(content) & (_CALL_BLOCKS | _FOREIGN))


def _kinds(content: object) -> set[object]:
    if not isinstance(content, list | tuple):
        return set()
    return {
        part.get("type") for part in content if isinstance(part, dict) and isinstance(part.get("type"), str)
    }


def _check_fields(message: dict[str, Any], role: str, given: str, building: Building) -> None:
    """Checks what every template reads; other fields are the template's own business."""
    calls = message.get("tool_calls")
    if calls is not None:
        for at, value in enumerate(list_at(calls, f"{given}.tool_calls", "tool_calls")):
            _check_call(value, f"{given}.tool_calls[{at}]", building)
    if message.get("audio") is not None:
        building.apart["audio"] += 1
    if role not in {"assistant", "model"} and message.get("content") is None and not calls:
        raise refuse(given, f"a message of role {role} has no content")


def _check_call(value: object, path: str, building: Building) -> None:
    call = mapping_at(value, path, "a tool call")
    function = mapping_at(call.get("function", call), f"{path}.function", "the function of a tool call")
    name = text_at(function, "name", f"{path}.function" if "function" in call else path)
    identity = call.get("id")
    if isinstance(identity, str):
        building.call_names[identity] = name
