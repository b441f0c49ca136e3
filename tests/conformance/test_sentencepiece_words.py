"""SentencePiece's models of words and of characters, trained here: ids, spans and decoding against sentencepiece itself.

Each test prints how much it compared. A reference's span of a dropped character's neighbor takes that in; ours does not.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import sentencepiece

import piecework as pw
from piecework import _core
from tools.fixtures import fixture
from tools.gguf_texts import generated

Span = tuple[int, int]

_USER_DEFINED = ["<user>", "▁<sep>▁", "ﬁ", "Ab", "▁é"]
_SPACES = (" ", " ", " ", "  ", "\u3000", "▁", "\t", " \n", "")
_ODD = (
    "xyzzy",
    "ﬁ",
    "Ａｂ",
    "É",
    "e\u0301",
    "🚀",
    "中",
    "<s>",
    "<unk>",
    "</s>",
    "<0x41>",
    "\u200b",
    "▁▁",
    "½",
)

SETTINGS: dict[str, dict[str, Any]] = {
    "nmt_nfkc": {},
    "byte fallback": {"byte_fallback": True},
    "identity": {"normalization_rule_name": "identity"},
    "nfkc_cf, byte fallback": {"normalization_rule_name": "nfkc_cf", "byte_fallback": True},
    "user-defined": {"user_defined_symbols": _USER_DEFINED},
    "user-defined, identity, byte fallback": {
        "user_defined_symbols": _USER_DEFINED, "normalization_rule_name": "identity", "byte_fallback": True,
    },
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, user-defined, byte fallback": {
        "treat_whitespace_as_suffix": True, "user_defined_symbols": _USER_DEFINED, "byte_fallback": True,
    },
    "no dummy prefix, white space kept": {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    "no dummy prefix, identity, byte fallback": {
        "add_dummy_prefix": False, "normalization_rule_name": "identity", "byte_fallback": True,
    },
}  # fmt: skip


def trained(model_type: str, settings: dict[str, Any]) -> bytes:
    """A model of the words or characters of a novel and of a few odd texts."""
    prose = fixture("sentencepiece_test/botchan.txt").read_text(encoding="utf-8").split("\n")[:1500]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*prose, *generated(200, seed=1)]), model_writer=model, model_type=model_type,
        vocab_size=900 if model_type == "word" else 340, hard_vocab_limit=False, minloglevel=2,
        character_coverage=0.98, **settings,
    )  # fmt: skip
    return model.getvalue()


def texts_of(reference: Any, seed: int) -> list[str]:
    """Texts of pieces, of what no piece is, and of all kinds of white space between them."""
    chance = random.Random(seed)
    n_ids = reference.get_piece_size()
    pieces = [reference.id_to_piece(id_) for id_ in range(n_ids) if not reference.is_byte(id_)]
    words = [piece.replace("▁", chance.choice(("", " "))) for piece in pieces]
    texts = ["", " ", "▁", "a", "\u3000"]
    for _ in range(2500):
        parts: list[str] = []
        for _ in range(chance.randint(1, 9)):
            parts.append(chance.choice(words) if chance.random() < 0.7 else chance.choice(_ODD))
            parts.append(chance.choice(_SPACES))
        texts.append("".join(parts if chance.random() < 0.5 else parts[:-1]))
    return [*texts, *generated(500, seed=seed)]


def _hulls(ids: Sequence[int], spans: Sequence[Span], is_byte: frozenset[int]) -> Iterator[tuple[Span, int]]:
    """Yields what each token covers, bytes in a row together (the reference gives the whole to the last of each word)."""
    run: list[Span] = []
    for at, id_ in enumerate(ids):
        run.append(spans[at])
        if id_ not in is_byte or at + 1 == len(ids) or ids[at + 1] not in is_byte:
            yield (min(start for start, _ in run), max(end for _, end in run)), id_
            run = []


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("model_type", ["word", "char"])
def test_ids_spans_and_decoding(model_type: str, name: str) -> None:
    data = trained(model_type, SETTINGS[name])
    reference = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = pw.load(reference)
    is_byte = frozenset(id_ for id_ in range(reference.get_piece_size()) if reference.is_byte(id_))
    n_ids = n_unknown = n_spans = n_other = 0
    texts = texts_of(reference, seed=len(name))
    for text in texts:
        mapped = reference.encode(text, return_type="offset_mapping")
        encoding = ours.encode(text)
        ids = encoding.ids.tolist()
        assert ids == mapped["ids"], text
        assert ours.decode(ids) == reference.decode(ids), text
        n_ids += len(ids)
        n_unknown += sum(id_ == reference.unk_id() or id_ in is_byte for id_ in ids)
        pairs = zip(
            _hulls(ids, encoding.char_spans, is_byte), _hulls(ids, mapped["offsets"], is_byte), strict=True
        )
        for (found, _), (wanted, _) in pairs:
            n_spans += 1
            n_other += found != wanted
            _check(text, found, wanted)
    print(
        f"{model_type}, {name}: {len(texts)} texts, {n_ids:,} ids ({n_unknown:,} unknown or bytes), {len(texts)} decoded: "
        f"0 different; {n_spans:,} spans, {n_other:,} wider or without what was dropped"
    )
    assert n_unknown > 1000


def _check(text: str, found: Span, wanted: Span) -> None:
    """Ours covers all of a cluster that became one, leaves out what came to nothing, and puts in at the very end."""
    is_wider = found[0] <= wanted[0] and wanted[1] <= found[1]
    is_inside = found[0] == found[1] and wanted[0] <= found[0] <= wanted[1]
    left_out = text[wanted[0] : found[0]] + text[found[1] : wanted[1]]
    assert is_wider or is_inside or all(c == "▁" or c.isspace() or not c.isprintable() for c in left_out), (
        text,
        found,
        wanted,
    )


def test_words_are_refused_where_only_sentencepiece_has_them() -> None:
    tok = _core.Tokenizer.from_sentencepiece(trained("word", {}))
    with pytest.raises(pw.FormatError, match="sentencepiece"):
        tok.to_tokenizer_json()
    again = _core.Tokenizer.from_definition(tok.definition())
    assert again.fingerprint == tok.fingerprint
    assert (
        again.ids("Botchan and xyzzy", "text", False, "strict").tolist()
        == tok.ids("Botchan and xyzzy", "text", False, "strict").tolist()
    )
