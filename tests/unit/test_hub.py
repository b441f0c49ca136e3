"""The hub's cache is only read by `load`; `models add` is the only download, and fetches tokenizer files only."""

from __future__ import annotations

import hashlib
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import piecework as pw
from piecework._files import hub_cache
from piecework._files.hub_cache import parse_hub_name
from piecework._files.hub_fetch import Plan, fetch_tokenizer
from tests.fake_hub import COMMIT, FakeHub, fake_hub
from tests.made_files import small_byte_level

FILES = {
    "tokenizer.json": small_byte_level(),
    "tokenizer_config.json": b'{"eos_token": "<|end|>"}',
    "model.safetensors": b"w" * 5000,
    "README.md": b"# words\n",
    "onnx/tokenizer.json": b"{}",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub."""
    for name in ("HUGGINGFACE_HUB_CACHE", "HF_HOME", "HF_HUB_OFFLINE", "HF_ENDPOINT", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A hub with one repository."""
    with fake_hub("acme/words", dict(FILES)) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
        yield served


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails whoever opens a connection."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def put(cache: Path, commit: str, *revisions: str) -> Path:
    folder = cache / "models--acme--words" / "snapshots" / commit
    folder.mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes(FILES[name])
    for revision in revisions:
        reference = cache / "models--acme--words" / "refs" / revision
        reference.parent.mkdir(parents=True, exist_ok=True)
        reference.write_text(commit, encoding="ascii")
    return folder


@pytest.mark.usefixtures("no_network")
def test_what_is_cached_loads_by_its_name(cache: Path) -> None:
    folder = put(cache, COMMIT, "main", "refs/pr/1")
    expected = pw.load(folder)
    for name in (
        "acme/words",
        "acme/words@main",
        f"acme/words@{COMMIT}",
        f"acme/words@{COMMIT[:8]}",
        "acme/words@refs/pr/1",
    ):
        assert pw.load(name) == expected
    assert pw.load("acme/words").name == "acme/words"
    assert pw.load("acme/words").info().source == "hub"


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["acme/words", "acme/words@v9", "acme/other", f"acme/words@{'f' * 40}"])
def test_what_is_not_cached_names_the_command_that_fetches_it(cache: Path, name: str) -> None:
    put(cache, COMMIT)
    with pytest.raises(pw.UnknownTokenizerError) as raised:
        pw.load(name)
    assert f"`piecework models add {name}`" in str(raised.value)


def test_the_cache_is_where_the_variables_say() -> None:
    for environment, expected in (
        ({"HF_HUB_CACHE": "/a", "HF_HOME": "/b"}, "/a"),
        ({"HUGGINGFACE_HUB_CACHE": "/c", "HF_HOME": "/b"}, "/c"),
        ({"HF_HOME": "/b"}, "/b/hub"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub"),
        ({}, str(Path("~/.cache/huggingface/hub").expanduser())),
    ):
        assert str(hub_cache.cache_folder(environment)) == expected


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o",
        "../b",
        "a/..",
        "a/b/c",
        "a/b@../c",
        "a/b@",
        "/a/b",
        "a--b/c",
        "a/b@x y",
        "a/" + "b" * 99,
        "a\0/b",
        "~/a",
        "./a/b",
    ],
)
def test_what_no_repository_can_be_called_is_none(name: str) -> None:
    assert parse_hub_name(name) is None


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    "name", ["./acme/words", "/acme/words", "acme/words.json", "~/acme/words", ".acme/words"]
)
def test_a_path_is_never_looked_for_in_the_cache(cache: Path, name: str) -> None:
    put(cache, COMMIT, "main")
    with pytest.raises(pw.LoadError) as raised:
        pw.load(name)
    assert not isinstance(raised.value, pw.UnknownTokenizerError)


