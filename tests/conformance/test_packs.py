"""A bundled tokenizer is the published one: the engine makes the same definition of the pack and of the files."""

from __future__ import annotations

import pickle

import pytest

import piecework as pw
from piecework import _core
from piecework._files.bundle import bundled
from tools import pack_whole
from tools.fixtures import fixture
from tools.references import tiktoken_encoding

FILES = {
    "r50k_base": "r50k_base",
    "p50k_base": "p50k_base",
    "p50k_edit": "p50k_base",
    "cl100k_base": "cl100k_base",
    "o200k_base": "o200k_base",
    "o200k_harmony": "o200k_base",
}
WHOLE = pack_whole.FILES


@pytest.mark.parametrize(("name", "file"), FILES.items())
def test_openais_packs_have_the_fingerprint_of_their_files(name: str, file: str) -> None:
    reference = tiktoken_encoding(name)
    special = dict(reference._special_tokens)
    if name == "o200k_harmony":
        del special["<|reserved_200018|>"]  # the reference's second name for <|endofprompt|>
    data = fixture(f"tiktoken/{file}.tiktoken").read_bytes()
    made = _core.Tokenizer.from_tiktoken(data, pattern=reference._pat_str, special_tokens=special)
    assert bundled(name).fingerprint == made.fingerprint


def test_qwen3s_pack_has_the_fingerprint_of_its_file() -> None:
    made = _core.Tokenizer.from_tokenizer_json(fixture("qwen3/tokenizer.json").read_bytes())
    assert bundled("qwen3").fingerprint == made.fingerprint


@pytest.mark.parametrize(("name", "file"), WHOLE.items())
def test_whole_packs_have_all_that_their_files_say(name: str, file: str) -> None:
    made = _core.Tokenizer.from_tokenizer_json(fixture(file).read_bytes())
    assert bundled(name).definition() == made.definition()
    tok = pw.load(name)
    again = pickle.loads(pickle.dumps(tok))
    assert again == tok
    assert len(pickle.dumps(tok)) < 300


def test_bert_is_the_published_vocabulary() -> None:
    tok = pw.load("bert-base-uncased")
    lines = fixture("minilm_l6_v2/vocab.txt").read_text(encoding="utf-8").splitlines()
    assert [tok._native.vocab_piece(token_id) for token_id in range(tok.vocab_size)] == lines
    assert pw.load("sentence-transformers/all-MiniLM-L6-v2") == tok
    assert tok.ids("Hello, wörld!", add_special_tokens=True) == [101, 7592, 1010, 2088, 999, 102]


def test_fingerprints_tell_the_bundled_tokenizers_apart() -> None:
    names = [*FILES, "qwen3", *WHOLE]
    assert len({bundled(name).fingerprint for name in names}) == len(names)


@pytest.mark.parametrize("name", FILES)
def test_every_id_of_the_reference_has_its_bytes(name: str) -> None:
    reference, tokenizer = tiktoken_encoding(name), pw.load(name)
    assert tokenizer.vocab_size == reference.n_vocab
    for token_id in range(reference.n_vocab):
        try:
            expected = reference.decode_single_token_bytes(token_id)
        except KeyError:
            with pytest.raises(pw.UnknownIdError):
                tokenizer.decode_bytes([token_id])
        else:
            if token_id != 200018 or name != "o200k_harmony":
                assert tokenizer.decode_bytes([token_id]) == expected


def test_b77_one_id_of_harmony_has_one_name() -> None:
    tokenizer = pw.load("o200k_harmony")
    assert tokenizer.decode_bytes([200018]) == b"<|endofprompt|>"
    names = list(tokenizer.special_tokens)
    assert "<|endofprompt|>" in names
    assert "<|reserved_200018|>" not in names
    assert len(names) == 1090
