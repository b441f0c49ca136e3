"""Where the user's calibrations are kept. Light, since every count looks whether there are any."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["calibrations_path"]


def calibrations_path() -> Path:
    """The file that holds them: `PIECEWORK_CALIBRATIONS`, else `calibrations.json` in the user's configuration."""
    named = os.environ.get("PIECEWORK_CALIBRATIONS")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "piecework" / "calibrations.json"
