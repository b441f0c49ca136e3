"""A chat template compiled once for both environments, and run once under limits; every failure names the line."""

from __future__ import annotations

from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any, NoReturn

from jinja2 import Template, TemplateSyntaxError
from jinja2.exceptions import SecurityError

from piecework._chat.engine.environment import PlainEnvironment, TrackedEnvironment
from piecework._chat.engine.limits import METER, LimitExceededError, Meter
from piecework._chat.engine.template_names import RefusedError
from piecework.errors import MessageError, TemplateError

__all__ = ["FailedError", "compiled", "fail", "run"]

_N_CACHED = 64
_MAX_WORDS = 1000


class FailedError(Exception):
    """A template failed as any program can."""

    def __init__(self, words: str, line: int | None) -> None:
        super().__init__(words)
        self.line = line


def compiled(source: str, name: str) -> tuple[Template, Template]:
    """The template for the environment that follows origins and for the plain one; the last 64 are kept.

    Raises:
        TemplateError: It does not parse.
    """
    try:
        return _compiled_orfail(source)
    except TemplateSyntaxError as error:
        fail(name, error.message or "it is not a Jinja template", line=error.lineno)
    except (RecursionError, MemoryError):
        fail(name, "it is nested too deep", line=None)
    except (SyntaxError, ValueError, OverflowError, TypeError) as error:
        fail(name, f"it cannot be compiled: {error}", line=None)


@lru_cache(maxsize=_N_CACHED)
def _compiled_orfail(source: str) -> tuple[Template, Template]:
    """The template for both environments: one code, since they differ only in what the code calls."""
    following, unfollowing = _environments()
    code = unfollowing.compile(source)
    return _template(following, code), _template(unfollowing, code)


@lru_cache(maxsize=1)
def _environments() -> tuple[PlainEnvironment, PlainEnvironment]:
    return TrackedEnvironment(), PlainEnvironment()


def _template(environment: PlainEnvironment, code: CodeType) -> Template:
    return Template.from_code(environment, code, environment.make_globals(None))


def run(template: Template, name: str, variables: dict[str, Any], meter: Meter) -> str:
    """The text that a template makes of variables.

    Raises:
        FailedError: It fails.
        TemplateError: It goes over a limit, or does what a template may not.
        MessageError: It refuses.
    """
    meter.messages.update((id(message), i) for i, message in enumerate(variables.get("messages", ())))
    token = METER.set(meter)
    try:
        context = template.new_context(variables)
        return template.environment.concat(template.root_render_func(context))
    except RefusedError as error:
        words = _short(str(error))
        path = None if meter.last_message is None else f"messages[{meter.last_message}]"
        raise MessageError(
            f"the template {name} refuses the conversation{'' if path is None else f' at {path}'}: {words}",
            path=path,
            reason=words,
        ) from None
    except LimitExceededError as error:
        fail(name, f"it goes over a limit: {error}", line=_line(template, error.__traceback__))
    except SecurityError as error:
        words = f"it does what a template may not: {error}"
        raise FailedError(words, _line(template, error.__traceback__)) from None
    except RecursionError as error:
        words = "maximum recursion depth exceeded: it calls itself too often, or its data is nested too deep"
        raise FailedError(words, _line(template, error.__traceback__)) from None
    except Exception as error:  # noqa: BLE001 - a template can make any operation fail
        raise FailedError(f"{type(error).__name__}: {error}", _line(template, error.__traceback__)) from None
    finally:
        METER.reset(token)


def _line(template: Template, trace: TracebackType | None) -> int | None:
    """The line of the template where an error came up."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_globals.get("__jinja_template__") is template:
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line


def fail(name: str, reason: str, *, line: int | None) -> NoReturn:
    """Raise a TemplateError that names the template and the line."""
    reason = _short(reason)
    where = f"the chat template {name}" if line is None else f"the chat template {name}, line {line}"
    raise TemplateError(f"{where}: {reason}", template=name, line=line, reason=reason) from None


def _short(words: str) -> str:
    """Words of a template or about its data, which may be of any length."""
    return words if len(words) <= _MAX_WORDS else f"{words[:_MAX_WORDS]}…"
