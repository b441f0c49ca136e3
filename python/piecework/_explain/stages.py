"""What each stage makes of a text, as the engine reports it: added tokens, normalizer, pre-tokenizer, model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from piecework._explain.changes import Change, Changes
from piecework._explain.pretokens import Pretoken, Pretokens, iter_ids, last_ids, n_ids, pretokens_of
from piecework._explain.stages_text import render_stages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["AddedSection", "Change", "Pretoken", "Stages", "TextSection", "read_stages"]

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AddedSection:
    """A part of the text that is one added token.

    Attributes:
        byte_span: Where it stands, in bytes of the input.
        text: What it matched, with the white space that it swallowed.
        id: The token's id.
        content: The token's content.
    """

    kind: ClassVar[Literal["added"]] = "added"
    byte_span: Span
    text: str
    id: int
    content: str


@dataclass(frozen=True, slots=True)
class TextSection:
    """A part of the text between added tokens.

    Attributes:
        byte_span: Where it stands, in bytes of the input.
        text: Its text.
        normalized: Its text after the normalizers.
        changes: Where they changed it.
        pretokens: What the pre-tokenizers cut it into.
    """

    kind: ClassVar[Literal["text"]] = "text"
    byte_span: Span
    text: str
    normalized: str
    changes: Sequence[Change]
    pretokens: Sequence[Pretoken]


@dataclass(frozen=True, slots=True)
class Stages:
    """A text on its way through a tokenizer.

    Attributes:
        tokenizer: The tokenizer's name.
        input: The text.
        normalizers: The names of the normalizers, in order.
        pre_tokenizers: The kinds of the pre-tokenizers, in order, each with its particulars.
        model: The model's kind and particulars.
        sections: The parts that the added tokens cut the text into; they tile it.
    """

    tokenizer: str
    input: str
    normalizers: tuple[str, ...]
    pre_tokenizers: tuple[Mapping[str, Any], ...]
    model: Mapping[str, Any]
    sections: tuple[AddedSection | TextSection, ...]

    @property
    def pretokens(self) -> Sequence[Pretoken]:
        """All pretokens, in order."""
        return pretokens_of([section.pretokens for section in self.sections if section.kind == "text"])

    @property
    def ids(self) -> tuple[int, ...]:
        """All ids, in order: what `Tokenizer.ids` returns for the same text."""
        return tuple(self.iter_ids())

    @property
    def n_ids(self) -> int:
        """How many ids there are."""
        return sum(1 if section.kind == "added" else n_ids(section.pretokens) for section in self.sections)

    def last_ids(self, max_ids: int) -> tuple[int, ...]:
        """Returns the last ids, at most so many."""
        found: list[int] = []
        for section in reversed(self.sections):
            if len(found) >= max_ids:
                break
            left = max_ids - len(found)
            found[:0] = [section.id] if section.kind == "added" else last_ids(section.pretokens, left)
        return tuple(found)

    def iter_ids(self) -> Iterator[int]:
        """Yields the ids, in order."""
        for section in self.sections:
            if section.kind == "added":
                yield section.id
            else:
                yield from iter_ids(section.pretokens)

    def __str__(self) -> str:
        return render_stages(self)

    def __repr__(self) -> str:
        return str(self)

    def members(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, what is as long as the text as iterators."""
        return {
            "tokenizer": self.tokenizer,
            "input": self.input,
            "normalizers": list(self.normalizers),
            "pre_tokenizers": [dict(stage) for stage in self.pre_tokenizers],
            "model": dict(self.model),
            "sections": map(_section_members, self.sections),
            "ids": self.iter_ids(),
        }

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, each section with its kind."""
        out = self.members()
        sections = map(_section_members, self.sections)
        out["sections"] = [{name: _whole(value) for name, value in section.items()} for section in sections]
        out["ids"] = list(self.ids)
        return out


def read_stages(name: str, info: Mapping[str, Any], record: Mapping[str, Any]) -> Stages:
    """Makes the native record of one text (and the native description of its stages) into objects."""
    return Stages(
        tokenizer=name,
        input=record["input"],
        normalizers=tuple(info["normalizers"]),
        pre_tokenizers=tuple(info["pre_tokenizers"]),
        model=info["model"],
        sections=tuple(_section(section) for section in record["sections"]),
    )


def _section(record: Mapping[str, Any]) -> AddedSection | TextSection:
    span = _span(record["byte_span"])
    if record["kind"] == "added":
        return AddedSection(span, record["text"], record["id"], record["content"])
    return TextSection(
        byte_span=span,
        text=record["text"],
        normalized=record["normalized"],
        changes=Changes(record["pretokens"]),
        pretokens=Pretokens([record["pretokens"]]),
    )


def _section_members(section: AddedSection | TextSection) -> dict[str, object]:
    if section.kind == "added":
        return {"kind": section.kind, **asdict(section)}
    return {
        "kind": section.kind,
        "byte_span": section.byte_span,
        "text": section.text,
        "normalized": section.normalized,
        "changes": (change.to_dict() for change in section.changes),
        "pretokens": (pretoken.to_dict() for pretoken in section.pretokens),
    }


def _whole(value: object) -> object:
    return list(value) if isinstance(value, Iterator) else value


def _span(pair: tuple[int, int]) -> Span:
    start, end = pair
    return start, end
