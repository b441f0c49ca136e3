"""Scans of any text: places are places of the text, counts add up; and no disguise of a marker goes unseen."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from piecework._safety import find_lookalikes
from piecework._safety.confusables import LOOKS_LIKE

TOKENIZERS = [pw.load(name) for name in ("qwen3", "t5", "bert-base-uncased")]
MARKERS = ["<|im_start|>", "<|im_end|>", "[INST]", "</think>", "<\uff5cUser\uff5c>"]
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e\u202e\u2066\U000e0061\ufe0f"
ALIKE = dict(LOOKS_LIKE)

odd = st.sampled_from(
    [
        *INVISIBLE,
        "<|",
        "|>",
        "im_end",
        "[INST]",
        "\uff1c",
        "а",
        "о",
        "σ",
        "é",
        "\u0301",
        " ",
        "\n",
        "😀",
        "\u202c",
    ]
)
texts = (
    st.lists(st.one_of(odd, st.text(max_size=4)), max_size=40)
    .map("".join)
    .filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
)


@given(texts, st.sampled_from(TOKENIZERS), st.integers(1, 5))
@settings(max_examples=300)
def test_places_and_counts(text: str, tok: pw.Tokenizer, max_per_kind: int) -> None:
    scan = pw.scan(text, tok, phrases=["im", "о а"], max_per_kind=max_per_kind)
    data = text.encode()
    for found in scan.findings:
        start, end = found.char_span
        assert 0 <= start <= end <= len(text)
        assert data[slice(*found.byte_span)].decode() == text[start:end]
        assert found.line == text.count("\n", 0, start) + 1
        assert found.column == start - (text.rfind("\n", 0, start) + 1) + 1
    assert scan.n_findings == sum(scan.n_of_kind.values()) >= len(scan.findings)
    assert max(Counter((one.kind, one.severity) for one in scan.findings).values(), default=0) <= max_per_kind
    whole = pw.scan(text, tok, phrases=["im", "о а"], max_per_kind=10_000)
    assert (whole.n_of_kind, len(whole.findings)) == (scan.n_of_kind, whole.n_findings)


@given(texts, st.sampled_from(TOKENIZERS))
def test_control_tokens_are_those_that_the_tokenizer_finds(text: str, tok: pw.Tokenizer) -> None:
    text = f"{text}</s>[SEP]<|im_end|>{text}"
    found = [
        (one.names, one.char_span)
        for one in pw.scan(text, tok, max_per_kind=1000).findings
        if one.kind == "control-token"
    ]
    assert found == [(one.token, one.char_span) for one in tok.find_controls(text)]


@given(st.data(), st.sampled_from(MARKERS))
@settings(max_examples=300)
def test_no_disguise_goes_unseen(data: st.DataObject, marker: str) -> None:
    disguised = ""
    for char in marker:
        forms = [char, char.upper(), *ALIKE.get(char, "")]
        if "!" <= char <= "~":
            forms.append(chr(ord(char) + 0xFEE0))
        between = data.draw(st.text(INVISIBLE + " \u0301\t", max_size=2))
        disguised += data.draw(st.sampled_from(forms)) + between
    text = f"a {disguised} b"
    found = find_lookalikes(text, MARKERS)
    assert found or marker in text
    for one in found:
        assert one.resembles == marker
        assert text[slice(*one.span)] == one.text
        assert one.how
