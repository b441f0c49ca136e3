"""What conformance tests add up: a property that a test records with a number is summed over the whole run."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much was compared in all, by what it was."""
    totals: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", ()):
        for what, n in report.user_properties:
            if report.when == "call" and isinstance(n, int):
                totals[what] += n
    for what, n in sorted(totals.items()):
        terminalreporter.write_line(f"{n:,} {what} compared in all, none different")
