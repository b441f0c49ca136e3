"""From content to forms: read it, write each form, parse that back, compare, count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, get_args

from piecework._slim import (
    csv_form,
    decimals,
    json_forms,
    markdown_form,
    member_form,
    short_keys,
    toon_form,
    whitespace,
    yaml_form,
)
from piecework._slim.data import NotDataError, Value, read_json, same, write_json
from piecework._slim.result import Form, Slimmed
from piecework.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Source", "slim"]

Source: TypeAlias = Literal["json", "jsonl", "csv", "yaml", "text"]


class Counter(Protocol):
    """What counts: a tokenizer."""

    @property
    def name(self) -> str: ...
    def count(self, text: str, /) -> int: ...


_SHORT_KEYS = "json-keys"


class _Writer(NamedTuple):
    write: Callable[[Any], str | None]
    read: Callable[[str], Value]
    says: str


_FORMS = {
    "json-min": _Writer(json_forms.write_min, read_json, "JSON without white space"),
    "json-line": _Writer(
        json_forms.write_line, read_json, "JSON on one line, a space after commas and colons"
    ),
    _SHORT_KEYS: _Writer(short_keys.write, short_keys.read, "JSON with short keys; the legend is counted"),
    "jsonl": _Writer(json_forms.write_lines, json_forms.read_lines, "a line of JSON for each item"),
    "csv": _Writer(
        csv_form.write, csv_form.read, "CSV; a text that reads as a number or true stands in quotes"
    ),
    "csv-texts": _Writer(csv_form.write_texts, csv_form.read_texts, "CSV; every cell is a text"),
    "markdown": _Writer(markdown_form.write, markdown_form.read, "a Markdown table, cells as in CSV"),
    "table": _Writer(
        toon_form.write, toon_form.read, "number of rows, keys, then cells, as TOON writes tables"
    ),
    "yaml": _Writer(yaml_form.write, yaml_form.read, "YAML, read back by PyYAML"),
}
_TABLES = {"csv", "markdown", "table"}
# A byte order mark is of the file and not of the data.
_MARK = "\ufeff"
_READERS: dict[str, Callable[[str], Value]] = {
    "json": read_json,
    "jsonl": json_forms.read_lines,
    "csv": csv_form.read_texts,
    "yaml": yaml_form.read,
}


def slim(data: object, tok: Counter, *, source: Source | None = None, decimals: int | None = None) -> Slimmed:
    """Finds cheaper forms of the same content, each proven to parse back to the same data.

    Args:
        data: Text: JSON, JSON lines, CSV, YAML or plain text, as a str or its UTF-8 bytes. Or data as `json.dumps` takes it.
        tok: The tokenizer that counts.
        source: What a text is read as. None tells: JSON, then JSON lines, then plain text.
        decimals: To how many decimals numbers with a fraction may be rounded, at least 0; this form is lossy, and says so.

    Returns:
        A `Slimmed`: forms with their tokens, the cheapest first. A form that does not parse back to the same data (types,
        key order, the spelling of numbers) is not offered, and `left_out` says why.

    Raises:
        InputError: The text is not what `source` says, or is not UTF-8.
        MissingExtraError: `source="yaml"` without PyYAML.
        TypeError: The data is nothing that JSON has.
        ValueError: `source` is none of these, or `decimals` is negative.

    Examples:
        >>> import piecework as pw
        >>> lamps = [{"name": "Ada", "price": 12.50, "in_stock": True}, {"name": "Bo", "price": 8.0, "in_stock": False}]
        >>> slimmed = pw.slim(lamps, pw.load("gpt-4o"))
        >>> print(slimmed["csv"].text)
        name,price,in_stock
        Ada,12.5,true
        Bo,8.0,false
        >>> slimmed["csv"].is_same_data, slimmed["csv"].n_tokens < slimmed["json-min"].n_tokens
        (True, True)

    Complexity: O(n_bytes) for each form, and a count of each.
    """
    if source is not None and source not in get_args(Source):
        raise ValueError(f"source is {source!r}, and one of {', '.join(get_args(Source))} is needed")
    if decimals is not None and decimals < 0:
        raise ValueError(f"decimals is {decimals}, and at least 0 is needed")
    text = _text(data)
    n = tok.count(text)
    forms: dict[str, Form] = {}
    left_out: dict[str, str] = {}
    kind, value = _read(text, source if isinstance(data, str | bytes) else "json", left_out)
    offers = _of_text(text) if kind == "text" else _of_data(value, kind, decimals, left_out)
    try:
        for name, written, is_same, is_lossy, says in offers:
            n_form = tok.count(written)
            forms[name] = Form(name, written, n_form, n - n_form, is_same, is_lossy, says)
    except RecursionError:
        raise InputError("the content is nested too deep", reason="nested too deep") from None
    _judge_short_keys(forms)
    # Of forms that cost as much, the one with a legend last: it makes more work for who reads it.
    ordered = sorted(forms.values(), key=lambda form: (form.n_tokens, form.name == _SHORT_KEYS, form.name))
    return Slimmed(tok.name, kind, n, tuple(ordered), left_out, _notes(text, kind))


def _judge_short_keys(forms: dict[str, Form]) -> None:
    found, plain = forms.get(_SHORT_KEYS), forms.get("json-min")
    if found is not None and plain is not None and found.n_tokens >= plain.n_tokens:
        says = (
            "JSON with short keys: saves nothing over json-min, the legend costs what the keys save, or more"
        )
        forms[_SHORT_KEYS] = replace(found, says=says)


def _notes(text: str, kind: str) -> tuple[str, ...]:
    if not text.startswith(_MARK):
        return ()
    whose = "a character of the text" if kind == "text" else "of the file and not of the data: no form has it"
    return (f"the content begins with a byte order mark, which is {whose}",)


def _text(data: object) -> str:
    if isinstance(data, bytes):
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise InputError(f"the content is not UTF-8 at byte {error.start}", reason="not UTF-8") from None
    if isinstance(data, str):
        return data
    import json  # noqa: PLC0415 - texts need none of it

    try:
        return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    except ValueError as error:
        raise InputError(f"the data has no JSON: {error}", reason=str(error)) from None
    except RecursionError:
        raise InputError("the data is nested too deep", reason="nested too deep") from None


def _read(text: str, source: str | None, left_out: dict[str, str]) -> tuple[str, Value]:
    if source == "text" or (source is None and not text.strip()):
        return "text", None
    for kind in ("json", "jsonl") if source is None else (source,):
        try:
            return kind, _READERS[kind](text.removeprefix(_MARK))
        except (ValueError, RecursionError) as error:
            why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
            if isinstance(error, NotDataError) and text.lstrip(f"{_MARK} \t\r\n").startswith(("[", "{")):
                left_out.setdefault(kind, why)
            if source is not None:
                raise InputError(f"the content is no {source}: {why}", reason=why) from None
    return "text", None


def _of_text(text: str) -> Iterator[tuple[str, str, bool, bool, str]]:
    written = whitespace.write(text)
    if not whitespace.is_same_words(text, written):
        return
    # The same words, but not the same text: in Markdown, two spaces at a line's end break the line.
    yield (
        "white-space",
        written,
        written == text,
        written != text,
        "changes the text: white space at line ends and empty lines go",
    )


def _of_data(
    value: Value, kind: str, n_digits: int | None, left_out: dict[str, str]
) -> Iterator[tuple[str, str, bool, bool, str]]:
    inside = member_form.members(value)
    for name, whole in _FORMS.items():
        if name == "csv-texts" and kind != "csv":
            continue
        writer = _of_member(whole, inside[0]) if name in _TABLES and len(inside) == 1 else whole
        why, written = _proven(value, writer)
        if name in _TABLES and len(inside) > 1:
            why = f"{len(inside)} members could be turned ({', '.join(map(member_form.shown, inside[:3]))}), and one is"
        if written is None:
            left_out[name] = why
        else:
            yield name, written, True, False, writer.says
    short = decimals.shortest(value)
    written = write_json(short)
    if not same(short, value) and same(read_json(written), value, by_value=True):
        yield (
            "decimals",
            written,
            True,
            False,
            "json-min, numbers in their shortest spelling, of the same value",
        )
    if n_digits is not None:
        written = write_json(decimals.rounded(value, n_digits))
        is_same = same(read_json(written), value, by_value=True)
        yield (
            f"rounded-{n_digits}",
            written,
            is_same,
            True,
            f"LOSSY: json-min, rounded to {n_digits} decimals",
        )


def _of_member(writer: _Writer, key: str) -> _Writer:
    says = f"{writer.says}; of the member {member_form.shown(key)} alone, behind the rest as JSON"
    return _Writer(member_form.writer(key, writer.write), member_form.reader(writer.read), says)


def _proven(value: Value, writer: _Writer) -> tuple[str, str | None]:
    """The form, if it parses back to the same data; else the reason."""
    try:
        written = writer.write(value)
        if written is None:
            return "the data has not this shape", None
        written.encode()
        is_same = same(writer.read(written), value)
    except MissingExtraError as error:
        return f"needs {error.install}", None
    except (ValueError, RecursionError) as error:
        return f"it does not parse back: {error}", None
    return ("", written) if is_same else ("it does not parse back to the same data", None)
