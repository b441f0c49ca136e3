"""`piecework count` of messages, and of models whose tokenizer is not published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import piecework as pw
from tests.cli.conftest import Run
from tests.count_server import count_server, counted, refused

MESSAGES = [{"role": "user", "content": "Hello, world!"}]
TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture(autouse=True)
def files(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "messages.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    (folder / "text.txt").write_text("Hello, world!", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in (
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "http_proxy",
        "HTTP_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)


def test_messages_are_one_number_with_their_parts_beside_it(run: Run) -> None:
    ran = run("count", "--chat", "messages.json", "-m", "gpt-4o")
    # 3 + user + 4, and 3 that begin the reply.
    assert (ran.code, ran.text) == (0, "11\n")
    assert ran.err.splitlines() == [
        "calibrated · o200k_base for gpt-4o · fingerprint 304e0be4b0fd",
        "  8  messages[0] user",
        "  3  reply",
        "framing: OpenAI cookbook, 'How to count tokens with tiktoken', read 2026-11",
    ]
    assert (
        run("count", "--chat", "messages.json", "-m", "gpt-4o", "-q").err.splitlines()
        == ran.err.splitlines()[:1]
    )


def test_messages_from_standard_input_and_lines(run: Run) -> None:
    assert run("count", "--chat", "-m", "gpt-4o", stdin=json.dumps(MESSAGES).encode()).text == "11\n"
    lines = "\n".join(json.dumps({"messages": MESSAGES}) for _ in range(2))
    ran = run("count", "--chat", "-m", "gpt-4o", "-q", stdin=lines.encode())
    assert [line[0] for line in ran.lines] == ["11", "11", "22"]
    assert ran.lines[-1] == ["22", "calibrated", "gpt-4o", "total", "of", "2"]


def test_tools_and_templates(run: Run) -> None:
    with_tools = pw.count(MESSAGES, tools=[TOOL], model="gpt-4o").n
    assert (
        run("count", "--chat", "messages.json", "--tools", "tools.json", "-m", "gpt-4o").text
        == f"{with_tools}\n"
    )
    ran = run("count", "--chat", "messages.json", "--template", "chatml", "-m", "qwen3")
    assert ran.text == f"{pw.load('qwen3').chat(MESSAGES, template='chatml').n_tokens}\n"
    assert ran.err.startswith("calibrated · qwen3 · fingerprint")


def test_a_request_that_names_its_model_is_said_to(run: Run) -> None:
    Path("body.json").write_text(json.dumps({"model": "gpt-4o", "messages": MESSAGES}), encoding="utf-8")
    note = "body.json names the model gpt-4o: -m gpt-4o counts for it"
    assert note in run("count", "--chat", "body.json").err
    assert note not in run("count", "--chat", "body.json", "-m", "gpt-4").err


def test_several_models_stand_in_a_table(run: Run) -> None:
    ran = run("count", "--chat", "messages.json", "-m", "gpt-4o", "-m", "claude-opus-4-7")
    assert [line[1:3] for line in ran.lines] == [["calibrated", "gpt-4o"], ["estimate", "claude-opus-4-7"]]


def test_one_model_that_fails_leaves_the_others(run: Run) -> None:
    ran = run("count", "--chat", "messages.json", "-m", "gpt-4o", "-m", "qwen3")
    assert (ran.code, ran.lines[0][0]) == (4, "11")
    assert "error[template]: qwen3 has no chat template" in ran.err


def test_a_text_for_claude_is_estimated_with_its_band_and_sources(run: Run) -> None:
    ran = run("count", "text.txt", "-m", "claude-opus-4-7")
    found = pw.count("Hello, world!", model="claude-opus-4-7")
    assert found.band is not None
    assert (ran.code, ran.text) == (0, f"{found.n}\n")
    low, high = found.band
    assert ran.err.startswith(
        f"estimate · {low} to {high} · bytes per token of claude-4.7 for claude-opus-4-7"
    )
    assert "6 samples, 2026-04-17: claudecodecamp.com" in ran.err


def test_what_is_assumed_is_used_for_claude_too(run: Run) -> None:
    ran = run("count", "text.txt", "-m", "claude-opus-4-7", "--assume", "o200k_base")
    assert ran.text == "4\n"
    assert ran.err.startswith("estimate (assumed) · o200k_base for claude-opus-4-7")


def test_json_has_basis_band_parts_and_notes(run: Run) -> None:
    found = run("count", "text.txt", "--json", "-m", "claude-opus-4-7").json
    assert (found["schema"], found["failed"]) == ("piecework.count-requests/1", [])
    (one,) = found["counts"]
    assert (one["name"], one["model"], one["basis"]) == ("text.txt", "claude-opus-4-7", "estimate")
    assert one["band"][0] <= one["n"] <= one["band"][1]
    assert sum(part["n_tokens"] for part in one["parts"]) == one["n"]
    assert one["notes"]


def test_folders_count_for_claude(run: Run) -> None:
    Path("sub").mkdir()
    Path("sub/a.txt").write_text("one two", encoding="utf-8")
    Path("sub/b.bin").write_bytes(b"\0\1")
    ran = run("count", "sub", "-m", "claude-opus-4-7")
    assert ran.text.strip().isdigit()
    assert "skipped sub/b.bin: binary" in ran.err


def test_images_that_are_not_counted_are_named(run: Run) -> None:
    part = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    Path("images.json").write_text(json.dumps([{"role": "user", "content": [part, part]}]), encoding="utf-8")
    ran = run("count", "--chat", "images.json", "-m", "gpt-4o")
    assert ran.err.startswith("lower-bound · ")
    assert "not counted: 2 images\n" in ran.err


def test_messages_counted_as_text_for_claude_are_said_so(run: Run) -> None:
    assert (
        "counted as plain text, without a chat template (--chat)"
        in run("count", "messages.json", "-m", "claude-opus-5").err
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--chat", "text.txt"], 4, "text.txt is no JSON"),
        (["--chat", "missing.json"], 4, "there is no file missing.json"),
        (["--chat", "--text", "Hi"], 2, "--chat reads messages from files"),
        (["text.txt", "--tools", "tools.json"], 2, "go with messages: --chat"),
        (["text.txt", "--template", "chatml"], 2, "go with messages: --chat"),
        (["--chat", "messages.json", "--up-to", "3"], 2, "--up-to and --top need texts"),
        (
            ["--chat", "messages.json", "--special", "parse"],
            2,
            "--special and --add-special-tokens need a text",
        ),
        (["text.txt", "--remote", "--offline"], 2, "which --offline forbids"),
        (["--chat", "messages.json", "--remote", "--template", "chatml"], 2, "not with --template"),
        (["text.txt", "--remote", "-m", "gpt-4o"], 4, "no endpoint that counts is known for gpt-4o"),
        (["text.txt", "--remote", "-m", "claude-opus-5"], 4, "needs a key, and ANTHROPIC_API_KEY is not set"),
        (["text.txt", "-m", "claude-2.1"], 3, "no tokenizer is published for claude-2.1"),
    ],
)
def test_what_cannot_be_counted_is_said(run: Run, arguments: list[str], code: int, said: str) -> None:
    ran = run("count", *arguments)
    assert (ran.code, ran.out) == (code, b"")
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("content", ["3", '"a"', "null", "[3]", '[{"role": "user"}]', "{}", "[" * 5_000])
def test_json_that_is_no_messages_is_an_error_with_its_place(run: Run, content: str) -> None:
    Path("odd.json").write_text(content, encoding="utf-8")
    for model in ("gpt-4o", "claude-opus-5", "qwen3"):
        ran = run("count", "--chat", "odd.json", "-m", model)
        assert ran.code == 4
        assert ran.err.startswith(("error[message]: ", "error[input]: "))


def test_the_endpoint_is_asked_and_its_errors_are_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    with count_server(refused(401, "authentication_error", "invalid x-api-key"), counted(14)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        ran = run("count", "--chat", "messages.json", "--remote", "-m", "claude-opus-4-7")
        assert ran.code == 4
        assert ran.err.startswith(
            "error[remote-count]: Anthropic's count_tokens refused with status 401: invalid x-api-key\n"
        )
        ran = run("count", "--chat", "messages.json", "--remote", "-m", "claude-opus-4-7")
    assert (ran.code, ran.text) == (0, "14\n")
    assert ran.err.startswith(
        "exact · Anthropic's count_tokens for claude-opus-4-7\ncounted by Anthropic's count_tokens on 20"
    )
    assert "sk-secret" not in ran.err
