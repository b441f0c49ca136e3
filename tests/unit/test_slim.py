"""Cheaper forms of the same content: what is offered parses back to the same data, to the last digit."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from piecework._slim.data import Number, read_json, same, scalar, write_json
from piecework._slim.decimals import rounded, shortest

LAMPS = '[{"name": "Ada", "age": 36, "p": 1.50}, {"name": "Bo", "age": null, "p": 12.25}]'


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.load("gpt-4o")


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json-min", '[{"name":"Ada","age":36,"p":1.50},{"name":"Bo","age":null,"p":12.25}]'),
        ("json-line", LAMPS),
        ("jsonl", '{"name":"Ada","age":36,"p":1.50}\n{"name":"Bo","age":null,"p":12.25}'),
        ("csv", "name,age,p\nAda,36,1.50\nBo,null,12.25"),
        ("table", "[2]{name,age,p}:\nAda,36,1.50\nBo,null,12.25"),
        ("markdown", "|name|age|p|\n|-|-|-|\n|Ada|36|1.50|\n|Bo|null|12.25|"),
        ("yaml", "- name: Ada\n  age: 36\n  p: 1.50\n- name: Bo\n  age: null\n  p: 12.25"),
        (
            "json-keys",
            '{"keys":{"a":"name","b":"age"},"data":[{"a":"Ada","b":36,"p":1.50},{"a":"Bo","b":null,"p":12.25}]}',
        ),
        ("decimals", '[{"name":"Ada","age":36,"p":1.5},{"name":"Bo","age":null,"p":12.25}]'),
    ],
)
def test_forms(tok: pw.Tokenizer, form: str, text: str) -> None:
    found = pw.slim(LAMPS, tok)[form]
    assert (found.text, found.is_same_data, found.is_lossy) == (text, True, False)
    assert (found.n_tokens, found.n_saved) == (tok.count(text), tok.count(LAMPS) - tok.count(text))


def test_the_cheapest_comes_first_and_rounding_is_named(tok: pw.Tokenizer) -> None:
    slimmed = pw.slim(LAMPS, tok, decimals=1)
    assert [form.n_tokens for form in slimmed.forms] == sorted(form.n_tokens for form in slimmed.forms)
    assert slimmed.best == slimmed.forms[0]
    lossy = slimmed["rounded-1"]
    assert (lossy.is_lossy, lossy.is_same_data) == (True, False)
    # Halves go to the even digit.
    assert '"p":12.2}' in lossy.text
    with pytest.raises(KeyError):
        slimmed["csv-texts"]


@pytest.mark.parametrize(
    "value",
    [
        '[{"a": "12"}, {"a": "true"}, {"a": ""}, {"a": " x "}, {"a": "null"}]',
        '[{"a": "x,y", "b": "q\\"q"}, {"a": "l\\nl", "b": "p|p\\\\"}]',
        '[{"a,b": 1, "": 2}, {"a,b": 3, "": 4}]',
        '[{"a": 123456789012345678901234567890}, {"a": 1.0}, {"a": 1}, {"a": 1e3}, {"a": -0.0}]',
        '{"on": "no", "d": "2026-09-12", "t": "12:30:00", "n": "~", "e": [], "o": {}}',
        '{"\\u00e9": "\\ud83d\\ude00 \\u0007 \\u2028"}',
        '[[1, [2, []]], {"a": {"b": [{"c": null}]}}]',
        '"text"',
        "3",
        "[]",
    ],
)
def test_hard_data_comes_back_or_is_not_offered(tok: pw.Tokenizer, value: str) -> None:
    slimmed = pw.slim(value, tok, source="json")
    assert all(form.is_same_data for form in slimmed.forms)
    assert {"json-min", "json-line"} <= {form.name for form in slimmed.forms}
    assert same(read_json(slimmed["json-min"].text), read_json(value))
    assert json.loads(slimmed["json-min"].text) == json.loads(value)


def test_escapes_become_characters_and_lone_surrogates_stay(tok: pw.Tokenizer) -> None:
    assert pw.slim('["\\u00e9"]', tok)["json-min"].text == '["é"]'
    assert pw.slim('["\\ud800"]', tok)["json-min"].text == '["\\ud800"]'


def test_doubled_keys_and_nan_are_no_data(tok: pw.Tokenizer) -> None:
    slimmed = pw.slim('{"a": 1, "a": 2}', tok)
    assert (slimmed.source, "twice" in slimmed.left_out["json"]) == ("text", True)
    for text in ('{"a": 1, "a": 2}', "[NaN]", "{", "[" * 100_000):
        with pytest.raises(pw.InputError, match="no json"):
            pw.slim(text, tok, source="json")
    with pytest.raises(pw.InputError, match="too deep"):
        pw.slim("[" * 900 + "]" * 900, tok)
    with pytest.raises(pw.InputError):
        pw.slim([float("nan")], tok)
    with pytest.raises(pw.InputError, match="not UTF-8 at byte 1"):
        pw.slim(b"x\xff", tok)


def test_sources(tok: pw.Tokenizer) -> None:
    assert pw.slim('{"a": 1}\n{"a": 2}\n', tok).source == "jsonl"
    csv = pw.slim("id,name\n01,Ada\n02,Bo\n", tok, source="csv")
    assert json.loads(csv["json-min"].text) == [{"id": "01", "name": "Ada"}, {"id": "02", "name": "Bo"}]
    assert csv["csv-texts"].text == "id,name\n01,Ada\n02,Bo"
    # Longer than the 131,072 characters that Python's reader takes unless told.
    long = "word " * 40_000
    assert pw.slim(f"a,b\n{long},x\n", tok, source="csv")["csv"].text == f"a,b\n{json.dumps(long)},x".replace(
        '"', '"""'
    )
    yaml = pw.slim("a: 1.50\nb: [x, 'no']\n", tok, source="yaml")
    assert yaml["json-min"].text == '{"a":1.50,"b":["x","no"]}'
    for text in ("a: 2026-09-12", "a: &x [1]\nb: *x", "1: 2", "a: .nan", "a: yes", "a: [", "a: 1\na: 2"):
        with pytest.raises(pw.InputError, match="no yaml"):
            pw.slim(text, tok, source="yaml")
    with pytest.raises(pw.InputError, match="no csv"):
        pw.slim("a,a\n1,2", tok, source="csv")
    source: Any = "xml"
    with pytest.raises(ValueError, match="one of json"):
        pw.slim("x", tok, source=source)


