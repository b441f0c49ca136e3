"""What the documents show is what happens: each Python and console block of them is run and compared."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import piecework as pw
from tests.contract import documents
from tests.contract.documents import Block, Command

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "STYLE.md", "CHANGELOG.md")]
    + [*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
)


def all_blocks(language: str) -> list[Block]:
    return [block for path in DOCUMENTS for block in documents.blocks(path, language)]


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if next(documents.blocks(path, "python"), None)], ids=lambda p: p.name
)
def test_python_blocks_run_and_print_what_they_say(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.REPORT_ONLY_FIRST_FAILURE)
    names: dict[str, object] = {}
    report: list[str] = []
    for block in documents.blocks(path, "python"):
        test = doctest.DocTestParser().get_doctest(block.text, names, str(block), str(path), block.line - 1)
        assert test.examples, f"{block}: show what the code prints, as a Python prompt does (>>> ...)"
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


@pytest.mark.parametrize("block", all_blocks("console"), ids=str)
def test_console_blocks_print_what_they_say(block: Block) -> None:
    for command in documents.commands(block):
        printed = documents.run(command, ROOT)
        assert documents.agrees(printed, command.printed), f"{block}: $ {command.text}\n{printed}"


def test_readme_shows_both_kinds() -> None:
    assert list(documents.blocks(ROOT / "README.md", "python"))
    assert list(documents.blocks(ROOT / "README.md", "console"))


def test_readme_lists_every_bundled_tokenizer_with_its_sizes() -> None:
    rows = re.findall(
        r"^\| `([\w-]+)`[^|]* \| ([\d,]+) \| ([\d,]+) \|",
        (ROOT / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    listed = {name: (vocab_size, n_base) for name, vocab_size, n_base in rows}
    packs = {path.stem for path in (ROOT / "python/piecework/_data").glob("*.pack")}
    assert listed.keys() == packs
    for name, sizes in listed.items():
        tok = pw.load(name)
        assert sizes == (f"{tok.vocab_size:,}", f"{tok.n_base:,}"), name


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in DOCUMENTS
        for target in documents.links(path)
        if not (path.parent / target).exists()
    ]
    assert broken == []


def test_console_block_is_read_by_its_prompts(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("text\n\n```console\n$ echo a \\\n  b\na b\n$ true\n```\n", encoding="utf-8")
    (block,) = documents.blocks(path, "console")
    assert str(block) == "page.md:4"
    assert documents.commands(block) == [Command("echo a \\\n  b", "a b"), Command("true", "")]
    assert documents.run(documents.commands(block)[0], tmp_path) == "a b"


def test_console_block_without_a_prompt_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"page.md:1: a console block starts"):
        documents.commands(Block(Path("page.md"), 1, "console", "echo a\n"))


@pytest.mark.parametrize(
    ("printed", "expected", "agree"),
    [
        ("a\nb", "a\nb", True),
        ("a\nb", "a", False),
        ("a\nx\ny\nb", "a\n...\nb", True),
        ("a+b", "a.b", False),
        ("", "", True),
    ],
)
def test_dots_stand_for_any_lines(printed: str, expected: str, agree: bool) -> None:
    assert documents.agrees(printed, expected) is agree
