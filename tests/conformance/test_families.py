"""Every family of tokenizers against its live reference: ids, character spans, decoding.

The table at the end of the run says how much was compared. `make conformance` compares all text and a million
generated strings a family; the ordinary run a part of both, chosen by `PIECEWORK_CONFORMANCE`.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import pytest

import piecework as pw
from tools import fixtures

from .families import PAIRS, Answer, Pair, Reference, Span
from .strings import UNITS

IS_FULL = os.environ.get("PIECEWORK_CONFORMANCE") == "full"
Tokenizers = tuple[str, Pair, pw.Tokenizer, Reference]


@dataclass
class Tally:
    """What was compared of one tokenizer on one set of texts, and what was the same."""

    tokenizer: str
    family: str
    text_set: str
    n_texts: int = 0
    n_bytes: int = 0
    n_ids: int = 0
    n_spans: int = 0
    # Spans that are wider than the reference's, as they are meant to be, and those of inserted tokens.
    n_wider: int = 0
    n_inserted: int = 0
    # Spans of texts with a character that a rule table drops, where the reference loses its place.
    n_drifted: int = 0
    n_decoded: int = 0
    # Texts that the reference turns into a control token nobody wrote: `<ſ>` normalizes to `<s>`.
    n_forged: int = 0

    def line(self) -> str:
        """Returns the row of the table."""
        return (
            f"{self.tokenizer:<17} {self.family:<21} {self.text_set:<11} {self.n_texts:>9,} texts "
            f"{self.n_bytes:>11,} bytes {self.n_ids:>10,} ids {self.n_spans:>10,} spans "
            f"({self.n_wider:,} wider, {self.n_inserted:,} inserted, {self.n_drifted:,} drifted) {self.n_decoded:>9,} decoded"
            f"{f', {self.n_forged} forged by the reference' if self.n_forged else ''}: 0 different"
        )


@pytest.fixture(params=PAIRS, scope="module")
def pair(request: pytest.FixtureRequest) -> Tokenizers:
    """A tokenizer of ours and the reference for the same file."""
    made = PAIRS[request.param]
    return request.param, made, made.ours(), made.theirs()


def _check_span(ours: Span, theirs: Span, tally: Tally) -> bool:
    """Compares one span. Ours covers all of a normalization cluster, and nothing where a token was put in."""
    tally.n_spans += 1
    if ours == theirs:
        return True
    if ours[0] == ours[1] and theirs[0] <= ours[0] <= theirs[1] and theirs[1] - theirs[0] <= 1:
        tally.n_inserted += 1
        return True
    if ours[0] <= theirs[0] and theirs[1] <= ours[1]:
        tally.n_wider += 1
        return True
    return False


def _forged(ours: pw.Tokenizer, pair: Pair, text: str) -> set[int]:
    """The control tokens that normalization makes of a text which holds none of them."""
    if pair.normalized is None:
        return set()
    normalized = pair.normalized(text)
    controls = ours.special_tokens.items()
    return {id for token, id in controls if token in normalized and token not in text}  # noqa: A001


@cache
def _dropped(_name: str, pair: Pair) -> frozenset[str]:
    return pair.dropped()


def _compare(pair: Tokenizers, texts: Sequence[str], tally: Tally) -> None:
    name, made, ours, theirs = pair
    for text, expected in zip(texts, theirs(texts), strict=True):
        encoding = ours.encode(text, special=made.special)
        forged = _forged(ours, made, text) if encoding.ids != expected.ids else set()
        if forged:
            assert not forged & set(encoding.ids), text
            tally.n_forged += 1
            continue
        if encoding.ids != expected.ids:
            pytest.fail(f"{name}, {text!r}: ids {encoding.ids.tolist()} are not {expected.ids}")
        tally.n_texts += 1
        tally.n_bytes += len(text.encode())
        tally.n_ids += len(expected.ids)
        _compare_spans(pair, text, encoding, expected, tally)
        decoded = ours.decode(expected.ids)
        if decoded != expected.text:
            pytest.fail(f"{name}, {expected.ids}: {decoded!r} is not {expected.text!r}")
        if expected.text_without_special is not None:
            assert ours.decode(expected.ids, skip_special=True) == expected.text_without_special, text
        tally.n_decoded += 1


def _compare_spans(
    pair: Tokenizers, text: str, encoding: pw.Encoding, expected: Answer, tally: Tally
) -> None:
    name, made, *_ = pair
    if expected.char_spans is None:
        return
    spans = encoding.char_spans
    drifts = not _dropped(name, made).isdisjoint(text)
    for at, (found, wanted) in enumerate(zip(spans, expected.char_spans, strict=True)):
        if _check_span(found, wanted, tally):
            continue
        tally.n_drifted += drifts
        if not drifts:
            pytest.fail(f"{name}, {text!r}: token {at} is at {found}, not {wanted}")


def _documents(max_bytes: int) -> Iterator[list[str]]:
    """Documents of about 1,000 characters from every file of the text sets, each file up to a share."""
    files = [file for text_set in fixtures.text_sets() for file in fixtures.text_set(text_set)]
    share = max_bytes // len(files) * 3
    for file in files:
        text = file.path.read_bytes()[:share].decode(errors="ignore")
        yield [text[at : at + 1000] for at in range(0, len(text), 1000)]


def test_real_text(pair: Tokenizers) -> None:
    name, made, *_ = pair
    tally = Tally(name, made.family, "real text")
    n_bytes = 17_000_000 if IS_FULL and made.is_whole else 2_000_000 if IS_FULL else 400_000
    for texts in _documents(n_bytes):
        _compare(pair, texts, tally)
    print("\n" + tally.line())
    if IS_FULL and made.is_whole:
        assert tally.n_bytes >= 10_000_000
    assert len(fixtures.text_set("languages")) >= 40


def test_generated_strings(pair: Tokenizers) -> None:
    name, made, *_ = pair
    tally = Tally(name, made.family, "generated")
    n = 1_000_000 if IS_FULL and made.is_whole else 50_000 if IS_FULL else 10_000
    chance = random.Random(name)
    while tally.n_texts < n:
        texts = ["".join(chance.choices(UNITS, k=chance.randint(1, 14))) for _ in range(min(n, 10_000))]
        _compare(pair, texts, tally)
    print("\n" + tally.line())


SPACES = [" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u200b", "\u2028", "\u0085", "▁", "\x00"]


def test_runs_of_white_space(pair: Tokenizers) -> None:
    name, made, *_ = pair
    tally = Tally(name, made.family, "white space")
    chance = random.Random(name)
    texts = [space * n for space in SPACES for n in (1, 2, 3, 7, 40)]
    for _ in range(2_000):
        parts = [chance.choice([*SPACES, "a", "bc", "é", "日"]) * chance.randint(1, 3) for _ in range(6)]
        texts.append("".join(parts))
    _compare(pair, texts, tally)
    print("\n" + tally.line())