def test_text_keeps_its_words(tok: pw.Tokenizer) -> None:
    form = pw.slim("a  \n\n\n\n    b \r\nc\n\n", tok, source="text")["white-space"]
    assert (form.text, form.is_same_data) == ("a\n\n    b\nc", False)
    assert "changes the text" in form.says


@pytest.mark.parametrize(
    ("number", "short"),
    [
        ("1.500", "1.5"), ("1.0", "1.0"), ("1.000", "1.0"), ("100", "100"), ("0.10", "0.1"), ("-0.0", "-0.0"),
        ("1e3", "1e3"), ("1000000.0", "1e6"), ("0.00001", "1e-5"), ("1.5E+10", "15e9"), ("-12.340", "-12.34"),
        ("0.1000000000000000055", "0.1000000000000000055"),
    ],
)  # fmt: skip
def test_shortest_spelling(number: str, short: str) -> None:
    assert shortest(Number(number)) == short
    assert same(Number(short), Number(number), by_value=True)


def test_rounding() -> None:
    assert rounded([Number("2.12345"), Number("1.005"), Number("7"), Number("2.5")], 2) == [
        "2.12",
        "1.0",
        "7",
        "2.5",
    ]
    assert rounded(Number("2.5"), 0) == "2.0"


def test_cells_say_what_they_are() -> None:
    assert [scalar(text) for text in ("1", "01", "true", '"1"', "", "x")] == ["1", "01", True, "1", "", "x"]
    assert [type(scalar(text)) for text in ("1", "01", '"1"')] == [Number, str, str]


def test_it_is_data(tok: pw.Tokenizer) -> None:
    slimmed = pw.slim('["<b>"]', tok)
    assert pickle.loads(pickle.dumps(slimmed)) == slimmed
    assert json.loads(json.dumps(slimmed.to_dict()))["source"] == "json"
    assert "<b>" not in slimmed._repr_html_()


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
RECORDS = st.lists(st.text(max_size=4), min_size=1, max_size=3, unique=True).flatmap(
    lambda keys: st.lists(st.fixed_dictionaries(dict.fromkeys(keys, SCALARS)), min_size=1, max_size=4)
)


@settings(deadline=None, max_examples=150)
@given(
    RECORDS
    | st.dictionaries(st.text(), RECORDS | SCALARS, max_size=2)
    | st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
)
def test_whatever_is_offered_is_the_same(value: Any) -> None:
    text = json.dumps(value)
    slimmed = pw.slim(text, pw.load("gpt2"), source="json")
    assert json.loads(slimmed["json-min"].text) == value
    assert all(form.is_same_data for form in slimmed.forms)
    assert not any(
        "parse back" in why for name, why in slimmed.left_out.items() if name in {"csv", "table", "jsonl"}
    )
    assert write_json(read_json(slimmed["json-min"].text)) == slimmed["json-min"].text


