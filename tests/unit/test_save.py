"""Saving: the format by the name, whole files or none, and a reason for what a format cannot say."""

from __future__ import annotations

import base64
import json
import os
import pickle
import signal
import socket
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._files.save import format_of
from tools.fixtures import fixture


@pytest.fixture(scope="module")
def bert() -> pw.Tokenizer:
    return pw.load("bert-base-uncased")


def listing(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tokenizer.json", "tokenizer-json"),
        ("any.json", "tokenizer-json"),
        ("ranks.tiktoken", "tiktoken"),
        ("vocab.json", "vocab-merges"),
        ("merges.txt", "vocab-merges"),
        ("a-model", "folder"),
        ("there.v2", "folder"),
    ],
)
def test_the_name_says_the_format(name: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "there.v2").mkdir()
    assert format_of(tmp_path / name) == expected


@pytest.mark.parametrize("name", ["tokenizer.model", "a.gguf", "model.v2", "vocab.txt"])
def test_a_name_that_says_no_format_is_an_error(name: str, tmp_path: Path, bert: pw.Tokenizer) -> None:
    with pytest.raises(ValueError, match="does not say a format"):
        bert.save(tmp_path / name)
    with pytest.raises(
        ValueError, match="format is one of tokenizer-json, folder, tiktoken, vocab-merges, not 'gguf'"
    ):
        bert.save(tmp_path / name, format="gguf")  # type: ignore[arg-type]
    assert listing(tmp_path) == []


