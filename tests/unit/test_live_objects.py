"""Tokenizers that other libraries hold load as they are, without those libraries being imported here."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import tiktoken
import tokenizers

import piecework as pw
from piecework._files.formats import readable_kinds
from tools import references
from tools.fixtures import fixture


def test_a_tokenizer_of_tokenizers() -> None:
    live = tokenizers.Tokenizer.from_file(str(fixture("qwen3/tokenizer.json")))
    assert pw.load(live) == pw.load("qwen3")
    live.add_special_tokens(["<only-here>"])
    tok = pw.load(live)
    assert tok.special_tokens["<only-here>"] == 151669
    assert (tok.info().source, tok.name) == ("object", "tokenizers.Tokenizer")


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base"])
def test_an_encoding_of_tiktoken(name: str) -> None:
    live = references.tiktoken_encoding(name)
    tok = pw.load(live)
    assert tok == pw.load(name)
    assert tok.name == name


def test_an_encoding_of_tiktoken_that_is_somebodys_own() -> None:
    base = references.tiktoken_encoding("r50k_base")
    own = tiktoken.Encoding(
        "own",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens={**base._special_tokens, "<|mine|>": 50300},
    )
    tok = pw.load(own)
    text = "Hello <|mine|> world"
    assert tok.ids(text, special="parse").tolist() == own.encode(text, allowed_special="all")
    assert tok.special_tokens == {"<|endoftext|>": 50256, "<|mine|>": 50300}


def test_a_tokenizer_of_this_library_is_itself() -> None:
    tok = pw.load("gpt-4o")
    assert pw.load(tok) is tok


@pytest.mark.parametrize(
    "source",
    [None, 4, b"gpt-4o", ["gpt-4o"], {}, object(), SimpleNamespace(to_str=lambda: "{}"), pw.Tokenizer],
)
def test_anything_else_is_a_type_error_that_lists_what_is_accepted(source: Any) -> None:
    with pytest.raises(TypeError, match=r"a name or a path, .*tiktoken\.Encoding") as raised:
        pw.load(source)
    assert str(raised.value).endswith(f"not {type(source).__name__}")


def test_a_pattern_is_not_for_objects() -> None:
    with pytest.raises(pw.LoadError, match=r"\.tiktoken"):
        pw.load(references.tiktoken_encoding("r50k_base"), pattern=".")


def test_a_class_that_only_has_the_name_is_none() -> None:
    fake = type("Tokenizer", (), {"__module__": "tokenizers_of_somebody"})
    with pytest.raises(TypeError):
        pw.load(fake())


def test_a_slow_tokenizer_of_transformers_is_read_from_its_file(tmp_path: Any) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(fixture("qwen3/tokenizer.json").read_bytes())
    slow = type("SlowTokenizer", (), {"__module__": "transformers.models.x", "convert_ids_to_tokens": None})
    live = slow()
    live.vocab_file, live.eos_token = str(path), "<|im_end|>"
    assert pw.load(live) == pw.load("qwen3")
    live.vocab_file = str(tmp_path / "gone")
    with pytest.raises(pw.LoadError, match="save_pretrained"):
        pw.load(live)


def test_no_other_library_is_imported() -> None:
    code = (
        "import sys, piecework as pw\n"
        "try: pw.load(object())\nexcept TypeError: pass\n"
        "print([name for name in ('tokenizers', 'transformers', 'tiktoken', 'sentencepiece', 'huggingface_hub', 'numpy') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_every_kind_that_is_read_has_a_name_of_the_detector() -> None:
    assert {
        "tokenizer-json",
        "tiktoken",
        "sentencepiece",
        "tekken",
        "gguf",
        "vocab-txt",
        "vocab-json",
    } <= readable_kinds()


def test_a_component_in_python_is_said_to_be_what_cannot_be_loaded() -> None:
    live = tokenizers.Tokenizer(tokenizers.models.BPE())
    live.pre_tokenizer = tokenizers.pre_tokenizers.PreTokenizer.custom(object())
    with pytest.raises(
        pw.LoadError, match=r"^the tokenizers\.Tokenizer cannot be read: .*[Cc]ustom"
    ) as raised:
        pw.load(live)
    assert raised.value.hint is not None
    assert "written in Python" in raised.value.hint
    assert raised.value.__cause__ is not None


def _raising(error: BaseException) -> Any:
    def read(_: Any) -> str:
        raise error

    return property(read)


def _shaped(package: str, name: str, **attributes: Any) -> Any:
    return type(name, (), {"__module__": package, **attributes})()


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        (_shaped("tokenizers", "Tokenizer"), AttributeError),
        (_shaped("tokenizers", "Tokenizer", to_str=_raising(RuntimeError("gone"))), RuntimeError),
        (_shaped("tiktoken", "Encoding"), AttributeError),
        (
            _shaped("tiktoken", "Encoding", _mergeable_ranks={b"a": 0}, _pat_str=3, _special_tokens={}),
            TypeError,
        ),
        (
            _shaped("tiktoken", "Encoding", _mergeable_ranks={b"a": 0.0}, _pat_str="a", _special_tokens={}),
            TypeError,
        ),
        (
            _shaped("tiktoken", "Encoding", _mergeable_ranks={b"a": "0"}, _pat_str="a", _special_tokens={}),
            TypeError,
        ),
        (
            _shaped("tiktoken", "Encoding", _mergeable_ranks={"a": 0}, _pat_str="a", _special_tokens={}),
            TypeError,
        ),
        (_shaped("sentencepiece", "SentencePieceProcessor"), AttributeError),
        (
            _shaped("transformers.x", "Own", convert_ids_to_tokens=None, bos_token=_raising(KeyError("bos"))),
            KeyError,
        ),
        (
            _shaped("transformers.x", "Own", convert_ids_to_tokens=None, backend_tokenizer=object()),
            AttributeError,
        ),
    ],
)
def test_what_reading_an_object_raises_is_a_load_error_that_names_it(
    source: Any, cause: type[Exception]
) -> None:
    kind = type(source)
    with pytest.raises(pw.LoadError) as raised:
        pw.load(source)
    assert str(raised.value).startswith(
        f"the {kind.__module__}.{kind.__name__} cannot be read: {cause.__name__}: "
    )
    assert type(raised.value.__cause__) is cause


def test_an_interruption_while_an_object_is_read_passes() -> None:
    source = _shaped("tokenizers", "Tokenizer", to_str=_raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        pw.load(source)