def test_a_reference_that_leads_elsewhere_is_refused(cache: Path, tmp_path: Path) -> None:
    folder = put(cache, COMMIT, "main")
    (cache / "models--acme--words" / "refs" / "main").write_text("../../../secret", encoding="ascii")
    (tmp_path / "secret").mkdir()
    with pytest.raises(pw.LoadError, match="names no commit"):
        pw.load("acme/words")
    assert folder.is_dir()


def test_add_fetches_the_tokenizer_and_nothing_else(cache: Path, hub: FakeHub) -> None:
    plans: list[Plan] = []
    fetched = fetch_tokenizer("acme/words", offline=False, announce=plans.append)
    assert [file.name for file in fetched.files] == ["tokenizer.json", "tokenizer_config.json"]
    assert plans == [fetched.plan]
    assert plans[0].commit == COMMIT
    assert plans[0].n_bytes == sum(len(FILES[file.name]) for file in fetched.files)
    assert fetched.files[1].sha256 == hashlib.sha256(FILES["tokenizer_config.json"]).hexdigest()
    assert not any("safetensors" in asked or "README" in asked for asked in hub.asked)
    assert not list(cache.rglob("*.safetensors"))
    n_asked = len(hub.asked)
    assert pw.load("acme/words").ids("<|end|>", special="parse") == pw.load(fetched.folder).ids(
        "<|end|>", special="parse"
    )
    assert pw.load(f"acme/words@{COMMIT}") == pw.load("acme/words@main")
    assert len(hub.asked) == n_asked


def test_a_revision_is_added_under_its_own_name(hub: FakeHub) -> None:
    fetch_tokenizer("acme/words@v1", offline=False, announce=lambda _: None)
    assert hub.asked[0].endswith("/revision/v1")
    assert pw.load("acme/words@v1").info().source == "hub"
    with pytest.raises(pw.UnknownTokenizerError):
        pw.load("acme/words")


def test_a_download_that_breaks_off_leaves_no_revision(cache: Path, hub: FakeHub) -> None:
    hub.broken = {"tokenizer_config.json"}
    with pytest.raises(pw.FetchError, match="acme/words cannot be fetched"):
        fetch_tokenizer("acme/words", offline=False, announce=lambda _: None)
    with pytest.raises(pw.UnknownTokenizerError):
        pw.load("acme/words")
    assert not (cache / "models--acme--words" / "refs" / "main").exists()


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("acme/other", "no such repository"),
        ("acme/words@v9", "no such revision"),
        ("gpt-4o", "is no repository's name"),
        ("../words", "is no repository's name"),
    ],
)
@pytest.mark.usefixtures("hub")
def test_what_cannot_be_fetched_says_why(name: str, match: str) -> None:
    with pytest.raises(pw.FetchError, match=match):
        fetch_tokenizer(name, offline=False, announce=lambda _: None)


def test_a_repository_without_a_tokenizer_says_what_it_has(hub: FakeHub) -> None:
    hub.files = {"model.gguf": b"GGUF", "config.json": b"{}"}
    with pytest.raises(pw.FetchError, match=r"has no tokenizer .* it has config\.json, model\.gguf"):
        fetch_tokenizer("acme/words", offline=False, announce=lambda _: None)


def test_a_gated_repository_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_hub("acme/words", dict(FILES), gated=True) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
        with pytest.raises(pw.FetchError, match="asks for consent"):
            fetch_tokenizer("acme/words", offline=False, announce=lambda _: None)


@pytest.mark.usefixtures("no_network")
def test_offline_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pw.FetchError, match="not to be asked"):
        fetch_tokenizer("acme/words", offline=True, announce=lambda _: None)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(pw.FetchError, match="not to be asked"):
        fetch_tokenizer("acme/words", offline=False, announce=lambda _: None)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(pw.MissingExtraError, match=r"piecework\[hub\]"):
        fetch_tokenizer("acme/words", offline=False, announce=lambda _: None)


def test_the_small_tokenizer_is_one() -> None:
    assert json.loads(FILES["tokenizer.json"])["model"]["type"] == "BPE"
