"""Messages made of blocks: an assistant's thinking, text and calls, and a user's results and text, each in its order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.checks import kind_of, mapping_at, refuse, text_at
from piecework._chat.conversation.parts import read_parts, simplest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework._chat.conversation.building import Building

__all__ = ["read_assistant_blocks", "read_user_blocks"]

_THINKING = frozenset({"type", "thinking"})
_USE = frozenset({"type", "id", "name", "input"})
_RESULT = frozenset({"type", "tool_use_id", "content", "is_error"})
_HIDDEN = "thinking that only its provider can read has no text to count"


def read_assistant_blocks(message: Mapping[str, Any], role: str, given: str, building: Building) -> None:
    """Adds an assistant's message: thinking, then text, then calls, which is the order in which templates write them.

    Raises:
        MessageError: The blocks stand in another order, or one has no place.
    """
    turn = _Turn(building.next_path, building)
    for index, value in enumerate(message["content"]):
        turn.read(mapping_at(value, f"{given}.content[{index}]", "a block"), f"{given}.content[{index}]")
    out: dict[str, Any] = {"role": role, "content": simplest(turn.parts) if turn.parts else ""}
    if turn.thinking is not None:
        out["reasoning_content"] = turn.thinking
    if turn.calls:
        out["tool_calls"] = turn.calls
    _other_fields(message, out)
    building.add(out, given, is_converted=True)
    if isinstance(out["content"], str) and turn.parts:
        # A place is noted only where it is another one than the target's.
        text = f"{turn.target}.content[0]"
        building.moved(f"{turn.target}.content", building.places.get(text, text) + ".text")


@dataclass(slots=True)
class _Turn:
    """An assistant's blocks so far; `target` is the path of the message that they become."""

    target: str
    building: Building
    thinking: str | None = None
    parts: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)

    def read(self, block: Mapping[str, Any], path: str) -> None:
        kind = kind_of(block)
        if kind == "redacted_thinking":
            raise refuse(path, _HIDDEN, hint="count it at its provider, or leave the block out")
        if kind == "tool_result":
            raise refuse(path, "a tool's result stands in a message of the user")
        if kind == "thinking":
            self._think(block, path)
        elif kind == "tool_use":
            self._call(block, path)
        else:
            self._say(block, path)

    def _think(self, block: Mapping[str, Any], path: str) -> None:
        if self.parts or self.calls or self.thinking is not None:
            raise refuse(
                path, "a message has one block of thinking, before text and calls, as templates write it"
            )
        _refuse_rest(block, _THINKING, path, self.building)
        self.thinking = text_at(block, "thinking", path)
        self.building.moved(f"{self.target}.reasoning_content", f"{path}.thinking")

    def _call(self, block: Mapping[str, Any], path: str) -> None:
        call = f"{self.target}.tool_calls[{len(self.calls)}]"
        self.building.moved(call, path)
        self.building.moved(f"{call}.function.arguments", f"{path}.input")
        self.building.moved(f"{call}.function.name", f"{path}.name")
        self.calls.append(_call(block, path, self.building))

    def _say(self, block: Mapping[str, Any], path: str) -> None:
        if self.calls:
            raise refuse(path, "text after a call has no place: templates write calls last")
        self.building.moved(f"{self.target}.content[{len(self.parts)}]", path)
        self.parts += read_parts([block], path, self.building, at=lambda _: path)


def read_user_blocks(message: Mapping[str, Any], role: str, given: str, building: Building) -> None:
    """Adds a user's message: each result as a message of a tool, and what stands between them as messages of the user.

    Raises:
        MessageError: A block has no place.
    """
    between: list[tuple[Mapping[str, Any], str]] = []
    for index, value in enumerate(message["content"]):
        path = f"{given}.content[{index}]"
        block = mapping_at(value, path, "a block")
        kind = kind_of(block)
        if kind in {"tool_use", "thinking", "redacted_thinking"}:
            raise refuse(path, f"{kind} stands in a message of the assistant, not of role {role}")
        if kind == "tool_result":
            _add_between(between, message, role, given, building)
            between = []
            _add_result(block, path, building)
        else:
            between.append((block, path))
    _add_between(between, message, role, given, building)


def _add_between(
    blocks: Sequence[tuple[Mapping[str, Any], str]],
    message: Mapping[str, Any],
    role: str,
    given: str,
    building: Building,
) -> None:
    if not blocks:
        return
    paths = [path for _, path in blocks]
    parts = read_parts([block for block, _ in blocks], given, building, at=paths.__getitem__)
    out: dict[str, Any] = {"role": role, "content": simplest(parts)}
    _other_fields(message, out)
    target = building.add(out, given, is_converted=True)
    for at, path in enumerate(paths):
        building.moved(f"{target}.content[{at}]", path)
    if isinstance(out["content"], str):
        building.moved(f"{target}.content", f"{paths[0]}.text")


def _add_result(block: Mapping[str, Any], path: str, building: Building) -> None:
    _refuse_rest(block, _RESULT, path, building)
    identity = text_at(block, "tool_use_id", path)
    content = block.get("content", "")
    if isinstance(content, list | tuple):
        read: str | list[dict[str, Any]] = simplest(read_parts(content, f"{path}.content", building))
    else:
        read = "" if content is None else text_at(block, "content", path) if "content" in block else ""
    out: dict[str, Any] = {"role": "tool", "tool_call_id": identity}
    if identity in building.call_names:
        out["name"] = building.call_names[identity]
    out["content"] = read
    if block.get("is_error"):
        # No template has a word for it; it stays in the message for those that will.
        out["is_error"] = True
        building.notes.append(f"{path}.is_error: kept in the message, but templates write only the content")
    target = building.add(out, path, is_converted=True)
    if isinstance(content, list | tuple) and isinstance(read, str):
        building.moved(f"{target}.content", f"{path}.content[0].text")


def _call(block: Mapping[str, Any], path: str, building: Building) -> dict[str, Any]:
    _refuse_rest(block, _USE, path, building)
    name, identity = text_at(block, "name", path), text_at(block, "id", path)
    building.call_names[identity] = name
    arguments = mapping_at(block.get("input", {}), f"{path}.input", "the input of a call")
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def _refuse_rest(block: Mapping[str, Any], known: frozenset[str], path: str, building: Building) -> None:
    rest = building.leave_out(block, known, path)
    if rest:
        raise refuse(path, f"{', '.join(sorted(rest))} has no place in the messages that chat templates read")


def _other_fields(message: Mapping[str, Any], out: dict[str, Any]) -> None:
    """Fields beside role and content, such as a name, go along; what an API adds about the message does not."""
    for key, value in message.items():
        if key in {
            "role",
            "content",
            "id",
            "type",
            "status",
            "model",
            "stop_reason",
            "stop_sequence",
            "usage",
            "phase",
        }:
            continue
        out.setdefault(key, value)
