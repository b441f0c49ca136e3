"""What a chat template finds by name as Transformers defines it: functions, classes, and the `generation` tag."""

# ruff: noqa: ANN401 - a template computes with anything

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jinja2.ext
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.utils import Namespace

from piecework._chat.engine.tracked import plain

if TYPE_CHECKING:
    from jinja2.parser import Parser

__all__ = ["GenerationTag", "RefusedError", "TemplateDict", "TemplateNamespace", "raise_exception", "to_json"]


class RefusedError(JinjaError):
    """The template called `raise_exception`."""


class GenerationTag(jinja2.ext.Extension):
    """`{% generation %}` … `{% endgeneration %}` around what the assistant says."""

    tags = {"generation"}  # noqa: RUF012 - Jinja's own attribute

    def parse(self, parser: Parser) -> nodes.Node:
        """Read the block."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_generated"), [], [], body).set_lineno(line)

    def _generated(self, caller: Callable[[], str]) -> str:
        return self.environment.generated(caller())  # type: ignore[attr-defined, no-any-return] # ours have it


class TemplateNamespace(Namespace):
    """Jinja's namespace without private names, as Transformers has it."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, *rest = args
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _check_name(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(
            f"chat templates cannot store underscore-prefixed attributes, but this one stores {name!r}"
        )


class TemplateDict:
    """`dict` for templates, without its class's attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """As dict.fromkeys."""
        return dict.fromkeys(*args, **kwargs)


def raise_exception(message: object) -> None:
    """Refuse the conversation."""
    raise RefusedError(plain(str(message)))


def to_json(
    value: object,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - the filter's own signature
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002 - the filter's own signature
) -> str:
    """The `tojson` filter, as Transformers defines it."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
