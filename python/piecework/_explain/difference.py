"""Where two prompts part in tokens, and what of the old one's cached prefix is lost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from piecework._explain.glyphs import joined, piece_glyphs
from piecework._explain.prompt_parts import prompt_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework import _core
    from piecework._explain.prompt_parts import Prompt, PromptPart
    from piecework._types import Errors, Special

__all__ = [
    "N_SHOWN",
    "Difference",
    "Place",
    "Reason",
    "checked_block_size",
    "find_difference",
    "n_shared",
]

Reason: TypeAlias = Literal["same", "extended", "shortened", "text", "retokenized", "structure"]

_WORDS = {
    "same": "the prompts have the same tokens",
    "extended": "the new prompt goes on where the old one ends",
    "shortened": "the new prompt ends where the old one goes on",
    "text": "the text differs",
    "retokenized": "the text before the difference is cut into other tokens",
    "structure": "another message or field stands here",
}
_BLOCKS = {16: "vLLM", 128: "OpenAI-like"}
N_SHOWN = 8
"""How many pieces are shown from the first difference on."""
_ADD_SPECIAL = False
# Tokens whose spans are made at once.
_BLOCK = 1_024


@dataclass(frozen=True, slots=True)
class Place:
    """Where the prompts part, in one of them.

    Attributes:
        part: The part that it lies in, such as `messages[2].content`; None past the last one.
        byte: Where the first token that differs begins, in bytes of that part.
        char: The same in characters: the first one that the token touches.
        utf16: The same in UTF-16 units.
        id: The token's id; None where the part ends here.
        pieces: What stands there: this and the next few pieces, made visible, with `|` between them.
    """

    part: str | None
    byte: int
    char: int
    utf16: int
    id: int | None
    pieces: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two prompts, token by token.

    Attributes:
        tokenizer: The tokenizer's name.
        reason: `"same"`; `"extended"` or `"shortened"` (one is the beginning of the other, token by token); `"text"` (the
            first token that differs holds a character that differs); `"retokenized"` (its text is in both, and what comes
            after it made it another token); `"structure"` (the parts have other names).
        index: How many tokens both begin with: the index of the first that differs.
        n_old: Tokens of the old prompt.
        n_new: Tokens of the new prompt.
        n_retokenized: Lost tokens whose own text did not change, before the first character that differs.
        old: What the old prompt has there; None for `"same"`.
        new: What the new prompt has there; None for `"same"`.
        block_size: The tokens of a cache's block that was asked about; None for the usual ones.
    """

    tokenizer: str
    reason: Reason
    index: int
    n_old: int
    n_new: int
    n_retokenized: int
    old: Place | None
    new: Place | None
    block_size: int | None = None

    @property
    def n_kept(self) -> int:
        """How many tokens of the old prompt a cache of single tokens can use again."""
        return self.index

    @property
    def n_lost(self) -> int:
        """How many tokens of the old prompt it cannot."""
        return self.n_old - self.index

    def kept_in_blocks(self, block_size: int) -> int:
        """How many tokens a cache of whole blocks can use again.

        Raises:
            ValueError: The size is less than 1.
        """
        return self.index // checked_block_size(block_size) * block_size

    def lost_in_blocks(self, block_size: int) -> int:
        """How many tokens of the old prompt stood in whole blocks, and cannot be used again."""
        return self.n_old // checked_block_size(block_size) * block_size - self.kept_in_blocks(block_size)

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it, kept and lost tokens by block size too."""
        return {
            **asdict(self),
            "n_kept": self.n_kept,
            "n_lost": self.n_lost,
            "in_blocks": [
                {"block_size": size, "n_kept": self.kept_in_blocks(size), "n_lost": self.lost_in_blocks(size)}
                for size in self._sizes()
            ],
        }

    def _sizes(self) -> tuple[int, ...]:
        return tuple(_BLOCKS) if self.block_size is None else (self.block_size,)

    def __str__(self) -> str:
        head = f"{self.tokenizer}: {self.index:,} of {_tokens(self.n_old)} kept, {self.n_lost:,} lost; new: {self.n_new:,}"
        lines = [head, f"{self.reason}: {_WORDS[self.reason]}"]
        if self.n_retokenized:
            lines[-1] += f" ({_tokens(self.n_retokenized)} of it)"
        if self.old is not None and self.new is not None:
            lines.append(f"first difference at token {self.index:,}")
            lines += [f"  {side}  {_place(place)}" for side, place in (("old", self.old), ("new", self.new))]
        for size in self._sizes():
            whose = f" ({_BLOCKS[size]})" if size in _BLOCKS else ""
            lines.append(
                f"blocks of {size}{whose}: {self.kept_in_blocks(size):,} kept, {self.lost_in_blocks(size):,} lost"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.5">{escape(str(self))}</pre>'


class _Parting(NamedTuple):
    reason: Reason
    n_common: int
    n_retokenized: int
    old: Place
    new: Place


def find_difference(
    native: _core.Tokenizer,
    name: str,
    old: Prompt,
    new: Prompt,
    *,
    block_size: int | None,
    special: Special,
    errors: Errors,
) -> Difference:
    """Compares two prompts; the arguments are those of `Tokenizer.difference`."""
    if block_size is not None:
        checked_block_size(block_size)
    old_parts, new_parts = prompt_parts(old), prompt_parts(new)
    n_common = 0
    parting: _Parting | None = None
    for before, after in zip_longest(old_parts, new_parts):
        if before is None or after is None or before.name != after.name:
            parting = _Parting(
                "structure",
                0,
                0,
                _start(native, before, special, errors),
                _start(native, after, special, errors),
            )
            break
        if before.text == after.text:
            n_common += native.count(before.text, special, _ADD_SPECIAL, errors)
        else:
            found = _part(native, before, after, special, errors)
            n_common += found.n_common
            if found.old.id is not None or found.new.id is not None:
                parting = found
                break
    n_old, n_new = (
        sum(native.count(part.text, special, _ADD_SPECIAL, errors) for part in parts)
        for parts in (old_parts, new_parts)
    )
    reason: Reason = "same" if parting is None else parting.reason
    # Parts without tokens may be left on one side; then nothing is lost either.
    if parting is not None and n_common == n_old:
        reason = "extended" if n_new > n_old else "same"
    elif parting is not None and n_common == n_new:
        reason = "shortened"
    is_same = parting is None or reason == "same"
    return Difference(
        tokenizer=name,
        reason=reason,
        index=n_common,
        n_old=n_old,
        n_new=n_new,
        n_retokenized=0 if parting is None else parting.n_retokenized,
        old=None if is_same or parting is None else parting.old,
        new=None if is_same or parting is None else parting.new,
        block_size=block_size,
    )


def _part(
    native: _core.Tokenizer, before: PromptPart, after: PromptPart, special: Special, errors: Errors
) -> _Parting:
    """Compares two texts of one name."""
    old = native.encode(before.text, special, _ADD_SPECIAL, errors, None)
    new = native.encode(after.text, special, _ADD_SPECIAL, errors, None)
    n = n_shared(old.ids, new.ids)
    n_same_bytes = n_shared(_bytes(before.text), _bytes(after.text))
    unchanged = sum(1 for _ in takewhile(lambda span: span[1] <= n_same_bytes, _byte_spans(old, n)))
    return _Parting(
        "retokenized" if unchanged else "text",
        n,
        unchanged,
        _place_in(before, old, n),
        _place_in(after, new, n),
    )


def _byte_spans(encoding: _core.Encoding, first: int) -> Iterator[tuple[int, int]]:
    """Yields the spans of the tokens from one on, a few made at a time: the first ones are mostly all that is asked for."""
    for start in range(first, len(encoding), _BLOCK):
        yield from encoding.part("byte_spans", start, start + _BLOCK)


def _place_in(part: PromptPart, encoding: _core.Encoding, at: int) -> Place:
    ids = encoding.ids
    if at < len(ids):
        pieces = joined(map(piece_glyphs, encoding.part("piece_bytes", at, at + N_SHOWN)))
        columns = ("byte_spans", "char_spans", "utf16_spans")
        byte, char, utf16 = (encoding.part(column, at, at + 1)[0][0] for column in columns)
        return Place(part.name, byte, char, utf16, ids[at], pieces + "…" * (len(ids) > at + N_SHOWN))
    text = _bytes(part.text)
    as_str = text.decode("utf-8", "replace")
    return Place(part.name, len(text), len(as_str), len(as_str.encode("utf-16-le")) // 2, None, "")


def _start(native: _core.Tokenizer, part: PromptPart | None, special: Special, errors: Errors) -> Place:
    if part is None:
        return Place(None, 0, 0, 0, None, "")
    return _place_in(part, native.encode(part.text, special, _ADD_SPECIAL, errors, None), 0)


def n_shared(first: Sequence[int] | str, second: Sequence[int] | str) -> int:
    """How many items two sequences both begin with."""
    n = min(len(first), len(second))
    # Whole slices compare a hundred times faster than single items: halve until one item is left.
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def _place(place: Place) -> str:
    where = "the end" if place.part is None else place.part
    offsets = f"byte {place.byte}, char {place.char}, utf16 {place.utf16}"
    shown = "(nothing more)" if place.id is None else f"{place.pieces}  (id {place.id})"
    return shown if place.part is None else f"{where}, {offsets}: {shown}"


def _tokens(n: int) -> str:
    return f"{n:,} {'token' if n == 1 else 'tokens'}"


def checked_block_size(block_size: int) -> int:
    """Returns the size of a block; raises ValueError for less than 1."""
    if block_size < 1:
        raise ValueError(f"block_size is {block_size}, and at least 1 is needed")
    return block_size
