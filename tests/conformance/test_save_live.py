"""Saved files in the hands of the libraries that read them: the same ids, and byte for byte what they write themselves.

Each test prints how many ids it compared.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import transformers

import piecework as pw
from piecework._files.registry import ENCODINGS
from tools import fixtures
from tools.fixtures import fixture
from tools.references import tiktoken_encoding

from .strings import UNITS

FILES = (
    "qwen3",
    "gpt4o",
    "gpt35turbo",
    "gptoss",
    "llama3",
    "deepseek_v3",
    "gemma3",
    "llama2",
    "minilm_l6_v2",
    "xlmr_multilingual_e5_small",
    "t5_v1_1",
)
TIKTOKENS = ("r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
# The roles that a model's own files name, for the tokenizers that bring them along. (A lone file opened by its path has
# none, and OpenAI's encodings are published without.)
ROLES = {
    "qwen3": "end <|im_end|>, padding <|endoftext|>",
    "o200k_harmony": "begin <|startoftext|>, end <|return|>, padding <|endoftext|>",
}
FOLDERS = ("qwen3", "llama3", "deepseek_v3", "gemma3", "gptoss", "minilm_l6_v2")
_N_GENERATED = 500
_FETCHED_BYTES = 1_500

MORE = (
    "",
    "a \n ",
    "x  \n\n  ",
    "\n\n\n",
    "I'M it'ſ 'ſ 'K 'LL",
    "Write <|endoftext|> at the end, <|im_start|>user\n<think>x</think>",
    "[CLS] a [MASK] b <mask> c <start_of_turn>user ÀÉ naïve CAFÉ </s> <extra_id_0> x <s>",
    "<｜begin▁of▁sentence｜>hi<｜tool▁calls▁begin｜><|begin_of_text|><|eot_id|><|return|>",
)


def texts() -> Iterator[str]:
    """Texts by hand, the beginning of each fetched one, and generated ones."""
    yield from MORE
    for text_set in ("english", "code", "languages", "emoji"):
        for file in fixtures.text_set(text_set):
            yield file.path.read_bytes()[:_FETCHED_BYTES].decode("utf-8", "ignore")
    chance = random.Random(7)
    for _ in range(_N_GENERATED):
        yield "".join(chance.choices(UNITS, k=chance.randint(1, 24)))


TEXTS = list(texts())


def opened(name: str) -> pw.Tokenizer:
    """A bundled tokenizer by its name, a fetched file by its folder's and a slash."""
    return pw.load(fixture(f"{name}tokenizer.json")) if name.endswith("/") else pw.load(name)


def not_held(name: str, *, folder: bool) -> tuple[str, ...]:
    """What a saved tokenizer.json or folder does not hold."""
    if name in ROLES and not folder:
        return (f"what tokens are for ({ROLES[name]}), which a folder keeps",)
    return ()


def compare(tok: pw.Tokenizer, reference: tokenizers.Tokenizer, some: list[str]) -> int:
    n_ids = 0
    for add in (False, True):
        wanted = reference.encode_batch(some, add_special_tokens=add)
        for text, expected in zip(some, wanted, strict=True):
            found = tok.ids(text, special="parse", add_special_tokens=add).tolist()
            assert found == expected.ids, (text, add)
            n_ids += len(expected.ids)
    return n_ids


@pytest.mark.parametrize("name", [*ENCODINGS, *(f"{folder}/" for folder in FILES)])
def test_tokenizers_reads_a_saved_file_to_the_same_ids(name: str, tmp_path: Path) -> None:
    tok = opened(name)
    saved = tok.save(tmp_path / "tokenizer.json")
    reference = tokenizers.Tokenizer.from_file(str(saved.paths[0]))
    assert reference.to_str(pretty=True).encode() == saved.paths[0].read_bytes()
    n_ids = compare(tok, reference, TEXTS)
    again = pw.load(saved.paths[0])
    assert again.ids(" ".join(MORE)) == tok.ids(" ".join(MORE))
    # What tiktoken runs is written as the pipeline of tokenizers, and read as what it was.
    assert again == tok
    assert again.info().profile.startswith("tiktoken" if name in TIKTOKENS else "tokenizers")
    assert saved.left_out == not_held(name, folder=False)
    print(f"{name}: {len(TEXTS):,} texts, {n_ids:,} ids of tokenizers, none different")


