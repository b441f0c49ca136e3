"""A conversation in the form that chat templates expect, with the place of everything in what was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from piecework._chat.conversation.body import read_body
from piecework._chat.conversation.building import Building
from piecework._chat.conversation.chat_messages import add_chat_message, add_system, is_of_other_form
from piecework._chat.conversation.checks import mapping_at, refuse
from piecework._chat.conversation.items import ITEMS, attach_reasoning
from piecework._chat.conversation.tools import read_tools

__all__ = ["Conversation", "read_conversation"]

_NOUNS = {"image": "image", "audio": "sound", "video": "video", "file": "file"}


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages and tools as chat templates expect them.

    Attributes:
        messages: The messages; those that had this form already are as they were given.
        tools: The tools, each `{"type": "function", "function": {...}}`; None for none.
        notes: What was left out because it is for an application or an API and not for a model, in sentences.
        places: From the path of what was converted to its path in what was given.
        converted: The indices of messages that had another form.
        n_images: Images, which are counted apart.
        n_audio: Sounds.
        n_videos: Videos.
        n_files: Files.
        form_notes: Which parts a template is given in another form, in sentences; who counts without one needs none.
    """

    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...] | None
    notes: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    converted: frozenset[int] = frozenset()
    n_images: int = 0
    n_audio: int = 0
    n_videos: int = 0
    n_files: int = 0
    form_notes: tuple[str, ...] = ()

    @property
    def not_counted(self) -> str:
        """What no tokenizer of text counts, such as `2 images, 1 file`; "" for nothing."""
        amounts = zip(
            _NOUNS.values(), (self.n_images, self.n_audio, self.n_videos, self.n_files), strict=True
        )
        return ", ".join(f"{n} {noun}{'' if n == 1 else 's'}" for noun, n in amounts if n)

    def place(self, path: str) -> str:
        """The path, in what was given, of what stands at a path of the converted form."""
        end = len(path)
        while end > 0:
            given = self.places.get(path[:end])
            if given is not None:
                return given + path[end:]
            end = max(path.rfind(".", 0, end), path.rfind("[", 0, end))
        return path


def read_conversation(messages: object, tools: object = None, *, system: object = None) -> Conversation:
    """Reads messages and tools in any of the forms that applications hold.

    Args:
        messages: A list of messages, as OpenAI's chat and Responses or Anthropic's API have them; or the body of a
            request, with `messages` or `input`, and perhaps `tools` or `functions`, `system` or `instructions`.
        tools: Tools as OpenAI (both forms), Anthropic or MCP declare them; None for those of the body.
        system: Instructions beside the messages; None for those of the body.

    Returns:
        The conversation.

    Raises:
        MessageError: A message, part or tool is not what it must be, or has no place in the target form.

    Examples:
        >>> read_conversation([{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]).messages
        ({'role': 'user', 'content': 'Hi'},)
        >>> read_conversation([], [{"name": "now", "input_schema": {"type": "object"}}]).tools
        ({'type': 'function', 'function': {'name': 'now', 'parameters': {'type': 'object'}}},)
    """
    body = read_body(messages, tools, system)
    kinds = [item.get("type") for item in body.messages if isinstance(item, Mapping)]
    has_items = any(isinstance(kind, str) and kind in ITEMS for kind in kinds)
    is_other = has_items or body.is_request or any(map(is_of_other_form, body.messages))
    building = Building(is_of_other_form=is_other, notes=list(body.notes))
    for key, value in body.system:
        add_system(value, key, building)
    for at, item in enumerate(body.messages):
        _add(item, f"{body.where}[{at}]", building, has_items=has_items)
    read = read_tools(body.tools, building.notes)
    return Conversation(
        tuple(building.messages),
        None if read is None else tuple(read),
        tuple(building.notes),
        building.places,
        frozenset(building.converted),
        n_images=building.apart["image"],
        n_audio=building.apart["audio"],
        n_videos=building.apart["video"],
        n_files=building.apart["file"],
        form_notes=tuple(building.form_notes),
    )


def _add(value: object, given: str, building: Building, *, has_items: bool) -> None:
    item = mapping_at(value, given, "a message")
    kind = item.get("type")
    if isinstance(kind, str) and kind in ITEMS:
        ITEMS[kind](item, given, building)
        return
    if "role" not in item and isinstance(kind, str):
        raise refuse(given, f"an item of type {kind} has no place in the messages that chat templates read")
    before = len(building.messages)
    if kind == "message":
        item = {key: held for key, held in item.items() if key not in {"type", "id", "status", "phase"}}
    add_chat_message(item, given, building)
    if (has_items or kind == "message") and len(building.messages) > before:
        building.converted.update(range(before, len(building.messages)))
        _join_reasoning(given, building)


def _join_reasoning(given: str, building: Building) -> None:
    """An item of reasoning and the message after it are one message."""
    message = building.messages.pop()
    if not attach_reasoning(message, given, building):
        building.messages.append(message)
