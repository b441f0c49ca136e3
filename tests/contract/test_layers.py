"""The layer script finds what it is for, on small bad examples, and finds nothing in this project."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import check_layers

LIB = """\
// Layer 0: words.
pub mod error;
// Layer 1: tables.
pub mod unicode;
pub(crate) mod vocab;
// Layer 2: stages.
pub mod model;
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that obeys every rule."""
    write(tmp_path, "lib.rs", LIB)
    write(tmp_path, "error.rs", "pub struct Error;\n")
    write(tmp_path, "unicode/mod.rs", "use crate::error::Error;\n")
    write(
        tmp_path,
        "vocab.rs",
        "use crate::{error::Error, unicode::{class, model}};\n#[cfg(test)]\nmod tests { use super::*; }\n",
    )
    write(tmp_path, "model/mod.rs", "//! See [`crate::model::bpe`].\npub mod bpe;\n")
    write(tmp_path, "model/bpe.rs", 'use super::super::vocab::Vocab;\nlet text = "crate::nothing unsafe";\n')
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    path = root / check_layers.CORE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def findings(root: Path) -> list[str]:
    return [
        *check_layers.check_layers(root),
        *check_layers.check_unsafe(root),
        *check_layers.check_sizes(root),
    ]


def test_clean_project_has_no_finding(project: Path) -> None:
    assert findings(project) == []
    assert check_layers.read_layers(project) == {"error": 0, "unicode": 1, "vocab": 1, "model": 2}


@pytest.mark.parametrize(
    "use",
    [
        "use crate::model::Bpe;",
        "fn f() { crate::model::run(); }",
        "use crate::{\n    error::Error,\n    model::{self, Bpe},\n};",
        "use super::model::Bpe;",
        "use super::super::model::Bpe;",
        "pub(in crate::model) fn f() {}",
    ],
)
def test_use_of_a_higher_layer_is_found(project: Path, use: str) -> None:
    write(project, "unicode/mod.rs", f"// crate::model in a comment is no use\n{use}\n")
    found = findings(project)
    assert len(found) == 1
    assert found[0].endswith("unicode (layer 1) uses model (layer 2)")
    assert found[0].startswith("crates/piecework-core/src/unicode/mod.rs:")


def test_line_of_a_finding_counts_comments_and_strings(project: Path) -> None:
    write(
        project,
        "error.rs",
        '/* one\ntwo */\nconst A: &str = r#"\n"crate::model\n"#;\nconst B: char = \'"\';\nuse crate::vocab;\n',
    )
    assert findings(project) == ["crates/piecework-core/src/error.rs:7: error (layer 0) uses vocab (layer 1)"]


def test_circle_within_a_layer_is_found(project: Path) -> None:
    write(project, "unicode/mod.rs", "use crate::vocab::Vocab;\n")
    assert findings(project) == [
        "crates/piecework-core/src: modules use each other in a circle: unicode → vocab → unicode"
    ]


def test_module_without_a_layer_is_found(project: Path) -> None:
    write(project, "extra.rs", "")
    assert findings(project) == ["crates/piecework-core/src/extra.rs: lib.rs lists module extra in no layer"]


def test_module_before_the_first_layer_is_an_error(project: Path) -> None:
    write(project, "lib.rs", f"pub mod early;\n{LIB}")
    with pytest.raises(ValueError, match="module early stands before"):
        findings(project)


@pytest.mark.parametrize(
    "code", ["unsafe { read(p) }", "#[allow(unsafe_code)]", '#![expect( unsafe_code, reason = "")]']
)
def test_unsafe_is_found_outside_its_places(project: Path, code: str) -> None:
    write(project, "model/bpe.rs", f"// unsafe in a comment is fine\n{code}\n")
    write(project, "fast/scan.rs", f"{code}\n")
    write(project, "image.rs", f"{code}\n")
    write(project, "lib.rs", f"{LIB}mod fast;\nmod image;\n")
    found = findings(project)
    assert len(found) == 1
    assert found[0].startswith("crates/piecework-core/src/model/bpe.rs:2: unsafe may stand only in ")


def test_long_file_is_found_unless_a_program_made_it(project: Path) -> None:
    lines = "// a line\n" * 601
    write(project, "error.rs", lines)
    assert findings(project) == [
        "crates/piecework-core/src/error.rs: 601 lines; over 600 there is a second idea in it"
    ]
    write(project, "error.rs", f"//! A table.\n//! Made by `tools/x.py`. Not edited by hand.\n{lines}")
    assert findings(project) == []


@pytest.mark.parametrize(
    ("room", "line", "contract"),
    [
        ("errors", "from piecework import _files", "Rooms import only what stands below them"),
        ("_files/load", "import rich", "Only the command line knows the terminal"),
        ("_api/comparing", "import numpy", "Optional packages are imported through _optional, by name"),
        ("no_room", "", "Rooms import only what stands below them"),
    ],
)
def test_python_rooms_are_kept(tmp_path: Path, room: str, line: str, contract: str) -> None:
    shutil.copytree(check_layers.ROOT / "python", tmp_path, dirs_exist_ok=True)
    shutil.copy(check_layers.ROOT / ".importlinter", tmp_path)
    with (tmp_path / "piecework" / f"{room}.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    linter = str(Path(sys.executable).with_name("lint-imports"))
    result = subprocess.run([linter, "--no-cache"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    broken = re.findall(r"^(.+) BROKEN$", result.stdout, re.MULTILINE)
    assert broken == [contract], result.stdout


def test_this_project_obeys() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tools.check_layers"],
        cwd=check_layers.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Rust modules in their layers" in result.stdout
