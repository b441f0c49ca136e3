"""The body of a request, taken apart: its messages, its instructions, its tools, and what a prompt has no use for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._chat.conversation.checks import check_depth, refuse, shown_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Body", "read_body"]

# Fields of a body that change the prompt and are arguments here.
_ARGUMENTS = (
    "chat_template_kwargs",
    "chat_template",
    "add_generation_prompt",
    "continue_final_message",
    "documents",
)
_SYSTEM = ("system", "instructions")
_TOOLS = ("tools", "functions")


class Body(NamedTuple):
    """What a request holds.

    Attributes:
        messages: The messages.
        where: Where they stand in it: `messages`, or `input`.
        system: Instructions beside the messages, each with the name of its field.
        tools: Tools in any form; None for none.
        notes: What is in the body and not read, in sentences.
        is_request: Whether it has what only other forms than the target's have: instructions of its own, or an input.
    """

    messages: Sequence[object]
    where: str
    system: tuple[tuple[str, object], ...] = ()
    tools: object = None
    notes: tuple[str, ...] = ()
    is_request: bool = False


def read_body(messages: object, tools: object, system: object) -> Body:
    """Takes a list of messages, or the body of a request; `tools` and `system` go before those of the body.

    Raises:
        MessageError: It is neither, or nested too deeply.
    """
    given = () if system is None else (("system", system),)
    if isinstance(messages, list | tuple):
        check_depth(messages, "messages")
        body = Body(messages, "messages", given, tools)
    elif isinstance(messages, Mapping):
        body = _body(messages, tools, given)
    else:
        raise refuse("messages", f"messages are a list, not {shown_type(messages)}")
    for key, value in body.system:
        check_depth(value, key)
    return body


def _body(body: Mapping[str, Any], tools: object, given: tuple[tuple[str, object], ...]) -> Body:
    where = "messages" if body.get("messages") is not None else "input"
    held = body.get(where)
    if held is None:
        raise refuse("messages", "the body of a request has its messages under messages or input")
    if where == "input" and isinstance(held, str):
        held = [{"role": "user", "content": held}]
    if not isinstance(held, list | tuple):
        raise refuse(where, f"{where} is a list of messages, not {shown_type(held)}")
    check_depth(held, where)
    own = tuple((key, body[key]) for key in _SYSTEM if body.get(key) is not None)
    own_tools = next((body[key] for key in _TOOLS if body.get(key) is not None), None)
    return Body(
        held,
        where,
        given or own,
        own_tools if tools is None else tools,
        tuple(_notes(body, tools, given, own)),
        is_request=where == "input" or bool(own),
    )


def _notes(
    body: Mapping[str, Any],
    tools: object,
    given: tuple[tuple[str, object], ...],
    own: tuple[tuple[str, object], ...],
) -> Iterator[str]:
    if given and own:
        yield f"{own[0][0]}: replaced by system="
    if tools is not None and any(body.get(key) is not None for key in _TOOLS):
        yield "tools: those of the request are replaced by tools="
    for key in _ARGUMENTS:
        if body.get(key) is not None:
            yield f"{key}: not read from a request; it is an argument here"
