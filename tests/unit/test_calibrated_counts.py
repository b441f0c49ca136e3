"""Where a calibration counts, and where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

import piecework as pw
from piecework._chat.calibration import Calibration, save_calibrations

MESSAGES = [{"role": "user", "content": "Hello, world!"}]


@pytest.fixture
def calibrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calibrations that add a hundred tokens to every request."""
    monkeypatch.setenv("PIECEWORK_CALIBRATIONS", str(tmp_path / "calibrations.json"))
    fingerprint = pw.load("o200k_base").fingerprint
    save_calibrations(
        {
            name: Calibration(name, "o200k_base", fingerprint, 1.0, 100.0, 0.0, 50, "2026-11-30", (1.0, 1.0))
            for name in ("gpt-4o", "claude-opus-4-7", "zz-hosted-7", "qwen3")
        }
    )


@pytest.mark.usefixtures("calibrated")
@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-7", "zz-hosted-7", "qwen3"])
def test_it_goes_before_rules_and_estimates_and_stands_in_where_there_is_no_template(model: str) -> None:
    counted = pw.count(MESSAGES, model=model)
    assert (counted.n, counted.basis) == (104, "calibrated")


@pytest.mark.usefixtures("calibrated")
def test_what_is_exact_stays_exact() -> None:
    assert pw.count("Hello, world!", model="gpt-4o").basis == "exact"
    own = "{% for m in messages %}{{ m.content }}{% endfor %}"
    counted = pw.count(MESSAGES, model="qwen3", template=own)
    assert (counted.n, counted.basis) == (4, "exact")


@pytest.mark.usefixtures("calibrated")
def test_a_log_is_not_compared_with_the_calibration_that_came_of_it() -> None:
    row = {
        "request": {"messages": MESSAGES},
        "response": {"model": "gpt-4o", "usage": {"prompt_tokens": 111, "completion_tokens": 1}},
    }
    gap = {line.name: line.n_tokens for line in pw.reconcile([row])["gpt-4o"].gap}
    # By the published rules: 4 of text, 4 around a message, 3 for the reply.
    assert gap == {"texts": 4, "template": 7, "unexplained": 100}


def test_usage_and_response_are_two_ways(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="usage=, or response="):
        pw.log_request(tmp_path / "a", pw.count("a", model="gpt2"), model="gpt2", usage={}, response={})


@pytest.mark.usefixtures("calibrated")
def test_budget_and_pack_name_the_calibration_that_they_use() -> None:
    says = "calibrated on 50 requests, 2026-11-30, by o200k_base"
    plan = pw.budget("zz-hosted-7", window=1000, history=MESSAGES, answer=50)
    assert (plan.input_tokens, plan.notes, str(plan).splitlines()[-1]) == (104, (says,), says)
    packed = pw.pack(MESSAGES, model="zz-hosted-7", window=1000, answer=50)
    assert (packed.n_tokens, packed.notes, str(packed).splitlines()[-1]) == (104, (says,), says)
    assert packed.to_dict()["notes"] == [says]
    assert pw.budget("zz-hosted-7", window=1000, history=100).notes == ()
