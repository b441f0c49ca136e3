"""Items of a conversation that have a type and no role: calls, their outputs, and reasoning, as the Responses API lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.checks import list_at, mapping_at, refuse, shown_type, text_at
from piecework._chat.conversation.parts import read_parts, simplest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from piecework._chat.conversation.building import Building

__all__ = ["ITEMS", "attach_reasoning"]

_CALL = frozenset({"type", "call_id", "name", "arguments"})
_OUTPUT = frozenset({"type", "call_id", "output"})
_REASONING = frozenset({"type", "summary", "content", "encrypted_content"})
# The field in which reasoning waits for the message or the call that it led to.
_PENDING = "reasoning_content"


def _add_call(item: Mapping[str, Any], given: str, building: Building) -> None:
    """Adds a call to the assistant's message before it, or as one of its own: templates write a turn's calls together."""
    _refuse_rest(item, _CALL, given, building)
    name, identity = text_at(item, "name", given), text_at(item, "call_id", given)
    arguments = text_at(item, "arguments", given)
    building.call_names[identity] = name
    call = {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}
    last = building.messages[-1] if building.messages else None
    is_open = (
        last is not None
        and last["role"] == "assistant"
        and (len(building.messages) - 1) in building.converted
    )
    if last is None or not is_open:
        building.add({"role": "assistant", "content": "", "tool_calls": []}, given, is_converted=True)
        last = building.messages[-1]
    calls = last.setdefault("tool_calls", [])
    path = f"messages[{len(building.messages) - 1}].tool_calls[{len(calls)}]"
    building.moved(path, given)
    building.moved(f"{path}.function.arguments", f"{given}.arguments")
    building.moved(f"{path}.function.name", f"{given}.name")
    calls.append(call)


def _add_output(item: Mapping[str, Any], given: str, building: Building) -> None:
    _refuse_rest(item, _OUTPUT, given, building)
    identity = text_at(item, "call_id", given)
    output = item.get("output")
    if isinstance(output, list | tuple):
        content: str | list[dict[str, Any]] = simplest(read_parts(output, f"{given}.output", building))
    elif isinstance(output, str):
        content = output
    else:
        raise refuse(given, f"output is a string or a list of parts, not {shown_type(output)}")
    out: dict[str, Any] = {"role": "tool", "tool_call_id": identity}
    if identity in building.call_names:
        out["name"] = building.call_names[identity]
    target = building.add({**out, "content": content}, given, is_converted=True)
    is_single = isinstance(output, list | tuple) and isinstance(content, str)
    building.moved(f"{target}.content", f"{given}.output[0].text" if is_single else f"{given}.output")


def _add_reasoning(item: Mapping[str, Any], given: str, building: Building) -> None:
    """Adds an assistant's message that has reasoning only; what comes next joins it."""
    _refuse_rest(item, _REASONING, given, building)
    field = "content" if item.get("content") else "summary"
    texts = [
        text_at(
            mapping_at(part, f"{given}.{field}[{at}]", "a part of reasoning"),
            "text",
            f"{given}.{field}[{at}]",
        )
        for at, part in enumerate(list_at(item.get(field) or [], f"{given}.{field}", field))
    ]
    if not texts:
        if item.get("encrypted_content"):
            raise refuse(
                given,
                "reasoning that only its provider can read has no text to count",
                hint="count it at its provider, or leave the item out",
            )
        building.notes.append(f"{given}: reasoning without text")
        return
    message = {"role": "assistant", "content": "", _PENDING: "\n\n".join(texts)}
    target = building.add(message, given, is_converted=True)
    building.moved(f"{target}.{_PENDING}", given)


def attach_reasoning(message: dict[str, Any], given: str, building: Building) -> bool:
    """Puts an assistant's message into the one that has only its reasoning so far.

    Returns:
        Whether there was one.
    """
    last = building.messages[-1] if building.messages else None
    if last is None or last.keys() != {"role", "content", _PENDING} or last["content"]:
        return False
    if message.get("role") != "assistant" or (len(building.messages) - 1) not in building.converted:
        return False
    path = f"messages[{len(building.messages) - 1}]"
    building.moved(f"{path}.content", f"{given}.content")
    last.update(message)
    return True


def _refuse_rest(item: Mapping[str, Any], known: frozenset[str], path: str, building: Building) -> None:
    rest = building.leave_out(item, known, path)
    if rest:
        raise refuse(path, f"{', '.join(sorted(rest))} has no place in the messages that chat templates read")


ITEMS: Mapping[str, Callable[[Mapping[str, Any], str, Building], None]] = {
    "function_call": _add_call,
    "function_call_output": _add_output,
    "reasoning": _add_reasoning,
}
