"""What the columns of a comparison are called, and what its figures are worth, in results that are passed on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._measure import Subject, named_subjects
from piecework._measure.names import short_paths


def test_models_of_one_encoding_are_two_columns() -> None:
    result = pw.compare(["gpt-4o", "gpt-4.1", "qwen3"], "fox", keys=["hi"])
    assert [(one.name, one.tokenizer, one.basis) for one in result.tokenizers] == [
        ("gpt-4o", "o200k_base", "exact"),
        ("gpt-4.1", "o200k_base", "exact"),
        ("qwen3", "qwen3", "exact"),
    ]
    assert result.cell("gpt-4o", "hi").n_tokens == result.cell("gpt-4.1", "hi").n_tokens
    with pytest.raises(KeyError):
        result.cell("o200k_base", "hi")
    assert pw.compare(["gpt-4o", "qwen3"], "fox").cell("o200k_base", "hi").tokenizer == "gpt-4o"


def test_one_tokenizer_twice_is_refused() -> None:
    tok = pw.load("gpt-4o")
    pairs: list[list[Any]] = [["gpt-4o", "gpt-4o"], [tok, tok], [tok, "o200k_base"]]
    for twice in pairs:
        with pytest.raises(ValueError, match="there twice"):
            pw.compare(twice, "fox")


def test_files_are_called_by_what_tells_them_apart(tmp_path: Path, fetched: Callable[[str], Path]) -> None:
    paths = [tmp_path / "a" / "very" / "deep" / name / "tokenizer.json" for name in ("old", "new")]
    for path in paths:
        path.parent.mkdir(parents=True)
        shutil.copy(fetched("qwen3/tokenizer.json"), path)
    result = pw.compare([*paths, "qwen3"], "fox", keys=["hi"], worst=["hi"], n_worst=1)
    assert [one.name for one in result.tokenizers] == ["old/tokenizer.json", "new/tokenizer.json", "qwen3"]
    assert result.cell(str(paths[1]), "hi").n_tokens == 58
    assert result.worst[0].command.endswith(f"-m {paths[0]}")
    (tmp_path / "prompt.txt").write_text("The fox", encoding="utf-8")
    one = pw.compare("qwen3", tmp_path / "prompt.txt").texts[0]
    assert (one.key, one.name) == (str(tmp_path / "prompt.txt"), "prompt.txt")


def test_short_paths_are_all_different() -> None:
    assert short_paths(["a/b/c", "x/b/c", "y/d"]) == ["a/b/c", "x/b/c", "d"]
    assert short_paths(["/c", "c"]) == ["/c", "c"]
    long = "x" * 30
    assert short_paths([f"{long}1{long}", f"{long}2{long}"]) == [f"{long}1{long}", f"{long}2{long}"]
    (short,) = short_paths([f"dir/{long}1{long}"])
    assert (len(short), short[:19], short[-19:]) == (39, "x" * 19, "x" * 19)


def test_an_assumed_tokenizer_says_so() -> None:
    native = pw.load("qwen3")._native
    (one,) = named_subjects([Subject("llama-9", native, "qwen3", "estimate")])
    assert (one.name, one.asked, one.loadable) == ("llama-9 (estimate: qwen3)", "llama-9", "qwen3")


@pytest.mark.parametrize(
    ("samples", "options", "says"),
    [
        ({3: "x"}, {}, "samples is a list of str; a int is in it"),
        ([3], {}, "a path is a str or a PathLike, not a int"),
        (b"fox", {}, "not a bytes"),
        ("fox", {"keys": "en"}, "keys is a list of keys"),
        ("fox", {"keys": [3]}, "keys is a list of str"),
        ("fox", {"worst": "hi"}, "worst is a list of keys"),
        ("fox", {"n_worst": "3"}, "n_worst is a whole number, not str"),
        ("fox", {"n_resamples": 1.5}, "n_resamples is a whole number, not float"),
        ("fox", {"seed": None}, "seed is a whole number, not NoneType"),
        ("fox", {"reference": 3}, "reference is a key or None, not int"),
    ],
)
def test_arguments_of_another_type(samples: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        pw.compare("qwen3", samples, **options)