@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base"])
def test_listed_merges_join_as_ranks_do_where_two_pairs_make_one_token(name: str, tmp_path: Path) -> None:
    # Of two overlapping pairs with one product, ranks join the left one; a list, the one that is listed first.
    tok = pw.load(name)
    tokens = set(tiktoken_encoding(name)._mergeable_ranks)
    units = set()
    n_overlapping = 0
    for token in tokens:
        for at in range(1, len(token)):
            if (
                token[at:] == token[: len(token) - at]
                and {token[:at], token[at:], token[len(token) - at :]} <= tokens
            ):
                n_overlapping += 1
                units.add(token[:at].decode("utf-8", "replace"))
    some = [
        f"{before}{unit * n}" for unit in sorted(units) for n in (2, 3, 4, 5, 8, 13) for before in ("", " ")
    ]
    reference = tokenizers.Tokenizer.from_file(str(tok.save(tmp_path / "x.json").paths[0]))
    wanted = reference.encode_batch(some, add_special_tokens=False)
    ours = tok.encode_batch(some, add_special_tokens=False)
    assert ours.ids.tolist() == [token_id for expected in wanted for token_id in expected.ids]
    assert n_overlapping > 900
    print(f"{name}: {n_overlapping:,} overlapping pairs, {len(some):,} texts, none different")


@pytest.mark.parametrize(
    "name", ["cl100k_base", "o200k_harmony", "qwen3", "t5", *(f"{folder}/" for folder in FOLDERS)]
)
def test_auto_tokenizer_reads_a_saved_folder_to_the_same_ids(name: str, tmp_path: Path) -> None:
    tok = pw.load(fixture(f"{name}tokenizer.json").parent) if name.endswith("/") else pw.load(name)
    saved = tok.save(tmp_path / "model")
    auto: Any = transformers.AutoTokenizer.from_pretrained(tmp_path / "model", local_files_only=True)
    n_ids = 0
    for text in (*MORE, *TEXTS[len(MORE) :: 40]):
        for add in (False, True):
            expected = auto(text, add_special_tokens=add)["input_ids"]
            assert tok.ids(text, special="parse", add_special_tokens=add).tolist() == expected, (text, add)
            assert tok.decode(expected, skip_special=add) == auto.decode(expected, skip_special_tokens=add)
            n_ids += len(expected)
    again = pw.load(tmp_path / "model")
    assert again == tok
    assert saved.left_out == not_held(name, folder=True)
    if name.endswith("/"):
        published: Any = transformers.AutoTokenizer.from_pretrained(
            fixture(f"{name}tokenizer.json").parent, local_files_only=True
        )
        assert auto.model_max_length == published.model_max_length
        assert auto.chat_template == published.chat_template
        for setting in ("model_input_names", "padding_side", "truncation_side"):
            assert getattr(auto, setting) == getattr(published, setting), setting
        pairs = (["hi there", "a"], ["b", "c d e"])
        assert dict(auto(*pairs)) == dict(published(*pairs))
        # (The class of some models names more than their files do: a mask for Gemma.)
        config = json.loads((tmp_path / "model" / "special_tokens_map.json").read_text(encoding="utf-8"))
        assert {role: getattr(published, role) for role in config} == config
        assert {role: getattr(auto, role) for role in config} == config
        assert len(config) >= 2
    print(f"{name}: {n_ids:,} ids of AutoTokenizer, none different")


