"""Quirks for reading: each with its place, its cost and what to do, then the words and the letters in their tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.glyphs import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk, Quirks, SpelledWord

__all__ = ["render_quirks"]

_MAX_SHOWN = 60
# Tokens of one word.
_MAX_TOKENS = 40


def render_quirks(quirks: Quirks) -> str:
    """Returns the quirks as lines of text."""
    return "\n".join(_lines(quirks))


def _lines(quirks: Quirks) -> Iterator[str]:
    yield (
        f"{quirks.tokenizer}: {_n(quirks.n_tokens, 'token')}, {quirks.n_whitespace_tokens:,} of them only white space; "
        f"{_n(len(quirks.found), 'quirk')}"
    )
    for quirk in quirks.found:
        yield ""
        yield from _quirk_lines(quirk)
    more = {kind: n for kind, n in quirks.left_out.items() if kind != "spelling"}
    if more:
        yield ""
        yield f"not measured: {', '.join(f'{n:,} more of {kind}' for kind, n in more.items())}"
    if quirks.spelling:
        yield ""
        yield "letters inside tokens"
        for word in quirks.spelling:
            yield from _word_lines(word, quirks.letter)
        if "spelling" in quirks.left_out:
            yield f"  and {_n(quirks.left_out['spelling'], 'more word')}"


def _quirk_lines(quirk: Quirk) -> Iterator[str]:
    places = f", {quirk.n_places:,} places" if quirk.n_places > 1 else ""
    yield (
        f"{quirk.kind}  {_short(quirk.excerpt)}  chars {_span(quirk.char_span)}, bytes {_span(quirk.byte_span)}{places}"
    )
    yield f"  {_n(quirk.n_tokens, 'token')}{': ' if quirk.n_tokens else ''}{_cut(quirk.pieces)}"
    yield f"  {quirk.says}"
    if quirk.cost is not None:
        against = (
            ""
            if quirk.alternative is None
            else f" against {_short(quirk.alternative) if quirk.alternative else 'nothing'}"
        )
        yield f"  cost {quirk.cost:+,}{against}"
    yield f"  → {quirk.advice}"


def _word_lines(word: SpelledWord, letter: str | None) -> Iterator[str]:
    shown = word.tokens[:_MAX_TOKENS]
    tokens = "  ".join(f"{_cut(token.piece)} ({_cut(token.letters) or '-'})" for token in shown)
    if len(word.tokens) > len(shown):
        tokens += f"  … {len(word.tokens) - len(shown):,} more (--json has all)"
    yield (
        f"  {_cut(visible(word.word))}  chars {_span(word.char_span)}, bytes {_span(word.byte_span)}: "
        f"{_n(len(word.word), 'letter')} in {_n(len(word.tokens), 'token')}: {tokens}; spelled out {word.n_spelled:+,}"
    )
    if letter is not None:
        holders = word.holders(letter)
        held = ", ".join(
            f"{token.letters.casefold().count(letter.casefold())} in {_cut(token.piece)}"
            for token in holders[:_MAX_TOKENS]
        ) + f", … {len(holders) - _MAX_TOKENS:,} more" * (len(holders) > _MAX_TOKENS)
        yield f"    {visible(letter)}: {word.count(letter)}{f' ({held})' if held else ''}"


def _short(text: str) -> str:
    return f"`{_cut(visible(text))}`"


def _cut(shown: str) -> str:
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"


def _span(span: tuple[int, int]) -> str:
    return f"{span[0]}-{span[1]}"


def _n(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
