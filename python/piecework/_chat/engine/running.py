"""A chat template compiled once for both environments, and run once under limits; every failure names the line."""

from __future__ import annotations

from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any, NoReturn

from jinja2 import Template, TemplateSyntaxError
from jinja2.exceptions import SecurityError

from piecework._chat.engine.environment import PlainEnvironment, TrackedEnvironment
from piecework._chat.engine.limits import METER, LimitExceededError, Meter
from piecework._chat.engine.reads import start_reads
from piecework._chat.engine.template_names import RefusedError
from piecework.errors import MessageError, TemplateError

__all__ = ["FailedError", "compiled", "fail", "fail_running", "run"]

_N_CACHED = 64
_MAX_WORDS = 1000


class FailedError(Exception):
    """A template failed as any program can."""

    def __init__(self, words: str, line: int | None, path: str | None) -> None:
        super().__init__(words)
        self.line = line
        self.path = path


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
    start_reads(meter, variables)
    token = METER.set(meter)
    try:
        context = template.new_context(variables)
        return template.environment.concat(template.root_render_func(context))
    except RefusedError as error:
        words = _short(str(error))
        path = (
            f"messages[{meter.last_message}]" if meter.last_message is not None else _owner(meter.last_read)
        )
        where = ", of whose messages it had read nothing" if path is None else f" at {path}"
        raise MessageError(
            f"the template {name} refuses the conversation{where}: {words}", path=path, reason=words
        ) from None
    except LimitExceededError as error:
        line = _line(template, error.__traceback__)
        fail_running(name, f"it goes over a limit: {error}", line=line, path=meter.last_read)
    except SecurityError as error:
        words = f"it does what a template may not: {error}"
        raise FailedError(words, _line(template, error.__traceback__), meter.last_read) from None
    except RecursionError as error:
        words = "maximum recursion depth exceeded: it calls itself too often, or its data is nested too deep"
        raise FailedError(words, _line(template, error.__traceback__), meter.last_read) from None
    except Exception as error:  # noqa: BLE001 - a template can make any operation fail
        raise FailedError(
            f"{type(error).__name__}: {error}", _line(template, error.__traceback__), meter.last_read
        ) from None
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


def _owner(path: str | None) -> str | None:
    """The tool or document of a path."""
    return None if path is None else path.partition("]")[0] + "]"


def fail_running(name: str, reason: str, *, line: int | None, path: str | None) -> NoReturn:
    """Raise a TemplateError that names the template, the line, and what it read last."""
    read = "before it read anything of a message" if path is None else f"while it read {path}"
    _fail(name, f"{_short(reason)}, {read}", line, path)


def fail(name: str, reason: str, *, line: int | None) -> NoReturn:
    """Raise a TemplateError that names the template and the line."""
    _fail(name, _short(reason), line, None)


def _fail(name: str, reason: str, line: int | None, path: str | None) -> NoReturn:
    where = f"the chat template {name}" if line is None else f"the chat template {name}, line {line}"
    raise TemplateError(f"{where}: {reason}", template=name, line=line, reason=reason, path=path) from None


def _short(words: str) -> str:
    """Words of a template or about its data, which may be of any length."""
    return words if len(words) <= _MAX_WORDS else f"{words[:_MAX_WORDS]}…"
