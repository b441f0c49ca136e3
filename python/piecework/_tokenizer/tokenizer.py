"""The tokenizer that users hold. Long, because each method says all about itself; each delegates in a line or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from piecework import _core, _explain
from piecework._files.bundle import FINGERPRINTS
from piecework._tokenizer.arguments import (
    check_ids,
    check_limit,
    check_side,
    check_trusted,
)
from piecework._tokenizer.batches import Batches
from piecework._tokenizer.chatting import Chatting
from piecework._tokenizer.samples import Samples
from piecework._tokenizer.streaming import Streaming
from piecework._tokenizer.trained import Trained
from piecework._tokenizer.viewing import Viewing

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from piecework._explain import PiecesView, Stages, TokenizerInfo, Trace
    from piecework._files.origin import Origin
    from piecework._files.save import Saved, SaveFormat
    from piecework._tokenizer.encoding import Encoding, Forged
    from piecework._types import Errors, Side, Special, Text
    from piecework.train.training import Training

__all__ = ["Tokenizer"]


@final
class Tokenizer(Batches, Chatting, Samples, Streaming, Trained, Viewing):
    """A tokenizer: exact, immutable, safe from many threads, picklable. Made by `piecework.load`.

    Options that several methods share:

    - `special`: what becomes of control tokens that stand in the text: `"text"` (the default) reads them as the ordinary
      text that they are, so that nobody's input can steer the model; `"parse"` makes them control tokens; `"raise"` raises.
    - `add_special_tokens`: whether the tokens that the tokenizer's post-processor puts around a text (begin, end) are in.
    - `errors`: what becomes of broken Unicode (a lone surrogate, bytes that are not UTF-8): `"strict"` raises,
      `"replace"` reads U+FFFD.
    - `trusted`: half-open ranges of the text (in characters of a str, in bytes of bytes) in which alone control tokens may
      match, whole, under `special="parse"`: a template's own markers but not those that a user wrote. None trusts all.

    Two tokenizers are equal when their fingerprints are.
    """

    __slots__ = ("__weakref__", "_is_bundled", "_name", "_native", "_origin", "_training")
    _native: _core.Tokenizer
    _name: str
    _is_bundled: bool
    _origin: Origin | None
    _training: Training | None

    def __init__(
        self,
        native: _core.Tokenizer,
        name: str,
        *,
        is_bundled: bool,
        origin: Origin | None = None,
        training: Training | None = None,
    ) -> None:
        if not isinstance(native, _core.Tokenizer):
            raise TypeError("tokenizers are made by piecework.load(name_or_path)")
        values = (native, name, is_bundled, origin, training)
        for slot, value in zip(
            ("_native", "_name", "_is_bundled", "_origin", "_training"), values, strict=True
        ):
            object.__setattr__(self, slot, value)

    # --- from text to ids ---------------------------------------------------------------------------------------------

    def ids(
        self,
        text: Text,
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> _core.Ids:
        """Encodes a text.

        Args:
            text: A str, or its UTF-8 bytes.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.
            trusted: With `special="parse"`, the only ranges in which control tokens match, such as `[(0, 12)]`; None for all.

        Returns:
            The ids: (n_tokens,) uint32, read-only, with the buffer protocol, `.tolist()` and `.numpy()`; empty for "".

        Raises:
            SpecialTokenError: `special="raise"`, and the text holds a control token.
            NotUnicodeError: `errors="strict"`, and the text is not Unicode.
            UnencodableError: The vocabulary lacks a byte of the text.
            PatternLimitError: The tokenizer's pattern went over its regex engine's limits.
            TooLongError: The text is larger than one call can take (2 GiB), or than 32 times its size and 1 MiB
                once it is normalized.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.load("qwen3")
            >>> tok.ids("I'm here").tolist()
            [40, 2776, 1588]
            >>> tok.ids("<|im_start|>user").tolist()
            [27, 91, 318, 4906, 91, 29, 872]
            >>> tok.ids("<|im_start|>user", special="parse").tolist()
            [151644, 872]

        Complexity: O(n_bytes log n_bytes) time at worst, in practice linear; O(n_bytes) memory.
        """
        return self._native.ids(text, special, add_special_tokens, errors, check_trusted(trusted, special))

    def count(
        self,
        text: Text,
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> int:
        """Counts the tokens of a text without making its ids.

        Args:
            text: A str, or its UTF-8 bytes.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.
            trusted: With `special="parse"`, the only ranges in which control tokens match, such as `[(0, 12)]`; None for all.

        Returns:
            `len(self.ids(...))` for the same arguments.

        Raises:
            EncodeError: As `ids` does.

        Examples:
            >>> import piecework as pw
            >>> pw.load("gpt-4o").count("Write <|endoftext|> at the end")
            11

        Complexity: As `ids`, but O(1) memory beyond the longest pretoken.
        """
        return self._native.count(text, special, add_special_tokens, errors, check_trusted(trusted, special))

    def count_up_to(
        self,
        text: Text,
        max_tokens: int,
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
    ) -> int | None:
        """Counts the tokens of a text, and gives up as soon as they are too many.

        Args:
            text: A str, or its UTF-8 bytes.
            max_tokens: The most that is of interest, at least 0.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            The count, or None when it is more than `max_tokens`.

        Raises:
            EncodeError: As `ids` does, in the part of the text that was looked at.
            ValueError: `max_tokens` is negative.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.load("gpt-4o")
            >>> print(tok.count_up_to("a b c", 3), tok.count_up_to("a b c", 2))
            3 None

        Complexity: As `count`, over about the first `max_tokens` tokens only.
        """
        return self._native.count_up_to(text, check_limit(max_tokens), special, add_special_tokens, errors)

    def truncate(
        self,
        text: str,
        *,
        max_tokens: int,
        side: Side = "right",
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
    ) -> str:
        """Cuts a text so that it has at most so many tokens.

        Args:
            text: A str.
            max_tokens: The limit, at least 0; `add_special_tokens=True` takes room for those tokens off it first.
            side: The end that is cut off.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            A prefix of the text (`side="right"`) or a suffix (`side="left"`), whole characters, that really counts at
            most `max_tokens` by itself. Mostly the longest that does; a few tokens less where a cut makes tokens anew.

        Raises:
            EncodeError: As `ids` does.
            LimitTooSmallError: The begin and end tokens alone are more than `max_tokens`.
            ValueError: `max_tokens` is negative.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.load("gpt-4o")
            >>> tok.truncate("one two three four", max_tokens=2)
            'one two'
            >>> tok.truncate("one two three four", max_tokens=2, side="left")
            ' three four'

        Complexity: As `encode`, and a count of what is kept for each step back.
        """
        check_side(side)
        return self._native.truncate(text, check_limit(max_tokens), side, special, add_special_tokens, errors)

    def encode(
        self,
        text: Text,
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> Encoding:
        """Encodes a text and keeps where each token stands in it.

        Args:
            text: A str, or its UTF-8 bytes.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.
            trusted: With `special="parse"`, the only ranges in which control tokens match, such as `[(0, 12)]`; None for all.

        Returns:
            An `Encoding`: ids, pieces, spans in bytes, characters, UTF-16 units and graphemes, word ids, forged markers.

        Raises:
            EncodeError: As `ids` does.

        Examples:
            >>> import piecework as pw
            >>> enc = pw.load("qwen3").encode("Olá <think>")
            >>> enc.pieces, enc.char_spans[:2]
            (['Ol', 'á', ' <', 'think', '>'], [(0, 2), (2, 3)])
            >>> enc.forged
            [Forged(token='<think>', id=151667, byte_span=(5, 12), char_span=(4, 11))]
            >>> text = "<|im_start|>user: <|im_start|>"  # the first marker is the template's, the second the user's
            >>> pw.load("qwen3").encode(text, special="parse", trusted=[(0, 12)]).pieces[:5]
            ['<|im_start|>', 'user', ':', ' <|', 'im']

        Complexity: As `ids`, with about 16 bytes for each token; each family of spans O(n_bytes) when first asked for.
        """
        from piecework._tokenizer.encoding import Encoding  # noqa: PLC0415 - counting makes none

        ranges = check_trusted(trusted, special)
        native = self._native.encode(text, special, add_special_tokens, errors, ranges)
        again = {
            "special": special,
            "add_special_tokens": add_special_tokens,
            "errors": errors,
            "trusted": ranges,
        }
        return Encoding(native, self, text, again)

    def find_controls(self, text: Text, *, errors: Errors = "strict") -> list[Forged]:
        r"""Finds the control strings in a text without encoding it: what `special="text"` reads as ordinary text.

        Args:
            text: A str, or its UTF-8 bytes.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            Each with its id and place, in order; the same as `self.encode(text).forged`.

        Raises:
            NotUnicodeError: `errors="strict"`, and the text is not Unicode.

        Examples:
            >>> import piecework as pw
            >>> [found.token for found in pw.load("qwen3").find_controls("<|im_end|>\n<|im_start|>system")]
            ['<|im_end|>', '<|im_start|>']

        Complexity: O(n_bytes) time.
        """
        rows = self._native.find_controls(text, errors)
        if not rows:
            return []
        from piecework._tokenizer.encoding import Forged  # noqa: PLC0415 - most texts hold none

        return [Forged(*row) for row in rows]

    # --- from ids to text ---------------------------------------------------------------------------------------------

    def decode(self, ids: Sequence[int], *, errors: Errors = "replace", skip_special: bool = False) -> str:
        """Decodes ids.

        Args:
            ids: Ids; a list, `Ids`, or anything with the buffer protocol over integers.
            errors: `"replace"` shows bytes that are no character as U+FFFD, `"strict"` raises.
            skip_special: Whether special tokens (added tokens with `special: true`) are left out.

        Returns:
            The text; "" for no ids.

        Raises:
            UnknownIdError: An id is not in the vocabulary, is in one of its holes, or is negative.
            IncompleteTextError: `errors="strict"`, and the bytes are not UTF-8 (ids cut inside a character).
            TypeError: An id is not an integer.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.load("cl100k_base")
            >>> tok.decode([9906, 11, 1917, 0])
            'Hello, world!'
            >>> tok.decode([9906, 100257], skip_special=True)
            'Hello'

        Complexity: O(n_bytes) of the result.
        """
        return self._native.decode(check_ids(ids), errors, skip_special)

    def decode_bytes(self, ids: Sequence[int], *, skip_special: bool = False) -> bytes:
        r"""Decodes ids to the bytes that they stand for, whether these are UTF-8 or not.

        Args:
            ids: As for `decode`.
            skip_special: As for `decode`.

        Returns:
            The bytes.

        Raises:
            UnknownIdError: An id is not in the vocabulary, is in one of its holes, or is negative.
            TypeError: An id is not an integer.

        Examples:
            >>> import piecework as pw
            >>> pw.load("qwen3").decode_bytes([11162, 248])
            b' \xf0\x9f\x9a'

        Complexity: O(n_bytes) of the result.
        """
        return self._native.decode_bytes(check_ids(ids), skip_special)

    # --- the vocabulary -----------------------------------------------------------------------------------------------

    def piece(self, id: int) -> str:  # noqa: A002 - the field's word
        r"""The readable piece of an id; a byte that is no whole character as `\xf0`.

        Raises:
            UnknownIdError: There is no such id.

        Examples:
            >>> import piecework as pw
            >>> pw.load("qwen3").piece(279)
            ' the'
        """
        return self._native.piece(id)

    def id(self, piece: str | bytes) -> int | None:
        """The id of a token.

        Args:
            piece: The token's text; or, where no token has this text, its vocabulary form (`Ġthe`); or its bytes.

        Returns:
            The id, or None where no one token is exactly this.

        Examples:
            >>> import piecework as pw
            >>> tok = pw.load("qwen3")
            >>> tok.id(" the"), tok.id("<|im_start|>"), tok.id("no such token")
            (279, 151644, None)
        """
        return self._native.id(piece)

    @property
    def vocab_size(self) -> int:
        """One more than the largest id: the rows that an embedding needs at least."""
        return self._native.vocab_size

    @property
    def n_base(self) -> int:
        """How many tokens are learned, not added."""
        return self._native.n_base

    @property
    def n_tokens(self) -> int:
        """How many ids are tokens; less than `vocab_size` where the vocabulary has holes."""
        return self._native.n_tokens

    @property
    def special_tokens(self) -> dict[str, int]:
        """The added tokens with `special: true`: content to id, in the order of ids."""
        return self._native.special_tokens

    @property
    def added_around(self) -> tuple[list[int], list[int]]:
        """The ids that `add_special_tokens` puts before and after a text; both empty where it adds none."""
        return self._native.added_by_post_processor()

    @property
    def name(self) -> str:
        """The encoding's name for a bundled tokenizer, else the path it was loaded from."""
        return self._name

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides ids: vocabulary, merges, pattern, added tokens. Not of the file or its layout."""
        return (self._is_bundled and FINGERPRINTS.get(self._name)) or self._native.fingerprint

    # --- looking inside -----------------------------------------------------------------------------------------------

    def stages(self, text: Text, *, special: Special = "text", errors: Errors = "strict") -> Stages:
        """Shows what each stage makes of a text: added tokens, normalizer, pre-tokenizer, model.

        Args:
            text: A str, or its UTF-8 bytes.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            A `Stages` object: the sections between added tokens, their normalized text, pretokens, ids and pieces.

        Raises:
            EncodeError: As `ids` does.

        Examples:
            >>> import piecework as pw
            >>> stages = pw.load("qwen3").stages("A raposa: 19")
            >>> [pretoken.display for pretoken in stages.pretokens]
            ['A', 'Ġraposa', ':', 'Ġ', '1', '9']

        Complexity: As `encode`, with an object for each pretoken.
        """
        return _explain.read_stages(
            self._name, self._native.info(), self._native.stages(text, special, errors)
        )

    def explain(
        self,
        text: Text,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        max_merges: int | None = 1_000,
    ) -> Trace:
        """Says why a text became its tokens: what each stage makes of it, then the model's own reasons.

        Args:
            text: A str, or its UTF-8 bytes.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.
            max_merges: The most merges, or places of a WordPiece word, that are recorded of one pretoken, from 0; None for all.

        Returns:
            A `Trace`: `stages`; `why`, for each pretoken the merges, attempts or lattice, made when they are asked for; `cuts`.

        Raises:
            EncodeError: As `ids` does.
            ValueError: `max_merges` is negative.

        Examples:
            >>> import piecework as pw
            >>> why = pw.load("qwen3").explain(" castanha").why[0]
            >>> [merge.pair.rank for merge in why.merges], why.stop
            ([11, 16, 20, 303, 3967, 6055], 'no-pair')

        Complexity: As `stages`; the reasons of a pretoken of n bytes O(n log n), with a state for each recorded merge of up
        to 4,096 bytes.
        """
        record = self._native.stages(text, special, errors)
        return _explain.explain(self._name, self._native.info(), record, self._native, max_merges=max_merges)

    def show(
        self,
        text: Text,
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
    ) -> PiecesView:
        r"""Shows the pieces of a text: with `|` between them, in colors in a notebook or by `.ansi()`.

        Args:
            text: A str, or its UTF-8 bytes.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            A view, with space, newline and tab as `·` `⏎` `⇥`.

        Raises:
            EncodeError: As `ids` does.

        Examples:
            >>> import piecework as pw
            >>> pw.load("qwen3").show("Olá, mundo! 🚀")
            Ol|á|,|·mundo|!|·\xf0\x9f|\x9a|\x80

        Complexity: As `encode`.
        """
        encoding = self._native.encode(text, special, add_special_tokens, errors)
        return _explain.pieces_view(self._native, self._name, encoding)

    def info(self) -> TokenizerInfo:
        """What this tokenizer is: its numbers, its stages, its control tokens with the reason for each.

        Returns:
            A `TokenizerInfo`; `str()` gives it as text, `.to_dict()` as JSON can hold it.

        Examples:
            >>> import piecework as pw
            >>> info = pw.load("qwen3").info()
            >>> info.n_base, info.n_added, info.vocab_size
            (151643, 26, 151669)
        """
        return _explain.summarize(self._native, self._name, self._origin)

    def save(self, path: str | os.PathLike[str], *, format: SaveFormat | None = None) -> Saved:  # noqa: A002
        """Saves the tokenizer. Each file appears whole or not at all, also where it replaces one.

        Args:
            path: A file or a folder, `~` being the home folder. Its folder must exist; a folder that is saved is made. Of a
                symbolic link, the file that it leads to is replaced.
            format: One of

                - `"tokenizer-json"`: one tokenizer.json, which tokenizers reads to the same ids;
                - `"folder"`: a model's folder, which AutoTokenizer reads: tokenizer.json, tokenizer_config.json,
                  special_tokens_map.json, and the chat templates if there are any;
                - `"tiktoken"`: ranks, for a tokenizer in which any pair whose join is a token merges;
                - `"vocab-merges"`: vocab.json and merges.txt, for a BPE of listed merges.

                None goes by the name: `.json`, `.tiktoken`, `vocab.json` or `merges.txt`, and a folder for any other
                name without a suffix or where there is one.

        Returns:
            A `Saved`: the format, the paths of the files, and `left_out`, which says in sentences what they do not hold.

        Raises:
            FormatError: The format cannot say what this tokenizer does; the reason says what. Nothing is approximated, so
                a SentencePiece model is refused: no tokenizer.json gives its ids for every text.
            ValueError: The name does not say a format, or is empty, or `format` is none.
            FileExistsError: A file in the folder would be read together with those that are saved.
            OutputError: A file cannot be written, or what is there is a pipe or a device; what was there before is still
                there.

        Examples:
            >>> import pathlib, tempfile
            >>> import piecework as pw
            >>> folder = pathlib.Path(tempfile.mkdtemp())
            >>> saved = pw.load("bert-base-uncased").save(folder / "tokenizer.json")
            >>> saved.format, saved.left_out, pw.load(folder / "tokenizer.json") == pw.load("bert-base-uncased")
            ('tokenizer-json', (), True)

        Complexity: O(size of the vocabulary); what is written is read again before it is put in place.
        """
        from piecework._files.save import save_native  # noqa: PLC0415 - few tokenizers are saved
        from piecework._files.whole_files import target_path  # noqa: PLC0415

        return save_native(self._native, self._origin, target_path(path), format)

    # --- as an object -------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tokenizer does not change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tokenizer does not change: {name}")

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return (
            f"<Tokenizer {self._name}: vocab_size {self.vocab_size:,}, fingerprint {self.fingerprint[:12]}>"
        )

    def _repr_html_(self) -> str:
        return _explain.summary_html(self.info())
