"""The stages of a text, for reading: from top to bottom as the text goes, each stage under its name."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from piecework._explain.columns import columns
from piecework._explain.glyphs import joined, piece_glyphs, visible
from piecework._explain.stage_names import model_name, pre_tokenizer_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.stages import AddedSection, Pretoken, Stages, TextSection

__all__ = ["render_stages"]

_ALL = " (--all has all)"


# What a page can hold of one text; `whole` has all.
_MAX_CHARS = 2_000
_MAX_SECTIONS = 40
_MAX_CHANGES = 20
_MAX_IDS = 200
_FIRST_IDS, _LAST_IDS = 100, 20
_MAX_CODE_POINTS = 20
# Of one pretoken.
_MAX_ROW_IDS = 60
_MAX_CELL = 200


def render_stages(stages: Stages, *, max_pretokens: int | None = None, is_whole: bool = False) -> str:
    """Returns the stages as lines of text.

    Args:
        stages: The stages.
        max_pretokens: The most pretokens of each section; None for all.
        is_whole: Whether all of the text, its sections, changes and ids are in, however long it is.
    """
    return "\n".join(_lines(stages, max_pretokens, is_whole=is_whole))


def _lines(stages: Stages, max_pretokens: int | None, *, is_whole: bool) -> Iterator[str]:
    yield f"tokenizer      {stages.tokenizer}"
    yield f"input          {_text(stages.input, is_whole=is_whole)}"
    yield f"normalizer     {', '.join(stages.normalizers) or 'none'}"
    yield f"pre-tokenizer  {'; '.join(map(pre_tokenizer_name, stages.pre_tokenizers)) or 'none'}"
    yield f"model          {model_name(stages.model)}"
    source = stages.input.encode("utf-8", "surrogatepass")
    n_sections = len(stages.sections)
    # A line that says "one more" takes the place of the one.
    n_shown = n_sections if is_whole or n_sections <= _MAX_SECTIONS + 1 else _MAX_SECTIONS
    for section in stages.sections[:n_shown]:
        yield ""
        if section.kind == "text":
            yield from _text_lines(source, section, max_pretokens, is_whole=is_whole)
        else:
            yield from _added_lines(section)
    if n_shown < n_sections:
        yield ""
        yield f"… {n_sections - n_shown:,} more parts between and of added tokens{_ALL}"
    yield ""
    yield from _id_lines(stages, is_whole=is_whole)


def _text(text: str, *, is_whole: bool) -> str:
    n_more = len(text) - _MAX_CHARS
    return (
        visible(text)
        if is_whole or n_more <= 0
        else f"{visible(text[:_MAX_CHARS])} … {n_more:,} more characters{_ALL}"
    )


def _id_lines(stages: Stages, *, is_whole: bool) -> Iterator[str]:
    n_ids = stages.n_ids
    count = f"{n_ids:,} {'id' if n_ids == 1 else 'ids'}"
    if is_whole or n_ids <= _MAX_IDS:
        yield f"{count}: {' '.join(map(str, stages.iter_ids()))}".rstrip(": ")
        return
    first = " ".join(map(str, islice(stages.iter_ids(), _FIRST_IDS)))
    last = " ".join(map(str, stages.last_ids(_LAST_IDS)))
    n_more = n_ids - _FIRST_IDS - _LAST_IDS
    yield f"{count}: {first} … {n_more:,} more{_ALL} … {last}"


def _added_lines(section: AddedSection) -> Iterator[str]:
    start, end = section.byte_span
    yield f"added token    {visible(section.content)} → {section.id}   bytes {start} to {end}"


def _text_lines(
    source: bytes, section: TextSection, max_pretokens: int | None, *, is_whole: bool
) -> Iterator[str]:
    start, end = section.byte_span
    if (start, end) != (0, len(source)):
        yield f"text           {_text(section.text, is_whole=is_whole)}   bytes {start} to {end}"
    if section.changes:
        yield f"normalized     {_text(section.normalized, is_whole=is_whole)}"
        yield from _change_lines(source, section, is_whole=is_whole)
    rows = [["pretoken", "display", "pieces", "ids"], *map(_pretoken_row, section.pretokens[:max_pretokens])]
    yield from columns(rows)
    left_out = len(section.pretokens) - len(rows) + 1
    if left_out:
        yield f"… {left_out:,} more {'pretoken' if left_out == 1 else 'pretokens'}"


def _change_lines(source: bytes, section: TextSection, *, is_whole: bool) -> Iterator[str]:
    n_changes = len(section.changes)
    n_shown = n_changes if is_whole or n_changes <= _MAX_CHANGES + 1 else _MAX_CHANGES
    made = section.normalized.encode()
    for change in section.changes[:n_shown]:
        start, end = change.byte_span
        before = source[start:end].decode("utf-8", "replace")
        after = made[slice(*change.normalized_byte_span)].decode("utf-8", "replace")
        yield f"  changed      {_code_points(before)} → {_code_points(after)}   bytes {start} to {end}"
    if n_shown < n_changes:
        yield f"  … {n_changes - n_shown:,} more changes{_ALL}"


def _code_points(text: str) -> str:
    numbers = " ".join(f"U+{ord(char):04X}" for char in text[:_MAX_CODE_POINTS])
    if len(text) > _MAX_CODE_POINTS:
        return f"{visible(text[:_MAX_CODE_POINTS])}… ({numbers} …, {len(text):,} characters)"
    return f"{visible(text)} ({numbers})"


def _pretoken_row(pretoken: Pretoken) -> list[str]:
    n_more = len(pretoken.ids) - _MAX_ROW_IDS
    if n_more <= 0 and len(pretoken.text) <= _MAX_CELL:
        pieces = joined(visible(piece) for piece in pretoken.pieces)
        ids = " ".join(map(str, pretoken.ids))
        return [piece_glyphs(pretoken.text.encode()), visible(pretoken.display), pieces, ids]
    pieces = joined(visible(piece[:_MAX_CELL]) for piece in pretoken.pieces[:_MAX_ROW_IDS])
    ids = " ".join(map(str, pretoken.ids[:_MAX_ROW_IDS]))
    more = f" … {n_more:,} more" if n_more > 0 else ""
    text = piece_glyphs(pretoken.text[:_MAX_CELL].encode())
    n_chars = f"… {len(pretoken.text):,} characters"
    return [
        f"{text}{n_chars}",
        f"{visible(pretoken.display[:_MAX_CELL])}…",
        f"{pieces}{more}",
        f"{ids}{more}",
    ]
