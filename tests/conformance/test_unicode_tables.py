"""The committed Unicode tables are what their program makes of the pinned packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_tables_are_reproducible(root: Path) -> None:
    command = [sys.executable, "-m", "tools.make_unicode_tables", "--check"]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
