"""`piecework compare`: tables, JSON and files, with the figures of the sentence of the fox, worked out beforehand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]

EN = "The quick brown fox jumps over the lazy dog near the river bank."
PT = "A rápida raposa castanha salta sobre o cão preguiçoso perto da margem do rio."
DE = "Der schnelle braune Fuchs springt über den faulen Hund am Flussufer."
# Characters, bytes, words by white space, tokens of Qwen3.
FIGURES = {"en": (64, 64, 13, 14), "pt": (77, 80, 14, 25), "de": (68, 69, 11, 20), "hi": (59, 155, 12, 58)}


def counts(found: list[dict[str, object]]) -> dict[object, int]:
    """Tokens by text, of the cells of a JSON comparison."""
    return {cell["key"]: cell["n_tokens"] for cell in found}  # type: ignore[misc]


def read_csv(text: str) -> list[dict[str, str]]:
    """The rows of a CSV table, each by its heads."""
    return list(csv.DictReader(io.StringIO(text), strict=True))


def test_the_table_has_the_worked_figures(run: Run) -> None:
    ran = run("compare", "-m", "qwen3", "--samples", "fox", "--lang", "hi")
    assert ran.code == 0
    assert "qwen3: characters, bytes, words, tokens" in ran.text
    # bytes/token 155 / 58, tokens/word 58 / 12, premium 58 / 14.
    assert ["Hindi", "1", "59", "155", "12", "58", "2.67", "4.83", "4.14"] in ran.lines
    assert ["English", "1", "64", "64", "13", "14", "4.57", "1.08", "1.00"] in ran.lines
    assert "demonstration, not evidence" in ran.text
    assert ran.err.startswith("exact · qwen3 · fingerprint ")


def test_json_has_the_worked_figures(run: Run) -> None:
    value = run("compare", "-m", "qwen3", "--samples", "fox", "--json").json
    assert value["schema"] == "piecework.compare/1"
    texts = {text["key"]: text for text in value["texts"]}
    for key, (n_characters, n_bytes, n_words, n_tokens) in FIGURES.items():
        text = texts[key]
        assert (text["n_characters"], text["n_bytes"], text["n_words"]) == (n_characters, n_bytes, n_words)
        assert counts(value["cells"])[key] == n_tokens
    (hindi,) = (cell for cell in value["cells"] if cell["key"] == "hi")
    assert hindi["premium"] == {"value": 58 / 14, "low": None, "high": None}
    assert (value["label"], value["reference"]) == ("demonstration, not evidence", "en")


def test_several_tokenizers_stand_side_by_side(run: Run) -> None:
    value = run("compare", "-m", "qwen3", "-m", "gpt-4o", "--samples", "fox", "--lang", "en", "--json").json
    assert [one["name"] for one in value["tokenizers"]] == ["qwen3", "gpt-4o"]
    ran = run("compare", "-q", "-m", "qwen3", "-m", "gpt-4o", "--samples", "fox", "--lang", "hi")
    assert ["text", "qwen3", "gpt-4o"] in ran.lines
    assert ran.err == ""


def test_markdown_and_latex(run: Run) -> None:
    markdown = run("compare", "-m", "qwen3", "--samples", "fox", "--lang", "hi", "--format", "md").text
    assert "| Hindi | 1 | 59 | 155 | 12 | 58 | 2.67 | 4.83 | 4.14 |" in markdown.splitlines()
    latex = run("compare", "-m", "qwen3", "--samples", "fox", "--lang", "hi", "--format", "latex").text
    assert "Hindi & 1 & 59 & 155 & 12 & 58 & 2.67 & 4.83 & 4.14 \\\\" in latex.splitlines()
    assert latex.count("\\begin{table}") == latex.count("\\end{table}") == 2


def test_csv_is_one_table_with_a_cell_a_line(run: Run) -> None:
    rows = read_csv(run("compare", "-m", "qwen3", "--samples", "fox", "--format", "csv").text)
    found = {row["key"]: row for row in rows}
    for key, figures in FIGURES.items():
        names = ("n_characters", "n_bytes", "n_words", "n_tokens")
        assert tuple(int(found[key][name]) for name in names) == figures
    assert float(found["hi"]["premium"]) == 58 / 14
    assert found["emoji"]["premium"] == ""


def test_the_format_json_is_json(run: Run) -> None:
    args = ("compare", "-m", "qwen3", "--samples", "fox", "--lang", "hi")
    assert run(*args, "--format", "json").json == run(*args, "--json").json


def test_methods_print_the_paragraph_alone(run: Run) -> None:
    ran = run("compare", "-m", "qwen3", "--samples", "fox", "--methods")
    assert len(ran.text.splitlines()) == 1
    for part in ("151,669 tokens", "SHA-256", "white space (str.split)", "seed 0", "demonstration"):
        assert part in ran.text


def test_the_words_that_cost_most(run: Run) -> None:
    value = run("compare", "-m", "qwen3", "--samples", "fox", "--worst", "hi", "--top", "2", "--json").json
    (first, second) = value["worst"]
    assert first["word"] == "लोमड़ी"
    assert first["n_tokens"] == len(first["pieces"]) >= second["n_tokens"]
    assert first["command"] == "piecework explain --text ' लोमड़ी' -m qwen3"
    assert first["over_reference"] == pytest.approx(first["n_tokens"] / (14 / 13))


def test_extrapolation_and_window(run: Run) -> None:
    args = ("compare", "-m", "qwen3", "--samples", "fox", "--lang", "hi")
    value = run(*args, "--extrapolate", "1400", "--window", "100", "--json").json
    (one,) = value["extrapolations"]
    assert (one["key"], one["expected"]["value"], one["n_rows"]) == ("hi", pytest.approx(5800), 1)
    assert {share["key"]: share["share"] for share in value["window_shares"]} == {"en": 0.14, "hi": 0.58}
    text = run(*args, "--extrapolate", "1400", "--window", "100").text
    assert ["Hindi", "1", "5,800"] in [line.split() for line in text.splitlines()]
    assert "58.0%" in text


def test_output_goes_to_a_file(run: Run, folder: Path) -> None:
    ran = run("compare", "-m", "qwen3", "--samples", "fox", "--json", "-o", "found.json")
    assert (ran.code, ran.out) == (0, b"")
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    assert counts(found["cells"])["hi"] == 58
    assert [path.name for path in folder.iterdir()] == ["found.json"]


def test_a_picture_is_drawn(run: Run, folder: Path) -> None:
    ran = run("compare", "-m", "qwen3", "--samples", "fox", "--plot", "found.json")
    assert ran.code == 0
    definition = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    premiums = {row["language"]: row["premium"] for row in definition["datasets"]["cells"]}
    assert premiums["Hindi"] == 58 / 14
    assert "demonstration, not evidence" in definition["title"]["subtitle"]


def test_files_are_texts_by_themselves(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(EN, encoding="utf-8")
    (folder / "b.txt").write_text(PT, encoding="utf-8")
    value = run("compare", "-m", "qwen3", "a.txt", "b.txt", "--json").json
    assert counts(value["cells"]) == {"a.txt": 14, "b.txt": 25}
    assert value["reference"] is None
    assert [cell["premium"] for cell in value["cells"]] == [None, None]


def tsv(path: Path) -> None:
    """A table with a column a language."""
    path.write_text(f"en\tpt\tde\n{EN}\t{PT}\t{DE}\n", encoding="utf-8")


def csv_table(path: Path) -> None:
    """The same between commas."""
    path.write_text(f'en,pt,de\n"{EN}","{PT}",{DE}\n', encoding="utf-8")


def jsonl(path: Path) -> None:
    """The same as an object."""
    path.write_text(json.dumps({"en": EN, "pt": PT, "de": DE}) + "\n", encoding="utf-8")


def parquet_table(path: Path) -> None:
    """The same as columns, one of them with strings stored once each, beside two that are no text."""
    columns = {
        "en": pa.array([EN]),
        "pt": pa.array([PT], pa.large_string()),
        "de": pa.array([DE]).dictionary_encode(),
        "score": pa.array([0.5]),
        "tags": pa.array([["a", "b"]]),
    }
    parquet.write_table(pa.table(columns), path)


def pattern(path: Path) -> None:
    """The same as a file a language."""
    for key, text in (("en", EN), ("pt", PT), ("de", DE)):
        Path(str(path).replace("{lang}", key)).write_text(f"{text}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.tsv", tsv),
        ("t.csv", csv_table),
        ("t.jsonl", jsonl),
        ("t.ndjson", jsonl),
        ("t.parquet", parquet_table),
        ("fox.{lang}.txt", pattern),
    ],
)
def test_aligned_texts_of_ones_own(run: Run, folder: Path, name: str, write: object) -> None:
    write(folder / name)  # type: ignore[operator]
    value = run("compare", "-m", "qwen3", name, "--json").json
    assert counts(value["cells"]) == {key: FIGURES[key][3] for key in ("en", "pt", "de")}
    premiums = {cell["key"]: cell["premium"]["value"] for cell in value["cells"]}
    assert premiums == {"en": 1, "pt": 25 / 14, "de": 20 / 14}
    assert value["label"] is None
    picked = run("compare", "-m", "qwen3", name, "--lang", "de", "--json").json
    assert set(counts(picked["cells"])) == {"en", "de"}


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["gone.txt"], 4, "gone.txt cannot be read"),
        (["gone.{lang}.txt"], 4, "no file matches gone.{lang}.txt"),
        (["--samples", "poems"], 2, "--samples is one of parallel, kinds, fox, not poems"),
        (["--samples", "fox", "--lang", "xx"], 2, "no text xx; it has"),
        (["--samples", "fox", "--reference", "xx"], 2, "'xx' to be the reference"),
        (["--samples", "fox", "--worst", "xx"], 2, "no text 'xx'"),
        (["--samples", "fox", "a.txt"], 2, "name one of them"),
        (["--samples", "kinds", "--extrapolate", "10"], 2, "no texts that say the same"),
        (["--samples", "fox", "--methods", "--window", "10"], 2, "alone"),
        (["--samples", "fox", "--resamples", "1"], 2, "two draws"),
        (["--samples", "fox", "--seed", "-1"], 2, "seed is -1"),
        (["--samples", "fox", "--plot", "x.bmp"], 2, ".bmp"),
        (["--samples", "fox", "-m", "nothing-like-it"], 3, "nothing-like-it"),
    ],
)
def test_errors(run: Run, args: list[str], code: int, says: str) -> None:
    ran = run("compare", "-m", "qwen3", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert says in ran.err


def test_standard_input_is_a_text(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(EN, encoding="utf-8")
    value = run("compare", "-m", "qwen3", "a.txt", "-", "--json", stdin=PT.encode()).json
    assert counts(value["cells"]) == {"a.txt": 14, "<stdin>": 25}
    assert run("compare", "-m", "qwen3", "-", "-", stdin=b"x").code == 2
    assert run("compare", "-m", "qwen3", "-", stdin=b"\xff").code == 4


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["t.tsv", "u.tsv"], "t.tsv is a table, and is compared alone"),
        (["a.txt", "t.tsv"], "t.tsv is a table, and is compared alone"),
        (["{lang}.txt", "t.tsv"], "{lang}.txt stands for many files"),
        (["a.txt", "./a.txt"], "a.txt and ./a.txt are one file"),
        (["a.txt", "link.txt"], "a.txt and link.txt are one file"),
        (["a.txt", "a.txt"], "a.txt twice"),
        (["a.txt", "fox"], "fox is built in"),
        ([""], "a path is empty"),
    ],
)
def test_what_does_not_go_together(run: Run, folder: Path, args: list[str], says: str) -> None:
    tsv(folder / "t.tsv")
    tsv(folder / "u.tsv")
    (folder / "a.txt").write_text(EN, encoding="utf-8")
    (folder / "link.txt").symlink_to("a.txt")
    ran = run("compare", "-m", "qwen3", *args)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err


def test_columns_of_no_language_are_left_out_and_named(run: Run, folder: Path) -> None:
    rows = [("1", "s-1", "One cat.", "Un chat."), ("2", "s-2", "Two dogs.", "Deux chiens.")]
    lines = ["\t".join(row) for row in (("id", "name", "en", "fr"), *rows)]
    (folder / "t.tsv").write_text("\n".join(lines), encoding="utf-8")
    ran = run("compare", "-m", "qwen3", "t.tsv")
    assert "the column id is left out: its values are numbers" in ran.err
    assert "the column name is left out: its values are identifiers, each once" in ran.err
    assert ["id", "its", "values", "are", "numbers"] in ran.lines
    assert "Indonesian" not in ran.text
    value = run("compare", "-m", "qwen3", "t.tsv", "--json").json
    assert [text["key"] for text in value["texts"]] == ["en", "fr"]
    assert value["left_out"][0] == {"key": "id", "reason": "its values are numbers"}
    assert "2 of them with 2 rows each" in value["methods"]
    assert "Columns left out: id (its values are numbers); name (" in value["methods"]
    named = run("compare", "-m", "qwen3", "t.tsv", "--lang", "id", "--json").json
    assert [text["key"] for text in named["texts"]] == ["id", "en"]
    assert named["left_out"] == []


def test_indonesian_is_a_language(run: Run, folder: Path) -> None:
    (folder / "t.tsv").write_text("id\ten\nkucing\tcat\nanjing\tdog\n", encoding="utf-8")
    value = run("compare", "-m", "qwen3", "t.tsv", "--json").json
    assert [(text["key"], text["name"]) for text in value["texts"]] == [
        ("id", "Indonesian"),
        ("en", "English"),
    ]


def test_values_that_are_no_text_are_named(run: Run, folder: Path) -> None:
    (folder / "t.jsonl").write_text(
        '{"en": "A", "fr": "B", "n": ' + "9" * 5000 + ', "x": null}\n', encoding="utf-8"
    )
    value = run("compare", "-m", "qwen3", "t.jsonl", "--json").json
    assert value["left_out"] == [
        {"key": "n", "reason": "its values are numbers"},
        {"key": "x", "reason": "it is empty"},
    ]
    parquet_table(folder / "t.parquet")
    value = run("compare", "-m", "qwen3", "t.parquet", "--json").json
    assert [one["key"] for one in value["left_out"]] == ["score", "tags"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.jsonl", b'{"en": "A", "fr": "B"}\n{"en": "A", "fr": "B", "fr": "C"}\n', "line 2: the key 'fr' stands twice"),
        ("t.jsonl", b'{"en": "A", "": "B"}\n', "line 1: a key is empty"),
        ("t.jsonl", b'{"en": "A", "fr": "B"}\n\n{"en": "A", "fr": 3}\n', "line 3: fr is of numbers there"),
        ("t.jsonl", b'{"en": "A"}\n[]\n', "line 2 is no object"),
        ("t.jsonl", b'{"en": "A"\n', "line 1: "),
        ("t.jsonl", b'{"en": "\\ud800", "fr": "x"}\n', "en, row 1: the text has a lone surrogate"),
        ("t.jsonl", b"", "no rows of text"),
        ("t.jsonl", b'{"n": 1}\n', "n is left out"),
        ("t.tsv", b"en\t\tfr\nA\tB\tC\n", "line 1: column 2 has no name"),
        ("t.tsv", b"en\ten\nA\tB\n", "line 1: two columns are called en"),
        ("t.tsv", b"en\tfr\nA\tB\nA\n", "line 3 has 1 columns, the first line names 2"),
        ("t.tsv", b"", "no rows of text"),
        ("t.tsv", b"id\n1\n2\n", "id is left out, its values are numbers"),
        ("t.tsv", b"en\tfr\nA\t\xff\n", "no UTF-8 at byte 8"),
        ("t.csv", b'en,fr\n"A\n', "line 2: unexpected end of data"),
        ("t.csv", b"en,\nA,B\n", "line 1: column 2 has no name"),
        ("t.csv", b'en,fr\n"A\n1",B\nA\n', "line 4 has 1 columns"),
        ("t.csv", "en,fr\nA,B\n".encode("utf-16"), "no UTF-8 at byte 0"),
        ("t.parquet", b"PAR1", "t.parquet cannot be read"),
        ("t.parquet", b"", "t.parquet cannot be read"),
    ],
)  # fmt: skip
def test_broken_tables_are_errors_that_name_the_line(
    run: Run, folder: Path, name: str, content: bytes, says: str
) -> None:
    (folder / name).write_bytes(content)
    ran = run("compare", "-m", "qwen3", name)
    assert (ran.code, ran.out) == (4, b"")
    assert says in ran.err


def test_parquet_with_one_name_twice(run: Run, folder: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["A"]), pa.array(["B"])], names=["en", "en"])
    parquet.write_table(table, folder / "t.parquet")
    ran = run("compare", "-m", "qwen3", "t.parquet")
    assert (ran.code, "two columns are called en" in ran.err) == (4, True)


def test_fields_of_any_length(run: Run, folder: Path) -> None:
    long = "word " * 40_000
    (folder / "t.csv").write_text(f"en,fr\n{long},B\n", encoding="utf-8")
    value = run("compare", "-m", "gpt2", "t.csv", "--json").json
    assert value["texts"][0]["n_characters"] == 200_000


def test_a_byte_order_mark_is_of_the_file(run: Run, folder: Path) -> None:
    for name, text in (("t.tsv", f"en\tpt\n{EN}\t{PT}\n"), ("t.csv", f'en,pt\n"{EN}","{PT}"\n')):
        (folder / name).write_text(f"\ufeff{text}", encoding="utf-8")
        assert counts(run("compare", "-m", "qwen3", name, "--json").json["cells"]) == {"en": 14, "pt": 25}
    for key, text in (("en", EN), ("pt", PT)):
        (folder / f"{key}.txt").write_text(f"\ufeff{text}\r\n", encoding="utf-8")
    found = run("compare", "-m", "qwen3", "{lang}.txt", "--json").json
    assert counts(found["cells"]) == {"en": 14, "pt": 25}


def test_a_device_is_not_read(run: Run) -> None:
    ran = run("compare", "-m", "qwen3", "/dev/zero")
    assert (ran.code, "a device" in ran.err) == (4, True)


def test_an_assumed_tokenizer_is_labelled(run: Run) -> None:
    args = ("compare", "-m", "llama-9", "--assume", "qwen3", "--samples", "fox", "--worst", "hi", "--json")
    value = run(*args).json
    (one,) = value["tokenizers"]
    assert (one["model"], one["tokenizer"], one["basis"], one["assumed"]) == (
        "llama-9",
        "qwen3",
        "estimate",
        True,
    )
    # The model is unknown: what can be had again is the tokenizer.
    assert value["worst"][0]["command"].endswith(" -m qwen3")
    (exact,) = run("compare", "-m", "qwen3", "--samples", "fox", "--json").json["tokenizers"]
    assert (exact["basis"], exact["assumed"]) == ("exact", False)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--samples", "kinds", "--plot", "x.svg", "--plot-kind", "premium"], "no texts that say the same"),
        (["--samples", "kinds", "--plot", "x.svg", "--plot-kind", "heat-map"], "no texts that say the same"),
        (["--samples", "kinds", "--reference", "en"], "no texts that say the same"),
        (["--samples", "kinds", "--keep-suspect"], "each text stands by itself"),
        (["--samples", "fox", "--format", "csv", "--json"], "two forms"),
        (["--samples", "fox", "--methods", "--json"], "its member methods"),
        (["--samples", "fox", "--methods", "--format", "md"], "alone"),
        (["--samples", "fox", "--top", "3"], "--worst KEY"),
        (["--samples", "fox", "--seed", "3", "--resamples", "0"], "draws nothing"),
        (["--samples", "fox", "--format", "csv", "--worst", "hi"], "a CSV holds one table"),
        (["--samples", "fox", "--format", "csv", "--worst", "hi", "-o", "/dev/null"], "a CSV holds one table"),
        (["--samples", "fox", "--json", "--plot", "x.json", "-o", "./x.json"], "both write x.json"),
        (["--samples", "fox", "--format", "csv", "--worst", "hi", "-o", "x.json", "--plot", "x.words.json"], "both write"),
        (["--samples", "fox", "--resamples", "100001"], "at most 100,000"),
        (["--samples", "fox", "--extrapolate", "1" + "0" * 400], "--extrapolate"),
    ],
)  # fmt: skip
def test_options_that_would_be_left_out_are_refused(
    run: Run, folder: Path, args: list[str], says: str
) -> None:
    ran = run("compare", "-m", "qwen3", *args)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err
    assert list(folder.iterdir()) == []


def test_json_may_be_asked_for_twice(run: Run) -> None:
    assert run("compare", "-m", "qwen3", "--samples", "fox", "--json", "--format", "json").code == 0


def test_csv_holds_one_table_with_low_and_high_in_columns_of_their_own(run: Run, folder: Path) -> None:
    args = (
        "compare",
        "-m",
        "qwen3",
        "--lang",
        "hi",
        "--format",
        "csv",
        "--extrapolate",
        "1000",
        "--window",
        "981",
    )
    (english, hindi) = read_csv(run(*args).text)
    assert english["extrapolated"] == ""
    premium, low, high = (float(hindi[name]) for name in ("premium", "premium_low", "premium_high"))
    assert low < premium < high
    ends = [float(hindi[name]) for name in ("extrapolated", "extrapolated_low", "extrapolated_high")]
    assert ends == pytest.approx([1000 * premium, 1000 * low, 1000 * high])
    assert (hindi["extrapolated_from"], hindi["window_share"], hindi["basis"]) == ("1000", "1.0", "exact")
    ran = run(*args, "--worst", "hi", "--worst", "en", "--top", "2", "-o", "out.csv")
    assert (ran.code, ran.out) == (0, b"")
    assert "out.words.csv" in ran.err
    assert read_csv((folder / "out.csv").read_text(encoding="utf-8")) == [english, hindi]
    words = read_csv((folder / "out.words.csv").read_text(encoding="utf-8"))
    assert [word["key"] for word in words] == ["hi", "hi", "en", "en"]
    assert all(int(word["n_tokens"]) == len(json.loads(word["pieces"])) for word in words)
    assert sorted(path.name for path in folder.iterdir()) == ["out.csv", "out.words.csv"]


def test_small_shares_do_not_read_as_nothing(run: Run) -> None:
    text = run("compare", "-m", "qwen3", "-m", "gpt2", "--samples", "fox", "--lang", "hi").text
    use = text.split("Vocabulary use")[1].split("\n\n")[0].splitlines()
    # 13 of 151,669 tokens; 13 of 50,257.
    assert use[2].split() == ["English", "0.0086%", "0.026%"]


def test_what_is_lost_to_unknown_tokens_marks_all_that_follows(run: Run) -> None:
    args = ("compare", "-m", "t5", "-m", "qwen3", "--samples", "fox", "--lang", "zh", "--extrapolate", "100")
    text = run(*args).text
    rows = {line.split()[0]: line.split() for line in text.split("\nTokenizers\n")[1].splitlines()[1:3]}
    assert rows["t5"][2].endswith("*")
    assert not rows["qwen3"][2].endswith("*")
    extrapolated = [line for line in text.splitlines() if line.startswith("Chinese")][-1].split()
    assert extrapolated[-2].endswith("*")
    assert not extrapolated[-1].endswith("*")
    value = run(*args, "--json").json
    assert [one["gini_is_flattered"] for one in value["tokenizers"]] == [True, False]
    assert [one["is_flattered"] for one in value["extrapolations"]] == [True, False]


def test_window_price_and_cache_of_models(run: Run) -> None:
    ran = run(
        "compare", "-m", "gpt-4o", "-m", "qwen3", "--samples", "fox", "--lang", "hi", "--costs", "--config",
        f"qwen3={ROOT / 'examples' / 'configs' / 'qwen3-8b.json'}", "--json",
    )  # fmt: skip
    gpt, qwen = ran.json["models"]
    assert (gpt["window_tokens"], gpt["input_usd"], gpt["kv_token_bytes"]) == (128_000, "2.5", None)
    assert (qwen["window_tokens"], qwen["input_usd"], qwen["kv_token_bytes"]) == (None, None, 147_456)
    assert "no price is known for qwen3" in qwen["missing"]
    table = run(
        "compare", "-m", "qwen3", "-m", "gpt-4o", "--samples", "fox", "--lang", "hi", "--costs", "--config",
        f"qwen3={ROOT / 'examples' / 'configs' / 'qwen3-8b.json'}",
    ).lines  # fmt: skip
    # English: 14 tokens in 64 characters. 2.5 * 14/64 dollars, 147,456 * 14/64 million bytes. Hindi: 58 in 59 for qwen3.
    assert ["English", "-", "0.55"] in table
    assert ["English", "32.26", "-"] in table
    assert ["Hindi", "144.96", "-"] in table


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--config", "qwen3=x.json"], 2),
        (["--costs", "--config", "qwen3"], 2),
        (["--costs", "--config", "gpt2=x.json"], 2),
        (["--costs", "--config", "qwen3=gone.json"], 4),
    ],
)
def test_configs_that_are_none(run: Run, args: list[str], code: int) -> None:
    assert run("compare", "-m", "qwen3", "--samples", "fox", "--lang", "hi", *args).code == code