def test_qwen3s_two_files_are_the_published_ones(tmp_path: Path) -> None:
    saved = pw.load("qwen3").save(tmp_path, format="vocab-merges")
    sizes = {path.name: path.stat().st_size for path in saved.paths}
    assert sizes == {"vocab.json": 2_776_833, "merges.txt": 1_671_853}
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in saved.paths}
    assert hashes == {
        "vocab.json": "ca10d7e9fb3ed18575dd1e277a2579c16d108e32f27439684afa0e10b1440910",
        "merges.txt": "8831e4f1a044471340f7c0a83d7bd71306a5b867e95fd870f74d0c5308a904d5",
    }
    assert saved.left_out == ("the normalizer: NFC", "the pre-tokenizer: split", "26 added tokens")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "Qwen2Tokenizer"}', encoding="utf-8")
    again = pw.load(tmp_path)
    text = "I'm here: 1969 e\u0301 中文 🚀"
    assert again.ids(text) == pw.load("qwen3").ids(text)


def test_two_files_of_words_with_an_end_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "from"
    folder.mkdir()
    merges = fixture("clip/merges.txt").read_bytes()
    lines = merges.decode().splitlines()[1:]
    pieces = sorted({piece for line in lines for piece in (*line.split(" "), line.replace(" ", ""))})
    vocab = {piece: number for number, piece in enumerate([*pieces, "<|startoftext|>", "<|endoftext|>"])}
    (folder / "vocab.json").write_text(
        json.dumps(vocab, ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
    )
    (folder / "merges.txt").write_bytes(merges)
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "CLIPTokenizer"}', encoding="utf-8")
    tok = pw.load(folder)
    saved = tok.save(tmp_path / "to" / "vocab.json")
    assert saved.paths[0].read_bytes() == (folder / "vocab.json").read_bytes()
    assert saved.paths[1].read_bytes().split(b"\n")[1:] == [*map(str.encode, lines), b""]
    one = tok.save(tmp_path / "tokenizer.json").paths[0]
    n_ids = compare(tok, tokenizers.Tokenizer.from_file(str(one)), TEXTS[:400])
    print(f"clip: {n_ids:,} ids of tokenizers, none different")


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_ranks_are_the_published_files(name: str, tmp_path: Path) -> None:
    saved = pw.load(name).save(tmp_path / f"{name}.tiktoken")
    assert saved.paths[0].read_bytes() == fixture(f"tiktoken/{name}.tiktoken").read_bytes()
    assert saved.left_out == ()
    assert pw.load(saved.paths[0]) == pw.load(name)


@pytest.mark.parametrize("name", ["mistral/tekken_240718.json", "llama3_tiktoken/tokenizer.model"])
def test_other_ranks_become_a_tokenizer_json_and_come_back(name: str, tmp_path: Path) -> None:
    tok = pw.load(fixture(name))
    saved = tok.save(tmp_path / "tokenizer.json")
    reference = tokenizers.Tokenizer.from_file(str(saved.paths[0]))
    assert reference.to_str(pretty=True).encode() == saved.paths[0].read_bytes()
    n_ids = compare(tok, reference, TEXTS)
    assert pw.load(saved.paths[0]) == tok == pw.load(reference)
    print(f"{name}: {n_ids:,} ids of tokenizers, none different")


def test_a_published_conversion_is_not_taken_for_the_encoding() -> None:
    # It lists one merge a token, and lacks what cl100k_base does at the end of a text.
    for folder, name in (("gpt4o", "o200k_base"), ("gpt35turbo", "cl100k_base"), ("gptoss", "o200k_harmony")):
        tok = pw.load(fixture(f"{folder}/tokenizer.json"))
        assert tok.info().profile.startswith("tokenizers")
        assert tok != pw.load(name)


def test_a_tokenizer_of_ranks_has_tiktokens_ids_after_saving(tmp_path: Path) -> None:
    encoding = tiktoken_encoding("cl100k_base")
    saved = pw.load("cl100k_base").save(tmp_path / "x.json")
    reference = tokenizers.Tokenizer.from_file(str(saved.paths[0]))
    n_ids = 0
    plain = [text for text in TEXTS if "<|" not in text]
    for text, found in zip(plain, reference.encode_batch(plain, add_special_tokens=False), strict=True):
        assert found.ids == encoding.encode_ordinary(text), text
        n_ids += len(found.ids)
    print(f"cl100k_base: {n_ids:,} ids of tiktoken from tokenizers, none different")
