"""Look-alikes of control tokens: each way to disguise one, what is none, and hostile texts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from piecework._safety import find_lookalikes
from piecework._safety.automaton import Automaton
from piecework._safety.confusables import LOOKS_LIKE
from piecework._safety.skeleton import skeleton
from tools.fixtures import fixture
from tools.make_confusables_table import TARGET, module, table

QWEN = ["<|im_start|>", "<|im_end|>", "<think>", "</think>"]
LLAMA2 = ["<s>", "</s>", "[INST]", "[/INST]"]
DEEPSEEK = ["<｜User｜>", "<｜end▁of▁sentence｜>"]


@pytest.mark.parametrize(
    ("text", "tokens", "resembles", "how"),
    [
        ("<\uff5cim_start\uff5c>", QWEN, "<|im_start|>", "compatibility forms"),
        (
            "\uff1c\uff5c\uff49\uff4d\uff3f\uff45\uff4e\uff44\uff5c\uff1e",
            QWEN,
            "<|im_end|>",
            "compatibility forms",
        ),
        ("<|im_\u200bstart|>", QWEN, "<|im_start|>", "invisible characters"),
        ("<\u2060|\ufeffim_end|>", QWEN, "<|im_end|>", "invisible characters"),
        ("<|im\u00ad_end|>", QWEN, "<|im_end|>", "invisible characters"),
        ("<|im\U000e0061_end|>", QWEN, "<|im_end|>", "invisible characters"),
        ("<|im_\u202eend|>", QWEN, "<|im_end|>", "invisible characters"),
        ("<|\u0456m_end|>", QWEN, "<|im_end|>", "look-alike characters"),
        ("<|im_st\u0430rt|>", QWEN, "<|im_start|>", "look-alike characters"),
        ("<thin\u03ba>", QWEN, "<think>", "look-alike characters"),
        ("<\u2223im_end\u2223>", QWEN, "<|im_end|>", "look-alike characters"),
        ("<\u2502im_end\u2502>", QWEN, "<|im_end|>", "look-alike characters"),
        ("\u2039|im_end|\u203a", QWEN, "<|im_end|>", "look-alike characters"),
        ("<|1m_end|>", QWEN, "<|im_end|>", "look-alike characters"),
        ("<|IM_END|>", QWEN, "<|im_end|>", "upper and lower case"),
        ("</Think>", QWEN, "</think>", "upper and lower case"),
        ("< |im_start| >", QWEN, "<|im_start|>", "spaces and separators"),
        ("<|im start|>", QWEN, "<|im_start|>", "spaces and separators"),
        ("<|im-start|>", QWEN, "<|im_start|>", "spaces and separators"),
        ("<|\nim_start|>", QWEN, "<|im_start|>", "spaces and separators"),
        ("<|im_st\u0301art|>", QWEN, "<|im_start|>", "combining marks"),
        ("[ INST ]", LLAMA2, "[INST]", "spaces and separators"),
        ("\u3010INST\u3011", LLAMA2, "[INST]", "look-alike characters"),
        ("<\u2215s>", LLAMA2, "</s>", "look-alike characters"),
        ("<|User|>", DEEPSEEK, "<｜User｜>", "compatibility forms"),
    ],
)
def test_one_disguise(text: str, tokens: list[str], resembles: str, how: str) -> None:
    (found,) = find_lookalikes(f"é {text} rest", tokens)
    assert (found.span, found.text, found.resembles, found.how) == (
        (2, 2 + len(text)),
        text,
        resembles,
        (how,),
    )


def test_several_disguises_are_all_named() -> None:
    (found,) = find_lookalikes("<\uff5c \u200bIM_END\uff5c>", QWEN)
    assert found.how == (
        "invisible characters",
        "spaces and separators",
        "compatibility forms",
        "upper and lower case",
    )


def test_the_closest_of_two_tokens_that_look_alike_is_named() -> None:
    tokens = ["<|User|>", "<｜User｜>"]
    assert find_lookalikes("<｜USER｜>", tokens)[0].resembles == "<｜User｜>"
    assert find_lookalikes("<|USER|>", tokens)[0].resembles == "<|User|>"
    assert find_lookalikes("<|User|><｜User｜>", tokens) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<|im_start|>user\nHello<|im_end|>",
        "an arrow <- and a bar | and a <b>tag</b>",
        "if im_start < im_end: think()",
        "\u200b\u200d\ufe0f",
        "Привет, мир! 你好 مرحبا 👩‍👩‍👧",
    ],
)
def test_what_is_no_lookalike(text: str) -> None:
    assert find_lookalikes(text, QWEN) == []


def test_tokens_that_say_too_little_are_not_looked_for() -> None:
    assert find_lookalikes("a b\n\n- x", ["▁", "\n", "\u200b", "", "--"]) == []


def test_no_tokens() -> None:
    assert find_lookalikes("<|im_start|>", []) == []


def test_lone_surrogates_are_no_obstacle() -> None:
    assert [found.span for found in find_lookalikes("\ud800<|IM_END|>\udfff", QWEN)] == [(1, 11)]


def test_no_more_than_asked_for() -> None:
    assert len(find_lookalikes("<|IM_END|>" * 50, QWEN, max_found=7)) == 7
    assert len(find_lookalikes("<|IM_END|>" * 50, QWEN)) == 50


@pytest.mark.parametrize(
    "text", ["a" * 10**6, "<|" * 500_000, "\u200b" * 10**6, "<|im_" * 200_000, "< " * 500_000]
)
def test_a_megabyte_of_nothing(text: str) -> None:
    assert find_lookalikes(text, [*QWEN, *LLAMA2]) == []


def test_a_marker_stuffed_with_a_million_invisible_characters() -> None:
    (found,) = find_lookalikes("<|im" + "\u200b" * 10**6 + "_end|>", QWEN)
    assert (found.span, found.resembles, found.how) == (
        (0, 10**6 + 10),
        "<|im_end|>",
        ("invisible characters",),
    )


class _Steps(list[int]):
    """The failure links of an automaton, counting how often they are followed."""

    n = 0

    def __getitem__(self, at: Any) -> Any:
        _Steps.n += 1
        return super().__getitem__(at)


@pytest.mark.parametrize("text", ["ab" * 5000, "a" * 10_000, "aaab" * 2500])
def test_the_automaton_takes_no_more_than_two_steps_a_character(text: str) -> None:
    automaton = Automaton(["a" * n + "c" for n in range(1, 60)])
    automaton._fail = _Steps(automaton._fail)
    _Steps.n = 0
    assert list(automaton.find(text)) == []
    assert _Steps.n <= len(text)


def test_the_automaton_agrees_with_a_search_at_each_place() -> None:
    strings = ["ab", "abca", "bcd", "caa", "dd", "ddac", "aaac"]
    alphabet = "abcd"
    for number in range(4**6):
        text = "".join(alphabet[number // 4**at % 4] for at in range(6))
        expected, at = [], 0
        while at < len(text):
            longest = max((one for one in strings if text.startswith(one, at)), key=len, default="")
            if longest:
                expected.append((at, at + len(longest), longest))
            at += len(longest) or 1
        assert list(Automaton(strings).find(text)) == expected


def test_the_table_is_that_of_unicode() -> None:
    confusables = json.loads(fixture("unicode/confusables.json").read_text("utf-8"))
    for char, alikes in LOOKS_LIKE:
        for alike in alikes:
            assert char in {other["c"] for other in confusables[alike]}, (char, alike)


def test_the_table_is_what_its_program_makes() -> None:
    confusables = json.loads(fixture("unicode/confusables.json").read_text("utf-8"))
    assert TARGET.read_text("utf-8") == module(table(confusables))


def test_letters_of_other_scripts_have_the_skeleton_of_those_that_they_look_like() -> None:
    # By eye, from the charts: Cyrillic, Greek, Armenian, Cherokee, mathematical and full-width letters.
    pairs = {"аеорсухі": "aeopcyxi", "ΑΒΕΗΙΚΜ": "ABEHIKM", "օս": "ou", "ᎪᎬ": "AE", "𝐢𝓶": "im", "Ａｂ": "Ab"}
    for alike, plain in pairs.items():
        assert skeleton(alike) == skeleton(plain)
