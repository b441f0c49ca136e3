"""The stages of a text, for reading: from top to bottom as the text goes, each stage under its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.columns import columns
from piecework._explain.glyphs import joined, piece_glyphs, visible
from piecework._explain.stage_names import model_name, pre_tokenizer_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.stages import AddedSection, Pretoken, Stages, TextSection

__all__ = ["render_stages"]


def render_stages(stages: Stages, *, max_pretokens: int | None = None) -> str:
    """Returns the stages as lines of text, with at most so many pretokens of each section; None for all."""
    n_ids = len(stages.ids)
    lines = [
        f"tokenizer      {stages.tokenizer}",
        f"input          {visible(stages.input)}",
        f"normalizer     {', '.join(stages.normalizers) or 'none'}",
        f"pre-tokenizer  {'; '.join(map(pre_tokenizer_name, stages.pre_tokenizers)) or 'none'}",
        f"model          {model_name(stages.model)}",
    ]
    for section in stages.sections:
        lines.append("")
        lines.extend(
            _text_lines(stages, section, max_pretokens) if section.kind == "text" else _added_lines(section)
        )
    lines += ["", f"{n_ids:,} {'id' if n_ids == 1 else 'ids'}: {' '.join(map(str, stages.ids))}".rstrip(": ")]
    return "\n".join(lines)


def _added_lines(section: AddedSection) -> Iterator[str]:
    start, end = section.byte_span
    yield f"added token    {section.content} → {section.id}   bytes {start} to {end}"


def _text_lines(stages: Stages, section: TextSection, max_pretokens: int | None) -> Iterator[str]:
    start, end = section.byte_span
    if len(stages.sections) > 1:
        yield f"text           {visible(section.text)}   bytes {start} to {end}"
    if section.changes:
        yield f"normalized     {visible(section.normalized)}"
        yield from _change_lines(stages, section)
    rows = [["pretoken", "display", "pieces", "ids"], *map(_pretoken_row, section.pretokens[:max_pretokens])]
    yield from columns(rows)
    left_out = len(section.pretokens) - len(rows) + 1
    if left_out:
        yield f"… {left_out:,} more {'pretoken' if left_out == 1 else 'pretokens'}"


def _change_lines(stages: Stages, section: TextSection) -> Iterator[str]:
    source, made = stages.input.encode("utf-8", "surrogatepass"), section.normalized.encode()
    for change in section.changes:
        before = source[slice(*change.byte_span)].decode("utf-8", "replace")
        after = made[slice(*change.normalized_byte_span)].decode("utf-8", "replace")
        start, end = change.byte_span
        yield f"  changed      {_code_points(before)} → {_code_points(after)}   bytes {start} to {end}"


def _code_points(text: str) -> str:
    return f"{visible(text)} ({' '.join(f'U+{ord(char):04X}' for char in text)})"


def _pretoken_row(pretoken: Pretoken) -> list[str]:
    pieces = joined(visible(piece) for piece in pretoken.pieces)
    ids = " ".join(map(str, pretoken.ids))
    return [piece_glyphs(pretoken.text.encode()), visible(pretoken.display), pieces, ids]
