"""Whether a template's own markers can be told from the caller's.

Once per template, small conversations without markers are rendered: what comes out shaped like a marker must be the
template's. And an independent check for one conversation, which does not look at how origins are followed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from piecework._chat.engine.limits import Limits, Meter
from piecework._chat.engine.markers import markers_in
from piecework._chat.engine.origins import UNKNOWN, Rendered, Run
from piecework._chat.engine.running import FailedError, compiled, fail, run
from piecework._chat.engine.taint import TRUSTED_ROLES, sentinel_variables, tracked_variables
from piecework._chat.engine.tracked import as_tracked, plain, runs_of
from piecework.errors import ChatError, UnsafeTemplateError

__all__ = ["check_markers", "check_with_sentinels"]

_LIMITS = Limits(max_seconds=1.0, max_chars=1_000_000)
_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_ASKED: dict[str, Any] = {"role": "user", "content": "How warm is it?"}
_CALL = {
    "id": "abcdefgh1",
    "type": "function",
    "function": {"name": "weather", "arguments": {"city": "Rome"}},
}
_TOOL = {"name": "weather", "description": "The weather.", "parameters": {"type": "object", "properties": {}}}
_PROBES: tuple[dict[str, Any], ...] = (
    {"messages": [_ASKED]},
    {
        "messages": [
            {"role": "system", "content": "Be brief."},
            _ASKED,
            {"role": "assistant", "content": "Warm.", "reasoning_content": "It is summer."},
            _ASKED,
        ]
    },
    {
        "messages": [
            _ASKED,
            {"role": "assistant", "content": "", "tool_calls": [_CALL]},
            {"role": "tool", "content": "18", "name": "weather", "tool_call_id": "abcdefgh1"},
        ],
        "tools": [{"type": "function", "function": _TOOL}],
    },
)
_COMMON = {
    "tools": None,
    "documents": None,
    "add_generation_prompt": True,
    "bos_token": "<s>",
    "eos_token": "</s>",
}


def check_markers(source: str, name: str) -> None:
    """Check, once for each template, that the origins of its own markers can be followed.

    Args:
        source: The template.
        name: What to call it.

    Raises:
        UnsafeTemplateError: On a conversation without any marker it writes one whose origin is lost.
    """
    lost = _lost_markers(source)
    if lost:
        reason = f"the origin of its own markers cannot be followed: {', '.join(lost[:5])}"
        raise UnsafeTemplateError(
            f"the chat template {name}: {reason}",
            hint="a user's marker could not be told from the template's; use another template",
            template=name,
            reason=reason,
            markers=lost,
        )


@lru_cache(maxsize=64)
def _lost_markers(source: str) -> tuple[str, ...]:
    lost: dict[str, None] = {}
    template, _ = compiled(source, "it")
    for probe in _PROBES:
        given = tracked_variables({**_COMMON, **probe}, TRUSTED_ROLES)
        try:
            text = as_tracked(run(template, "it", given, Meter(_LIMITS, _DAY)))
        except (ChatError, FailedError):
            continue  # a conversation that this template does not take tells nothing
        made = Rendered(plain(text), tuple(Run(*parts) for parts in runs_of(text)))
        lost.update((marker, None) for marker, kinds in markers_in(made) if "unknown" in kinds)
    return tuple(lost)


def check_with_sentinels(
    rendered: Rendered, source: str, *, name: str, variables: Mapping[str, object], meter: Meter
) -> None:
    """Check that the markers which count as the template's are those it writes whatever the texts say.

    Args:
        rendered: What came out.
        source: The template.
        name: What to call it.
        variables: What it was given.
        meter: What the renderings may take.

    Raises:
        TemplateError: With random letters in place of the caller's texts the markers are others.
    """
    own = [marker for marker, kinds in markers_in(rendered) if kinds == {"template"}]
    _, template = compiled(source, name)
    for seed in (random.getrandbits(64), random.getrandbits(64)):
        try:
            text = run(template, name, sentinel_variables(variables, seed), replace(meter, messages={}))
        except (ChatError, FailedError) as error:
            fail(name, f"with other letters in place of the texts it fails: {error}", line=None)
        found = [marker for marker, _ in markers_in(Rendered(text, (Run(0, len(text), UNKNOWN),)))]
        if found != own:
            fail(
                name,
                f"its markers depend on what the texts say: {len(own)} here, {len(found)} elsewhere",
                line=None,
            )
