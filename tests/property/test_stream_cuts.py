"""Whatever the cuts, a stream joins to the whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import piecework as pw
from piecework._types import Special
from tests.property.strategies import any_texts, control_texts, covering, tokenizers

cuts = st.lists(st.integers(0, 400), max_size=40)
policies = st.sampled_from(["text", "parse"])


def parts(n: int, at: list[int]) -> list[slice]:
    """The slices of a sequence of n items between these cuts; every item by itself where there are none."""
    places = sorted({0, n, *(min(cut, n) for cut in at)}) if at else list(range(n + 1))
    return [slice(start, end) for start, end in pairwise(places)]


@given(tokenizers, any_texts, cuts, policies)
def test_text_becomes_the_ids_of_the_whole(
    tok: pw.Tokenizer, text: str, at: list[int], special: Special
) -> None:
    stream = tok.encoder(special=special)
    ids = [id_ for part in parts(len(text), at) for id_ in stream.feed(text[part])]
    assert [*ids, *stream.finish()] == tok.ids(text, special=special).tolist()


@given(tokenizers, any_texts, cuts, st.booleans())
def test_ids_become_the_text_of_the_whole(
    tok: pw.Tokenizer, text: str, at: list[int], skip_special: bool
) -> None:
    ids = tok.ids(text, special="parse").tolist()
    stream = tok.decoder(skip_special=skip_special)
    out = [stream.feed(ids[part]) for part in parts(len(ids), at)]
    end = stream.finish()
    assert "".join(out) + end.text == tok.decode(ids, skip_special=skip_special)
    assert end.complete


@given(covering, st.lists(st.integers(0, 50_000), max_size=30), cuts)
def test_any_ids_become_the_text_of_the_whole(tok: pw.Tokenizer, ids: list[int], at: list[int]) -> None:
    stream = tok.decoder()
    out = [stream.feed(ids[part]) for part in parts(len(ids), at)]
    whole = tok.decode(ids)
    for n in range(len(out)):
        assert whole.startswith("".join(out[:n]))
    assert "".join(out) + stream.finish().text == whole


@given(st.binary(max_size=60), cuts)
def test_any_bytes_become_the_text_of_the_whole(data: bytes, at: list[int]) -> None:
    stream = pw.load("o200k_base").decoder()
    out = [stream.feed(data[part]) for part in parts(len(data), at)]
    assert "".join(out) + stream.finish().text == data.decode(errors="replace")


@given(
    tokenizers,
    st.one_of(control_texts, st.text("ab<", max_size=30)),
    st.lists(st.text("ab<|", min_size=1, max_size=4), max_size=3),
    cuts,
)
def test_a_stop_string_ends_the_text_wherever_it_is_cut(
    tok: pw.Tokenizer, text: str, stops: list[str], at: list[int]
) -> None:
    ids = tok.ids(text).tolist()
    text = tok.decode(ids)
    ends = [(text.index(stop) + len(stop), -len(stop), stop) for stop in stops if stop in text]
    stream = tok.decoder(stop=stops)
    out = "".join(stream.feed(ids[part]) for part in parts(len(ids), at)) + stream.finish().text
    if ends:
        end, negative, stop = min(ends)
        assert (out, stream.stopped) == (text[: end + negative], stop)
    else:
        assert (out, stream.stopped) == (text, None)
