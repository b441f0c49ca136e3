"""Limits, budgets and scans of a project's prompts, as its piecework.toml asks for them: for CI and for commit hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._check.checking import check
    from piecework._check.config import Config, read_config
    from piecework._check.result import Check, Checked, Problem

__all__ = ["Check", "Checked", "Config", "Problem", "check", "read_config"]

__getattr__ = lazy_names(
    __name__,
    {
        "Check": "result",
        "Checked": "result",
        "Config": "config",
        "Problem": "result",
        "check": "checking",
        "read_config": "config",
    },
)
