"""A conversation as the body of a request: Anthropic's messages, Gemini's contents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from piecework._chat.served.reading import calls
from piecework.errors import MessageError

if TYPE_CHECKING:
    from piecework._chat.conversation import Conversation
    from piecework._chat.served.media import Medium
    from piecework._chat.served.models import ServedModel

__all__ = ["anthropic_body", "gemini_body"]

_SYSTEM = frozenset({"system", "developer"})
_APART = frozenset({"image", "image_url", "audio", "audio_url", "video", "video_url", "file", "document"})
_APART |= {"input_image", "input_audio", "input_video", "input_file"}


def anthropic_body(
    conversation: Conversation, media: Iterator[Medium], model: ServedModel
) -> Mapping[str, object]:
    """Returns what Anthropic's `count_tokens` takes.

    Args:
        conversation: Messages and tools.
        media: What in the messages is no text, in their order; their parts have no data of their own.
        model: The model.

    Raises:
        MessageError: Something has no place in it: a system message after others, sound, video.

    Source: platform.claude.com/docs/en/api/messages-count-tokens.
    """
    system, rest = _system(conversation, media, _anthropic_medium)
    messages: list[dict[str, Any]] = []
    for at, message in rest:
        blocks = _parts(message, at, media, _anthropic_medium)
        if message["role"] == "tool":
            result = {
                "type": "tool_result",
                "tool_use_id": str(message.get("tool_call_id", "")),
                "content": blocks,
            }
            _append(messages, "user", [result], joins="tool_result")
            continue
        for number, call in enumerate(message.get("tool_calls") or ()):
            made = calls({"tool_calls": [call]})[0]
            identity = str(call.get("id") or f"call_{at}_{number}")
            blocks.append(
                {
                    "type": "tool_use",
                    "id": identity,
                    "name": made.name,
                    "input": _arguments(made.arguments, at),
                }
            )
        _append(messages, "assistant" if message["role"] in ("assistant", "model") else "user", blocks)
    body: dict[str, object] = {"model": model.wire_name, "messages": messages}
    if system:
        body["system"] = system
    if conversation.tools:
        body["tools"] = [_anthropic_tool(tool["function"]) for tool in conversation.tools]
    return body


def gemini_body(
    conversation: Conversation, media: Iterator[Medium], model: ServedModel
) -> Mapping[str, object]:
    """Returns what Gemini's `countTokens` takes.

    Args:
        conversation: Messages and tools.
        media: What in the messages is no text, in their order.
        model: The model.

    Raises:
        MessageError: Something has no place in it.

    Source: ai.google.dev/api/tokens.
    """
    system, rest = _system(conversation, media, _gemini_medium)
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for at, message in rest:
        parts = [_without_type(part) for part in _parts(message, at, media, _gemini_medium)]
        if message["role"] == "tool":
            name = str(message.get("name") or names.get(str(message.get("tool_call_id")), "function"))
            text = "".join(part.get("text", "") for part in parts)
            response = {"functionResponse": {"name": name, "response": {"result": text}}}
            _append_content(contents, "user", [response, *(part for part in parts if "text" not in part)])
            continue
        for call in message.get("tool_calls") or ():
            made = calls({"tool_calls": [call]})[0]
            names[str(call.get("id"))] = made.name
            parts.append({"functionCall": {"name": made.name, "args": _arguments(made.arguments, at)}})
        _append_content(contents, "model" if message["role"] in ("assistant", "model") else "user", parts)
    request: dict[str, object] = {"model": f"models/{model.wire_name}", "contents": contents}
    if system:
        request["systemInstruction"] = {"parts": [_without_type(part) for part in system]}
    if conversation.tools:
        declared = [_gemini_tool(tool["function"]) for tool in conversation.tools]
        request["tools"] = [{"functionDeclarations": declared}]
    return {"generateContentRequest": request}


_MediumPart = Callable[["Medium", str], dict[str, Any]]


def _system(
    conversation: Conversation, media: Iterator[Medium], part: _MediumPart
) -> tuple[list[dict[str, Any]], list[tuple[int, Mapping[str, Any]]]]:
    """The parts of the system messages that come first, and the other messages with their places."""
    system: list[dict[str, Any]] = []
    rest: list[tuple[int, Mapping[str, Any]]] = []
    for at, message in enumerate(conversation.messages):
        if message.get("role") not in _SYSTEM:
            rest.append((at, message))
        elif rest:
            path = conversation.place(f"messages[{at}]")
            raise MessageError(
                f"{path}: a system message after others has no place in what the endpoint takes",
                path=path,
                reason="a system message after others",
            )
        else:
            system += _parts(message, at, media, part)
    return system, rest


def _parts(
    message: Mapping[str, Any], at: int, media: Iterator[Medium], part: _MediumPart
) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    found: list[dict[str, Any]] = []
    for index, item in enumerate(content or ()):
        path = f"messages[{at}].content[{index}]"
        if item.get("type") in _APART:
            medium = next(media, None)
            if medium is None:
                raise MessageError(f"{path}: has no data", path=path, reason="no data")
            found.append(part(medium, path))
        else:
            text = item.get("text", item.get("refusal"))
            found += [{"type": "text", "text": text}] if text else []
    return found


def _anthropic_medium(medium: Medium, path: str) -> dict[str, Any]:
    kind = {"image": "image", "file": "document"}.get(medium.kind)
    if kind is None:
        raise MessageError(
            f"{path}: Claude takes no {medium.kind}", path=path, reason=f"{medium.kind} for Claude"
        )
    if medium.data is not None:
        default = "image/png" if kind == "image" else "application/pdf"
        return {
            "type": kind,
            "source": {"type": "base64", "media_type": medium.media_type or default, "data": medium.data},
        }
    if medium.url is None:
        raise MessageError(f"{path}: has neither data nor an address", path=path, reason="no data")
    return {"type": kind, "source": {"type": "url", "url": medium.url}}


def _gemini_medium(medium: Medium, path: str) -> dict[str, Any]:
    default = {"image": "image/png", "audio": "audio/wav", "video": "video/mp4", "file": "application/pdf"}
    media_type = medium.media_type or default[medium.kind]
    if medium.data is not None:
        return {"inlineData": {"mimeType": media_type, "data": medium.data}}
    if medium.url is None:
        raise MessageError(f"{path}: has neither data nor an address", path=path, reason="no data")
    return {"fileData": {"mimeType": media_type, "fileUri": medium.url}}


def _append(
    messages: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]], *, joins: str = ""
) -> None:
    """Adds a message; results of one turn's calls stand in one."""
    if not blocks:
        return
    last = messages[-1] if messages else None
    if joins and last is not None and last["role"] == role and last["content"][-1]["type"] == joins:
        last["content"] += blocks
    else:
        messages.append({"role": role, "content": blocks})


def _append_content(contents: list[dict[str, Any]], role: str, parts: list[dict[str, Any]]) -> None:
    if parts:
        contents.append({"role": role, "parts": parts})


def _without_type(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key != "type"}


def _arguments(text: str, at: int) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        path = f"messages[{at}].tool_calls"
        raise MessageError(f"{path}: the arguments are no JSON object", path=path, reason="no JSON object")
    return found


def _anthropic_tool(function: Mapping[str, Any]) -> dict[str, Any]:
    tool: dict[str, Any] = {
        "name": function["name"],
        "input_schema": function.get("parameters") or {"type": "object"},
    }
    if function.get("description"):
        tool["description"] = function["description"]
    return tool


def _gemini_tool(function: Mapping[str, Any]) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": function["name"]}
    if function.get("description"):
        tool["description"] = function["description"]
    if function.get("parameters"):
        # `parameters` takes only a part of JSON Schema and refuses the rest.
        tool["parametersJsonSchema"] = function["parameters"]
    return tool
