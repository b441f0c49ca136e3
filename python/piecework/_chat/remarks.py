"""What somebody should know before a prompt is sent: what is not in it, and markers that do not do what they look like."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from piecework._chat.fields import text_fields
from piecework._chat.owners import Owner, owner_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from piecework._chat.conversation import Conversation
    from piecework._chat.engine import Rendered
    from piecework._chat.marks import Mark
    from piecework._chat.prompt import ChatTokenizer

__all__ = [
    "double_begin",
    "dropped_fields",
    "field_remarks",
    "split_markers",
    "unknown_origins",
    "unnamed_tokens",
    "unused_arguments",
]

# Markers of turns; tags such as <tools> are ordinary text in many a template, and meant so.
_TURN_ROLES = frozenset({"turn start", "turn end", "inside a turn's head", "begin", "end"})
# Fields that steer a template and are not written for the model.
_UNWRITTEN = frozenset({"role", "type", "id", "tool_call_id", "is_error", "index"})
_ARGUMENTS = re.compile(r"\.tool_calls\[\d+\](\.function)?\.arguments")


def dropped_fields(rendered: Rendered, conversation: Conversation) -> list[str]:
    """The paths of texts that are not in the prompt: of whole messages and tools, else of their fields.

    Returns:
        Paths in the form that the template was given, in order.
    """
    written = _Written(rendered)
    out: list[str] = []
    for at, message in enumerate(conversation.messages):
        fields = _message_fields(message, f"messages[{at}]")
        absent = [path for path, text in fields if not written.has(path, text)]
        out += [f"messages[{at}]"] if fields and len(absent) == len(fields) else absent
    tools = {owner_of(path) for path in written.paths}
    out += [f"tools[{at}]" for at, _ in enumerate(conversation.tools or ()) if Owner("tool", at) not in tools]
    return out


def _message_fields(message: Mapping[str, Any], path: str) -> list[tuple[str, str]]:
    """The texts of a message that a model is meant to read; of a call's arguments only the first."""
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    for field, text in text_fields(message, path):
        name = re.split(r"[.\[]", field.removeprefix(path).lstrip("."))[-1] or field
        is_name_of_result = message.get("role") == "tool" and field == f"{path}.name"
        if (
            field.rpartition(".")[2] in _UNWRITTEN
            or name in _UNWRITTEN
            or is_name_of_result
            or not text.strip()
        ):
            continue
        arguments = _ARGUMENTS.search(field)
        if arguments is not None:
            key = field[: arguments.end()]
            if key in seen:
                continue
            seen.add(key)
        found.append((field, text))
    return found


class _Written:
    """The fields that are in a prompt, by the origins of its text."""

    def __init__(self, rendered: Rendered) -> None:
        self.paths = {run.origin.path for run in rendered.runs if run.origin.path is not None}
        found = map(_ARGUMENTS.search, self.paths)
        # An object's arguments are there if one of its texts is.
        self._arguments = {match.string[: match.end()] for match in found if match is not None}
        # What lost its origin may be any field's.
        unknown = (run for run in rendered.runs if run.origin.kind == "unknown")
        self._unknown = "\n".join(rendered.text[run.start : run.stop] for run in unknown)

    def has(self, path: str, text: str) -> bool:
        """Whether the text of a field is there, or some of it."""
        if path in self.paths or (self._unknown and text.strip() in self._unknown):
            return True
        arguments = _ARGUMENTS.search(path)
        return arguments is not None and path[: arguments.end()] in self._arguments


