"""Every error has one stable code, is documented, exported, and survives pickling."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import piecework
from piecework import errors
from piecework._cli.exits import exit_code

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
CLASSES = [
    value
    for _, value in inspect.getmembers(errors, inspect.isclass)
    if issubclass(value, errors.PieceworkError)
]

# What scripts may rely on. A line here changes only with a new major version.
CODES = {
    "PieceworkError": "piecework",
    "LoadError": "load",
    "UnknownTokenizerError": "unknown-tokenizer",
    "FormatError": "format",
    "ChecksumError": "checksum",
    "FetchError": "fetch",
    "EncodeError": "encode",
    "SpecialTokenError": "special-token",
    "UnencodableError": "unencodable",
    "NotUnicodeError": "not-unicode",
    "PatternLimitError": "pattern-limit",
    "TooLongError": "too-long",
    "LimitTooSmallError": "limit-too-small",
    "DecodeError": "decode",
    "UnknownIdError": "unknown-id",
    "IncompleteTextError": "incomplete-text",
    "ChatError": "chat",
    "MessageError": "message",
    "TemplateError": "template",
    "UnsafeTemplateError": "unsafe-template",
    "BudgetError": "budget",
    "ContextOverflowError": "context-overflow",
    "CostError": "cost",
    "UnknownPriceError": "unknown-price",
    "TrainError": "train",
    "EmptyCorpusError": "empty-corpus",
    "MemoryCapError": "memory-cap",
    "VocabSizeError": "vocab-size",
    "RemoteCountError": "remote-count",
    "InputError": "input",
    "OutputError": "output",
    "MissingExtraError": "missing-extra",
}

VALUES: dict[str, Any] = {
    "byte": 0xFF, "byte_span": (2, 9), "close_matches": ("gpt-4o", "gpt-4"), "expected": "aa", "found": "bb", "id": 9,
    "index": 3, "install": "pip install x", "max_bytes": 10, "max_tokens": 1, "needed": 2, "module": "x", "n_bytes": 11, "name": "gpt-4p",
    "path": "a.json", "place": "model.merges[17]", "position": 0, "reason": "is empty", "searched": ("/a", "/b"),
    "token": "<|endoftext|>", "valid_up_to": 5, "vocab_size": 8, "what": "a pack", "template": "default", "line": 3, "markers": ("<|im_end|>",), "available": 1, "excess": 1, "provider": "anthropic", "status": 429, "source": "files", "cap": 1,
}  # fmt: skip


def example(cls: type[errors.PieceworkError]) -> errors.PieceworkError:
    return cls("what is wrong", **{name: VALUES[name] for name in cls.field_names})


def test_codes_are_the_stable_ones() -> None:
    assert {cls.__name__: cls.code for cls in CLASSES} == CODES
    assert len(set(CODES.values())) == len(CODES)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in CODES.values())


@pytest.mark.parametrize("cls", CLASSES)
def test_each_is_exported(cls: type[errors.PieceworkError]) -> None:
    assert getattr(piecework, cls.__name__) is cls
    assert cls.__name__ in errors.__all__
    assert cls.__name__ in piecework.__all__


@pytest.mark.parametrize("cls", CLASSES)
def test_each_pickles_with_fields_and_hint(cls: type[errors.PieceworkError]) -> None:
    error = cls("what is wrong", hint="do this", **{name: VALUES[name] for name in cls.field_names})
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls
    assert (again.message, again.hint, again.fields()) == (error.message, "do this", error.fields())
    assert str(again) == "what is wrong\nhint: do this"


@pytest.mark.parametrize("cls", CLASSES)
def test_each_is_documented_with_its_fields_parent_and_exit_code(cls: type[errors.PieceworkError]) -> None:
    (row,) = (
        line
        for line in DOCUMENT.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| `{cls.code}` |")
    )
    code, name, when, fields, exits = (cell.strip() for cell in row.strip("|").split("|"))
    assert code == f"`{cls.code}`"
    assert name.startswith(f"`{cls.__name__}`")
    parent = cls.__mro__[1].__name__
    if parent != "PieceworkError" and cls is not errors.PieceworkError:
        assert f"`{parent}`" in name
    assert when
    assert re.findall(r"`(\w+)`", fields) == list(cls.field_names)
    assert int(exits) == exit_code(example(cls))


@pytest.mark.parametrize("cls", CLASSES)
def test_each_says_in_its_docstring_what_its_fields_are(cls: type[errors.PieceworkError]) -> None:
    assert cls.__doc__
    for name in cls.__dict__.get("field_names", ()):
        assert re.search(rf"^\s+{name}: ", cls.__doc__, re.MULTILINE), name


@pytest.mark.parametrize("cls", CLASSES)
def test_json_form_holds_code_message_and_fields(cls: type[errors.PieceworkError]) -> None:
    form = example(cls).to_dict()
    assert form["code"] == cls.code
    assert form["message"] == "what is wrong"
    assert set(cls.field_names) <= form.keys()


def test_no_error_is_a_key_error() -> None:
    # `except KeyError` around a dictionary must not swallow ours.
    assert not any(issubclass(cls, KeyError) for cls in CLASSES)


def test_tree_in_the_module_docstring_is_the_real_one() -> None:
    drawn = dict(re.findall(r"(\w+Error)\b[^\n]*?([a-z-]+)$", errors.__doc__ or "", re.MULTILINE))
    assert drawn == CODES


def test_a_field_that_the_class_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="NotUnicodeError has no field token"):
        errors.NotUnicodeError("x", token="y")
