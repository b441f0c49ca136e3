"""Jinja's filters that templates write text with, redone so that origins survive; each text is exactly Jinja's."""

# ruff: noqa: ANN401 - a template computes with anything

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import jinja2.filters
from jinja2 import pass_eval_context
from markupsafe import Markup, escape

from piecework._chat.engine.formatting import percent
from piecework._chat.engine.structures import as_json
from piecework._chat.engine.tracked import Tracked, by_character, concat, literal, mapped, plain, recast
from piecework._chat.engine.writing import text_of

if TYPE_CHECKING:
    from jinja2.nodes import EvalContext

__all__ = ["SafeText", "tracked_filters"]


class SafeText(Tracked):
    """Text that the template declared safe: what is added to it is escaped, as Jinja does."""

    __slots__ = ()

    def __html__(self) -> str:
        return plain(self)

    def __repr__(self) -> str:
        return f"Markup({plain(self)!r})"

    def __add__(self, other: object) -> Tracked:
        return _safe(concat((self, _escaped(other)))) if isinstance(other, str) else super().__add__(other)

    def __radd__(self, other: object) -> Tracked:
        return _safe(super().__radd__(_escaped(other))) if isinstance(other, str) else NotImplemented

    def __iter__(self) -> Iterator[Tracked]:
        return iter(recast(self, Tracked))

    def __getitem__(self, key: Any) -> Tracked:
        return _safe(super().__getitem__(key))


def _safe(text: Tracked) -> SafeText:
    return recast(text, SafeText)


def _escaped(text: str) -> str:
    if hasattr(text, "__html__"):
        return text
    return by_character(text, lambda character: plain(escape(character)), plain(escape(plain(text))))


def _of_text(function: Callable[..., Any], own: Callable[..., Any]) -> Callable[..., Any]:
    """Our own filter, or Jinja's where the text was declared safe and escapes what joins it."""

    def either(value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, SafeText | Markup):
            return function(Markup(plain(value)), *args, **kwargs)  # noqa: S704 - the template's own wish
        return own(value, *args, **kwargs)

    return either


def _title(value: object) -> Tracked:
    return mapped(text_of(value), jinja2.filters.do_title, by_context=True)


def _trim(value: object, chars: str | None = None) -> Tracked:
    stripped = text_of(value).strip(chars)
    return _safe(stripped) if isinstance(value, SafeText | Markup) else stripped


def _indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> Tracked:  # noqa: FBT001, FBT002 - Jinja's own signature
    unit: str = width if isinstance(width, str) else literal(" " * width)
    lines = (value + literal("\n")).splitlines()
    out: list[str] = [lines[0]]
    for line in lines[1:]:
        out += (literal("\n"), unit, line) if line or blank else (literal("\n"), line)
    return concat([unit, *out] if first else out)


@pass_eval_context
def _replace(context: EvalContext, value: object, old: str, new: str, count: int | None = None) -> Any:
    if context.autoescape:
        return jinja2.filters.do_replace(context, cast("str", value), old, new, count)
    return text_of(value).replace(text_of(old), text_of(new), -1 if count is None else count)


@pass_eval_context
def _join(context: EvalContext, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> Any:
    if context.autoescape:
        return jinja2.filters.sync_do_join(context, value, d, attribute)
    if attribute is not None:
        value = map(jinja2.filters.make_attrgetter(context.environment, attribute), value)
    return text_of(d).join([text_of(part) for part in value])


def _format(value: object, *args: Any, **kwargs: Any) -> Any:
    if isinstance(value, SafeText | Markup):
        return jinja2.filters.do_format(Markup(plain(value)), *args, **kwargs)  # noqa: S704 - the template's own wish
    if args and kwargs:
        return jinja2.filters.do_format(str(value), *args, **kwargs)
    return percent(text_of(value), kwargs or args, text_of)


def tracked_filters() -> dict[str, Callable[..., Any]]:
    """The filters by name."""
    of_jinja = jinja2.filters.FILTERS
    own: dict[str, Callable[..., Any]] = {
        "string": text_of,
        "upper": lambda value: text_of(value).upper(),
        "lower": lambda value: text_of(value).lower(),
        "capitalize": lambda value: text_of(value).capitalize(),
        "title": _title,
        "indent": _indent,
        "center": lambda value, width=80: text_of(value).center(width),
    }
    return {name: _of_text(of_jinja[name], filter_) for name, filter_ in own.items()} | {
        "trim": _trim,
        "tojson": as_json,
        "safe": lambda value: _safe(text_of(value)),
        "replace": _replace,
        "join": _join,
        "format": _format,
    }