def test_a_table_in_an_object_is_turned_and_named(tok: pw.Tokenizer) -> None:
    data = {"city": "Oslo", "lamps": [{"name": "Ada", "age": 36}, {"name": "Bo", "age": 41}], "open": True}
    slimmed = pw.slim(data, tok)
    head = '{"city":"Oslo","lamps":[],"open":true}\nlamps:\n'
    assert slimmed["csv"].text == f"{head}name,age\nAda,36\nBo,41"
    assert slimmed["table"].text == f"{head}[2]{{name,age}}:\nAda,36\nBo,41"
    assert slimmed["markdown"].text == f"{head}|name|age|\n|-|-|\n|Ada|36|\n|Bo|41|"
    for name in ("csv", "table", "markdown"):
        assert slimmed[name].is_same_data
        assert "of the member lamps alone" in slimmed[name].says
    # Below the first level, and where there are two, nothing is turned.
    assert "csv" in pw.slim({"x": data}, tok).left_out
    twice = pw.slim({"a": [{"x": 1}], "b": [{"y": 1}], "c": 1}, tok)
    assert twice.left_out["csv"] == "2 members could be turned (a, b), and one is"


@pytest.mark.parametrize("key", ["", "12", "null", "a:b", "a\nb", ":", '"', " x ", "é" * 100, "\u2028"])
def test_the_member_may_be_called_anything(tok: pw.Tokenizer, key: str) -> None:
    value = {"x": [], key: [{"b": "q\nr"}, {"b": "[]"}]}
    slimmed = pw.slim(value, tok)
    assert {"csv", "table", "markdown"} <= {form.name for form in slimmed.forms}
    assert all(form.is_same_data for form in slimmed.forms)


def test_short_keys_that_save_nothing_say_so_and_are_not_the_best(tok: pw.Tokenizer) -> None:
    few = pw.slim([[{"name": "A"}], [{"name": "B"}]], tok)
    assert few["json-keys"].n_tokens > few["json-min"].n_tokens
    assert "saves nothing over json-min" in few["json-keys"].says
    assert few.best is not None
    assert few.best.name != "json-keys"
    many = pw.slim([[{"responsible_administrator_identification": 1}]] * 50, tok)
    assert many["json-keys"].n_tokens < many["json-min"].n_tokens
    assert "saves nothing" not in many["json-keys"].says

    class Same:
        """All texts cost the same."""

        name = "same"

        def count(self, text: str, /) -> int:
            return 1 if text.startswith(("{", "[{")) else 9

    tie = pw.slim('[{"abc":1},{"abc":2}]', Same())
    names = [form.name for form in tie.forms]
    assert names.index("json-min") < names.index("json-keys")


def test_why_it_is_no_json_is_said(tok: pw.Tokenizer) -> None:
    assert "NaN is no JSON" in pw.slim('{"a": NaN}', tok).left_out["json"]
    assert "Infinity is no JSON" in pw.slim('{"a": 1}\n{"a": -Infinity}', tok).left_out["jsonl"]
    assert pw.slim("NaN is not a number", tok).left_out == {}
    marked = pw.slim('\ufeff{"a": 1}', tok)
    assert (marked.source, "byte order mark" in marked.notes[0], "byte order mark" in str(marked)) == (
        "json", True, True
    )  # fmt: skip
    assert "a character of the text" in pw.slim("\ufeffhello", tok).notes[0]
    assert pw.slim('{"a": 1}', tok).notes == ()


def test_yaml_is_read_by_either_parser(tok: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"on": "no", "d": "2026-09-12", "é": ["a: b # c", "x\u2028y", {"deep": [[], {}]}], "n": "1_000"}
    forms = []
    for name in ("C", "Python"):
        if name == "Python":
            monkeypatch.delattr("yaml.CSafeLoader")
        slimmed = pw.slim(value, tok)
        assert slimmed["yaml"].is_same_data
        forms.append(slimmed["yaml"].text)
        with pytest.raises(pw.InputError, match="no yaml"):
            pw.slim("a: &x [1]\nb: *x", tok, source="yaml")
        with pytest.raises(pw.InputError, match="no yaml"):
            pw.slim("[" * 5000, tok, source="yaml")
    assert forms[0] == forms[1]
