r"""The literals of a Jinja template: the text outside its tags, and the strings inside them.

What a template can write of itself comes from there. Joined strings (`'<|' + role + '|>'`) are not put together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["template_literals"]

_OPENING = re.compile(r"\{[#%{]")
_CLOSINGS = {"{%": re.compile(r"['\"]|%\}"), "{{": re.compile(r"['\"]|\}\}")}
_STRING = re.compile(r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
_RAW = re.compile(r"\{%[-+]?\s*raw\s*-?%\}")
_END_RAW = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}


def template_literals(template: str) -> list[str]:
    r"""Returns the literals of a template, in order, empty ones left out; where a tag is not closed, the rest is one.

    Examples:
        >>> template_literals("{%- if x == 'user' %}<|user|>{{ x + '\\n' }}{% endif %}{# no #}")
        ['user', '<|user|>', '\n']

    Complexity: O(len(template)).
    """
    return [literal for literal in _literals(template) if literal]


def _literals(template: str) -> Iterator[str]:
    at = 0
    while (opening := _OPENING.search(template, at)) is not None:
        yield template[at : opening.start()]
        raw = _RAW.match(template, opening.start())
        strings: list[str] = []
        if raw is not None:
            closing = _END_RAW.search(template, raw.end())
            end = None if closing is None else closing.end()
            if closing is not None:
                strings = [template[raw.end() : closing.start()]]
        elif opening.group() == "{#":
            found = template.find("#}", opening.end())
            end = None if found < 0 else found + 2
        else:
            end = _read_tag(template, opening, strings)
        if end is None:
            at = opening.start()
            break
        yield from strings
        at = end
    yield template[at:]


def _read_tag(template: str, opening: re.Match[str], strings: list[str]) -> int | None:
    """Collects the strings of a tag; returns where the tag ends, None where it does not."""
    closing = _CLOSINGS[opening.group()]
    at = opening.end()
    while (found := closing.search(template, at)) is not None:
        if found.group() not in "'\"":
            return found.end()
        string = _STRING.match(template, found.start())
        if string is None:
            return None
        strings.append(_ESCAPE.sub(_unescaped, string.group()[1:-1]))
        at = string.end()
    return None


def _unescaped(escape: re.Match[str]) -> str:
    code = escape.group(1) or escape.group(2)
    if code is not None:
        return chr(int(code, 16))
    return _CONTROLS.get(escape.group(3), escape.group(3))
