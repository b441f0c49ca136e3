"""`piecework budget`: figures worked out by hand, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import piecework as pw
from tests.cli.conftest import Run

NUMBERS = ("--window", "8192", "--system", "400", "--evidence", "3000", "--answer", "1000")
QWEN = (
    "--window", "32768", "--system", "300", "--tools", "147 + 7*65", "--evidence", "6*512", "--history", "20*205",
    "--answer", "2048", "-m", "qwen3",
)  # fmt: skip


def test_what_is_left(run: Run) -> None:
    ran = run("budget", *NUMBERS, "--history", "2000")
    assert ran.code == 0
    assert ["left", "1,792", "21.9%", "exact"] in ran.lines
    assert ["planned", "6,400", "78.1%"] in ran.lines


def test_what_is_over_is_a_finding(run: Run) -> None:
    ran = run("budget", *NUMBERS, "--history", "4100")
    assert ran.code == 1
    assert ["over", "308", "3.8%", "exact"] in ran.lines


@pytest.mark.parametrize(("key", "document", "over"), [("pt", 35_714, 13_068), ("hi", 82_857, 60_211)])
def test_a_document_in_another_language(run: Run, key: str, document: int, over: int) -> None:
    fits = run("budget", *QWEN, "--line", "document=20000", "--json")
    assert (fits.code, fits.json["budgets"][0]["left_tokens"]) == (0, 2646)
    ran = run(
        "budget",
        *QWEN,
        "--line",
        "document=20000",
        "--language",
        key,
        "--samples",
        "fox",
        "--of",
        "document",
        "--json",
    )
    (budget,) = ran.json["budgets"]
    assert (ran.code, budget["left_tokens"], budget["basis"], budget["frees_most"]) == (
        1,
        -over,
        "estimate",
        "document",
    )
    (line,) = [line for line in budget["lines"] if line["name"] == "document"]
    assert line["n_tokens"] == document


def test_a_ratio_gives_the_same(run: Run) -> None:
    ran = run("budget", *QWEN, "--line", "document=20000", "--scale", "25/14", "--of", "document", "--json")
    assert ran.json["budgets"][0]["left_tokens"] == -13_068


def test_a_change(run: Run) -> None:
    ran = run("budget", *NUMBERS, "--history", "2000", "--change", "history=4100")
    assert (ran.code, ran.lines[-1]) == (1, ["left", "1,792", "→", "-308", "-2,100"])


def test_naive_cuts(run: Run) -> None:
    front = run("budget", *NUMBERS, "--history", "4100", "--naive", "front", "--json").json
    assert front["schema"] == "piecework.cut/1"
    assert {part["name"]: part["kept_tokens"] for part in front["parts"]} == {
        "system": 92,
        "history": 4100,
        "evidence": 3000,
    }


def test_a_text_and_a_file_are_counted(run: Run, folder: Path) -> None:
    (folder / "notes.txt").write_text(
        "The quick brown fox jumps over the lazy dog near the river bank.", "utf-8"
    )
    ran = run(
        "budget", "-m", "qwen3", "--window", "100", "--line", "notes=@notes.txt", "--framing", "0", "--json"
    )
    assert ran.json["budgets"][0]["lines"][0] == {
        "name": "notes", "n_tokens": 14, "reserved_tokens": 14, "basis": "exact", "n_items": 1,
    }  # fmt: skip


def test_a_window_comes_with_its_source(run: Run) -> None:
    (budget,) = run("budget", "-m", "gpt-5", "--answer", "1000", "--json").json["budgets"]
    assert (budget["window"], budget["max_input_tokens"], budget["max_output_tokens"]) == (
        400_000,
        272_000,
        128_000,
    )
    assert "20" in budget["window_source"]


def test_models_side_by_side(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text("तेज़ भूरी लोमड़ी", "utf-8")
    ran = run(
        "budget", "-m", "gpt-4o", "-m", "gpt-4", "--window", "1000", "--line", "text=@a.txt", "--framing", "0"
    )
    assert ran.code == 0
    assert "gpt-4 against gpt-4o:" in ran.out.decode()


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--window", "100", "--system", "-5x"], 0, ""),
        (["--window", "many"], 2, "--window is a number of tokens"),
        (["--window", "0"], 4, "at least 1 token"),
        (["--window", "9", "--line", "=4"], 2, "NAME=AMOUNT"),
        (["--window", "9", "--line", "system=4"], 2, "--line system is --system"),
        (["--window", "9", "--tools", "not a number"], 2, "--tools is a number"),
        (["--window", "9", "--system", "3", "--scale", "1/0"], 2, "a ratio is written"),
        (
            ["--window", "9", "--system", "3", "--scale", "2", "--of", "nothing"],
            4,
            "there is no line nothing",
        ),
        (["--window", "9", "--system", "3", "--change", "system=x"], 2, "--change"),
        (["--window", "9", "--system", "@gone.txt"], 4, "gone.txt"),
        (
            ["gone.json", "-m", "gpt-4o"],
            4,
            "gone.json\nhint: MESSAGES is a file of messages as JSON; --message",
        ),
        (["--pack", "--window", "9", "--system", "3"], 2, "--pack needs the texts themselves"),
        (["--window", "9", "--system", "3", "--unit", "exchange"], 2, "goes with --pack"),
        (["-m", "zz-unknown-9", "--system", "text"], 3, "zz-unknown-9"),
        (["-m", "qwen3", "--system", "4"], 4, "window"),
        (["--window", "9", "--line", "window=5"], 2, "write --window"),
        (["--window", "9", "--line", "model=5"], 2, "write -m"),
        (["--window", "9", "--line", "answer=text"], 2, "write --answer"),
        (["--window", "9", "--line", "template framing=5"], 2, "write --framing"),
        (["--window", "9", "--system", "3", "--scale", "1e999999999"], 2, "a ratio is written"),
        (["--window", "9", "--system", "3", "--scale", "nan"], 2, "a ratio is written"),
        (["--window", "9", "--system", "3", "--change", "=5"], 2, "LINE=AMOUNT"),
        (["--window", "9", "--change", "a=5", "--change", "a=6"], 2, "--change a is there twice"),
        (["--window", "9", "--system", "3", "--of", "system"], 2, "--of goes with --scale or --language"),
        (["--window", "9", "--system", "3", "--samples", "fox"], 2, "--samples goes with --language"),
        (["--window", "9", "--system", "3", "--naive", "front", "--change", "system=4"], 2, "ask for one"),
        (["--window", "9", "-m", "gpt-4", "-m", "gpt-4o", "--naive", "front"], 2, "--naive takes one model"),
        (["--pack", "-m", "gpt-4o", "--message", "q", "--max-output", "5"], 2, "does not go with --pack"),
    ],
)
def test_what_is_refused(run: Run, args: list[str], code: int, says: str) -> None:
    ran = run("budget", *args)
    assert ran.code == code
    assert says in ran.err


def test_packed_messages_go_to_standard_output_and_the_log_to_the_other(run: Run, folder: Path) -> None:
    messages = [
        {"role": role, "content": "word " * 40} for role in ("user", "assistant", "user", "assistant", "user")
    ]
    (folder / "chat.json").write_text(json.dumps({"messages": messages}), "utf-8")
    ran = run("budget", "chat.json", "-m", "gpt-4o", "--window", "160", "--answer", "10", "--pack")
    assert ran.code == 0
    # 40 words and a space are 41 tokens; with framing three of the five fit into 150.
    assert json.loads(ran.out) == messages[2:]
    assert ran.err.count("dropped history[") == 2
    value = run(
        "budget", "chat.json", "-m", "gpt-4o", "--window", "160", "--answer", "10", "--pack", "--json"
    ).json
    assert (value["schema"], value["n_kept_turns"], value["basis"]) == ("piecework.pack/1", 2, "calibrated")


def test_a_request_s_own_output_limit_is_kept_free(run: Run, folder: Path) -> None:
    turns = [
        {"role": "user", "content": "one two three four five six"},
        {"role": "assistant", "content": "Yes."},
    ]
    body = {"messages": [*turns * 5, {"role": "user", "content": "And now?"}], "max_tokens": 60}
    (folder / "body.json").write_text(json.dumps(body), encoding="utf-8")
    (folder / "bare.json").write_text(json.dumps(body["messages"]), encoding="utf-8")
    given = ("-m", "gpt-4o", "--window", "150")
    ran = run("budget", "body.json", *given, "--json")
    assert "answer: 60 tokens, the limit in the request itself (--answer N for another)" in ran.err
    assert ran.json == run("budget", "bare.json", *given, "--answer", "60", "--json").json
    packed = run("budget", "body.json", *given, "--pack", "--json")
    assert packed.json["available_tokens"] == 90
    assert (
        run("budget", "body.json", *given, "--pack", "--answer", "10", "--json").json["available_tokens"]
        == 140
    )
    assert pw.pack(body, model="gpt-4o", window=150).available_tokens == 90
    assert pw.pack(body, model="gpt-4o", window=150, answer=10).available_tokens == 140
    unlimited = run("budget", "bare.json", *given, "--pack", "--json")
    assert (unlimited.json["available_tokens"], "no room is kept for an answer" in unlimited.err) == (
        150,
        True,
    )


def test_what_gets_room_first(run: Run, folder: Path) -> None:
    turns = [{"role": "user", "content": "one two three four"}, {"role": "assistant", "content": "five six"}]
    messages = [*turns * 8, {"role": "user", "content": "And now?"}]
    (folder / "chat.json").write_text(json.dumps(messages), encoding="utf-8")
    given = (
        "chat.json",
        "-m",
        "gpt-4o",
        "--window",
        "90",
        "--pack",
        "--evidence",
        "a b c d e",
        "--score",
        "1",
        "--json",
    )
    kept = [any("a b c d e" in str(one) for one in run("budget", *given, *first).json["messages"])
            for first in ((), ("--first", "history"), ("--first", "evidence"))]  # fmt: skip
    assert kept == [False, False, True]


def test_a_pack_that_cannot_fit_says_by_how_much(run: Run, folder: Path) -> None:
    (folder / "chat.json").write_text(json.dumps([{"role": "user", "content": "word " * 40}]), "utf-8")
    ran = run("budget", "chat.json", "-m", "gpt-4o", "--window", "20", "--pack")
    assert ran.code == 4
    assert "error[context-overflow]" in ran.err


@pytest.mark.parametrize("held", ["1.5", "true", "null", "[" * 100_000, "1" * 5000, "[" + "1" * 5000 + "]"])
def test_a_file_that_holds_neither_tokens_nor_messages(run: Run, folder: Path, held: str) -> None:
    (folder / "held.json").write_text(held, "utf-8")
    for option in ("--history", "--tools"):
        ran = run("budget", "-m", "gpt-4o", "--window", "100", option, "@held.json")
        assert ran.code == 4
        assert "held.json" in ran.err
