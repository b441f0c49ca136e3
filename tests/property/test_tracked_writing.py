"""Lists and mappings as JSON and as Python shows them, `%` and `str.format`: Python's text, and each string's origin."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from piecework._chat.engine import render
from piecework._chat.engine.origins import TEMPLATE, UNKNOWN, Origin
from piecework._chat.engine.structures import as_json, shown
from piecework._chat.engine.tracked import Tracked, concat, plain, runs_of, tracked

HERE = Origin("caller", "messages[0].content")
Twin = list[tuple[str, Origin]]

TEXTS = st.text(st.sampled_from("ab \"'\\\n\t\x00\x7fé日🚀\ud800<>&\u2028"), max_size=5)
STRINGS = st.lists(st.tuples(TEXTS, st.sampled_from((HERE, UNKNOWN, TEMPLATE))), max_size=3).map(
    lambda parts: concat([tracked(text, origin) for text, origin in parts])
)
LEAVES = st.none() | st.booleans() | st.integers(-9, 10**20) | st.floats(allow_nan=False) | STRINGS
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3) | st.tuples(inner, inner)
    ),
    max_leaves=8,
)


def twin(text: Tracked) -> Twin:
    return [(c, origin) for start, stop, origin in runs_of(text) for c in plain(text)[start:stop]]


def template(text: str) -> Twin:
    return [(character, TEMPLATE) for character in text]


def json_twin(value: Any, ascii_only: bool) -> Twin:
    """The JSON of a value, written character by character."""
    if isinstance(value, Tracked):
        inside = [
            (written, origin)
            for character, origin in twin(value)
            for written in json.dumps(character, ensure_ascii=ascii_only)[1:-1]
        ]
        return [*template('"'), *inside, *template('"')]
    if isinstance(value, dict):
        out = template("{")
        for i, (key, part) in enumerate(value.items()):
            out += (
                template(", " if i else "")
                + json_twin(key, ascii_only)
                + template(": ")
                + json_twin(part, ascii_only)
            )
        return out + template("}")
    if isinstance(value, list | tuple):
        out = template("[")
        for i, part in enumerate(value):
            out += template(", " if i else "") + json_twin(part, ascii_only)
        return out + template("]")
    return template(json.dumps(value))


@given(VALUES, st.booleans())
def test_json_keeps_the_origin_of_every_string(value: Any, ascii_only: bool) -> None:
    made = as_json(value, ascii_only)
    assert plain(made) == json.dumps(value, ensure_ascii=ascii_only)
    assert twin(made) == json_twin(value, ascii_only)


@given(
    VALUES,
    st.sampled_from((None, 0, 1, 3, "\t")),
    st.sampled_from((None, (",", ":"), (" ; ", " = "))),
    st.booleans(),
)
def test_json_in_every_layout(value: Any, indent: Any, separators: Any, sort: bool) -> None:
    templates = separators and tuple(tracked(separator, TEMPLATE) for separator in separators)
    unit = tracked(indent, TEMPLATE) if isinstance(indent, str) else indent
    made = as_json(value, indent=unit, separators=templates, sort_keys=sort)
    assert plain(made) == json.dumps(
        value, ensure_ascii=False, indent=indent, separators=separators, sort_keys=sort
    )
    if not sort:
        of_callers = [pair for pair in json_twin(value, ascii_only=False) if pair[1] != TEMPLATE]
        assert [pair for pair in twin(made) if pair[1] != TEMPLATE] == of_callers


def texts_within(value: Any) -> list[Tracked]:
    """The strings of a value in the order in which they are shown."""
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in texts_within(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in texts_within(part)]
    return [value] if isinstance(value, Tracked) else []


@given(st.lists(VALUES, max_size=3))
def test_python_shows_it_alike(value: Any) -> None:
    made = shown(value)
    assert plain(made) == str(value)
    callers = "".join(character for character, origin in twin(made) if origin == HERE)
    texts = texts_within(value)
    if all(len({origin for _, origin in twin(text)}) <= 1 for text in texts):
        assert callers == "".join(
            repr(plain(text))[1:-1] for text in texts if (*twin(text), ("", UNKNOWN))[0][1] == HERE
        )


def rendered(source: str, content: Any) -> Twin:
    made = render(source, name="it", variables={"messages": [{"role": "user", "content": content}]})
    return [(c, run.origin) for run in made.runs for c in made.text[run.start : run.stop]]


@given(TEXTS, TEXTS)
def test_formatting_keeps_origins(before: str, content: str) -> None:
    fixed = before.replace("%", "%%")
    form = json.dumps(fixed, ensure_ascii=False).replace("{", "(").replace("\ud800", "x").replace("\x00", "x")
    text = json.loads(form)
    expected = template(text % ()) + [(c, HERE) for c in content] + template("|7")
    body = "messages[0].content"
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "%s|%d'"
    assert rendered("{{ " + quoted + " % (" + body + ", 7) }}", content) == expected
    assert rendered("{{ " + quoted + "|format(" + body + ", 7) }}", content) == expected
    braces = quoted.replace("%%", "%").replace("%s|%d", "{}|{:d}")
    assert rendered("{{ " + braces + ".format(" + body + ", 7) }}", content) == expected
    named = braces.replace("{}|{:d}", "{a}|{b}")
    assert rendered("{{ " + named + ".format(a=" + body + ", b=7) }}", content) == expected
    assert rendered("{{ " + named + ".format_map({'a': " + body + ", 'b': 7}) }}", content) == expected
