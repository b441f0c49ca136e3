"""A stand-in for the providers' count endpoints: a server on this machine that replays answers and keeps what was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """An answer: status, body, headers, and how long it takes."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class CountServer:
    """The server's address, the answers that it still has, and what was asked."""

    url: str
    replies: list[Reply]
    asked: list[Asked]


def counted(n: int) -> Reply:
    """Anthropic's answer, in the form that its documentation shows."""
    return Reply(body=json.dumps({"input_tokens": n}).encode())


def counted_by_gemini(n: int) -> Reply:
    """Gemini's answer, in the form that its documentation shows."""
    details = [{"modality": "TEXT", "tokenCount": n}]
    return Reply(body=json.dumps({"totalTokens": n, "promptTokensDetails": details}).encode())


def refused(status: int, kind: str, message: str, **headers: str) -> Reply:
    """Anthropic's error, in the form that its documentation shows."""
    body = json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


@contextmanager
def count_server(*replies: Reply) -> Iterator[CountServer]:
    """Runs a server that gives these answers, one after the other, and the last one again and again."""
    state = CountServer("", list(replies), [])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.asked.append(Asked(self.path, headers, json.loads(body)))
            reply = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
            time.sleep(reply.delay_s)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *args: object) -> None:
            del args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
