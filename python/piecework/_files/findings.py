"""What does not fit between a tokenizer and the model's files beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from piecework.errors import UnknownIdError

if TYPE_CHECKING:
    from piecework import _core
    from piecework._files.origin import Origin

__all__ = ["find_misfits"]

# Classes of transformers that cut with the pattern of GPT-2, whatever the tokenizer.json beside them says.
_GPT2_CLASSES = frozenset(
    {
        "GPT2Tokenizer",
        "RobertaTokenizer",
        "BartTokenizer",
        "LEDTokenizer",
        "LongformerTokenizer",
        "BlenderbotTokenizer",
    }
)
# Classes of transformers 5 that put the first space with a pre-tokenizer, where older files do it with a normalizer.
_METASPACE_CLASSES = frozenset({"LlamaTokenizer", "CodeLlamaTokenizer"})
_GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

_ROLES = {"bos_token_id": "begin", "eos_token_id": "end", "pad_token_id": "padding"}


def find_misfits(native: _core.Tokenizer, origin: Origin) -> tuple[str, ...]:
    """What a person who uses this tokenizer with this model should know, a sentence each; none where all fits."""
    return (
        *origin.remarks,
        *_beyond_rows(native, origin),
        *_other_rows(origin),
        *_special_ids(native, origin),
        *_around(native, origin),
        *_rebuilt(native, origin),
    )


def _beyond_rows(native: _core.Tokenizer, origin: Origin) -> Iterator[str]:
    for rows in origin.embedding_rows:
        beyond = native.vocab_size - rows.n_rows
        if beyond <= 0:
            continue
        first = "" if beyond == 1 else f"{rows.n_rows:,} to "
        yield (
            f"{_ids(beyond)} beyond the {rows.n_rows:,} embedding rows of {rows.file}: {first}{native.vocab_size - 1:,}; "
            "the model cannot read them"
        )


def _other_rows(origin: Origin) -> Iterator[str]:
    if len({rows.n_rows for rows in origin.embedding_rows}) > 1:
        said = ", ".join(f"{rows.file} {rows.n_rows:,}" for rows in origin.embedding_rows)
        yield f"the files differ in the number of embedding rows: {said}"


def _special_ids(native: _core.Tokenizer, origin: Origin) -> Iterator[str]:
    """Ids that a config names: no token at all, or another than the tokenizer's own for that role."""
    for named in origin.named_ids:
        for id_ in named.ids:
            if _piece(native, id_) is None:
                yield f"{named.file} has {named.name} {id_:,}, which is no token"
        role = _ROLES[named.name]
        content = origin.roles.get(role)
        own = None if content is None else native.id(content)
        if own is not None and own not in named.ids:
            listed = ", ".join(f"{id_:,}{_quoted(native, id_)}" for id_ in named.ids)
            yield f"{named.file} has {named.name} {listed}; the tokenizer's {role} token is {own:,} ({content})"


def _around(native: _core.Tokenizer, origin: Origin) -> Iterator[str]:
    """Switches that ask for another begin or end than the tokenizer's own file has."""
    before, after = native.added_by_post_processor()
    for name, ids in (("add_bos_token", before), ("add_eos_token", after)):
        said = origin.switches.get(name)
        if said is not None and said != bool(ids):
            has = "adds one" if ids else "adds none"
            yield (
                f"tokenizer_config.json has {name}: {str(said).lower()}, and the tokenizer's own file {has}: "
                "that has the last word"
            )


def _rebuilt(native: _core.Tokenizer, origin: Origin) -> Iterator[str]:
    """Where transformers makes another tokenizer of the folder than its tokenizer.json is."""
    if origin.source == "object":
        return
    stages = native.info()
    what = None
    if origin.tokenizer_class in _GPT2_CLASSES:
        patterns = [stage["pattern"] for stage in stages["pre_tokenizers"] if "pattern" in stage]
        what = None if patterns == [_GPT2_PATTERN] else "cuts with the pattern of GPT-2"
    elif origin.tokenizer_class in _METASPACE_CLASSES and "prepend" in stages["normalizers"]:
        what = "puts the first space elsewhere"
    if what is not None:
        yield (
            f"tokenizer_config.json calls this a {origin.tokenizer_class}, for which transformers {what}; here the "
            "tokenizer's own file is followed, and ids can differ"
        )


def _quoted(native: _core.Tokenizer, id_: int) -> str:
    piece = _piece(native, id_)
    return "" if piece is None else f" ({piece})"


def _piece(native: _core.Tokenizer, id_: int) -> str | None:
    try:
        return native.vocab_piece(id_)
    except UnknownIdError:
        return None


def _ids(n: int) -> str:
    return "1 id lies" if n == 1 else f"{n:,} ids lie"
