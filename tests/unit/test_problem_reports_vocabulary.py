"""Problems that people reported of tokenizer tools: which ids there are. Each with others of its kind.

Expected values were computed with tiktoken 0.14.0 and tokenizers 0.23.3, or by hand where those are wrong.
"""

from __future__ import annotations

import pytest

import piecework as pw
from tests.reported import hugging_face, loaded
from tools import references

# --- B77: holes, and two names on one id ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "token_id", [100256, 100261, 100275, 100277, 100300, 2**31, 2**32 - 1, 2**32, 2**64, -1]
)
def test_b77_an_id_that_is_no_token_is_named(token_id: int) -> None:
    tok = pw.load("cl100k_base")
    for call in (tok.decode, tok.decode_bytes):
        with pytest.raises(pw.UnknownIdError) as raised:
            call([9906, token_id])
        assert isinstance(raised.value, ValueError)
        assert (raised.value.id, raised.value.position) == (token_id, 1)
        assert str(token_id) in str(raised.value)
    with pytest.raises(pw.UnknownIdError):
        tok.piece(token_id)


@pytest.mark.parametrize(
    ("token_id", "why"),
    [
        (200000, "is a hole of the vocabulary: no token has it"),
        (200019, "is not in the vocabulary of 200019 ids"),
        (2**70, "is not in the vocabulary of 200019 ids"),
        (-5, "is negative, and no id is"),
    ],
)
def test_b77_it_is_said_why_an_id_is_no_token(token_id: int, why: str) -> None:
    tok = pw.load("o200k_base")
    with pytest.raises(pw.UnknownIdError) as raised:
        tok.decode([token_id])
    assert str(raised.value) == f"id {token_id} at position 0 {why}"
    with pytest.raises(pw.UnknownIdError) as raised:
        tok.piece(token_id)
    assert str(raised.value) == f"id {token_id} {why}"


@pytest.mark.parametrize("ids", [[1.0], ["1"], [None], "12", b"12", 12, [[1]]])
def test_b77_what_is_no_id_is_a_type_error(ids: object) -> None:
    with pytest.raises(TypeError):
        pw.load("cl100k_base").decode(ids)  # type: ignore[arg-type]


def test_b77_vocabulary_size_and_number_of_tokens_are_apart() -> None:
    tok = pw.load("cl100k_base")
    assert (tok.vocab_size, tok.n_tokens, tok.n_base, len(tok.special_tokens)) == (100277, 100261, 100256, 5)


def test_b77_harmony_has_one_name_for_each_id() -> None:
    tok = pw.load("o200k_harmony")
    assert tok.piece(200018) == "<|endofprompt|>"
    assert tok.id("<|reserved_200018|>") is None
    assert "<|reserved_200018|>" not in tok.special_tokens
    ids = list(tok.special_tokens.values())
    assert len(ids) == len(set(ids))


def test_b77_tiktoken_still_gives_two_names_to_one_id() -> None:
    special = references.tiktoken_facts("o200k_harmony")["special_tokens"]
    assert special["<|reserved_200018|>"] == special["<|endofprompt|>"] == 200018
    with pytest.raises(KeyError):
        references.tiktoken_encoding("cl100k_base").decode([100256])


HOLES = [
    ("cl100k_base", [100256, *range(100261, 100276)], (100277, 100261)),
    ("gpt35turbo/tokenizer.json", [100256, *range(100261, 100276)], (100277, 100261)),
    ("o200k_base", [199998, *range(200000, 200018)], (200019, 200000)),
    ("gpt4o/tokenizer.json", [199998, *range(200000, 200018)], (200019, 200000)),
    ("qwen3", [], (151669, 151669)),
    ("bert-base-uncased", [], (30522, 30522)),
    ("mistral/tekken_240911.json", [], (131072, 131072)),
]


@pytest.mark.parametrize(("name", "holes", "sizes"), HOLES)
def test_b77_holes_of_every_form_are_named(name: str, holes: list[int], sizes: tuple[int, int]) -> None:
    tok = loaded(name)
    assert (tok.vocab_size, tok.n_tokens) == sizes
    assert [id_ for start, end in tok.info().holes for id_ in range(start, end)] == holes
    for id_ in [*holes, tok.vocab_size, 2**32 - 1]:
        stream = tok.decoder()
        for call in (tok.decode, lambda ids: tok.decode(ids, errors="replace"), stream.feed):
            with pytest.raises(pw.UnknownIdError) as raised:
                call([id_])
            assert (raised.value.id, raised.value.vocab_size) == (id_, tok.vocab_size)


ONE_TO_ONE = [
    "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony", "qwen3", "bert-base-uncased", "t5",
    "llama3/tokenizer.json", "gemma3/tokenizer.json", "deepseek_v3/tokenizer.json", "mistral/tekken_240911.json",
    "mistral/tokenizer.model.v7", "gguf/phi-3.gguf",
]  # fmt: skip


@pytest.mark.parametrize("name", ONE_TO_ONE)
def test_b77_added_tokens_and_ids_are_one_to_one(name: str) -> None:
    tok = loaded(name)
    ids = {**tok.special_tokens, **{row.token: row.id for row in tok.info().control_tokens}}
    assert len(set(ids.values())) == len(ids)
    assert [tok.id(token) for token in ids] == list(ids.values())


@pytest.mark.parametrize("folder", ["gptoss", "llama3", "deepseek_v3", "llama2"])
def test_b77_names_and_ids_are_those_of_the_reference(folder: str) -> None:
    tok = loaded(f"{folder}/tokenizer.json")
    added = hugging_face(folder).get_added_tokens_decoder()
    assert tok.special_tokens == {token.content: id_ for id_, token in sorted(added.items()) if token.special}