def test_what_is_saved_is_said(tmp_path: Path, bert: pw.Tokenizer) -> None:
    saved = bert.save(str(tmp_path / "x.json"))
    assert (saved.format, saved.paths, saved.left_out) == ("tokenizer-json", (tmp_path / "x.json",), ())
    assert pw.load(saved.paths[0]) == bert
    assert bert.save(tmp_path, format="tokenizer-json").paths == (tmp_path / "tokenizer.json",)
    saved = bert.save(tmp_path / "model")
    assert listing(tmp_path / "model") == [
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    assert json.loads((tmp_path / "model" / "special_tokens_map.json").read_text(encoding="utf-8")) == {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    }
    assert pw.load(tmp_path / "model") == bert


def test_ranks_of_a_known_encoding_hold_all_and_others_say_what_they_lack(tmp_path: Path) -> None:
    assert pw.load("cl100k_base").save(tmp_path / "a.tiktoken").left_out == ()
    tok = pw.load("o200k_harmony")
    left_out = tok.save(tmp_path / "b.tiktoken").left_out
    assert left_out == ("1,090 special tokens; load takes them as special_tokens=",)
    with pytest.raises(pw.LoadError):
        pw.load(tmp_path / "c.tiktoken")
    ranks = tmp_path / "c.tiktoken"
    ranks.write_bytes(b"YQ== 0\nYg== 1\nYWI= 2\n")
    tok = pw.load(ranks, pattern=r"\w+", special_tokens={"<x>": 3})
    saved = tok.save(tmp_path / "d.tiktoken")
    assert saved.left_out == (
        r"the pattern; load takes it as pattern='\\w+'",
        "1 special token; load takes them as special_tokens=",
    )
    assert saved.paths[0].read_bytes() == ranks.read_bytes()
    assert pw.load(saved.paths[0], pattern=r"\w+", special_tokens={"<x>": 3}) == tok


@pytest.mark.parametrize(
    ("name", "target", "reason"),
    [
        ("t5", "x.tiktoken", "ranks are of bytes, and a Unigram has none"),
        ("qwen3", "x.tiktoken", "this tokenizer rewrites it first"),
        ("bert-base-uncased", "vocab.json", "a WordPiece has no merges"),
        ("gpt-4o", "merges.txt", "not as tiktoken"),
        ("mistral/tokenizer.model.v3", "x.json", "no tokenizer.json does the same for every text"),
        (
            "sentencepiece_test/botchan_en_unigram_1000.model",
            "folder",
            "sentencepiece normalizes by its own rules",
        ),
        ("gguf/gpt-2.gguf", "x.json", "llama.cpp cuts by its own patterns"),
        ("gptoss/tokenizer.json", "vocab.json", "taken whole without asking the merges"),
        ("llama3/tokenizer.json", "x.tiktoken", "its merges are listed pairs"),
    ],
)
def test_what_a_format_cannot_say_is_refused(name: str, target: str, reason: str, tmp_path: Path) -> None:
    tok = pw.load(fixture(name) if "/" in name else name)
    with pytest.raises(pw.FormatError) as raised:
        tok.save(tmp_path / target)
    assert reason in str(raised.value)
    assert str(raised.value).startswith("it cannot be saved as ")
    assert raised.value.place
    assert listing(tmp_path) == []


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_a_failing_write_leaves_what_was_there(
    error: BaseException, tmp_path: Path, bert: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(b"old")

    def fail(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    expected = pw.OutputError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        bert.save(file)
    assert listing(tmp_path) == ["tokenizer.json"]
    assert file.read_bytes() == b"old"
    with pytest.raises(expected):
        bert.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_no_file_of_a_folder_is_replaced_before_all_are_written(
    tmp_path: Path, bert: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bert.save(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in listing(tmp_path)}
    n_synced = 0

    def fail_at_the_third(_: int) -> None:
        nonlocal n_synced
        n_synced += 1
        if n_synced == 3:
            raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail_at_the_third)
    with pytest.raises(pw.OutputError, match="the disk is full"):
        pw.load("t5").save(tmp_path)
    assert n_synced == 3
    assert {name: (tmp_path / name).read_bytes() for name in listing(tmp_path)} == before


def test_renaming_that_fails_leaves_whole_files(
    tmp_path: Path, bert: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def fail_at_the_config(self: Path, target: Path) -> Path:
        if target.name == "tokenizer_config.json":
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail_at_the_config)
    with pytest.raises(KeyboardInterrupt):
        bert.save(tmp_path / "model")
    assert listing(tmp_path) == ["model/tokenizer.json"]
    assert pw.load(tmp_path / "model" / "tokenizer.json") == bert


def test_a_replaced_file_keeps_its_permissions_and_a_new_one_has_the_usual_ones(
    tmp_path: Path, bert: pw.Tokenizer
) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.touch()
    old.chmod(0o640)
    mask = os.umask(0o027)
    try:
        bert.save(old)
        bert.save(new)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    other = tmp_path / "other.json"
    bert.save(other)
    assert stat.S_IMODE(other.stat().st_mode) == 0o666 & ~mask


def test_a_link_of_the_hubs_cache_is_replaced_and_not_what_it_leads_to(
    tmp_path: Path, bert: pw.Tokenizer
) -> None:
    target, link = tmp_path / "blobs" / "0123abcd", tmp_path / "tokenizer.json"
    target.parent.mkdir()
    target.write_bytes(b"another model's")
    link.symlink_to(target)
    bert.save(link)
    assert target.read_bytes() == b"another model's"
    assert not link.is_symlink()


def test_a_missing_folder_is_named(tmp_path: Path, bert: pw.Tokenizer) -> None:
    for name in ("no/such/model", "no/such/tokenizer.json", "no/such/vocab.json"):
        tok = pw.load("qwen3") if name.endswith("vocab.json") else bert
        with pytest.raises(pw.OutputError) as raised:
            tok.save(tmp_path / name)
        assert str(raised.value.path).startswith(str(tmp_path / name))
        assert str(raised.value).startswith(
            f"{raised.value.path} cannot be written: No such file or directory"
        )
        assert raised.value.hint == f"make the folder {tmp_path / 'no'} first"
    assert listing(tmp_path) == []


@pytest.mark.parametrize("name", ["tokenizer.json", "model"])
def test_a_place_that_cannot_be_written_is_named_and_not_the_file_beside_it(
    name: str, tmp_path: Path, bert: pw.Tokenizer
) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(pw.OutputError) as raised:
        bert.save(tmp_path / "file" / name)
    assert str(raised.value.path).startswith(str(tmp_path / "file" / name))
    assert ".partial" not in str(raised.value)
    assert raised.value.reason


def test_two_files_that_are_not_read_alone_say_what_they_need(tmp_path: Path) -> None:
    tok = pw.load(fixture("deepseek_v3/tokenizer.json"))
    saved = tok.save(tmp_path / "vocab.json")
    assert "need a tokenizer_config.json beside them" in saved.left_out[-1]
    with pytest.raises(pw.FormatError, match="tokenizer_config"):
        pw.load(tmp_path / "vocab.json")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}', encoding="utf-8")
    assert pw.load(tmp_path).vocab_size >= tok._native.n_base
    assert not any(
        "tokenizer_config" in text for text in pw.load("qwen3").save(tmp_path / "merges.txt").left_out
    )


@pytest.mark.parametrize(
    "name", ["added_tokens.json", "chat_template.jinja", "additional_chat_templates/tool.jinja"]
)
def test_a_file_that_would_be_read_with_the_saved_ones_is_in_the_way(
    name: str, tmp_path: Path, bert: pw.Tokenizer
) -> None:
    other = tmp_path / name
    other.parent.mkdir(exist_ok=True)
    other.write_text("{}", encoding="utf-8")
    with pytest.raises(FileExistsError, match=other.name):
        bert.save(tmp_path)
    assert listing(tmp_path) == [name]


def test_chat_templates_and_the_length_go_along(tmp_path: Path, bert: pw.Tokenizer) -> None:
    folder = tmp_path / "from"
    bert.save(folder)
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    templates = [
        {"name": "default", "template": "{{ '[CLS]' }}ö"},
        {"name": "tool_use", "template": "x"},
        {"name": "../../up", "template": "y"},
    ]
    config |= {"model_max_length": 512, "chat_template": templates}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    tok = pw.load(folder)
    saved = tok.save(tmp_path / "to")
    assert saved.left_out == (
        "the chat template '../../up': its name is none of a file, or its text is not Unicode",
    )
    assert listing(tmp_path / "to") == [
        "additional_chat_templates/tool_use.jinja",
        "chat_template.jinja",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    again = pw.load(tmp_path / "to")
    assert again == tok
    origin = again._origin
    assert origin is not None
    assert (origin.chat_templates["default"], origin.max_length) == ("{{ '[CLS]' }}ö", 512)
    assert tok.save(tmp_path / "one.json").left_out[0] == "3 chat templates, which a folder keeps"


def _config(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    return value


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("qwen3", {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}),
        ("gpt-4o", {"eos_token": "<|endoftext|>"}),
        ("gpt2", {"eos_token": "<|endoftext|>"}),
        (
            "o200k_harmony",
            {"bos_token": "<|startoftext|>", "eos_token": "<|return|>", "pad_token": "<|endoftext|>"},
        ),
        ("t5", {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}),
    ],
)
def test_a_bundled_tokenizers_folder_names_its_roles(
    name: str, roles: dict[str, str], tmp_path: Path
) -> None:
    tok = pickle.loads(pickle.dumps(pw.load(name)))
    saved = tok.save(tmp_path / "model")
    config = _config(tmp_path / "model")
    assert {field: value for field, value in config.items() if field.endswith("_token")} == roles
    assert json.loads((tmp_path / "model" / "special_tokens_map.json").read_text(encoding="utf-8")) == roles
    assert not any("what tokens are for" in sentence for sentence in saved.left_out)
    assert config["model_input_names"] == ["input_ids", "attention_mask"]


@pytest.mark.parametrize(("name", "of"), [("qwen3", "qwen3"), ("o200k_harmony", "gptoss")])
def test_the_roles_are_those_of_the_models_own_files(name: str, of: str, tmp_path: Path) -> None:
    published = json.loads(fixture(f"{of}/tokenizer_config.json").read_text(encoding="utf-8"))
    pw.load(name).save(tmp_path)
    config = _config(tmp_path)
    for role in ("bos_token", "eos_token", "pad_token"):
        assert config.get(role) == published.get(role), role


def test_special_tokens_without_a_role_are_said(tmp_path: Path) -> None:
    ranks = tmp_path / "x.tiktoken"
    ranks.write_bytes(b"".join(b"%s %d\n" % (base64.b64encode(bytes([n])), n) for n in range(256)))
    pattern = pw.load("r50k_base").info().stages["pre_tokenizers"][0]["pattern"]
    saved = pw.load(ranks, pattern=pattern, special_tokens={"<x>": 256}).save(tmp_path / "model")
    assert saved.left_out[-1] == "what tokens are for: nothing says which of them begins, ends or pads a text"


def test_a_pattern_that_is_written_as_another_is_said(tmp_path: Path) -> None:
    # GPT-2's pattern as it was published, of which r50k_base has a quicker form: tokenizers runs both as the one.
    pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    tok = pw.load(fixture("tiktoken/r50k_base.tiktoken"), pattern=pattern)
    left_out = "its form: what the file opens as gives the same ids, and has another fingerprint"
    for path in (tmp_path / "tokenizer.json", tmp_path / "folder"):
        assert tok.save(path).left_out == (left_out,)
        again = pw.load(path)
        assert again != tok
        assert again.ids("I'm  here: 1969 \n") == tok.ids("I'm  here: 1969 \n")
        assert again.save(path).left_out == ()
        assert pw.load(path) == again


@pytest.mark.parametrize("name", ["bert-base-uncased", "minilm"])
def test_inputs_and_sides_go_along(name: str, tmp_path: Path, bert: pw.Tokenizer) -> None:
    typed = ["input_ids", "token_type_ids", "attention_mask"]
    tok = pw.load(fixture("minilm_l6_v2/tokenizer.json").parent) if name == "minilm" else bert
    tok.save(tmp_path / "plain")
    assert _config(tmp_path / "plain")["model_input_names"] == typed
    own = {"model_input_names": typed[:1], "padding_side": "left", "truncation_side": "left"}
    config = {**_config(tmp_path / "plain"), **own}
    (tmp_path / "plain" / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    tok = pickle.loads(pickle.dumps(pw.load(tmp_path / "plain")))
    tok.save(tmp_path / "again")
    saved = _config(tmp_path / "again")
    assert {field: saved[field] for field in own} == own


@pytest.mark.parametrize(
    ("kind", "side"), [("LlamaTokenizer", "left"), ("BertTokenizer", None), ("LlamaTokenizerFast", "left")]
)
def test_what_the_source_left_to_its_class_is_written_out(
    kind: str, side: str | None, tmp_path: Path, bert: pw.Tokenizer
) -> None:
    bert.save(tmp_path / "from")
    config = {"tokenizer_class": kind}
    (tmp_path / "from" / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    pw.load(tmp_path / "from").save(tmp_path / "to")
    saved = _config(tmp_path / "to")
    assert saved.get("padding_side") == side
    assert ("token_type_ids" in saved["model_input_names"]) is (kind == "BertTokenizer")


def test_control_tokens_that_only_other_files_tell_are_said(tmp_path: Path) -> None:
    folder = tmp_path / "from"
    pw.load("bert-base-uncased").save(folder)
    file = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    for token in file["added_tokens"]:
        token["special"] = token["content"] != "[MASK]"
    (folder / "tokenizer.json").write_text(json.dumps(file), encoding="utf-8")
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).unlink()
    (folder / "generation_config.json").write_text('{"eos_token_id": 103}', encoding="utf-8")
    tok = pw.load(folder)
    left_out = tok.save(tmp_path / "to").left_out
    assert left_out == ("that [MASK] can steer the model, which only generation_config tells",)
    assert pw.load(tmp_path / "to") != tok


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    tok = pw.load("o200k_base")  # seconds of work
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tok.save(tmp_path / "model")
    timer.join()
    assert listing(tmp_path) == []


# --- where it is saved ----------------------------------------------------------------------------------------------------


def test_a_path_from_the_home_folder(
    tmp_path: Path, bert: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert bert.save("~/m.json").paths == (tmp_path / "home" / "m.json",)
    assert pw.load("~/m.json") == bert
    assert bert.save(Path("~") / "folder").paths[0] == tmp_path / "home" / "folder" / "tokenizer.json"
    with pytest.raises(pw.OutputError, match=r"~nobody-has-this-name/m\.json cannot be written"):
        bert.save("~nobody-has-this-name/m.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]


def test_an_empty_path_is_an_error(
    tmp_path: Path, bert: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="the path to save to is empty"):
        bert.save("")
    assert listing(tmp_path) == []


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path, bert: pw.Tokenizer) -> None:
    pipe, link, end = tmp_path / "pipe.json", tmp_path / "link.json", tmp_path / "end.json"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with socket.socket(socket.AF_UNIX) as listener, pytest.MonkeyPatch.context() as patch:
        # The path of a socket may have about a hundred bytes.
        patch.chdir(tmp_path)
        listener.bind("end.json")
    for path, what in ((pipe, "a pipe"), (link, "a pipe"), (end, "a special file")):
        before = path.lstat()
        with pytest.raises(pw.OutputError, match=f"{path.name} cannot be written: it is {what}") as raised:
            bert.save(path)
        assert raised.value.path == str(path)
        assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    with pytest.raises(pw.OutputError, match="/dev/null cannot be written: it is a device"):
        bert.save("/dev/null", format="tokenizer-json")
    assert len(list(tmp_path.iterdir())) == 3


def test_of_a_link_the_file_that_it_leads_to_is_replaced(tmp_path: Path, bert: pw.Tokenizer) -> None:
    (tmp_path / "far").mkdir()
    target, link, second = tmp_path / "far" / "real.json", tmp_path / "link.json", tmp_path / "second.json"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o600)
    link.symlink_to(Path("far") / "real.json")
    second.symlink_to("link.json")
    assert bert.save(second).paths == (second,)
    assert (link.is_symlink(), second.is_symlink(), target.is_symlink()) == (True, True, False)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert pw.load(target) == bert
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "far",
        "link.json",
        "real.json",
        "second.json",
    ]


def test_a_link_to_nothing_makes_the_file_and_one_in_a_circle_is_an_error(
    tmp_path: Path, bert: pw.Tokenizer
) -> None:
    link, circle = tmp_path / "link.json", tmp_path / "circle.json"
    link.symlink_to("made.json")
    circle.symlink_to("circle.json")
    bert.save(link)
    assert link.is_symlink()
    assert pw.load(tmp_path / "made.json") == bert
    with pytest.raises(pw.OutputError, match=r"circle\.json cannot be written"):
        bert.save(circle)
    assert circle.is_symlink()
