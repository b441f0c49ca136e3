"""The fetcher: what it refuses, what it never leaves behind, and how it fails, with a made-up registry."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools import fixtures
from tools.fetch import __main__ as fetcher
from tools.fetch import packages, store, table
from tools.fetch.packages import FixtureError
from tools.fetch.recipes import RECIPES
from tools.fetch.table import Package, Table, read_table

FILES = {"package/data/one.txt": b"one\n", "package/data/two.txt": b"two\n", "package/package.json": b"{}"}


def tarball(files: dict[str, bytes]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(raw.getvalue(), mtime=0)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Registry:
    """Packages by name, and how often each was asked for."""

    def __init__(self) -> None:
        self.archives: dict[str, bytes] = {}
        self.asked: list[str] = []

    def add(self, name: str, files: dict[str, bytes]) -> None:
        self.archives[name] = tarball(files)

    def download(self, package: Package, folder: Path) -> Path:
        self.asked.append(package.name)
        if package.name not in self.archives:
            raise FixtureError(package.label, "404 Not Found")
        target = folder / "archive.tgz"
        target.write_bytes(self.archives[package.name])
        return target


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    made = Registry()
    made.add("plain", FILES)
    monkeypatch.setattr(store, "download", made.download)
    monkeypatch.setattr(fetcher, "missing_clients", lambda _: [])
    return made


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PIECEWORK_FIXTURES", str(folder))
    return folder


@pytest.fixture
def rows(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A table of the test's own, and an empty cache; `write` sets the table's text."""
    assert not cache.exists()
    path = tmp_path / "fixtures.toml"

    def write(text: str) -> None:
        path.write_text(text, encoding="utf-8")
        monkeypatch.setattr(fetcher, "read_table", lambda: read_table(path))
        monkeypatch.setattr(fixtures, "read_table", lambda: read_table(path))
        fixtures._table.cache_clear()

    yield SimpleNamespace(write=write, path=path)
    fixtures._table.cache_clear()


def package_row(name: str, archive: bytes, files: dict[str, bytes], group: str = "tokenizers") -> str:
    lines = [
        f'{{ name = "{name}/{Path(path).name}", path = "{path}", bytes = {len(data)}, sha256 = "{sha256(data)}" }},'
        for path, data in files.items()
    ]
    return f"""
[[package]]
kind = "npm"
name = "{name}"
version = "1.0.0"
group = "{group}"
bytes = {len(archive)}
sha256 = "{sha256(archive)}"
files = [
{chr(10).join(lines)}
]
"""


def plain_row(registry: Registry, **changed: bytes) -> str:
    files = {
        "data/one.txt": FILES["package/data/one.txt"],
        "data/two.txt": FILES["package/data/two.txt"],
        **changed,
    }
    return package_row("plain", registry.archives["plain"], files)


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "lock")


