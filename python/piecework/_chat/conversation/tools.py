"""Tools in any of the forms in which they are declared, read into the one that chat templates expect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.checks import check_depth, mapping_at, refuse, shown_type, text_at

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_tools"]

# The key under which each form has the schema of the parameters; the first that a tool has tells its form.
_SCHEMAS = ("input_schema", "inputSchema", "parameters")
# For the application or the API, not for the model.
_BOOKKEEPING = frozenset(
    {"cache_control", "annotations", "title", "icons", "_meta", "execution", "defer_loading"}
)
_FLAT = frozenset({"type", "name", "description", "strict", *_SCHEMAS})


def read_tools(tools: object, notes: list[str]) -> list[dict[str, Any]] | None:
    """Reads tools: a list of them, or an object that holds one as `tools`, as a server of tools answers.

    Args:
        tools: The tools; None for none.
        notes: Gets a sentence for each field that is not for the model.

    Returns:
        `{"type": "function", "function": {...}}` for each, those of this form as they are; None for none.

    Raises:
        MessageError: One is none of the forms.
    """
    listed = _listed(tools)
    if listed is None:
        return None
    check_depth(listed, "tools")
    return [_tool(tool, f"tools[{at}]", notes) for at, tool in enumerate(listed)]


def _listed(tools: object) -> Sequence[object] | None:
    if isinstance(tools, Mapping):
        if isinstance(tools.get("result"), Mapping):
            return _listed(tools["result"])
        if "tools" not in tools:
            raise refuse("tools", "an object of tools holds them as a list named tools")
        return _listed(tools["tools"])
    if tools is None:
        return None
    if isinstance(tools, list | tuple):
        return tools or None
    raise refuse("tools", f"tools are a list, not {shown_type(tools)}")


def _tool(value: object, path: str, notes: list[str]) -> dict[str, Any]:
    tool = mapping_at(value, path, "a tool")
    if isinstance(tool.get("function"), Mapping):
        text_at(tool["function"], "name", f"{path}.function")
        return {key: item for key, item in tool.items() if key not in {"cache_control", "defer_loading"}}
    kind = tool.get("type", "function")
    if kind not in ("function", "custom") or (
        "type" in tool and kind == "custom" and "input_schema" not in tool
    ):
        raise refuse(
            path, f"a tool of type {kind} is its provider's own: it has no declaration to write into a prompt"
        )
    function: dict[str, Any] = {"name": text_at(tool, "name", path)}
    if tool.get("description") is not None:
        function["description"] = text_at(tool, "description", path)
    schema = next((key for key in _SCHEMAS if tool.get(key) is not None), None)
    if schema is not None:
        function["parameters"] = mapping_at(tool[schema], f"{path}.{schema}", schema)
    if tool.get("strict") is not None:
        function["strict"] = tool["strict"]
    _rest(tool, path, notes)
    return {"type": "function", "function": function}


def _rest(tool: Mapping[str, Any], path: str, notes: list[str]) -> None:
    for key in tool:
        if key in _FLAT or tool[key] is None:
            continue
        if key == "outputSchema":
            notes.append(
                f"{path}.outputSchema: not written by templates, which have no place for what a tool returns"
            )
        elif key not in _BOOKKEEPING:
            raise refuse(path, f"{key} has no place in the tools that chat templates read")