def field_remarks(dropped: Sequence[str], rendered: Rendered, conversation: Conversation) -> Iterator[str]:
    """Says what the template drops, and what it writes in a way that nobody means."""
    for path in dropped:
        whole = re.fullmatch(r"messages\[(\d+)\]", path)
        role = "" if whole is None else f" (role {conversation.messages[int(whole.group(1))].get('role')})"
        yield f"{conversation.place(path)}{role}: not in the prompt, the template does not write it"
    for at, message in enumerate(conversation.messages):
        content = message.get("content")
        if isinstance(content, list | tuple) and content and _is_printed(content[0], rendered.text):
            path = conversation.place(f"messages[{at}].content")
            yield f"{path}: written as a list of Python, since the template takes no parts{_way_out(content)}"
        for index, call in enumerate(message.get("tool_calls") or ()):
            arguments = (call.get("function") or call).get("arguments")
            if isinstance(arguments, str) and _is_twice(arguments, rendered.text):
                path = conversation.place(f"messages[{at}].tool_calls[{index}].function.arguments")
                yield f'{path}: the template writes the JSON as a string within a string; arguments="object" (--arguments object) gives it objects'


def _is_printed(part: object, prompt: str) -> bool:
    """Whether a part stands in the prompt as Python prints it."""
    first = next(iter(part.items()), None) if isinstance(part, dict) else None
    return first is not None and repr(dict([first]))[:-1] in prompt


def _way_out(content: Sequence[object]) -> str:
    if all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return '; parts="join" (--parts join) joins them'
    return "; it has no place for what is no text"


def _is_twice(arguments: str, prompt: str) -> bool:
    """Whether a JSON string stands in the prompt with its quotes escaped, and not as it is."""
    escaped = json.dumps(arguments, ensure_ascii=False)
    return '"' in arguments and arguments not in prompt and escaped in prompt


def split_markers(
    marks: Iterable[Mark], char_spans: Sequence[tuple[int, int]], starts: Sequence[int]
) -> list[str]:
    """The turn markers that the template wrote and that are not one token of this tokenizer."""
    found = [
        mark.text
        for mark in marks
        if mark.roles & _TURN_ROLES and not _is_one_token(mark, char_spans, starts)
    ]
    return list(dict.fromkeys(found))


def _is_one_token(mark: Mark, char_spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    """Whether one token holds a marker; some take the white space around them too."""
    at = bisect_right(starts, mark.start) - 1
    return at >= 0 and char_spans[at][0] <= mark.start and mark.stop <= char_spans[at][1]


def double_begin(ids: Sequence[int], begin_ids: frozenset[int], tokenizer: ChatTokenizer) -> Iterator[str]:
    """Says that a prompt begins with two begin tokens, or with none where the tokenizer would add one to a text."""
    n_begin = 0
    for token_id in ids[:4]:
        if token_id not in begin_ids:
            break
        n_begin += 1
    if n_begin > 1:
        yield f"the prompt begins with {n_begin} begin tokens ({tokenizer.piece(ids[0])}): the template writes it more than once"
    before = tokenizer.added_around[0]
    if before and len(ids) and n_begin == 0:
        added = " ".join(tokenizer.piece(token_id) for token_id in before)
        yield f"the template writes no begin token; for a text the tokenizer adds {added}, which is not counted here"


def unknown_origins(rendered: Rendered) -> Iterator[str]:
    """Says how much of the prompt nobody is known to have written."""
    n = sum(run.stop - run.start for run in rendered.runs if run.origin.kind == "unknown")
    if n:
        yield f"{n:,} characters whose way through the template could not be followed: read as text, counted as the caller's"


def unnamed_tokens(variables: Mapping[str, Any], source: str) -> Iterator[str]:
    """Says which begin or end token the template writes that no file names: it writes nothing there, in silence."""
    for name in ("bos_token", "eos_token"):
        if name not in variables and re.search(rf"\b{name}\b", source):
            yield f"the template writes {name}, and no file of the tokenizer names one: nothing stands there ({name}= gives it)"


def unused_arguments(names: Iterable[str], source: str) -> Iterator[str]:
    """Says which of the caller's arguments the template does not know: a wrong name changes nothing, in silence."""
    for name in names:
        if not re.search(rf"\b{re.escape(name)}\b", source):
            yield f"the template has no {name}: the argument changes nothing"