def test_files_come_once_and_are_found_by_name(
    registry: Registry, cache: Path, rows: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    rows.write(plain_row(registry))
    with pytest.raises(fixtures.MissingFixtureError, match="run `make fixtures`"):
        fixtures.fixture("plain/one.txt")
    assert fetcher.main([]) == 0
    assert fixtures.fixture("plain/one.txt").read_bytes() == b"one\n"
    assert fixtures.fixture("plain/one.txt").parent == fixtures.fixture("plain/two.txt").parent
    assert files_in(cache) == ["one.txt", "two.txt"]
    assert fetcher.main([]) == 0
    assert registry.asked == ["plain"]
    assert "all there" in capsys.readouterr().out


def test_a_file_that_is_gone_or_cut_comes_again(registry: Registry, rows: SimpleNamespace) -> None:
    rows.write(plain_row(registry))
    assert fetcher.main([]) == 0
    fixtures.fixture("plain/one.txt").write_bytes(b"on")
    fixtures.fixture("plain/two.txt").unlink()
    assert fetcher.main([]) == 0
    assert registry.asked == ["plain", "plain"]
    assert fixtures.fixture("plain/one.txt").read_bytes() == b"one\n"
    assert fixtures.fixture("plain/two.txt").read_bytes() == b"two\n"


def test_what_a_killed_fetch_left_is_cleared(registry: Registry, cache: Path, rows: SimpleNamespace) -> None:
    rows.write(plain_row(registry))
    (cache / "partial" / "tmp123").mkdir(parents=True)
    (cache / "partial" / "tmp123" / "half.tgz").write_bytes(b"half")
    assert fetcher.main([]) == 0
    assert files_in(cache) == ["one.txt", "two.txt"]


def test_another_archive_than_the_pinned_one_is_refused(
    registry: Registry, cache: Path, rows: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    rows.write(plain_row(registry))
    registry.add("plain", {**FILES, "package/more.txt": b"x"})
    assert fetcher.main([]) == 1
    error = capsys.readouterr().err
    assert "FAILED npm plain@1.0.0: pinned bytes" in error
    assert sha256(registry.archives["plain"]) in error
    assert files_in(cache) == []


def test_another_file_than_the_pinned_one_is_refused(
    registry: Registry, rows: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    rows.write(plain_row(registry, **{"data/two.txt": b"TWO\n"}))
    assert fetcher.main([]) == 1
    assert "npm plain@1.0.0: data/two.txt: pinned" in capsys.readouterr().err
    with pytest.raises(fixtures.MissingFixtureError):
        fixtures.fixture("plain/two.txt")
    # What was downloaded is kept, so that the next run need not fetch it.
    assert fetcher.main([]) == 1
    assert registry.asked == ["plain"]


def test_one_failure_names_its_package_and_stops_no_other(
    registry: Registry, rows: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    rows.write(package_row("absent", b"", {"a.txt": b""}) + plain_row(registry))
    assert fetcher.main([]) == 1
    assert "FAILED npm absent@1.0.0: 404 Not Found" in capsys.readouterr().err
    assert fixtures.fixture("plain/one.txt").is_file()
    registry.add("absent", {"package/a.txt": b""})
    rows.write(package_row("absent", registry.archives["absent"], {"a.txt": b""}) + plain_row(registry))
    assert fetcher.main([]) == 0
    assert registry.asked.count("plain") == 1


def test_a_group_is_fetched_alone(registry: Registry, rows: SimpleNamespace) -> None:
    registry.add("other", {"package/a.txt": b"a"})
    other = package_row("other", registry.archives["other"], {"a.txt": b"a"}, group="more")
    rows.write(plain_row(registry) + other)
    assert fetcher.main(["--only", "more"]) == 0
    assert registry.asked == ["other"]


def test_what_benchmarks_alone_read_is_fetched_only_when_it_is_asked_for(
    registry: Registry, rows: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RECIPES, "words", lambda archives: {"a": archives["large"].read("a.txt").decode()})
    registry.add("large", {"package/a.txt": b"a"})
    large = package_row("large", registry.archives["large"], {}, group="bench")
    index = f"a\t1\t{sha256(b'a')}\n"
    text = text_row(1, sha256(index.encode())).replace('"plain"', '"large"') + 'group = "bench"\n'
    rows.write(plain_row(registry) + large + text)
    assert fetcher.main([]) == 0
    assert registry.asked == ["plain"]
    assert fixtures.text_sets() == []
    with pytest.raises(fixtures.MissingFixtureError, match="run `make bench`"):
        fixtures.text_set("words")
    assert fetcher.main(["--only", "bench"]) == 0
    assert registry.asked == ["plain", "large"]
    assert [file.name for file in fixtures.text_set("words")] == ["a"]


def test_the_list_fetches_nothing(
    registry: Registry, cache: Path, rows: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    rows.write(plain_row(registry))
    assert fetcher.main(["--list"]) == 0
    out = capsys.readouterr().out
    assert "npm plain@1.0.0" in out
    assert "missing" in out
    assert registry.asked == []
    assert files_in(cache) == []


def test_a_missing_client_is_one_line_up_front(
    rows: SimpleNamespace,
    registry: Registry,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows.write(plain_row(registry))
    monkeypatch.setattr(fetcher, "missing_clients", packages.missing_clients)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert fetcher.main([]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "npm is missing: install Node.js" in line
    assert registry.asked == []


def text_row(bytes_: int, index_sha256: str) -> str:
    return f"""
[[text]]
name = "words"
recipe = "words"
packages = ["plain"]
bytes = {bytes_}
sha256 = "{index_sha256}"
"""


def test_texts_are_made_whole_or_not_at_all(
    registry: Registry,
    cache: Path,
    rows: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(
        RECIPES,
        "words",
        lambda archives: {
            name[5:-4]: archives["plain"].read(name).decode()
            for name in archives["plain"].names()
            if name.endswith(".txt")
        },
    )
    index = f"one\t4\t{sha256(b'one' + bytes([10]))}\ntwo\t4\t{sha256(b'two' + bytes([10]))}\n"
    rows.write(package_row("plain", registry.archives["plain"], {}) + text_row(8, "0" * 64))
    assert fetcher.main([]) == 1
    assert sha256(index.encode()) in capsys.readouterr().err
    assert not (cache / "text").exists()
    with pytest.raises(fixtures.MissingFixtureError, match="run `make fixtures`"):
        fixtures.text_set("words")
    rows.write(package_row("plain", registry.archives["plain"], {}) + text_row(8, sha256(index.encode())))
    assert fetcher.main([]) == 0
    assert [(file.name, file.bytes) for file in fixtures.text_set("words")] == [("one", 4), ("two", 4)]
    assert fixtures.text_file("words", "two").path.read_text(encoding="utf-8") == "two\n"
    assert registry.asked == ["plain"]
    assert not list((cache / "archives").rglob("plain*"))


@pytest.mark.parametrize("kind", ["npm", "sdist"])
def test_tarballs_are_read_without_their_top_folder(kind: table.Kind, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.write_bytes(tarball(FILES))
    package = Package(kind, "plain", "1", "g", 0, "", ())
    with store.Archive(package, path) as archive:
        assert archive.names() == ["data/one.txt", "data/two.txt", "package.json"]
        assert archive.read("data/two.txt") == b"two\n"
        with pytest.raises(FixtureError, match=r"has no file data/three\.txt"):
            archive.read("data/three.txt")


def test_wheels_are_read_with_their_folders(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("plain/one.txt", "one")
    with store.Archive(Package("wheel", "plain", "1", "g", 0, "", ()), path) as archive:
        assert archive.names() == ["plain/one.txt"]
        assert archive.read("plain/one.txt") == b"one"
        with pytest.raises(FixtureError):
            archive.read("one.txt")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[[package]]\nkind = "npm"\n', "missing"),
        (
            '[[package]]\nkind="cargo"\nname="a"\nversion="1"\ngroup="g"\nbytes=1\nsha256=""\n',
            "npm, wheel or sdist",
        ),
        ('[[package]]\nkind="npm"\nname="a"\nversion="1"\ngroup="g"\nbytes=1\nsha256=""\nextra=1\n', "extra"),
        (
            '[[package]]\nkind="npm"\nname="a"\nversion="1"\ngroup="g"\nbytes=1\nsha256=""\n' * 2,
            "named twice: a",
        ),
        ('[[text]]\nname="t"\nrecipe="r"\npackages=["b"]\nbytes=1\nsha256=""\n', "text t: no package b"),
    ],
)
def test_a_wrong_table_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "fixtures.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=reason):
        read_table(path)


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PIECEWORK_FIXTURES", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store.cache_folder() == tmp_path / "xdg" / "piecework" / "fixtures"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store.cache_folder() == tmp_path / ".cache" / "piecework" / "fixtures"
    monkeypatch.setenv("PIECEWORK_FIXTURES", str(tmp_path / "mine"))
    assert store.cache_folder() == tmp_path / "mine"


def test_commands_name_packages_and_no_registry() -> None:
    commands = [packages._command(package, Path("out")) for package in read_table().packages]
    assert {command[0] for command in commands if "pack" in command} == {shutil.which("npm")}
    assert all(command[0] == sys.executable for command in commands if "pack" not in command)
    assert [part for command in commands for part in command if "://" in part or "index-url" in part] == []


def test_the_table_is_a_table_of_pins() -> None:
    whole: Table = read_table()
    pins = [package.sha256 for package in whole.packages] + [text.sha256 for text in whole.texts]
    pins += [file.sha256 for package in whole.packages for file in package.files]
    assert all(len(pin) == 64 and set(pin) <= set("0123456789abcdef") for pin in pins)


def test_text_is_as_much_as_the_tests_need() -> None:
    sizes = {name: sum(file.bytes for file in fixtures.text_set(name)) for name in fixtures.text_sets()}
    assert sizes["english"] >= 30_000_000
    assert sizes["code"] >= 25_000_000
    languages = fixtures.text_set("languages")
    assert len([file for file in languages if file.bytes >= 100_000]) >= 80
    assert sizes["languages"] >= 30_000_000
    assert len(fixtures.text_set("udhr")) >= 400


@pytest.mark.parametrize(
    ("language", "first", "last"),
    [
        ("th", 0x0E00, 0x0E7F),
        ("el", 0x0370, 0x1FFF),
        ("ru", 0x0400, 0x04FF),
        ("hi", 0x0900, 0x097F),
        ("ar", 0x0600, 0x08FF),
        ("ka", 0x10A0, 0x10FF),
    ],
)
def test_text_is_in_its_language(language: str, first: int, last: int) -> None:
    text = fixtures.text_file("languages", language).path.read_text(encoding="utf-8")
    letters = [char for char in text if char.isalpha()]
    assert sum(first <= ord(char) <= last for char in letters) > 0.85 * len(letters)


def test_text_of_a_language_is_not_the_english_original() -> None:
    for language in ("de", "fr", "pl", "vi", "sw"):
        lines = fixtures.text_file("languages", language).path.read_text(encoding="utf-8").splitlines()
        assert len(set(lines)) == len(lines)
        common = {"the", "and", "of", "this", "with"}
        n_english = sum(len(common & set(line.lower().split())) >= 2 for line in lines)
        assert n_english < 0.01 * len(lines)


def test_a_path_may_name_a_c_array(tmp_path: Path) -> None:
    source = b"static const unsigned char other_c[] = {\n 0x00, };\nstatic const unsigned char data_c[] = {\n 0x7b,\n 0x7d\n};\n"
    archive = tmp_path / "archive.tgz"
    archive.write_bytes(tarball({"package/data.hpp": source}))
    package = Package("npm", "made", "1.0.0", "tokenizers", 0, "0" * 64, ())
    with store.Archive(package, archive) as opened:
        assert opened.read("data.hpp#data_c") == b"{}"
        with pytest.raises(FixtureError, match="has no array missing"):
            opened.read("data.hpp#missing")
