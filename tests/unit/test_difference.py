"""Where two prompts part: token, place and part; what a cached prefix keeps; and why."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from piecework._explain.difference import find_difference


@pytest.fixture(scope="module")
def qwen() -> pw.Tokenizer:
    return pw.load("qwen3")


def test_a_space_at_the_end_is_made_anew(qwen: pw.Tokenizer) -> None:
    # "Say" ":" " " against "Say" ":" " word": the lost space is in both texts.
    found = qwen.difference("Say: ", "Say: word")
    assert (found.reason, found.index, found.n_old, found.n_new) == ("retokenized", 2, 3, 3)
    assert (found.n_kept, found.n_lost, found.n_retokenized) == (2, 1, 1)
    assert found.old is not None
    assert found.new is not None
    assert (found.old.id, found.old.byte, found.new.id, found.new.byte) == (220, 4, qwen.id(" word"), 4)


def test_places_are_in_bytes_characters_and_utf16(qwen: pw.Tokenizer) -> None:
    # x, the emoji of four bytes and two units with its space, a space, three digits: the fourth digit differs.
    found = qwen.difference("x 😀 1234", "x 😀 1235")
    assert found.old is not None
    assert (found.reason, found.old.byte, found.old.char, found.old.utf16) == ("text", 10, 7, 8)
    assert (found.old.pieces, found.old.part) == ("4", "text")


@pytest.mark.parametrize(
    ("old", "new", "reason", "n_kept", "n_lost"),
    [
        ("", "", "same", 0, 0),
        ("abc", "abc", "same", 1, 0),
        ("", "abc", "extended", 0, 0),
        ("abc", "abc def", "extended", 1, 0),
        ("abc def", "abc", "shortened", 1, 1),
        ("The cat sat", "The car sat", "text", 1, 2),
    ],
)
def test_reasons(old: str, new: str, reason: str, n_kept: int, n_lost: int) -> None:
    found = pw.load("qwen3").difference(old, new)
    assert (found.reason, found.n_kept, found.n_lost) == (reason, n_kept, n_lost)
    assert (found.old is None) == (reason == "same")


def test_blocks_are_whole(qwen: pw.Tokenizer) -> None:
    # Digits are tokens of their own: 300 of them, the 131st another one.
    old = "1" * 300
    found = qwen.difference(old, f"{old[:130]}2{old[131:]}")
    assert (found.n_kept, found.n_lost) == (130, 170)
    # 8 blocks of 16 are 128; 18 of them hold 288 of the old prompt's 300.
    assert (found.kept_in_blocks(16), found.lost_in_blocks(16)) == (128, 160)
    # 1 block of 128 of 2 that are full.
    assert (found.kept_in_blocks(128), found.lost_in_blocks(128)) == (128, 128)
    assert (found.kept_in_blocks(100), found.lost_in_blocks(100)) == (100, 200)
    assert [row["block_size"] for row in found.to_dict()["in_blocks"]] == [16, 128]
    assert [row["n_kept"] for row in qwen.difference(old, old, block_size=7).to_dict()["in_blocks"]] == [294]
    with pytest.raises(ValueError, match="at least 1"):
        qwen.difference("a", "b", block_size=0)


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are terse."},
    {"content": "What is it?", "role": "user"},
]


def test_messages_name_their_field(qwen: pw.Tokenizer) -> None:
    changed = [MESSAGES[0], {"role": "user", "content": "What was it?"}]
    found = qwen.difference(MESSAGES, changed)
    assert found.old is not None
    # system, "You are terse." (4), user, What: seven tokens stay.
    assert (found.reason, found.n_kept, found.old.part, found.old.byte) == (
        "text",
        7,
        "messages[1].content",
        4,
    )


def test_a_message_that_is_added_keeps_all(qwen: pw.Tokenizer) -> None:
    found = qwen.difference(MESSAGES, [*MESSAGES, {"role": "assistant", "content": "A lamp."}])
    assert (found.reason, found.n_lost) == ("extended", 0)
    assert found.new is not None
    assert found.new.part == "messages[2].role"
    assert qwen.difference(MESSAGES, MESSAGES[:1]).reason == "shortened"


def test_another_field_is_another_structure(qwen: pw.Tokenizer) -> None:
    found = qwen.difference(MESSAGES, [MESSAGES[0], {"role": "user", "name": "Al", "content": "What is it?"}])
    assert found.new is not None
    assert found.old is not None
    assert (found.reason, found.n_kept) == ("structure", 6)
    assert (found.old.part, found.new.part) == ("messages[1].content", "messages[1].name")


def test_tools_come_first_and_calls_are_fields(qwen: pw.Tokenizer) -> None:
    tools = [{"type": "function", "function": {"name": "get_weather"}}]
    found = qwen.difference({"messages": MESSAGES}, {"messages": MESSAGES, "tools": tools})
    assert found.new is not None
    assert (found.n_kept, found.new.part) == (0, "tools[0]")
    call = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}]}
    other = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 2}'}}]}
    found = qwen.difference([call], [other])
    assert found.new is not None
    assert found.new.part == "messages[0].tool_calls[0].function.arguments"


def test_pairs_and_objects_are_parts(qwen: pw.Tokenizer) -> None:
    class Named:
        name, text = "notes", "1234"

    found = qwen.difference([("system", "x"), ("notes", "1235")], [("system", "x"), Named()])
    assert found.new is not None
    assert (found.n_kept, found.new.part, found.new.char) == (4, "notes", 3)


@pytest.mark.parametrize("prompt", [3, [3], [("a", 3)], {"a": 1}, [("a", "b", "c")]])
def test_what_is_no_prompt_is_a_type_error(qwen: pw.Tokenizer, prompt: Any) -> None:
    with pytest.raises(TypeError, match="prompt"):
        qwen.difference(prompt, prompt)


def test_broken_text_raises_or_is_replaced(qwen: pw.Tokenizer) -> None:
    with pytest.raises(pw.NotUnicodeError):
        qwen.difference("a\ud800", "a")
    assert qwen.difference("a\ud800", "a\ud800b", errors="replace").n_kept >= 1
    assert qwen.difference(b"a \xff", b"a \xff", errors="replace").reason == "same"


def test_it_is_data(qwen: pw.Tokenizer) -> None:
    found = qwen.difference("a <b> c", "a <b> d")
    assert pickle.loads(pickle.dumps(found)) == found
    assert json.loads(json.dumps(found.to_dict()))["n_kept"] == found.n_kept
    assert "<b>" not in found._repr_html_()
    assert "first difference at token" in str(found)


@settings(deadline=None)
@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_kept_is_the_common_beginning(start: str, old_end: str, new_end: str) -> None:
    tok = pw.load("o200k_base")
    old, new = (start + old_end).encode("utf-8", "replace"), (start + new_end).encode("utf-8", "replace")
    found = tok.difference(old, new)
    first, second = tok.ids(old).tolist(), tok.ids(new).tolist()
    n = next((at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    assert found.n_kept == (min(len(first), len(second)) if n is None else n)
    assert (found.n_old, found.n_new) == (len(first), len(second))


def test_of_two_long_prompts_only_the_place_is_made() -> None:
    text = "The quick brown fox. " * 20_000
    made: list[tuple[str, int]] = []

    class Watched:
        """An encoding that tells what is made of its columns; whole columns are not there."""

        def __init__(self, encoding: Any) -> None:
            self.ids, self._encoding = encoding.ids, encoding

        def __len__(self) -> int:
            return len(self.ids)

        def part(self, column: str, start: int, stop: int) -> list[Any]:
            part: list[Any] = self._encoding.part(column, start, stop)
            made.append((column, len(part)))
            return part

    class Native:
        """The tokenizer, with watched encodings."""

        def __init__(self, native: Any) -> None:
            self._native, self.count = native, native.count

        def encode(self, *args: Any) -> Watched:
            return Watched(self._native.encode(*args))

    native: Any = Native(pw.load("qwen3")._native)
    options: dict[str, Any] = {"block_size": None, "special": "text", "errors": "strict"}
    changed = text[: 48 * 21 - 1] + " CHANGED" + text[48 * 21 - 1 :]
    found = find_difference(native, "qwen3", text, changed, **options)
    assert found == pw.load("qwen3").difference(text, changed)
    assert sum(n for _, n in made) < 2_000
    assert found.old is not None
    assert found.old.byte == 48 * 21 - 1
