"""What the files of a model's folder add to its tokenizer, as AutoTokenizer of transformers 5.24 does it.

A tokenizer.json has the last word on what is put around a text: `add_bos_token` beside one counts for nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from piecework._files.literals import template_literals
from piecework.errors import FormatError

if TYPE_CHECKING:
    from piecework import _core
    from piecework._files.model_files import ModelFiles, NamedToken

__all__ = ["tokens_after_ranks", "with_folder"]

_FLAGS = ("special", "normalized", "single_word", "lstrip", "rstrip")

# Templates are some ten kilobytes; a larger one is no template.
_MAX_TEMPLATE_CHARS = 1 << 20

# Ids that are set aside after the ranks: a few hundred in published models.
_MAX_RESERVED = 1 << 16

# What these classes put around a text where nothing else says so: begin, end.
_AROUND: Mapping[str, tuple[bool, bool]] = {
    "LlamaTokenizer": (True, False),
    "CodeLlamaTokenizer": (True, False),
    "GemmaTokenizer": (True, False),
    "T5Tokenizer": (False, True),
}

# Classes that renumber the pieces of a SentencePiece model: the file alone does not tell the ids.
_RENUMBERED = frozenset(
    {
        "XLMRobertaTokenizer",
        "XLMProphetNetTokenizer",
        "CamembertTokenizer",
        "BarthezTokenizer",
        "MBartTokenizer",
        "MBart50Tokenizer",
        "NllbTokenizer",
        "M2M100Tokenizer",
        "PegasusTokenizer",
        "SeamlessM4TTokenizer",
        "XGLMTokenizer",
    }
)


def with_folder(native: _core.Tokenizer, kind: str, files: ModelFiles) -> _core.Tokenizer:
    """The tokenizer with what its folder adds: tokens, control tokens, and begin and end.

    Args:
        native: The tokenizer as its own file has it.
        kind: What that file is, as `formats.kind_of` names it.
        files: The files beside it.

    Returns:
        `native` itself where nothing is added.

    Raises:
        FormatError: The files ask for what is not supported.
    """
    if kind == "sentencepiece" and files.tokenizer_class in _RENUMBERED:
        reason = (
            f"{files.tokenizer_class} renumbers the pieces of its model: only a tokenizer.json has the ids"
        )
        raise FormatError(reason, place="tokenizer_config.json: tokenizer_class", reason=reason)
    added = list(_added(native, files, kind))
    amended = native
    if added:
        amended = native.with_additions(added=added, controls=[], around=None)
    around = _around(amended, kind, files)
    controls = _new_controls(amended, files)
    if controls or around is not None:
        amended = amended.with_additions(added=[], controls=controls, around=around)
    return amended


def tokens_after_ranks(ranks: bytes, files: ModelFiles) -> dict[str, int] | None:
    """The special tokens of ranks, which have none themselves, by the folder's tokenizer_config.json.

    Returns:
        Content to id, those between them that have no name as `<|reserved_token_N|>`, as the reference calls them; None
        where the folder does not list them.
    """
    names = files.added_ids()
    if not names:
        return None
    first = sum(1 for line in ranks.splitlines() if line.strip())
    last = max(names)
    if last - first > _MAX_RESERVED:
        reason = f"the id {last:,} lies far beyond the {first:,} ranks"
        raise FormatError(reason, place="tokenizer_config.json: added_tokens_decoder", reason=reason)
    return {names.get(id_, f"<|reserved_token_{id_}|>"): id_ for id_ in range(first, last + 1)}


def _added(native: _core.Tokenizer, files: ModelFiles, kind: str) -> Iterator[dict[str, Any]]:
    """Yields the tokens that are new, or have other options than in the tokenizer's own file."""
    known: dict[str, dict[str, Any]] = {token["content"]: token for token in native.added_tokens}
    # The unknown piece of a SentencePiece model is never made from text, and decodes in its own way.
    left_alone = files.roles().get("unknown", "<unk>") if kind == "sentencepiece" else None
    for token in _wanted(files, known):
        if token["content"] != left_alone and known.get(token["content"]) != token:
            known[token["content"]] = token
            yield token


def _wanted(files: ModelFiles, known: Mapping[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for declared in files.declared_tokens():
        yield _options(declared, known.get(declared.content))
    for named in files.named_tokens():
        found = known.get(named.content)
        if found is not None:
            # A token that a file names for a role is special, whatever else its options are.
            yield {**found, "special": True}
        else:
            yield {**_options(named, None), "special": True}


def _options(token: NamedToken, found: Mapping[str, Any] | None) -> dict[str, Any]:
    options = token.options
    if options is None:
        options = {"special": True, "normalized": False}
    is_special = bool(options.get("special", False))
    defaults = {"special": is_special, "normalized": not is_special}
    out = {name: bool(options.get(name, defaults.get(name, False))) for name in _FLAGS}
    return {"id": 0 if found is None else found["id"], "content": token.content, **out}


def _around(native: _core.Tokenizer, kind: str, files: ModelFiles) -> tuple[list[int], list[int]] | None:
    """The ids around a text where the tokenizer's own file does not say, by the tokenizer_config.json."""
    if kind not in {"sentencepiece", "tiktoken"}:
        return None
    usual = _AROUND.get(files.tokenizer_class or "", (None, None))
    roles = files.roles()
    now = native.added_by_post_processor()
    wanted = (
        _end_ids(native, now[0], _first(files.flag("add_bos_token"), usual[0]), roles.get("begin", "<s>")),
        _end_ids(native, now[1], _first(files.flag("add_eos_token"), usual[1]), roles.get("end", "</s>")),
    )
    return None if wanted == now else wanted


def _end_ids(native: _core.Tokenizer, now: list[int], wanted: bool | None, content: str) -> list[int]:  # noqa: FBT001
    if wanted is None:
        return now
    found = native.id(content) if wanted else None
    return [] if found is None else [found]


def _first(said: bool | None, usual: bool | None) -> bool | None:  # noqa: FBT001
    return usual if said is None else said


def _new_controls(native: _core.Tokenizer, files: ModelFiles) -> list[tuple[str, str]]:
    """The added tokens that only the folder shows to steer the model, with the reason."""
    known = {content for content, _, _ in native.control_tokens}
    added = [token["content"] for token in native.added_tokens if token["content"] not in known]
    if not added:
        return []
    by_id = {token["id"]: token["content"] for token in native.added_tokens}
    ending = {
        by_id.get(id_)
        for named in files.named_ids()
        if named.file == "generation_config.json"
        for id_ in named.ids
    }
    text = "\0".join(
        literal
        for template in files.chat_templates.values()
        for literal in template_literals(template[:_MAX_TEMPLATE_CHARS])
    )
    listed = {token.content for token in files.listed_in_map()}
    controls: list[tuple[str, str]] = []
    for content in added:
        if content in listed:
            controls.append((content, "tokenizer_config"))
        elif content in ending:
            controls.append((content, "generation_config"))
        elif not content.isspace() and content in text:
            controls.append((content, "chat_template"))
    return controls
