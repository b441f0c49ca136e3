"""Counts by a provider's endpoint, against a stand-in on this machine: what is sent, asked again, kept, and never shown."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._chat.conversation import read_conversation
from piecework._chat.remote import remote_count, remote_count_async
from piecework._chat.remote.asking import Answer, Patience, judge
from piecework._chat.remote.endpoints import question
from piecework._chat.served.media import find_media
from piecework._chat.served.models import served_model
from tests.count_server import Reply, count_server, counted, counted_by_gemini, refused

KEY = "sk-ant-never-to-be-seen"
HELLO = [{"role": "user", "content": "Hello, Claude"}]
QUICK = Patience(max_attempts=3, first_delay_s=0.01, max_delay_s=0.05, timeout_s=0.3)


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "GOOGLE_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


def ask(
    messages: Any, model: str = "claude-opus-4-7", tools: Any = None, patience: Patience = QUICK
) -> pw.Count:
    served = served_model(model)
    assert served is not None
    return remote_count(read_conversation(messages, tools), find_media(messages), served, patience)


def test_claude_is_asked_as_its_endpoint_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(counted(14)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{server.url}/")
        messages = [{"role": "system", "content": "You are a scientist"}, *HELLO]
        found = pw.count(messages, model="claude-opus-4-7", remote=True)
    assert (found.n, found.basis, found.band, found.tokenizer) == (
        14,
        "exact",
        (14, 14),
        "Anthropic's count_tokens",
    )
    assert [(part.name, part.n_tokens) for part in found.parts] == [("request", 14)]
    (asked,) = server.asked
    assert asked.path == "/v1/messages/count_tokens"
    assert (asked.headers["x-api-key"], asked.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert asked.body == {
        "model": "claude-opus-4-7",
        "system": [{"type": "text", "text": "You are a scientist"}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello, Claude"}]}],
    }


def test_gemini_is_asked_as_its_endpoint_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(counted_by_gemini(10)) as server:
        monkeypatch.setenv("GEMINI_BASE_URL", server.url)
        found = pw.count(
            "The quick brown fox jumps over the lazy dog.", model="gemini-2.0-flash", remote=True
        )
    assert (found.n, found.basis, found.tokenizer) == (10, "exact", "Gemini's countTokens")
    (asked,) = server.asked
    assert asked.path == "/v1beta/models/gemini-2.0-flash:countTokens"
    assert asked.headers["x-goog-api-key"] == KEY
    assert KEY not in asked.path
    request = asked.body["generateContentRequest"]
    assert request["model"] == "models/gemini-2.0-flash"
    assert request["contents"] == [
        {"role": "user", "parts": [{"text": "The quick brown fox jumps over the lazy dog."}]}
    ]


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA}}]
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(16)).decode()
TURNS = [
    {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"city": "Rome"}'}},
            {"id": "b", "type": "function", "function": {"name": "look", "arguments": {}}},
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "sun"},
    {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "rain"}]},
    {"role": "assistant", "content": "Sun and rain."},
]  # fmt: skip


def test_calls_results_pictures_and_tools_for_claude(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(counted(99)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        ask(TURNS, tools=TOOLS)
    body = server.asked[0].body
    assert body["tools"] == [{"name": "look", "description": "Looks.", "input_schema": SCHEMA}]
    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "See"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "look", "input": {"city": "Rome"}},
                {"type": "tool_use", "id": "b", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "sun"}]},
                {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "rain"}]},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Sun and rain."}]},
    ]


def test_calls_results_pictures_and_tools_for_gemini(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(counted_by_gemini(99)) as server:
        monkeypatch.setenv("GEMINI_BASE_URL", server.url)
        ask([{"role": "system", "content": "Be brief."}, *TURNS], model="gemini-2.5-pro", tools=TOOLS)
    request = server.asked[0].body["generateContentRequest"]
    assert request["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert request["tools"] == [
        {"functionDeclarations": [{"name": "look", "description": "Looks.", "parametersJsonSchema": SCHEMA}]}
    ]
    assert request["contents"] == [
        {"role": "user", "parts": [{"text": "See"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {"functionCall": {"name": "look", "args": {"city": "Rome"}}},
                {"functionCall": {"name": "look", "args": {}}},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"result": "sun"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"result": "rain"}}}]},
        {"role": "model", "parts": [{"text": "Sun and rain."}]},
    ]


@pytest.mark.parametrize(
    "messages",
    [
        [*HELLO, {"role": "system", "content": "late"}],
        [
            {
                "role": "user",
                "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}],
            }
        ],
        [{"role": "user", "content": [{"type": "image"}]}],
        [
            *HELLO,
            {
                "role": "assistant",
                "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "no JSON"}}],
            },
        ],
    ],
    ids=["late system", "sound", "no data", "no object"],
)
def test_what_has_no_place_in_the_request_is_refused_before_anything_is_sent(
    messages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with count_server(counted(1)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(pw.MessageError):
            ask(messages)
    assert server.asked == []


# --- asking again -----------------------------------------------------------------------------------------------------------

BUSY = refused(429, "rate_limit_error", "Number of requests has exceeded your rate limit", retry_after="0")


@pytest.mark.parametrize(
    "first",
    [
        BUSY,
        refused(500, "api_error", "Internal server error"),
        refused(529, "overloaded_error", "Overloaded"),
        Reply(502, b"<html>Bad gateway</html>"),
    ],
    ids=["429", "500", "529", "502"],
)
def test_what_passes_is_asked_again(first: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(first, counted(14)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert ask(HELLO).n == 14
    assert len(server.asked) == 2
    assert server.asked[0].body == server.asked[1].body


def test_an_answer_that_takes_too_long_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(Reply(delay_s=1.0), counted(14)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert ask(HELLO).n == 14


def test_it_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(BUSY) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(
            pw.RemoteCountError, match="did not answer in 3 attempts with status 429"
        ) as caught:
            ask(HELLO)
    assert (caught.value.provider, caught.value.status) == ("anthropic", 429)
    assert len(server.asked) == 3


def test_nobody_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    with pytest.raises(pw.RemoteCountError, match="did not answer in 3 attempts") as caught:
        ask(HELLO)
    assert caught.value.status is None


@pytest.mark.parametrize(
    ("reply", "status", "said"),
    [
        (refused(401, "authentication_error", "invalid x-api-key"), 401, "invalid x-api-key"),
        (
            refused(400, "invalid_request_error", "messages: at least one message is required"),
            400,
            "at least one message",
        ),
        (refused(404, "not_found_error", "model: claude-opus-4-7"), 404, "model: claude-opus-4-7"),
        (Reply(302, headers={"location": "http://127.0.0.1:1/"}), 302, "refused"),
    ],
    ids=["401", "400", "404", "redirect"],
)
def test_what_does_not_pass_is_asked_once(
    reply: Reply, status: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with count_server(reply) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(pw.RemoteCountError, match=said) as caught:
            ask(HELLO)
    assert caught.value.status == status
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"input_tokens": "14"}', b'{"input_tokens": -1}', b'{"input_tokens": true}', b'{"input_tokens": 1.5}', b'{"input_tokens": ' + b"9" * 4000 + b"}", b"\xff\xfe", b"[" * 100_000, b"{" + b" " * 2_000_000],
    ids=lambda body: repr(body[:16]),
)  # fmt: skip
def test_an_answer_without_a_count_is_an_error(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(Reply(body=body)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(
            pw.RemoteCountError, match=r"count_tokens (answered without a count|did not answer)"
        ):
            ask(HELLO)


@pytest.mark.parametrize(
    ("retry_after", "attempt", "seconds"),
    [(None, 1, 0.5), (None, 2, 1.0), (None, 3, 2.0), ("7", 1, 7.0), ("0", 3, 2.0), ("soon", 1, 0.5), ("nan", 1, 0.5), ("-3", 1, 0.5), ("Thu, 01 Jan 1970 00:00:00 GMT", 1, 0.5)],
)  # fmt: skip
def test_how_long_to_wait(retry_after: str | None, attempt: int, seconds: float) -> None:
    asked = question(served_model("claude-opus-5"), {}, {"ANTHROPIC_API_KEY": KEY})  # type: ignore[arg-type]
    assert judge(asked, Answer(429, b"", retry_after), attempt, Patience()) == seconds


def test_a_server_that_asks_for_too_much_time_is_not_asked_again() -> None:
    asked = question(served_model("claude-opus-5"), {}, {"ANTHROPIC_API_KEY": KEY})  # type: ignore[arg-type]
    with pytest.raises(pw.RemoteCountError, match="asks to wait 3,600 s"):
        judge(asked, Answer(429, b"", "3600"), 1, Patience())


# --- keys -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "variable"),
    [("claude-opus-4-7", "ANTHROPIC_API_KEY"), ("gemini-2.5-pro", "GEMINI_API_KEY or GOOGLE_API_KEY")],
)
def test_a_key_that_is_missing(model: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("GEMINI_API_KEY", "  ")
    with pytest.raises(pw.RemoteCountError, match=f"needs a key, and {variable} is not set"):
        pw.count(HELLO, model=model, remote=True)


def test_the_other_variables_of_gemini(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    monkeypatch.setenv("GOOGLE_API_KEY", f"{KEY}\n")
    with count_server(counted_by_gemini(3)) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        assert ask(HELLO, model="gemini-2.5-pro").n == 3
    assert server.asked[0].headers["x-goog-api-key"] == KEY


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "\x7f"])
def test_a_key_that_is_none_is_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(pw.RemoteCountError, match="has characters that no key has") as caught:
        ask(HELLO)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "base",
    [
        "api.anthropic.com",
        "file:///etc/passwd",
        "http://",
        "http://a:99999999",
        "ftp://x",
        "http://a\r\nb: c",
        "http://a b",
    ],
)
def test_a_base_that_is_no_address(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", base)
    with pytest.raises(pw.RemoteCountError, match="is no address of a server"):
        ask(HELLO)


def test_a_password_in_an_address_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "ftp://user:secret@a.example")
    with pytest.raises(pw.RemoteCountError, match=r"no address of a server: ftp://\*\*\*@a\.example$"):
        ask(HELLO)


@pytest.mark.parametrize("n_before", [200 - len(KEY) + 1, 190, 199])
@pytest.mark.parametrize("as_json", [True, False])
def test_the_beginning_of_a_key_is_in_no_message_either(
    n_before: int, as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "x" * n_before + KEY
    reply = refused(401, "authentication_error", words) if as_json else Reply(401, words.encode())
    with count_server(reply) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(pw.RemoteCountError) as caught:
            ask(HELLO)
    assert KEY[:4] not in str(caught.value)


def test_a_key_behind_much_white_space_is_not_cut_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(Reply(401, b" " * 1590 + KEY.encode())) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(pw.RemoteCountError) as caught:
            ask(HELLO)
    assert KEY[:4] not in str(caught.value)


def test_the_key_is_in_no_message_log_repr_or_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = question(served_model("claude-opus-5"), {}, {"ANTHROPIC_API_KEY": KEY})  # type: ignore[arg-type]
    assert KEY not in repr(asked)
    echo = refused(400, "invalid_request_error", f"the key {KEY} is odd\x1b[31m")
    with count_server(echo, counted(14)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(pw.RemoteCountError, match=r"the key \*\*\* is odd") as caught:
            ask(HELLO)
        assert ask(HELLO).n == 14
    assert "\x1b" not in str(caught.value)
    assert KEY not in f"{caught.value!r} {caught.value.to_dict()} {caplog.text}"
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(kept) == 1
    assert KEY not in kept[0].read_text() + str(kept[0])


# --- keeping ----------------------------------------------------------------------------------------------------------------


def test_the_same_question_is_asked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with count_server(counted(14), counted(15)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        first = ask(HELLO)
        assert ask(json.loads(json.dumps(HELLO))) == first
        assert ask([{"content": "Hello, Claude", "role": "user"}]) == first
        assert len(server.asked) == 1
        assert ask([{"role": "user", "content": "Hello, Claude!"}]).n == 15
        assert ask(HELLO, model="claude-opus-4-6").n == 15
        assert len(server.asked) == 3
    assert not list((tmp_path / "cache").rglob(".*")), "no half-written file is left"


@pytest.mark.parametrize(
    "damage", [b"", b"{", b'{"n_tokens": -5, "date": "x"}', b'{"n_tokens": "14"}', b"[]", b"\xff"]
)
def test_a_kept_count_that_is_damaged_is_asked_for_again(
    damage: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with count_server(counted(14)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        ask(HELLO)
        (kept,) = (tmp_path / "cache").rglob("*.json")
        kept.write_bytes(damage)
        assert ask(HELLO).n == 14
    assert len(server.asked) == 2
    assert json.loads(kept.read_text())["n_tokens"] == 14


def test_a_cache_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with count_server(counted(14)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert ask(HELLO).n == ask(HELLO).n == 14
    assert len(server.asked) == 2


# --- without blocking -------------------------------------------------------------------------------------------------------


def test_async_asks_as_sync_does_and_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    served = served_model("claude-opus-4-7")
    assert served is not None

    async def both() -> tuple[int, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        found = await remote_count_async(read_conversation(HELLO), (), served, QUICK._replace(timeout_s=5))
        ticking.cancel()
        return found.n, ticks

    slow = Reply(200, b'{"input_tokens": 14}', delay_s=0.3)
    with count_server(BUSY, slow) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        n, ticks = asyncio.run(both())
    assert (n, len(server.asked)) == (14, 2)
    assert ticks >= 5
    assert server.asked[0].body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Hello, Claude"}]}
    ]


def test_async_errors_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with count_server(refused(401, "authentication_error", "invalid x-api-key")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(pw.RemoteCountError, match="invalid x-api-key"):
            asyncio.run(pw.count_async(HELLO, model="claude-opus-4-7", remote=True))


def test_async_counts_here_what_is_counted_here() -> None:
    async def several() -> tuple[pw.Count, pw.Count, pw.Count]:
        return await asyncio.gather(
            pw.count_async("Hello, world!", model="gpt-4o"),
            pw.count_async(HELLO, model="gpt-4o"),
            pw.count_async("Hello, world!", model="claude-opus-4-7"),
        )

    found = asyncio.run(several())
    assert [count.basis for count in found] == ["exact", "calibrated", "estimate"]
    assert found[0] == pw.count("Hello, world!", model="gpt-4o")


def test_a_model_without_an_endpoint() -> None:
    for model in ("gpt-4o", pw.load("qwen3"), "zz-unknown-9"):
        with pytest.raises(pw.RemoteCountError, match="no endpoint that counts is known"):
            pw.count(HELLO, model=model, remote=True)


def test_nothing_is_imported_or_asked_unless_the_caller_says_so() -> None:
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    code = (
        "import sys, piecework as pw\n"
        "pw.count('hi', model='gpt-4o'); pw.count('hi', model='claude-opus-4-7')\n"
        "pw.count([{'role': 'user', 'content': 'hi'}], model='gpt-4o')\n"
        "print([name for name in sys.modules if name.startswith(('httpx', 'ssl', 'piecework._chat.remote'))])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )
