"""Optional packages: imported when used, or named with the line that installs them."""

from __future__ import annotations

import sys

import pytest

import piecework as pw
from piecework._optional import optional_module


def test_numpy_missing_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = pw.load("gpt-4o").ids("Hello")
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(pw.MissingExtraError) as raised:
        ids.numpy()
    assert isinstance(raised.value, ImportError)
    assert raised.value.module == "numpy"
    assert 'pip install "piecework[numpy]"' in str(raised.value)
    assert ids.tolist() == [13225]


def test_a_module_that_is_there() -> None:
    assert optional_module("json", extra="none").dumps([1]) == "[1]"


def test_a_module_that_lacks_its_own_dependency_speaks_for_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "needs_more.py").write_text("import surely_not_installed_anywhere\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(ModuleNotFoundError, match="surely_not_installed_anywhere") as raised:
        optional_module("needs_more", extra="none")
    assert not isinstance(raised.value, pw.MissingExtraError)
