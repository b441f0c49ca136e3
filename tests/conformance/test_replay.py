"""Explanations are true: what each pretoken's record ends with is what the encoding has, on real text.

Of byte-pair encoding the recorded joins are run again on the symbols they start from, one by one, each with its rank.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

import piecework as pw
from tools import fixtures

from .families import PAIRS

# Of each file the beginning, a line a text: there are models that take a whole text for one pretoken.
_N_BYTES = 8_000

TOKENIZERS: dict[str, Callable[[], pw.Tokenizer]] = {
    **{
        name: partial(pw.load, name)
        for name in ("o200k_base", "cl100k_base", "r50k_base", "bert-base-uncased", "t5")
    },
    **{name: pair.ours for name, pair in PAIRS.items()},
}
N_PRETOKENS = {"byte-level": 0}
BYTE_LEVEL = ("o200k_base", "cl100k_base", "r50k_base", "qwen3", "llama3", "gpt4o", "deepseek_v3")


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """The lines of the beginning of every text that is fetched."""
    files = [
        file for name in ("english", "languages", "udhr", "emoji", "code") for file in fixtures.text_set(name)
    ]
    texts = (file.path.read_bytes()[:_N_BYTES].decode(errors="ignore").replace("\0", "") for file in files)
    return [line for text in texts for line in text.splitlines(keepends=True)]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_record_ends_with_the_ids(name: str, lines: list[str]) -> None:
    native = TOKENIZERS[name]()._native
    n_pretokens, n_distinct, n_ids = 0, 0, 0
    # Not all lines in one text, since there a token may reach over a line's end.
    for line in lines:
        pretokens, distinct, ids, different = native.replayed(line, "text")
        assert different is None, (name, different)
        n_pretokens, n_distinct, n_ids = n_pretokens + pretokens, n_distinct + distinct, n_ids + ids
    if name in BYTE_LEVEL:
        N_PRETOKENS["byte-level"] += n_pretokens
    print(f"\n{name:<17} {n_pretokens:>9,} pretokens replayed {n_ids:>10,} ids: 0 different")


def test_over_a_million_pretokens_of_byte_level_tokenizers() -> None:
    assert N_PRETOKENS["byte-level"] > 1_000_000


@pytest.mark.parametrize("name", [*BYTE_LEVEL, "tekken-240911", "minilm", "t5"])
def test_what_cut_is_told_of_every_pretoken(name: str, lines: list[str]) -> None:
    tok = TOKENIZERS[name]()
    text = "".join(lines[::9])
    cuts = list(tok.explain(text).cuts)
    assert len(cuts) == len(tok.stages(text).pretokens) > 20_000
    if name in ("minilm", "t5"):
        assert {cut.rule for cut in cuts} <= {"bert", "metaspace"}
        return
    untold = [cut for cut in cuts if cut.alternative is None]
    # DeepSeek's first patterns keep what is between their matches; the others' match everything.
    assert len(untold) <= (len(cuts) // 100 if name == "deepseek_v3" else 0), untold[:3]
    print(f"\n{name:<17} {len(cuts):>9,} pretokens, the alternative that cut each told but for {len(untold)}")
