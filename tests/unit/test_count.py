"""`piecework.count`: a number that says what it is worth."""

from __future__ import annotations

import pytest

import piecework as pw


def test_an_exact_count() -> None:
    result = pw.count("Hello, world!", model="gpt-4o")
    assert (result.n, int(result), result.basis, result.tokenizer) == (4, 4, "exact", "o200k_base")
    assert result.fingerprint == pw.load("o200k_base").fingerprint
    assert result.band == (4, 4)
    assert sum(part.n_tokens for part in result.parts) == result.n


def test_a_tokenizer_in_place_of_a_name() -> None:
    assert pw.count("Hello", model=pw.load("qwen3")).tokenizer == "qwen3"


def test_an_unknown_model_is_an_error_unless_something_is_assumed() -> None:
    with pytest.raises(pw.UnknownTokenizerError):
        pw.count("red fish blue fish", model="zz-unknown-9")
    result = pw.count("red fish blue fish", model="zz-unknown-9", assume="o200k_base")
    assert (result.n, result.basis, result.tokenizer, result.band) == (4, "estimate", "o200k_base", None)


def test_what_is_assumed_does_not_touch_a_known_model() -> None:
    assert pw.count("x", model="gpt-4o", assume="qwen3").basis == "exact"


def test_a_missing_file_is_not_assumed_away() -> None:
    with pytest.raises(pw.LoadError):
        pw.count("x", model="./missing.json", assume="o200k_base")


@pytest.mark.parametrize("text", [None, 3, {"role"}])
def test_only_texts_and_messages_are_counted(text: object) -> None:
    with pytest.raises(TypeError, match="a str or its UTF-8 bytes"):
        pw.count(text, model="gpt-4o")  # type: ignore[arg-type]


def test_options_reach_the_tokenizer() -> None:
    text = "<|endoftext|>"
    assert pw.count(text, model="gpt-4o", special="parse").n == 1
    with pytest.raises(pw.SpecialTokenError):
        pw.count(text, model="gpt-4o", special="raise")
    assert pw.count(b"\xff", model="gpt-4o", errors="replace").n == pw.count("\ufffd", model="gpt-4o").n


def test_repr_is_short() -> None:
    exact = pw.count("Hello, world!", model="gpt-4o")
    assert repr(exact) == "Count(4, exact, o200k_base, fingerprint 304e0be4b0fd, parts text 4)"
    assumed = pw.count("Hello, world!", model="zz-unknown-9", assume="o200k_base")
    assert "4, estimate, o200k_base" in repr(assumed)
    assert "band=None" in repr(assumed)


def test_a_count_as_text_and_in_a_notebook() -> None:
    exact = pw.Count(1_234, "exact", "o200k_base", "ab" * 32, (1_234, 1_234), (pw.Part("text", 1_234),))
    assert str(exact) == "1,234 tokens, exact by o200k_base\n  1,234  text"
    parts = (pw.Part("messages[0] <b>", 1_200), pw.Part("reply", 3))
    vague = pw.Count(1_203, "estimate", "bytes", "", (900, 1_500), parts, ("not counted: 1 image",))
    assert str(vague).splitlines() == [
        "1,203 tokens, estimate (900 to 1,500) by bytes",
        "  1,200  messages[0] <b>",
        "      3  reply",
        "not counted: 1 image",
    ]
    page = vague._repr_html_()
    assert "messages[0] &lt;b&gt;" in page
    assert "<script" not in page
    assert "1,203 tokens, estimate (900 to 1,500) by bytes" in page
    assert repr(vague) == (
        "Count(1203, estimate, bytes, band=(900, 1500), parts messages[0] <b> 1200, reply 3; not counted: 1 image)"
    )


def test_names_that_callers_give_are_one_harmless_line() -> None:
    found = pw.count([{"role": "us\x1b[31mer\n", "content": "Hi"}], model="gpt-4o")
    assert str(found).splitlines()[1].endswith("messages[0] us\ufffd[31mer\ufffd")


def test_a_count_survives_pickling() -> None:
    import pickle  # noqa: PLC0415

    found = pw.count([{"role": "user", "content": "Hi"}], model="claude-opus-4-7")
    assert pickle.loads(pickle.dumps(found)) == found
