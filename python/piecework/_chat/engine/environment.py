"""The sandbox in which a chat template runs: Transformers' environment, with limits, and once more with origins.

`PlainEnvironment` renders what Transformers renders. `TrackedEnvironment` renders the same and follows origins. Both get
their code from `TrackingCodeGenerator`, so that both stop at the same limits.
"""

# ruff: noqa: ANN401 - a template computes with anything

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, cast

import jinja2.ext
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from piecework._chat.engine.compiler import TrackingCodeGenerator
from piecework._chat.engine.filters import SafeText, tracked_filters
from piecework._chat.engine.formatting import FormatPieces, LimitedEscapeFormatter, LimitedFormatter, percent
from piecework._chat.engine.growth import before_binop, before_call, before_filter, charge
from piecework._chat.engine.limits import METER, LimitExceededError, weigh
from piecework._chat.engine.origins import TEMPLATE, UNKNOWN, Generated, Origin
from piecework._chat.engine.reads import note_call, note_read
from piecework._chat.engine.template_names import (
    GenerationTag,
    TemplateDict,
    TemplateNamespace,
    raise_exception,
    to_json,
)
from piecework._chat.engine.tracked import as_tracked, concat, literal, plain, tracked, uniform, with_origins
from piecework._chat.engine.writing import text_of

__all__ = ["PlainEnvironment", "TrackedEnvironment"]

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gteq": operator.ge,
    "lt": operator.lt,
    "lteq": operator.le,
    "in": lambda value, values: value in values,
    "notin": lambda value, values: value not in values,
}
_BYTES_METHODS = frozenset({"decode", "hex", "startswith", "endswith", "find", "count", "index"})


class PlainEnvironment(ImmutableSandboxedEnvironment):
    """Transformers' environment for chat templates, with limits."""

    code_generator_class = TrackingCodeGenerator
    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[GenerationTag, jinja2.ext.loopcontrols],
            optimized=False,
            cache_size=0,
        )
        self.globals |= {
            "raise_exception": raise_exception,
            "strftime_now": self.strftime_now,
            "dict": TemplateDict(),
            "namespace": TemplateNamespace,
        }
        # What differs each time cannot be checked against the plain rendering.
        del self.globals["lipsum"], self.filters["random"]
        self.filters["tojson"] = to_json
        self.filters |= self.own_filters()
        self.filters = {name: _limited(name, filter_) for name, filter_ in self.filters.items()}
        self.tests = {
            name: _limited(name, cast("Callable[..., Any]", test)) for name, test in self.tests.items()
        }

    def own_filters(self) -> dict[str, Callable[..., Any]]:
        """The filters that stand in for Jinja's."""
        return {}

    # What the generated code calls.

    def tick(self) -> None:
        """An iteration or a call begins."""
        METER.get().tick()

    def literal(self, text: str) -> str:
        """A string of the template."""
        return text

    def text(self, value: object) -> str:
        """A value as it is printed."""
        if isinstance(value, list | tuple | dict):
            weigh(value)
        return str(value)

    def joined(self, values: tuple[object, ...]) -> str:
        """`a ~ b`."""
        return self._sum([self.text(value) for value in values])

    def _sum(self, parts: list[str]) -> str:
        METER.get().room(sum(map(len, parts)))
        return "".join(parts)

    def concat(self, parts: Iterable[str]) -> str:
        """What a block printed, as one text."""
        return self._sum(list(parts))

    def cut(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        """`value[start:stop:step]`."""
        part = value[start:stop:step]
        charge(part)
        return part

    def made(self, value: Any) -> Any:
        """A list, tuple or mapping that the template wrote."""
        METER.get().objects(len(value))
        return value

    def key(self, value: Any) -> Any:
        """A key, about to be hashed, or shown where nothing has it."""
        if isinstance(value, tuple | list | dict):
            weigh(value)
        return value

    def compare(self, op: str, left: Any, right: Any) -> Any:
        """`left op right`."""
        if isinstance(right, list | tuple | dict):
            METER.get().tick()
            if isinstance(left, list | tuple | dict) or not isinstance(right, dict):
                weigh(left, right)
        return _COMPARISONS[op](left, right)

    def generated(self, text: str) -> str:
        """What stands in a `generation` block."""
        return text

    def strftime_now(self, form: str) -> str:
        """The date, in a format."""
        if len(form) > 1000 or any(digits.isdigit() for digits in form):
            raise LimitExceededError("it asks for a date in a format with widths")
        return METER.get().today.strftime(plain(form))

    # What Jinja calls.

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`."""
        before_binop(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`called(*args, **kwargs)`."""
        METER.get().tick()
        if isinstance(called, Macro):
            return super().call(context, called, *args, **kwargs)
        given = {name: value for name, value in kwargs.items() if not name.startswith("_")}
        args = before_call(called, args, given)
        result = super().call(context, called, *args, **kwargs)
        charge(result)
        note_call(called, args, result)
        return result

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`."""
        value = super().getitem(obj, self.key(argument))
        note_read(obj, argument, value)
        return value

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`."""
        value = super().getattr(obj, attribute)
        note_read(obj, attribute, value)
        return value

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may have this attribute."""
        if isinstance(obj, bytes | bytearray | memoryview) and attr not in _BYTES_METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value) and not (
            isinstance(obj, int) and attr == "to_bytes"
        )

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`str.format` and `str.format_map`, sandboxed and limited."""
        text = _formatted_text(value)
        if text is None:
            return None

        def formatted(*args: Any, **kwargs: Any) -> str:
            if value.__name__ == "format_map":
                (kwargs,) = args
                args = ()
            return self.formatted(text, args, kwargs)

        return formatted

    def formatted(self, text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """`text.format(*args, **kwargs)`."""
        if isinstance(text, Markup):
            formatter = LimitedEscapeFormatter(self, escape=text.escape)
            return Markup(formatter.vformat(text, args, kwargs))  # noqa: S704 - what is put into it is escaped
        return LimitedFormatter(self).vformat(text, args, kwargs)


class TrackedEnvironment(PlainEnvironment):
    """The same, following origins."""

    def own_filters(self) -> dict[str, Callable[..., Any]]:
        """The filters that keep origins."""
        return tracked_filters()

    def literal(self, text: str) -> str:
        """A string of the template."""
        return literal(text)

    def text(self, value: object) -> str:
        """A value as it is printed."""
        return text_of(value)

    def _sum(self, parts: list[str]) -> str:
        METER.get().room(sum(map(len, parts)))
        return concat(parts)

    def generated(self, text: str) -> str:
        """What stands in a `generation` block: marked, wherever it goes from here."""
        return with_origins(as_tracked(text), _generated_origin)

    def strftime_now(self, form: str) -> str:
        """The date, which is the template's when its format is."""
        origin = uniform(as_tracked(form))
        return tracked(super().strftime_now(form), TEMPLATE if origin.kind == "template" else UNKNOWN)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`."""
        before_binop(operator, left, right)
        if isinstance(left, SafeText) and operator in {"*", "%"}:
            left = Markup(plain(left))  # noqa: S704 - what the template declared safe
        if operator == "%" and isinstance(left, str) and not isinstance(left, Markup):
            return percent(left, right, text_of)
        return ImmutableSandboxedEnvironment.call_binop(self, context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`; a text declared safe has the methods of Jinja's Markup, which lose origins."""
        return super().getattr(Markup(plain(obj)) if isinstance(obj, SafeText) else obj, attribute)  # noqa: S704

    def formatted(self, text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """`text.format(*args, **kwargs)`."""
        if isinstance(text, Markup):
            return super().formatted(text, args, kwargs)
        return FormatPieces(self, text_of).tracked_format(text, args, kwargs)


def _generated_origin(origin: Origin) -> Origin:
    return origin if isinstance(origin, Generated) else Generated(origin.kind, origin.path, origin)


def _formatted_text(value: object) -> str | None:
    if not isinstance(value, types.MethodType | types.BuiltinMethodType) or value.__name__ not in {
        "format",
        "format_map",
    }:
        return None
    text: object = value.__self__
    return text if isinstance(text, str) else None


def _limited(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test that asks for room first. Jinja passes some an environment or context before the value."""
    n_before = 1 if hasattr(function, "jinja_pass_arg") else 0

    @wraps(function)
    def limited(*args: Any, **kwargs: Any) -> Any:
        values = list(args[n_before:])
        before_filter(name, values, kwargs)
        result = function(*args[:n_before], *values, **kwargs)
        charge(result)
        return result

    return limited
