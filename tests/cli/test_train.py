"""`piecework train bpe` and `wordlevel`: what they save, print and refuse."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import tokenizers

import piecework as pw
from tests.cli.conftest import Run

TEXT = "the cat sat on the mat\nthe hat of the cat\n" * 20


@pytest.fixture(autouse=True)
def texts(folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "bad.txt").write_bytes(b"a \xff b\n")


def test_a_folder_that_loads(run: Run, folder: Path) -> None:
    ran = run("train", "bpe", "a.txt", "--vocab-size", "270", "--special-token", "<s>", "-o", "made")
    assert ran.code == 0, ran.err
    assert "270 entries: 256 alphabet, 13 merges" in ran.text
    assert ran.err == ""
    tok = pw.load(str(folder / "made"))
    same = pw.train.bpe(files=[folder / "a.txt"], vocab_size=270, special_tokens=["<s>"])
    assert tok.ids("the cat <s>") == same.ids("the cat <s>")
    reference = tokenizers.Tokenizer.from_file(str(folder / "made" / "tokenizer.json"))
    assert tok.ids("the hat").tolist() == reference.encode("the hat").ids


def test_json(run: Run, folder: Path) -> None:
    args = ["--base", "chars", "--pre-tokenizer", "whitespace", "--unk", "<unk>", "--merges", "3"]
    value = run("train", "bpe", "a.txt", *args, "-o", "t.json", "--json").json
    assert value["schema"] == "piecework.train/1"
    assert value["report"]["n_merges"] == 3
    assert value["options"]["unk"] == "<unk>"
    assert "steps" not in value
    assert [Path(path).name for path in value["paths"]] == ["t.json"]
    assert json.loads((folder / "t.json").read_bytes())["model"]["unk_token"] == "<unk>"


def test_wordlevel(run: Run, folder: Path) -> None:
    ran = run("train", "wordlevel", "a.txt", "--vocab-size", "4", "--unk", "<unk>", "-o", "w.json")
    assert ran.code == 0, ran.err
    vocab = json.loads((folder / "w.json").read_bytes())["model"]["vocab"]
    assert vocab == {"<unk>": 0, "the": 1, "cat": 2, "hat": 3}


def test_each_option_is_the_argument_of_its_name(run: Run) -> None:
    given = (
        "--initial-alphabet xyz --limit-alphabet 6 --max-token-length 3 --prefix ## --end-of-word-suffix </w> "
        "--min-frequency 20 --normalizer nfd --normalizer lowercase --base chars --pre-tokenizer whitespace "
        "--vocab-size 40 --threads 1 -o t.json"
    )
    args = given.split()
    ran = run("train", "bpe", "a.txt", *args, "--json")
    assert ran.code == 0, ran.err
    assert ran.err.startswith(
        "note: the corpus fills 11 of 40 entries: no pair is left to merge within --min-frequency 20"
    )
    with pytest.warns(pw.PieceworkWarning, match="fills 11 of 40 entries"):
        same = pw.train.bpe(
            files=["a.txt"],
            initial_alphabet="xyz",
            limit_alphabet=6,
            max_token_length=3,
            continuing_subword_prefix="##",
            end_of_word_suffix="</w>",
            min_frequency=20,
            normalizer=("nfd", "lowercase"),
            base="chars",
            pre_tokenizer="whitespace",
            vocab_size=40,
        )
    assert ran.json["fingerprint"] == same.fingerprint
    assert same.training is not None
    assert ran.json["options"] == same.training.to_dict()["options"]


def test_standard_input_is_read_as_a_file_is(run: Run) -> None:
    fingerprints = []
    for source, stdin in (("a.txt", b""), ("-", TEXT.encode())):
        ran = run("train", "bpe", source, "--vocab-size", "270", "-o", "t.json", "--json", stdin=stdin)
        assert ran.code == 0, ran.err
        fingerprints.append((ran.json["corpus_fingerprint"], ran.json["fingerprint"]))
    assert fingerprints[0] == fingerprints[1]


def test_records_and_packed_files(run: Run, folder: Path) -> None:
    lines = TEXT.splitlines(keepends=True)
    (folder / "r.jsonl").write_text(
        "".join(json.dumps({"body": line}) + "\n" for line in lines), encoding="utf-8"
    )
    (folder / "r.jsonl.gz").write_bytes(gzip.compress((folder / "r.jsonl").read_bytes()))
    args = ["--vocab-size", "270", "--json", "-o", "t.json"]
    expected = run("train", "bpe", "a.txt", *args).json["fingerprint"]
    for name in ("r.jsonl", "r.jsonl.gz"):
        assert run("train", "bpe", name, "--field", "body", *args).json["fingerprint"] == expected
    ran = run("train", "bpe", "r.jsonl", *args)
    assert ran.code == 4
    assert "text" in ran.err


def test_what_is_not_unicode_is_replaced_or_left_out_and_counted(run: Run) -> None:
    args = ["train", "bpe", "a.txt", "bad.txt", "--merges", "3", "--json", "-o", "t.json", "--errors"]
    replaced, skipped = run(*args, "replace").json["report"], run(*args, "skip").json["report"]
    assert (replaced["n_invalid"], skipped["n_invalid"]) == (1, 1)
    assert replaced["n_bytes"] == len(TEXT) + len("a \ufffd b\n".encode())
    assert skipped["n_bytes"] == len(TEXT)


def test_what_helps_with_what_is_not_unicode_is_all_said(run: Run) -> None:
    for args, data in ((["bad.txt"], b""), (["-"], b"a \xff b\n")):
        ran = run("train", "bpe", *args, "--vocab-size", "300", "-o", "t.json", stdin=data)
        assert ran.code == 4
        assert ran.err.splitlines()[-1] == (
            "hint: --errors replace reads U+FFFD there, --errors skip leaves it out"
        )


def test_a_mix_is_drawn_and_recorded(run: Run, folder: Path) -> None:
    (folder / "b.txt").write_text("a dog\n" * 40, encoding="utf-8")
    mix = '[[source]]\nname = "a"\nfiles = "a.txt"\nweight = 1\n[[source]]\nname = "b"\nfiles = "b.txt"\nweight = 1\n'
    (folder / "mix.toml").write_text(mix, encoding="utf-8")
    ran = run(
        "train", "bpe", "--mix", "mix.toml", "--seed", "7", "--vocab-size", "260", "-o", "made", "--json"
    )
    assert ran.code == 0, ran.err
    record = json.loads((folder / "made" / "training.json").read_bytes())
    assert record["mix"] == ran.json["mix"]
    assert record["mix"]["seed"] == 7
    assert [source["name"] for source in record["mix"]["sources"]] == ["a", "b"]
    assert [source["share"] for source in record["mix"]["sources"]] == [0.5, 0.5]


def test_rare_words_are_left_out(run: Run, folder: Path) -> None:
    (folder / "b.txt").write_text("once upon\n", encoding="utf-8")
    args = ["--min-word-count", "2", "--merges", "3", "--json", "-o", "t.json"]
    report = run("train", "bpe", "a.txt", "b.txt", *args).json["report"]
    assert (report["n_left_out_words"], report["n_left_out"]) == (2, 2)


def test_what_the_corpus_cannot_fill_is_said(run: Run, folder: Path) -> None:
    ran = run("train", "bpe", "a.txt", "--vocab-size", "9000", "-o", "t.json")
    n_entries = pw.load(str(folder / "t.json")).vocab_size
    assert n_entries < 300
    assert ran.code == 0
    assert ran.err == f"note: the corpus fills {n_entries} of 9,000 entries: no pair is left to merge\n"
    ran = run("train", "wordlevel", "a.txt", "--vocab-size", "9000", "-o", "w.json")
    assert ran.err == "note: the corpus fills 7 of 9,000 entries: no word is left\n"
    assert run("train", "bpe", "a.txt", "--vocab-size", "9000", "-o", "t.json", "-q").err == ""


def test_a_name_with_a_mistake_in_it_is_warned_of(run: Run) -> None:
    ran = run("train", "bpe", "a.txt", "--merges", "3", "--pre-tokenizer", "o200k", "-o", "t.json")
    assert ran.code == 0
    assert ran.err.splitlines()[0] == (
        "note: --pre-tokenizer o200k is no name that is known: it is taken as a regular expression; did you mean o200k_base?"
    )
    assert ran.err.count("did you mean") == 1


def test_no_pre_tokenizer_is_warned_of(run: Run) -> None:
    ran = run("train", "bpe", "a.txt", "--vocab-size", "260", "--pre-tokenizer", "none", "-o", "t.json")
    assert ran.code == 0, ran.err
    assert ran.err.startswith("note: --pre-tokenizer none makes one word of each text: merges cross spaces")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["bpe", "a.txt", "--vocab-size", "300"], 2, "where to?"),
        (["bpe", "a.txt", "-o", "t.json"], 2, "one of --vocab-size and --merges"),
        (["bpe", "--vocab-size", "300", "-o", "t.json"], 2, "train on what?"),
        (["bpe", "a.txt", "-", "--vocab-size", "300", "-o", "t.json"], 2, "goes alone"),
        (["bpe", "a.txt", "--vocab-size", "30", "-o", "t.json"], 4, "error[vocab-size]: --vocab-size 30 is smaller"),
        (["bpe", "none.txt", "--vocab-size", "300", "-o", "t.json"], 4, "error[input]"),
        (["bpe", "empty.txt", "--vocab-size", "300", "-o", "t.json"], 4, "error[empty-corpus]"),
        (["bpe", "bad.txt", "--vocab-size", "300", "-o", "t.json"], 4, "error[not-unicode]: bad.txt is not UTF-8 at byte 2"),
        (["bpe", "a.txt", "--merges", "3", "--pre-tokenizer", "(", "-o", "t.json"], 2, "--pre-tokenizer"),
        (["bpe", "a.txt", "--merges", "3", "--unk", "?", "-o", "t.json"], 2, "--unk goes with --base chars"),
        (["bpe", "a.txt", "--merges", "3", "--ties", "first-seen", "-o", "t.json"], 2, "it goes with --steps"),
        (["bpe", "a.txt", "--merges", "3", "--special-token", "a", "--special-token", "a", "-o", "t.json"], 2, "'a' is given twice"),
        (["bpe", "a.txt", "--words", "n.tsv", "--merges", "3", "-o", "t.json"], 2, "three ways to name the text"),
        (["bpe", "a.txt", "--merges", "3", "--seed", "7", "-o", "t.json"], 2, "it goes with --mix"),
        (["bpe", "a.txt", "--merges", "3", "--max-memory", "many", "-o", "t.json"], 2, "--max-memory is a number of bytes or a size"),
        (["bpe", "a.txt", "--merges", "3", "--max-memory", "1MB", "-o", "t.json"], 2, "at least 256.00 MB"),
        (["bpe", "--words", "a.txt", "--merges", "3", "-o", "t.json"], 2, "--words takes .tsv"),
        (["bpe", "--words", "none.tsv", "--merges", "3", "-o", "t.json"], 4, "error[input]"),
        (["bpe", "--mix", "none.toml", "--merges", "3", "-o", "t.json"], 4, "error[input]: none.toml"),
        (["bpe", ".", "--merges", "3", "-o", "t.json"], 4, "hint: give the files in it, such as folder/*.txt"),
        (["bpe", "a.txt", "--merges", "3", "-o", "-"], 2, "saved under a name"),
        (["bpe", "a.txt", "--merges", "3", "-o", ""], 2, "the path to save to is empty"),
        (["bpe", "a.txt", "--merges", "3", "-o", "t.xyz"], 2, "-o: the name t.xyz does not say a format; -o NAME.json, or -o FOLDER\n"),
        (["bpe", "a.txt", "--merges", "3", "-o", "no/such/t.json"], 2, "there is no folder"),
        (["bpe", "a.txt", "--merges", "3", "-o", "a.txt/t.json"], 2, "a.txt is no folder"),
        (["bpe", "a.txt", "--merges", "3", "-o", "/dev/null"], 2, "what is there is no folder"),
        (["bpe", "a.txt", "--merges", "3", "--base", "chars", "-o", "t.tiktoken"], 2, "tiktoken cannot say what such a"),
        (["wordlevel", "a.txt", "--vocab-size", "9", "-o", "vocab.json"], 2, "vocab-merges cannot say what such a"),
        (["wordlevel", "a.txt", "-o", "t.json"], 2, "how many words? --vocab-size N"),
        (["wordlevel", "a.txt", "--merges", "3", "-o", "t.json"], 2, "No such option '--merges'"),
        (["unigram", "a.txt", "-o", "t.json"], 2, "one of bpe, wordlevel, words, curve; unigram is none of them; tokenizers are trained by bpe and wordlevel\n"),
        (["WordPiece", "a.txt"], 2, "are trained by bpe and wordlevel, and bpe --score wordpiece --steps shows WordPiece's score\n"),
        (["cat", "a.txt"], 2, "one of bpe, wordlevel, words, curve; cat is none of them\n"),
        ([], 2, "What to train"),
    ],
)  # fmt: skip
def test_errors(run: Run, folder: Path, args: list[str], code: int, message: str) -> None:
    ran = run("train", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert message in ran.err
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "bad.txt", "empty.txt"]


def test_what_is_in_the_way_is_said_before_the_work(run: Run, folder: Path) -> None:
    (folder / "made").mkdir()
    (folder / "made" / "added_tokens.json").write_text("{}", encoding="utf-8")
    ran = run("train", "bpe", "none.txt", "--vocab-size", "300", "-o", "made")
    assert ran.code == 2
    assert ran.err.startswith("error[output]: made cannot be written: ")
    assert "added_tokens.json" in ran.err
