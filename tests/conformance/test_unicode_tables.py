"""The committed Unicode tables are what their program makes of the pinned packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_tables_are_reproducible(root: Path) -> None:
    program = root / "tools" / "make_unicode_tables.py"
    result = subprocess.run([sys.executable, program, "--check"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
