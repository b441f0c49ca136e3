"""A stand-in for the Hugging Face hub on this machine: one repository, served as the hub serves it."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["COMMIT", "FakeHub", "fake_hub"]

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class FakeHub:
    """What is served, and what was asked.

    Attributes:
        repository: The repository's name.
        files: Its files.
        gated: Whether it asks for a login.
        endpoint: The server's address.
        asked: The method and path of each request.
        broken: Names of files that are cut short on their way.
    """

    repository: str
    files: dict[str, bytes]
    gated: bool = False
    endpoint: str = ""
    asked: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """The status, the headers and the body for a path."""
        if not path.startswith((f"/api/models/{self.repository}", f"/{self.repository}/")):
            return 404, {"X-Error-Code": "RepoNotFound"}, b""
        if self.gated:
            return 403, {"X-Error-Code": "GatedRepo"}, b""
        if path.startswith("/api/"):
            return self._info(path.rpartition("/revision/")[2])
        name = path.partition(f"/resolve/{COMMIT}/")[2]
        if name not in self.files:
            return 404, {"X-Error-Code": "EntryNotFound"}, b""
        data = self.files[name]
        return 200, {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": COMMIT}, data

    def _info(self, revision: str) -> tuple[int, dict[str, str], bytes]:
        if revision not in {"main", "v1", COMMIT}:
            return 404, {"X-Error-Code": "RevisionNotFound"}, b""
        siblings = [{"rfilename": name, "size": len(data)} for name, data in self.files.items()]
        value = {"id": self.repository, "modelId": self.repository, "sha": COMMIT, "siblings": siblings}
        return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


@contextmanager
def fake_hub(repository: str, files: dict[str, bytes], *, gated: bool = False) -> Iterator[FakeHub]:
    """Serves a repository until the block ends."""
    hub = FakeHub(repository, files, gated)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            pass

        def _answer(self, *, with_body: bool) -> None:
            path = self.path.partition("?")[0]
            hub.asked.append(f"{self.command} {path}")
            status, headers, body = hub.answer(path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if with_body:
                self.wfile.write(body[: len(body) // 2] if path.rpartition("/")[2] in hub.broken else body)

    return Handler
