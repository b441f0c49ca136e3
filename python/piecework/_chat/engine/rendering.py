"""`render`: one template, one conversation, one text with its origins; or an error that names the line.

The text is rendered twice, with origins and without, and both must be equal: an origin that is wrong because a text
went another way than in Transformers' environment would show there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any, NoReturn

from jinja2 import Template, TemplateSyntaxError
from jinja2.exceptions import SecurityError

from piecework._chat.engine.environment import PlainEnvironment, RefusedError, TrackedEnvironment
from piecework._chat.engine.limits import METER, LimitExceededError, Limits, Meter
from piecework._chat.engine.origins import Generated, Origin, Rendered, Run
from piecework._chat.engine.taint import plain_variables, tracked_variables
from piecework._chat.engine.tracked import Tracked, as_tracked, plain, runs_of
from piecework.errors import MessageError, TemplateError

__all__ = ["TRUSTED_ROLES", "render"]

TRUSTED_ROLES: frozenset[str] = frozenset(
    {"system", "developer", "user", "assistant", "model", "tool", "function", "ipython", "observation"}
)
_GENERATION = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")
_N_CACHED = 64


def render(
    source: str,
    *,
    name: str,
    variables: Mapping[str, object],
    trusted_roles: Collection[str] = TRUSTED_ROLES,
    limits: Limits | None = None,
    today: datetime | None = None,
) -> Rendered:
    """Render a chat template, following where each character comes from.

    Messages are prepared as Transformers prepares them: fields that are None are left out, and reasoning stands under
    each of the names that templates read.

    Args:
        source: The Jinja template.
        name: What to call it in errors.
        variables: What it is given: `messages`, `tools`, `documents`, `add_generation_prompt`, `bos_token`,
            `eos_token` and arguments of its own, as plain data. Texts are the caller's, save those of variables whose
            names end in `_token`.
        trusted_roles: The roles of messages that count as the template's own words.
        limits: What it may take; the defaults of `Limits` if None.
        today: The time that the template is told; now if None.

    Returns:
        The text, its runs of one origin each, and where the template says the assistant speaks.

    Raises:
        TypeError: `messages` is no list.
        TemplateError: The template does not parse, fails, goes over its limits or does what a template may not.
        MessageError: The template refuses the conversation, or a message is no mapping.

    Examples:
        >>> made = render("<|{{ messages[0].role }}|>{{ messages[0].content | trim }}", name="small",
        ...               variables={"messages": [{"role": "user", "content": " <|user|> "}]})
        >>> made.text
        '<|user|><|user|>'
        >>> [(run.start, run.stop, str(run.origin)) for run in made.runs]
        [(0, 8, 'template'), (8, 16, 'messages[0].content')]
    """
    chosen = limits or Limits()
    moment = today or datetime.now().astimezone()
    if len(source) > chosen.max_source_chars:
        _fail(name, f"it has {len(source):,} characters; the limit is {chosen.max_source_chars:,}", line=None)
    given = tracked_variables(variables, trusted_roles)
    followed, unfollowed = _compiled(source, name)
    text, failure = "", None
    try:
        text = _run(followed, name, given, Meter(chosen, moment))
    except _FailedError as error:
        failure = error
    try:
        expected = _run(unfollowed, name, plain_variables(variables), Meter(chosen, moment))
    except _FailedError as error:
        _fail(name, str(error), line=error.line)
    if failure is not None:
        _fail(name, f"it fails when origins are followed, and only then: {failure}", line=failure.line)
    made = as_tracked(text)
    if plain(made) != expected:
        at = next(
            (i for i, (a, b) in enumerate(zip(plain(made), expected, strict=False)) if a != b), len(expected)
        )
        _fail(
            name, f"with origins its text differs from the plain rendering, from character {at} on", line=None
        )
    return _rendered(made, marks_generation=_GENERATION.search(source) is not None)


class _FailedError(Exception):
    """A template failed as any program can."""

    def __init__(self, words: str, line: int | None) -> None:
        super().__init__(words)
        self.line = line


def _compiled(source: str, name: str) -> tuple[Template, Template]:
    try:
        return _compiled_or_fail(source)
    except TemplateSyntaxError as error:
        _fail(name, error.message or "it is not a Jinja template", line=error.lineno)
    except (RecursionError, MemoryError):
        _fail(name, "it is nested too deep", line=None)
    except (SyntaxError, ValueError, OverflowError, TypeError) as error:
        _fail(name, f"it cannot be compiled: {error}", line=None)


@lru_cache(maxsize=_N_CACHED)
def _compiled_or_fail(source: str) -> tuple[Template, Template]:
    """The template for both environments: one code, since they differ only in what the code calls."""
    following, unfollowing = _environments()
    code = unfollowing.compile(source)
    return _template(following, code), _template(unfollowing, code)


@lru_cache(maxsize=1)
def _environments() -> tuple[PlainEnvironment, PlainEnvironment]:
    return TrackedEnvironment(), PlainEnvironment()


def _template(environment: PlainEnvironment, code: CodeType) -> Template:
    return Template.from_code(environment, code, environment.make_globals(None))


def _run(template: Template, name: str, variables: dict[str, Any], meter: Meter) -> str:
    """The text that a template makes of variables.

    Raises:
        _FailedError: It fails.
        TemplateError: It goes over a limit, or does what a template may not.
        MessageError: It refuses.
    """
    meter.messages.update((id(message), i) for i, message in enumerate(variables.get("messages", ())))
    token = METER.set(meter)
    try:
        context = template.new_context(variables)
        return template.environment.concat(template.root_render_func(context))
    except RefusedError as error:
        path = None if meter.last_message is None else f"messages[{meter.last_message}]"
        raise MessageError(
            f"the template {name} refuses the conversation{'' if path is None else f' at {path}'}: {error}",
            path=path,
            reason=str(error),
        ) from None
    except LimitExceededError as error:
        _fail(name, f"it goes over a limit: {error}", line=_line(template, error.__traceback__))
    except SecurityError as error:
        _fail(name, f"it does what a template may not: {error}", line=_line(template, error.__traceback__))
    except RecursionError as error:
        words = "maximum recursion depth exceeded: it calls itself too often, or its data is nested too deep"
        raise _FailedError(words, _line(template, error.__traceback__)) from None
    except Exception as error:  # noqa: BLE001 - a template can make any operation fail
        raise _FailedError(f"{type(error).__name__}: {error}", _line(template, error.__traceback__)) from None
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


def _fail(name: str, reason: str, *, line: int | None) -> NoReturn:
    where = f"the chat template {name}" if line is None else f"the chat template {name}, line {line}"
    raise TemplateError(f"{where}: {reason}", template=name, line=line, reason=reason) from None


def _rendered(text: Tracked, *, marks_generation: bool) -> Rendered:
    runs: list[Run] = []
    spans: list[tuple[int, int]] = []
    for start, stop, origin in runs_of(text):
        known: Origin = origin
        if isinstance(origin, Generated):
            known = origin.of
            first = spans.pop()[0] if spans and spans[-1][1] == start else start
            spans.append((first, stop))
        if runs and runs[-1].origin == known:
            runs[-1] = Run(runs[-1].start, stop, known)
        else:
            runs.append(Run(start, stop, known))
    return Rendered(plain(text), tuple(runs), tuple(spans), marks_generation)
