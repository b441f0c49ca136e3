"""`train bpe --steps`: merges as a teacher shows them."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run

ARGS = [
    "--base",
    "chars",
    "--pre-tokenizer",
    "whitespace",
    "--merges",
    "3",
    "--steps",
    "--ties",
    "first-seen",
]


def test_the_table_of_a_text(run: Run, folder: Path) -> None:
    (folder / "low.txt").write_text("low lower lowest", encoding="utf-8")
    ran = run("train", "bpe", "low.txt", *ARGS)
    assert ran.code == 0, ran.err
    assert ran.text.splitlines() == [
        "step  pair   count  piece  symbols  others",
        "                                14",
        "   1  l o        3  lo          11  o w 3, w e 2, e r 1, e s 1, s t 1",
        "   2  lo w       3  low          8  w e 2, e r 1, e s 1, s t 1",
        "   3  low e      2  lowe         6  e r 1, e s 1, s t 1",
        "base, in the order met: l o w e r s t",
        "words after the last step: low | lowe r | lowe s t",
        "",
        "bpe: 3 words (3 distinct, 14 bytes) → 10 entries: 7 alphabet, 3 merges (as asked)",
    ]
    assert [path.name for path in folder.iterdir()] == ["low.txt"]


def test_words_are_cut_by_hand(run: Run, folder: Path) -> None:
    (folder / "c.tsv").write_text("low\t5\nlower\t2\nnew\t6\nnewer\t3\n", encoding="utf-8")
    options = ["--base", "chars", "--end-of-word", "_", "--merges", "6", "--steps", "--ties", "lexicographic"]
    cuts = [f"--cut={word}" for word in ("lower", "renew", "slow", "newest")]
    ran = run("train", "bpe", "--words", "c.tsv", *options, *cuts)
    assert ran.code == 0, ran.err
    assert ran.text.splitlines()[8:14] == [
        "base, in the order met: l o w e r n _",
        "words after the last step: lo w_ | lo w er_ | new_ | ne w er_",
        "lower is cut: lo w er_",
        "renew is cut: r e new_",
        "slow is cut: s lo w_",
        "newest is cut: ne w e s t _",
    ]
    found = run("train", "bpe", "--words", "c.tsv", *options, *cuts, "--json").json
    assert found["base_order"] == ["l", "o", "w", "e", "r", "n", "_"]
    assert found["cuts"]["slow"] == ["s", "lo", "w_"]
    assert run("train", "bpe", "--words", "c.tsv", "--merges", "6", "--cut", "low", "-o", "t.json").code == 2


def test_bytes_are_shown_as_the_text_that_they_are(run: Run, folder: Path) -> None:
    (folder / "e.txt").write_text("é é é", encoding="utf-8")
    ran = run("train", "bpe", "e.txt", "--merges", "2", "--steps")
    assert ran.code == 0, ran.err
    assert ran.text.splitlines()[2:5] == [
        r"   1  \xc3 \xa9      3  é            5  · \xc3 2",
        r"   2  · é            2  ·é           3",
        "words after the last step: é | ·é",
    ]


def test_the_score_of_wordpiece(run: Run, folder: Path) -> None:
    (folder / "low.txt").write_text("low lower lowest", encoding="utf-8")
    ran = run("train", "bpe", "low.txt", *ARGS, "--score", "wordpiece")
    assert ran.code == 0, ran.err
    # count(s t) / (count(s) · count(t)) = 1 / (1 · 1), count(e r) / (count(e) · count(r)) = 1 / (2 · 1), and so on.
    assert ran.text.splitlines()[:3] == [
        "step  pair  score  count  piece  symbols  others",
        "                                      14",
        "   1  s t   1.000      1  st          13  e r 0.500, e s 0.500, l o 0.333, o w 0.333, w e 0.333",
    ]


def test_json_has_every_count(run: Run, folder: Path) -> None:
    (folder / "low.txt").write_text("low lower lowest", encoding="utf-8")
    steps = run("train", "bpe", "low.txt", *ARGS, "-o", "t.json", "--json").json["steps"]
    assert [step["piece"] for step in steps] == ["lo", "low", "lowe"]
    assert steps[0]["counts"][:3] == [["l", "o", 3], ["o", "w", 3], ["w", "e", 2]]
    assert steps[2]["corpus"] == [["low"], ["lowe", "r"], ["lowe", "s", "t"]]
    assert steps[2]["n_symbols"] == 6
    assert (folder / "t.json").exists()


def test_many_words_and_pairs_are_cut_short(run: Run, folder: Path) -> None:
    words = " ".join(f"a{chr(98 + at % 20)}{chr(98 + at // 20)}" for at in range(60))
    (folder / "many.txt").write_text(words, encoding="utf-8")
    lines = run("train", "bpe", "many.txt", *ARGS).text.splitlines()
    assert lines[2].endswith(", …")
    assert lines[6].endswith("(and 20 more)")
    assert lines[6].count(" | ") == 39


def test_no_merge_has_a_table_too(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text("a", encoding="utf-8")
    ran = run("train", "bpe", "a.txt", "--merges", "5", "--steps")
    assert ran.code == 0
    assert (
        ran.text
        == "bpe: 1 word (1 distinct, 1 byte) → 256 entries: 256 alphabet, 0 merges (no pair was left to merge)\n"
    )
