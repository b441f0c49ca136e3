"""The closing report: figures by hand and by count, intervals that can be worked out, and what it refuses."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

import piecework as pw
from piecework.train.closing.held_out import HeldOut
from tools import fixtures

NOVEL = fixtures.text_file("english", "novel").path.read_text()
HINDI = fixtures.text_file("languages", "hi").path.read_text()


def with_merge(word: str) -> pw.Tokenizer:
    """256 bytes, and the one merge of a word of two letters."""
    return pw.train.bpe(words={word: 2}, n_merges=1)


def test_figures_are_sums_of_counts() -> None:
    tok = pw.train.bpe(texts=NOVEL[:100_000].split("\n\n"), vocab_size=1_000)
    held = {"novel": NOVEL[200_000:260_000].split("\n\n"), "hindi": HINDI[:9_000].split("\n")}
    found = pw.train.report(tok, held_out=held, rivals=["gpt2", "qwen3"])
    assert [(one.name, one.vocab_size) for one in found.rivals] == [("gpt2", 50_257), ("qwen3", 151_669)]
    assert "\nEntries: ours 1,000, gpt2 50,257, qwen3 151,669.\n" in str(found)
    assert found.to_dict()["rivals"] == [
        {"name": "gpt2", "vocab_size": 50_257},
        {"name": "qwen3", "vocab_size": 151_669},
    ]
    for domain, texts in zip(found.domains, held.values(), strict=True):
        assert domain.n_units == domain.n_blocks == len(texts)
        assert domain.unit == "text"
        assert domain.n_bytes == sum(len(text.encode()) for text in texts)
        assert domain.n_chars == sum(map(len, texts))
        assert domain.n_tokens == sum(map(tok.count, texts))
        assert domain.bytes_per_token == domain.n_bytes / domain.n_tokens
        for rival in domain.rivals:
            assert rival.n_tokens == sum(map(pw.load(rival.name).count, texts))
            assert rival.bytes_per_token == domain.n_bytes / rival.n_tokens
            assert rival.ratio is not None
            assert rival.ratio.value == rival.n_tokens / domain.n_tokens
    total, (first, second) = found.total, found.domains
    assert total.n_tokens == first.n_tokens + second.n_tokens
    assert total.n_bytes == first.n_bytes + second.n_bytes
    assert [one.n_tokens for one in total.rivals] == [
        a.n_tokens + b.n_tokens for a, b in zip(first.rivals, second.rivals, strict=True)
    ]


def test_an_interval_by_hand() -> None:
    # Ours needs 1 and 3 tokens, the rival 2 and 2. Of two units drawn, a quarter each is 4/2, 4/6, and half 4/4.
    found = pw.train.report(
        with_merge("ab"), held_out={"two": ["ab", "xyz"]}, rivals=[with_merge("xy")], n_resamples=2_000
    )
    (rival,) = found.domains[0].rivals
    assert rival.ratio is not None
    assert (rival.ratio.value, rival.ratio.low, rival.ratio.high) == (1.0, 4 / 6, 2.0)
    assert rival.verdict == "no difference seen"
    # The middle 40 % of them all are 4/4.
    narrow = pw.train.report(
        with_merge("ab"),
        held_out={"two": ["ab", "xyz"]},
        rivals=[with_merge("xy")],
        n_resamples=2_000,
        level=0.4,
    )
    ratio = narrow.domains[0].rivals[0].ratio
    assert ratio is not None
    assert (ratio.low, ratio.high) == (1.0, 1.0)


def test_resamples_are_paired() -> None:
    # Units of very different length: unpaired, the interval of a tokenizer beside itself would be wide.
    tok = with_merge("ab")
    found = pw.train.report(tok, held_out={"all": ["ab", "ab" * 500, "x" * 7, "y" * 2_000]}, rivals=[tok])
    ratio = found.domains[0].rivals[0].ratio
    assert ratio is not None
    assert (ratio.value, ratio.low, ratio.high) == (1.0, 1.0, 1.0)


def test_verdicts_and_where_it_loses() -> None:
    tok = pw.train.bpe(texts=HINDI[:150_000].split("\n"), vocab_size=2_000)
    held = {"hindi": HINDI[150_000:200_000].split("\n"), "novel": NOVEL[:50_000].split("\n\n")}
    found = pw.train.report(tok, held_out=held, rivals=["gpt2", "o200k_base"])
    verdicts = {(d.name, r.name): r.verdict for d in found.domains for r in d.rivals}
    # GPT-2 needs more than a token for each character of Hindi, and few for English.
    assert verdicts["hindi", "gpt2"] == "better"
    assert verdicts["novel", "gpt2"] == verdicts["novel", "o200k_base"] == "worse"
    lost = [domain for domain in found.losses if domain[0] == "novel"]
    assert {rival for _, rival in lost} == {"gpt2", "o200k_base"}
    assert "Where it loses: novel to " in str(found)
    for domain in found.domains:
        for rival in domain.rivals:
            assert rival.ratio is not None
            assert rival.ratio.low is not None
            assert rival.ratio.high is not None
            assert rival.ratio.low < rival.ratio.value < rival.ratio.high


def test_the_worst_texts_and_their_cuts() -> None:
    tok, rival = with_merge("ab"), pw.train.bpe(words={"wxyz": 5, "xy": 3}, n_merges=3)
    texts = ["ab ab", "q wxyz q", "xy xy xy xy xy", "plain", "xyxy"]
    found = pw.train.report(tok, held_out={"t": texts}, rivals=[rival], n_worst=3)
    # Ours cuts "xy" in two wherever it stands, and "wxyz" in four.
    assert [(one.place, one.n_tokens, one.n_rival_tokens, one.n_extra) for one in found.worst] == [
        (3, 14, 9, 5),
        (2, 8, 5, 3),
    ]
    assert [(one.text, one.pieces, one.rival_pieces) for one in found.worst] == [
        ("xy", ("x", "y"), ("xy",)),
        ("wxyz", ("w", "x", "y", "z"), ("wxyz",)),
    ]
    assert pw.train.report(tok, held_out={"t": texts}, rivals=[rival], n_worst=0).worst == ()


def test_longest_tokens() -> None:
    tok = pw.train.bpe(words={"aaaaaaaa": 9, "ééé": 5, "🙂": 4}, n_merges=9, base="bytes")
    found = pw.train.report(tok, held_out={"t": ["aaaaaaaa", "aaaaaaaaaa", "ééé"]}, rivals=[], n_longest=4)
    assert [(one.piece, one.n_bytes, one.n_chars, one.n_times) for one in found.longest] == [
        ("aaaaaaaa", 8, 8, 2),
        ("ééé", 6, 3, 1),
        ("aaaa", 4, 4, 0),
        ("éé", 4, 2, 0),
    ]
    assert [tok.piece(one.id) for one in found.longest] == [one.piece for one in found.longest]


def test_suffix_and_prefix_are_no_part_of_a_token() -> None:
    tok = pw.train.bpe(
        texts=["low lower lowest"],
        n_merges=5,
        base="chars",
        pre_tokenizer="whitespace",
        continuing_subword_prefix="##",
        end_of_word_suffix="</w>",
    )
    found = pw.train.report(tok, held_out={"t": ["low"]}, rivals=[], n_longest=3)
    assert [(one.piece, one.n_bytes) for one in found.longest] == [("lowe", 4), ("low", 3), ("lo", 2)]
    assert found.alphabet.characters == "elorstw"


def test_what_may_be_of_little_use() -> None:
    text = "in 1984 or 2024\n        and\n        then 🙂🙂 \u3000\u3000 ١٢٣"
    tok = pw.train.bpe(texts=[text] * 3, vocab_size=288)
    found = pw.train.report(tok, held_out={"t": ["in 1984"]}, rivals=["gpt2"])
    native = [tok.decode_bytes([at]) for at in range(tok.vocab_size)]
    whole = [piece.decode() for piece in native if piece.decode(errors="ignore").encode() == piece]
    used = set(tok.ids("in 1984"))
    assert found.junk.n_unused == tok.vocab_size - len(used)
    assert found.junk.n_whitespace == sum(one.isspace() and len(one) > 1 for one in whole) >= 2
    assert found.junk.n_digits == sum(one.isdecimal() and len(one) > 1 for one in whole) >= 2
    assert found.junk.n_partial == sum(len(piece) > 1 for piece in native) - sum(
        len(one.encode()) > 1 for one in whole
    )


def test_the_alphabet_of_bytes() -> None:
    tok = pw.train.bpe(words={"д": 5, "а": 4, "нет": 2}, vocab_size=258)
    found = pw.train.report(tok, held_out={"t": ["нет, yes"]}, rivals=[])
    singles = [piece for at in range(tok.vocab_size) if len(piece := tok.piece(at)) == 1]
    assert found.alphabet.n_bytes == found.alphabet.n_entries == 256
    assert found.alphabet.n_used == sum(len(tok.decode_bytes([at])) == 1 for at in set(tok.ids("нет, yes")))
    assert found.alphabet.characters == "".join(sorted(singles))
    assert found.alphabet.scripts["Cyrl"] == sum("\u0400" <= one <= "\u04ff" for one in singles) == 2
    assert found.alphabet.scripts["Latn"] == 52
    assert sum(found.alphabet.scripts.values()) == len(singles)


def test_the_alphabet_of_characters_and_what_is_unknown() -> None:
    tok = pw.train.bpe(
        words={"hug": 9, "дом": 4, "q": 1}, n_merges=1, base="chars", unk="?", limit_alphabet=6
    )
    found = pw.train.report(tok, held_out={"t": ["hug", "mug", "q!"]}, rivals=["gpt2"])
    assert found.alphabet.characters == "ghuдмо"
    assert found.alphabet.scripts == {"Cyrl": 3, "Latn": 3}
    # Of eight characters m, q and the exclamation mark have no entry; hug is one of g, h, u, and hu or ug.
    assert (found.domains[0].n_unknown, found.domains[0].n_chars) == (3, 8)
    assert found.domains[0].unknown_share == 3 / 8
    assert found.dropped is not None
    assert found.dropped.characters == ("q",)
    assert "Dropped in training: 1 character (q)." in str(found)
    assert "t: 3 tokens of ours are unknown, 37.50 for each 100 characters" in str(found)
    assert "no difference seen*\n" in str(found)


def test_it_says_that_a_text_was_trained_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(NOVEL[:20_000])
    (tmp_path / "b.txt").write_text(NOVEL[20_000:40_000])
    tok = pw.train.bpe(files=[tmp_path / "a.txt"], vocab_size=500)
    found = pw.train.report(tok, held_out={"a": tmp_path / "a.txt", "b": tmp_path / "b.txt"}, rivals=[])
    assert [note for note in found.notes if "trained on" in note] == [
        "a is what the tokenizer was trained on: its figures say nothing about other text."
    ]
    texts = NOVEL[:5_000].split("\n")
    of_texts = pw.train.bpe(texts=texts, vocab_size=300)
    found = pw.train.report(of_texts, held_out={"same": texts[::-1], "less": texts[:-9]}, rivals=[])
    assert [note.split()[0] for note in found.notes if "trained on" in note] == ["same"]


def test_few_units_are_said() -> None:
    held = {"none": ["one text"], "few": ["text"] * 29, "enough": ["text"] * 30}
    found = pw.train.report(with_merge("te"), held_out=held, rivals=["gpt2"])
    assert [note.split(",")[0] for note in found.notes] == ["none has 1 text", "few has 29 texts"]
    (rival,) = found.domains[0].rivals
    assert rival.ratio is not None
    assert (rival.ratio.low, rival.verdict) == (None, "too few units")
    assert found.total.rivals[0].verdict == "worse"


@pytest.mark.parametrize(
    ("text", "unit", "units"),
    [
        ("one\ntwo\n\n\nthree", "line", ["one\n", "two\n\n\n", "three"]),
        ("one\r\n\r\ntwo\r\n", "line", ["one\r\n\r\n", "two\r\n"]),
        ("\n\nafter", "line", ["\n\n", "after"]),
        ("a\nb\n\n" * 30, "paragraph", ["a\nb\n\n"] * 30),
        ("a\r\n\r\n\r\n" * 29 + "b", "paragraph", ["a\r\n\r\n\r\n"] * 29 + ["b"]),
        ("a\nb\n\n" * 29, "line", ["a\n", "b\n\n"] * 29),
    ],
)
def test_files_are_paragraphs_or_lines(tmp_path: Path, text: str, unit: str, units: list[str]) -> None:
    (tmp_path / "t.txt").write_bytes(text.encode())
    found = pw.train.report(with_merge("ab"), held_out={"t": str(tmp_path / "t.txt")}, rivals=[]).domains[0]
    assert (found.unit, found.n_units) == (unit, len(units))
    assert found.n_bytes == found.n_tokens == len(text.encode())


def test_many_units_are_resampled_in_blocks() -> None:
    texts = [text for text in NOVEL.split("\n") if text][:2_500]
    found = pw.train.report(with_merge("th"), held_out={"t": texts}, rivals=["gpt2"], n_resamples=50).domains[
        0
    ]
    assert (found.n_units, found.n_blocks) == (2_500, 1_000)
    assert found.rivals[0].n_tokens == sum(map(pw.load("gpt2").count, texts))


def test_the_same_report_every_time() -> None:
    held = {"novel": NOVEL[:60_000].split("\n\n")}
    tok = with_merge("th")
    first = pw.train.report(tok, held_out=held, rivals=["gpt2"], n_threads=1)
    assert pw.train.report(tok, held_out=held, rivals=["gpt2"], n_threads=2).to_dict() == first.to_dict()
    other = pw.train.report(tok, held_out=held, rivals=["gpt2"], seed=1)
    assert other.domains[0].n_tokens == first.domains[0].n_tokens
    assert other.domains[0].rivals[0].ratio != first.domains[0].rivals[0].ratio
    # What other domains there are moves no interval.
    beside = pw.train.report(tok, held_out={"hindi": HINDI[:5_000].split("\n"), **held}, rivals=["gpt2"])
    assert beside.domains[1] == first.domains[0]


def test_it_is_json_and_a_text_that_obeys_nobody() -> None:
    tok = pw.train.bpe(texts=["\x1b[2J\u202e red"] * 5, vocab_size=262)
    found = pw.train.report(tok, held_out={"t": ["\x1b[2J\u202e red", "plain|text"]}, rivals=["gpt2"])
    as_json = found.to_dict()
    assert json.loads(json.dumps(as_json)) == as_json
    assert as_json["schema"] == "piecework.training_report/1"
    assert not {"\x1b", "\u202e"} & set(str(found))
    assert Counter(map(len, (found.domains, found.total.rivals))) == {1: 2}


def test_a_tokenizer_that_says_nothing_of_its_training() -> None:
    found = pw.train.report(pw.load("gpt2"), held_out={"t": ["some text"]}, rivals=["r50k_base"])
    assert (found.training, found.dropped) == (None, None)
    assert found.alphabet.n_bytes == 256
    # 50,000 merges and 256 bytes; the end of text is no learned entry.
    assert found.junk.n_unused == 50_256 - len(set(pw.load("gpt2").ids("some text")))


def test_what_is_refused(tmp_path: Path) -> None:
    tok = with_merge("ab")
    with pytest.raises(TypeError, match="held_out is a mapping"):
        pw.train.report(tok, held_out=["a.txt"])  # type: ignore[arg-type]
    with pytest.raises(pw.EmptyCorpusError, match="no domain"):
        pw.train.report(tok, held_out={})
    with pytest.raises(pw.EmptyCorpusError, match="'t' has no text"):
        pw.train.report(tok, held_out={"t": ["", ""]})
    for missing in (str(tmp_path / "no"), [tmp_path / "no"], ["missing.txt"], ["missing.jsonl.gz"]):
        with pytest.raises(pw.errors.InputError, match="No such file"):
            pw.train.report(tok, held_out={"t": missing})
    with pytest.raises(TypeError, match="holds paths or texts, not int"):
        pw.train.report(tok, held_out={"t": [3]})  # type: ignore[list-item]
    with pytest.raises(ValueError, match="gpt2 is there twice"):
        pw.train.report(tok, held_out={"t": ["x"]}, rivals=["gpt2", "gpt2"])
    with pytest.raises(TypeError, match="rivals is a list"):
        pw.train.report(tok, held_out={"t": ["x"]}, rivals="gpt2")
    with pytest.raises(pw.UnknownTokenizerError):
        pw.train.report(tok, held_out={"t": ["x"]}, rivals=["gpt-nothing"])
    with pytest.raises(ValueError, match="level is a share"):
        pw.train.report(tok, held_out={"t": ["x"]}, level=95)
    with pytest.raises(ValueError, match="n_resamples is at least 1"):
        pw.train.report(tok, held_out={"t": ["x"]}, n_resamples=0)
    with pytest.raises(TypeError, match="one of a Tokenizer"):
        pw.train.report("gpt2", held_out={"t": ["x"]})  # type: ignore[arg-type]


def test_broken_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"good\n\xff bad\n")
    with pytest.raises(pw.NotUnicodeError, match=r"bad\.txt is not UTF-8 at byte 5"):
        pw.train.report(with_merge("ab"), held_out={"t": tmp_path / "bad.txt"})
    with pytest.raises(pw.NotUnicodeError, match="text 2 of held_out"):
        pw.train.report(with_merge("ab"), held_out={"t": ["good", b"\xff"]})
    found = pw.train.report(
        with_merge("ab"), held_out={"t": tmp_path / "bad.txt"}, errors="replace", rivals=[]
    )
    assert found.total.n_bytes == 5 + 3 + 5
    no_unk = pw.train.bpe(words={"hug": 2}, n_merges=1, base="chars")
    with pytest.raises(pw.EncodeError, match="ours, text 2 of held_out"):
        pw.train.report(no_unk, held_out={"t": ["hug", "bug"]}, rivals=[])


def test_files_of_records_and_packed_files(tmp_path: Path) -> None:
    records = [{"body": "one\ntwo\n"}, {"body": None}, {"body": "ab" * 3}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "r.txt.gz").write_bytes(gzip.compress("un\nzwölf".encode()))
    held: HeldOut = {"records": tmp_path / "r.jsonl", "packed": [str(tmp_path / "r.txt.gz")]}
    found = pw.train.report(with_merge("ab"), held_out=held, rivals=[], field="body")
    assert [(one.unit, one.n_units, one.n_bytes, one.n_tokens) for one in found.domains] == [
        ("text", 2, 14, 11),
        ("line", 2, 9, 9),
    ]
    with pytest.raises(pw.errors.InputError, match="no field 'text'"):
        pw.train.report(with_merge("ab"), held_out=held, rivals=[])


def test_what_was_no_unicode_in_training_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"good good\n\xff good\n")
    tok = pw.train.bpe(files=[tmp_path / "bad.txt"], n_merges=1, errors="replace")
    found = pw.train.report(tok, held_out={"t": ["good"]}, rivals=[])
    assert found.dropped is not None
    assert (found.dropped.n_invalid, found.dropped.n_left_out_words) == (1, 0)
    assert "Dropped in training: 1 byte sequence of no UTF-8." in str(found)


def test_rare_words_that_were_left_out_are_said() -> None:
    tok = pw.train.bpe(words={"hug": 9, "pug": 1, "bun": 2}, n_merges=1, min_word_count=3)
    found = pw.train.report(tok, held_out={"t": ["hug"]}, rivals=[])
    assert found.dropped is not None
    assert (found.dropped.n_left_out_words, found.dropped.n_left_out) == (2, 3)
    assert "Dropped in training: 2 rare words (3 occurrences)." in str(found)


def test_broken_text_is_left_out_of_what_is_measured(tmp_path: Path) -> None:
    lines = tmp_path / "bad.txt"
    lines.write_bytes(b"ab\r\nab\xff\rab\nab ab\n")
    records = tmp_path / "bad.jsonl"
    records.write_bytes(b'{"text": "ab"}\n{"text": "ab\xff"}\n{"text": "ab\\ud800"}\n')
    held_out: dict[str, Path | list[str | bytes]] = {
        "lines": lines,
        "records": records,
        "texts": ["ab", b"ab\xff", "ab\ud800", b"ab "],
    }
    found = pw.train.report(with_merge("ab"), held_out=held_out, errors="skip", rivals=["gpt2"])
    assert [(domain.n_units, domain.n_bytes) for domain in found.domains] == [(2, 10), (1, 2), (2, 5)]
    replaced = pw.train.report(with_merge("ab"), held_out=held_out, errors="replace", rivals=[])
    assert [domain.n_units for domain in replaced.domains] == [3, 3, 4]
    with pytest.raises(pw.errors.NotUnicodeError):
        pw.train.report(with_merge("ab"), held_out=held_out)
    with pytest.raises(pw.errors.EmptyCorpusError, match="the held-out domain 'texts' has no text"):
        pw.train.report(with_merge("ab"), held_out={"texts": [b"\xff"]}, errors="skip")
    with pytest.raises(ValueError, match='errors is "strict", "replace" or "skip", not \'ignore\''):
        pw.train.report(with_merge("ab"), held_out=held_out, errors="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("n_resamples", [1_000_001, 10**12])
def test_no_more_is_drawn_than_helps(n_resamples: int) -> None:
    with pytest.raises(ValueError, match=r"^n_resamples is at most 1,000,000: "):
        pw.train.report(with_merge("ab"), held_out={"t": ["ab"]}, n_resamples=n_resamples)
