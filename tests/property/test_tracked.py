"""Whatever is done to a tracked text, the text is what `str` gives, and each character keeps its origin.

The origins are checked against a twin in which every character carries its own: slow, and plain enough to be right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecework._chat.engine.origins import TEMPLATE, UNKNOWN, Origin
from piecework._chat.engine.tracked import Tracked, concat, plain, runs_of, tracked

Twin = list[tuple[str, Origin]]

HERE = Origin("caller", "messages[0].content")
ORIGINS = (TEMPLATE, UNKNOWN, HERE, Origin("caller", "tools[0].name"))
ALPHABET = st.sampled_from("aabbAB  \n\t\r-+0%{}ßİΣσς'\"é日🚀\x1c\u2028")
TEXTS = st.text(ALPHABET, max_size=8)
PARTS = st.lists(st.tuples(TEXTS, st.sampled_from(ORIGINS)), max_size=5)
COUNTS = st.integers(-2, 5)


def made(parts: list[tuple[str, Origin]]) -> Tracked:
    return concat([tracked(text, origin) for text, origin in parts])


def twin(text: str) -> Twin:
    """The characters of a tracked text with their origins; of a plain one, with an unknown origin."""
    if not isinstance(text, Tracked):
        return [(character, UNKNOWN) for character in text]
    out: Twin = []
    for start, stop, origin in runs_of(text):
        assert start < stop
        out += [(character, origin) for character in plain(text)[start:stop]]
    assert len(out) == len(text)
    return out


def text_of(chars: Twin) -> str:
    return "".join(character for character, _ in chars)


def same(result: str, expected: Twin) -> None:
    assert isinstance(result, Tracked)
    assert plain(result) == text_of(expected)
    assert twin(result) == expected


@given(PARTS, PARTS, TEXTS)
def test_adding(a: list[Any], b: list[Any], c: str) -> None:
    one, other = made(a), made(b)
    same(one + other, twin(one) + twin(other))
    same(one + c, twin(one) + [(x, UNKNOWN) for x in c])
    same(c + one, [(x, UNKNOWN) for x in c] + twin(one))


@given(PARTS, COUNTS)
def test_repeating(a: list[Any], n: int) -> None:
    text = made(a)
    same(text * n, twin(text) * n)
    same(n * text, twin(text) * n)


@given(PARTS, st.slices(12))
def test_slicing(a: list[Any], cut: slice) -> None:
    text = made(a)
    same(text[cut], twin(text)[cut])
    assert plain(text[cut]) == plain(text)[cut]


@given(PARTS)
def test_indexing_and_iterating(a: list[Any]) -> None:
    text = made(a)
    for i, character in enumerate(text):
        same(character, [twin(text)[i]])
        same(character, [twin(text)[i]])
        same(text[i - len(text)], [twin(text)[i]])
    with pytest.raises(IndexError):
        text[len(text)]


def stripped(chars: Twin, drop: Callable[[str], bool], *, left: bool, right: bool) -> Twin:
    while left and chars and drop(chars[0][0]):
        chars = chars[1:]
    while right and chars and drop(chars[-1][0]):
        chars = chars[:-1]
    return chars


@given(PARTS, st.none() | TEXTS)
def test_stripping(a: list[Any], chars: str | None) -> None:
    text = made(a)

    def drop(character: str) -> bool:
        return character.isspace() if chars is None else character in chars

    same(text.strip(chars), stripped(twin(text), drop, left=True, right=True))
    same(text.lstrip(chars), stripped(twin(text), drop, left=True, right=False))
    same(text.rstrip(chars), stripped(twin(text), drop, left=False, right=True))


@given(PARTS, TEXTS)
def test_removing_ends(a: list[Any], end: str) -> None:
    text = made(a)
    n = len(end) if plain(text).startswith(end) else 0
    same(text.removeprefix(end), twin(text)[n:])
    n = len(end) if plain(text).endswith(end) else 0
    same(text.removesuffix(end), twin(text)[: len(text) - n])


def in_order(pieces: list[Tracked], whole: Tracked, between: str | None) -> None:
    """Each piece stands in the whole behind the one before it, with what lies between taken out."""
    at = 0
    for i, piece in enumerate(pieces):
        if between is None:
            while twin(whole)[at:][: len(piece)] != twin(piece):
                assert plain(whole)[at].isspace()
                at += 1
        elif i:
            assert plain(whole)[at : at + len(between)] == between
            at += len(between)
        assert twin(whole)[at : at + len(piece)] == twin(piece)
        at += len(piece)


@given(PARTS, st.none() | st.text(ALPHABET, min_size=1, max_size=2), COUNTS)
def test_splitting(a: list[Any], sep: str | None, n: int) -> None:
    text = made(a)
    for pieces, expected in (
        (text.split(sep, n), plain(text).split(sep, n)),
        (text.rsplit(sep, n), plain(text).rsplit(sep, n)),
    ):
        assert [plain(piece) for piece in pieces] == expected
        in_order(pieces, text, sep)


@given(PARTS, st.booleans())
def test_splitting_lines(a: list[Any], keep: bool) -> None:
    text = made(a)
    assert [plain(line) for line in text.splitlines(keep)] == plain(text).splitlines(keep)
    assert [pair for line in text.splitlines(keepends=True) for pair in twin(line)] == twin(text)
    for short, long in zip(text.splitlines(), text.splitlines(keepends=True), strict=True):
        same(short, twin(long)[: len(short)])


@given(PARTS, st.text(ALPHABET, min_size=1, max_size=2))
def test_partitioning(a: list[Any], sep: str) -> None:
    text = made(a)
    for three, expected in (
        (text.partition(sep), plain(text).partition(sep)),
        (text.rpartition(sep), plain(text).rpartition(sep)),
    ):
        assert tuple(plain(part) for part in three) == expected
        assert [pair for part in three for pair in twin(part)] == twin(text)


@given(PARTS, st.text(ALPHABET, max_size=2), PARTS, COUNTS)
def test_replacing(a: list[Any], old: str, b: list[Any], n: int) -> None:
    text, new = made(a), made(b)
    chars, out, i, left = twin(text), [], 0, n
    while i <= len(chars):
        if left != 0 and text_of(chars[i : i + len(old)]) == old and (old or i <= len(chars)):
            out += twin(new)
            left -= 1
            i += len(old)
            if old:
                continue
        out += chars[i : i + 1]
        i += 1
    expected = plain(text).replace(old, plain(new), n)
    assert text_of(out) == expected
    same(text.replace(old, new, n), out)


@given(PARTS, st.lists(PARTS, max_size=4))
def test_joining(a: list[Any], several: list[list[Any]]) -> None:
    sep, items = made(a), [made(parts) for parts in several]
    out: Twin = []
    for i, item in enumerate(items):
        out += (twin(sep) if i else []) + twin(item)
    same(sep.join(items), out)
    assert plain(sep.join(items)) == plain(sep).join(map(plain, items))


@pytest.mark.parametrize("name", ["upper", "lower", "casefold", "swapcase", "title", "capitalize"])
@given(PARTS)
def test_changing_case(name: str, a: list[Any]) -> None:
    text = made(a)
    result = getattr(text, name)()
    assert plain(result) == getattr(plain(text), name)()
    if len(result) == len(text):
        assert [origin for _, origin in twin(result)] == [origin for _, origin in twin(text)]
        return
    # Characters that grow: each origin stays in its place, or nothing is said.
    origins = [origin for _, origin in twin(result)]
    grown = [origin for character, origin in twin(text) for _ in getattr(character, name)()]
    assert origins in (grown, [UNKNOWN] * len(result)) or len(set(origins)) == 1


@given(PARTS, st.integers(0, 30), st.sampled_from(" *"))
def test_padding(a: list[Any], width: int, fill: str) -> None:
    text = made(a)
    for name in ("ljust", "rjust", "center"):
        result = getattr(text, name)(width, tracked(fill, HERE))
        assert plain(result) == getattr(plain(text), name)(width, fill)
        n_before = {"ljust": 0, "rjust": len(result) - len(text)}.get(name)
        if n_before is None:
            marked = ("x" * len(text)).center(width, "y")
            n_before = len(marked) - len(marked.lstrip("y"))
        n_after = len(result) - len(text) - n_before
        same(result, [(fill, HERE)] * n_before + twin(text) + [(fill, HERE)] * n_after)


def test_what_pads_has_its_own_origin() -> None:
    text = tracked("a", HERE)
    same(text.ljust(3), [("a", HERE), (" ", TEMPLATE), (" ", TEMPLATE)])
    same(text.rjust(2, "<"), [("<", UNKNOWN), ("a", HERE)])


@given(PARTS, st.integers(0, 20))
def test_filling_with_zeros(a: list[Any], width: int) -> None:
    text = made(a)
    n_sign = 1 if plain(text)[:1] in {"+", "-"} and text else 0
    zeros = [("0", TEMPLATE)] * (max(width, len(text)) - len(text))
    assert plain(text.zfill(width)) == plain(text).zfill(width)
    same(text.zfill(width), twin(text)[:n_sign] + zeros + twin(text)[n_sign:])


@given(PARTS)
def test_other_methods_give_plain_text_of_unknown_origin(a: list[Any]) -> None:
    text = made(a)
    for result, expected in (
        (text.expandtabs(3), plain(text).expandtabs(3)),
        (text.translate({97: "xy"}), plain(text).translate({97: "xy"})),
    ):
        assert result == expected
        assert not isinstance(result, Tracked)
    assert hash(text) == hash(plain(text))
    assert str(text) is text


def test_what_cannot_be_added_is_refused() -> None:
    with pytest.raises(TypeError):
        tracked("a", TEMPLATE) + 1
    with pytest.raises(TypeError):
        1 + tracked("a", TEMPLATE)
    with pytest.raises(TypeError):
        tracked(",", TEMPLATE).join(["a", 1])  # type: ignore[list-item] # that is what is asked
