"""`%` and `str.format` for tracked text, and the guard against widths that no memory holds."""

# ruff: noqa: ANN401 - a template computes with anything

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2.sandbox import SandboxedFormatter
from markupsafe import EscapeFormatter

from piecework._chat.engine.limits import METER, LimitExceededError, weigh
from piecework._chat.engine.origins import TEMPLATE, UNKNOWN
from piecework._chat.engine.tracked import Tracked, as_tracked, concat, plain, tracked, uniform

__all__ = ["FormatPieces", "LimitedEscapeFormatter", "LimitedFormatter", "check_percent", "percent"]

_MAX_WIDTH = 10_000
_SPEC = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?[hlL]?(?P<kind>.)",
    re.DOTALL,
)
_NUMBER_SPEC = re.compile(r"[+\- ]?#?0?\d*[,_]?(?:\.\d+)?[bdeEfFgGnoxX%]?")
_DIGITS = re.compile(r"\d+")


def check_percent(text: str, values: object) -> None:
    """Raise LimitExceededError where `text % values` would pad to more than ten thousand characters."""
    widths = [
        found for spec in _SPEC.finditer(plain(text)) for found in spec.group("width", "precision") if found
    ]
    if "*" in widths and isinstance(values, tuple):
        widths += [str(value) for value in values if isinstance(value, int)]
    for width in widths:
        _check_width(width.lstrip("-*"))
    if isinstance(values, Mapping):  # which can be asked for the same value again and again
        n, _, n_chars = weigh(values)
        METER.get().fits(plain(text).count("%") * (n + n_chars))


def percent(text: str, values: Any, write: Callable[[object], Tracked]) -> Tracked:
    """`text % values`, with origins.

    Args:
        text: The format.
        values: A tuple, a mapping, or one value.
        write: How one value is written, with its origins.

    Returns:
        The text; of unknown origin where the format is not made of plain `%s`, `%(name)s`, numbers and `%%`.
    """
    expected = plain(text) % values
    form = as_tracked(text)
    pieces: list[str] = []
    at, n = 0, 0
    for spec in _SPEC.finditer(plain(text)):
        pieces.append(form[at : spec.start()])
        at = spec.end()
        if spec["kind"] == "%":
            pieces.append(form[at - 1 : at])
            continue
        value = values[spec["key"]] if spec["key"] is not None else _nth(values, n)
        n += 1
        pieces.append(_field(spec.group(), spec["key"], value, write))
    made = concat([*pieces, form[at:]])
    return made if plain(made) == expected else tracked(expected, UNKNOWN)


def _nth(values: object, n: int) -> object:
    return values[n] if isinstance(values, tuple) and n < len(values) else values


def _field(spec: str, key: str | None, value: object, write: Callable[[object], Tracked]) -> Tracked:
    if spec.endswith("s") and spec == ("%s" if key is None else f"%({key})s"):
        return write(value)
    written = spec % ({key: value} if key is not None else (value,))
    is_number = isinstance(value, int | float) and not spec.endswith("c")
    return tracked(written, TEMPLATE if is_number else UNKNOWN)


def _check_width(digits: str) -> None:
    if len(digits) > len(str(_MAX_WIDTH)) or (digits and int(digits) > _MAX_WIDTH):
        raise LimitExceededError(f"it pads a text to {digits} characters; the limit is {_MAX_WIDTH:,}")


class LimitedFormatter(SandboxedFormatter):
    """Jinja's sandboxed `str.format` with a limit on widths, and on what fields that are asked for again add up to."""

    _n_chars = 0

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format one field."""
        for digits in _DIGITS.findall(format_spec):
            _check_width(digits)
        written = str(super().format_field(value, format_spec))
        self._n_chars += len(written)
        METER.get().fits(self._n_chars)
        return written


class LimitedEscapeFormatter(LimitedFormatter, EscapeFormatter):
    """The same for text that was declared safe: what is put into it is escaped."""


class FormatPieces(LimitedFormatter):
    """`str.format` that notes the origins of what it writes."""

    def __init__(self, env: Any, write: Callable[[object], Tracked]) -> None:
        super().__init__(env)
        self._write = write

    def tracked_format(self, text: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Tracked:
        """`text.format(*args, **kwargs)`, with origins.

        Args:
            text: The format.
            args: The positional arguments.
            kwargs: The others.

        Returns:
            The text. A field with a specification or conversion has an unknown origin unless it is a number; with a
            field inside a specification all of it has.
        """
        form = as_tracked(text)
        expected = LimitedFormatter(self._env).vformat(plain(text), args, kwargs)
        origin = uniform(form)
        pieces: list[str] = []
        n = 0
        for before, name, spec, conversion in self.parse(plain(text)):
            pieces.append(tracked(before, origin))
            if name is None:
                continue
            if name == "":
                name, n = str(n), n + 1  # noqa: PLW2901 - fields are numbered as they come
            if "{" in (spec or ""):
                return tracked(expected, UNKNOWN)
            value, _ = self.get_field(name, args, kwargs)
            if spec or conversion not in {None, "s"}:
                written = self.vformat(
                    "{0" + (f"!{conversion}" if conversion else "") + f":{spec}}}", (value, *args), kwargs
                )
                # What pads a number is in the specification, which may be anyone's; `c` makes any character of one.
                is_number = isinstance(value, int | float) and bool(_NUMBER_SPEC.fullmatch(spec or ""))
                pieces.append(tracked(written, origin if is_number else UNKNOWN))
            else:
                pieces.append(self._write(value))
        made = concat(pieces)
        return made if plain(made) == expected else tracked(expected, UNKNOWN)
