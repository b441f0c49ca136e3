"""`render`: one template, one conversation, one text with its origins; or an error that names the line.

The text is rendered twice, with origins and without, and both must be equal: an origin that is wrong because a text
went another way than in Transformers' environment would show there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from piecework._chat.engine.limits import Limits, Meter
from piecework._chat.engine.origins import Generated, Origin, Rendered, Run
from piecework._chat.engine.probes import check_markers, check_with_sentinels
from piecework._chat.engine.running import FailedError, compiled, fail, fail_running, run
from piecework._chat.engine.taint import TRUSTED_ROLES, plain_variables, tracked_variables
from piecework._chat.engine.tracked import Tracked, as_tracked, plain, runs_of

__all__ = ["TRUSTED_ROLES", "render"]

_GENERATION = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")


def render(
    source: str,
    *,
    name: str,
    variables: Mapping[str, object],
    trusted_roles: Collection[str] = TRUSTED_ROLES,
    limits: Limits | None = None,
    today: datetime | None = None,
    sentinels: bool = False,
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
        limits: What each of the two renderings may take; the defaults of `Limits` if None.
        today: The time that the template is told; now if None.
        sentinels: Check the origins once more, independently of how they are followed: rendered with random letters in
            place of the caller's texts, the markers must be the same. Takes two plain renderings more. A template that
            writes other markers depending on what a text says does not pass.

    Returns:
        The text, its runs of one origin each, and where the template says the assistant speaks.

    Raises:
        TypeError: `messages` is no list.
        TemplateError: The template does not parse, fails, goes over its limits or does what a template may not.
        UnsafeTemplateError: The origin of the template's own markers cannot be followed.
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
    moment = today or datetime.now()  # noqa: DTZ005 - Transformers tells templates the local time without a zone
    if len(source) > chosen.max_source_chars:
        fail(name, f"it has {len(source):,} characters; the limit is {chosen.max_source_chars:,}", line=None)
    given = tracked_variables(variables, trusted_roles)
    followed, unfollowed = compiled(source, name)
    text, failure = "", None
    try:
        text = run(followed, name, given, Meter(chosen, moment))
    except FailedError as error:
        failure = error
    try:
        expected = run(unfollowed, name, plain_variables(variables), Meter(chosen, moment))
    except FailedError as error:
        fail_running(name, str(error), line=error.line, path=error.path)
    if failure is not None:
        words = f"it fails when origins are followed, and only then: {failure}"
        fail_running(name, words, line=failure.line, path=failure.path)
    made = as_tracked(text)
    if plain(made) != expected:
        at = next(
            (i for i, (a, b) in enumerate(zip(plain(made), expected, strict=False)) if a != b), len(expected)
        )
        fail(
            name, f"with origins its text differs from the plain rendering, from character {at} on", line=None
        )
    check_markers(source, name)
    rendered = _rendered(made, marks_generation=_GENERATION.search(source) is not None)
    if sentinels:
        check_with_sentinels(rendered, source, name=name, variables=variables, meter=Meter(chosen, moment))
    return rendered


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
