"""The names of the two files of a BPE: vocab.json with merges.txt, GPT-2's own names, and either behind a prefix."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["other_half", "pairs_among"]

# Of tokens and of merges. tokenizers writes the first, behind `prefix-` where it is given one; GPT-2 came as the second.
_ENDINGS = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))


def other_half(name: str, *, is_merges: bool) -> str | None:
    """The name of the file that belongs to one of tokens, or of merges; None for merges of any other name.

    Examples:
        >>> other_half("my-vocab.json", is_merges=False), other_half("vocab.bpe", is_merges=True)
        ('my-merges.txt', 'encoder.json')
        >>> other_half("tokens.json", is_merges=False)
        'merges.txt'
    """
    for ending in _ENDINGS:
        ours, theirs = reversed(ending) if is_merges else ending
        if name.endswith(ours):
            return name.removesuffix(ours) + theirs
    return None if is_merges else "merges.txt"


def pairs_among(names: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs among a folder's files; vocab.json with merges.txt alone where they are there.

    Examples:
        >>> pairs_among(["a-merges.txt", "a-vocab.json", "b-vocab.json"])
        [('a-vocab.json', 'a-merges.txt')]
    """
    there = set(names)
    if there.issuperset(_ENDINGS[0]):
        return [_ENDINGS[0]]
    vocabularies = sorted(name for name in there if name.endswith(tuple(tokens for tokens, _ in _ENDINGS)))
    pairs = [(name, other_half(name, is_merges=False)) for name in vocabularies]
    return [(name, other) for name, other in pairs if other is not None and other in there]
