"""The native module: what the Rust engine gives to Python. Private; use `piecework`."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import Any, Final, Literal, Self, final, overload

from piecework._types import Errors, Special, Text

__version__: str

@final
class Ids(Sequence[int]):
    """Token ids: an immutable (n_tokens,) uint32 sequence with the buffer protocol. Pickles; equals lists and tuples."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Ids: ...
    def __iter__(self) -> Iterator[int]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def tolist(self) -> list[int]: ...
    def tobytes(self) -> bytes: ...
    def numpy(self) -> Any:
        """piecework._optional.numpy_array(self): a read-only NumPy array without a copy."""

@final
class Batch:
    """Ids of many texts: ids is flat, text i has ids[offsets[i]:offsets[i + 1]]."""

    @property
    def ids(self) -> Ids: ...
    @property
    def offsets(self) -> Counts: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Ids: ...

@final
class Rows:
    """Rows of texts or pairs, flat, or a rectangle of len(texts) × width where they are padded."""

    @property
    def ids(self) -> Ids: ...
    @property
    def type_ids(self) -> Ids: ...
    @property
    def special(self) -> bytes: ...
    @property
    def attention(self) -> bytes | None: ...
    @property
    def offsets(self) -> Counts: ...
    @property
    def texts(self) -> Counts: ...
    @property
    def width(self) -> int | None: ...

def sample(
    tokenizer: Tokenizer,
    text: Text,
    special: str,
    add_special_tokens: bool,
    errors: str,
    seed: int,
    alpha: float,
    dropout: float | None,
    nbest_size: int | None,
) -> Ids: ...
def nbest(
    tokenizer: Tokenizer, text: Text, n: int, special: str, add_special_tokens: bool, errors: str
) -> list[tuple[Ids, float]]: ...
def rows(
    tokenizer: Tokenizer,
    texts: Sequence[Text],
    pairs: Sequence[Text] | None,
    special: str,
    add_special_tokens: bool,
    errors: str,
    n_threads: int | None,
    limit: tuple[int, str, str, int | None] | None,
    padding: tuple[int | None, int, str, int, int] | None,
) -> Rows:
    """Rows: limit is (max_tokens, strategy, side, stride of what overflows), padding (width, multiple, side, id, type)."""

@final
class Counts(Sequence[int]):
    """Counts or offsets: an immutable int64 sequence with the buffer protocol."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Counts: ...
    def __iter__(self) -> Iterator[int]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def tolist(self) -> list[int]: ...
    def tobytes(self) -> bytes: ...
    def numpy(self) -> Any:
        """piecework._optional.numpy_array(self): a read-only NumPy array without a copy."""

@final
class Encoding:
    """One encoded text: ids and where each token stands in it."""

    @property
    def ids(self) -> Ids: ...
    @property
    def pieces(self) -> list[str]: ...
    @property
    def vocab_pieces(self) -> list[str]: ...
    @property
    def piece_bytes(self) -> list[bytes]: ...
    @property
    def byte_spans(self) -> list[tuple[int, int]]: ...
    @property
    def char_spans(self) -> list[tuple[int, int]]: ...
    @property
    def utf16_spans(self) -> list[tuple[int, int]]: ...
    @property
    def grapheme_spans(self) -> list[tuple[int, int]]: ...
    @property
    def word_ids(self) -> list[int | None]: ...
    @property
    def forged(self) -> list[tuple[str, int, tuple[int, int], tuple[int, int]]]:
        """(content, id, byte_span, char_span) of each control string that was read as text."""
    def part(self, column: str, start: int, stop: int) -> list[Any]:
        """Tokens start to stop of a column: ids, pieces, piece_bytes, byte_spans, char_spans, utf16_spans or word_ids."""
    def char_to_token(self, char: int) -> int | None: ...
    def token_to_chars(self, token: int) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

@final
class Pretokens:
    """The pretokens of one section: (byte_span in normalized, text, display (display alphabet), ids, readable pieces)."""

    def __len__(self) -> int: ...
    def __getitem__(
        self, index: int, /
    ) -> tuple[tuple[int, int], str, str, tuple[int, ...], tuple[str, ...]]: ...
    @property
    def n_ids(self) -> int: ...
    def ids(self, start: int, end: int) -> list[int]:
        """The ids from one place to another."""
    @property
    def n_changes(self) -> int: ...
    def change(self, index: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where the normalizers changed the text: bytes of normalized, bytes of the input that they were made from."""
    @staticmethod
    def distinct(sections: Sequence[Pretokens], limit: int | None = None) -> list[tuple[int, int]]:
        """(section, place in it) of each pretoken where its text stands first, at most so many."""
    @staticmethod
    def places(sections: Sequence[Pretokens], word: str) -> list[tuple[int, int]]:
        """The same of the pretokens that are word, with or without a space around it."""
    @staticmethod
    def what_cut(
        sections: Sequence[Pretokens], places: Sequence[Sequence[int]]
    ) -> list[list[tuple[int | None, int | None, str]]]:
        """What cut the pretokens at places of each section, ascending: pre-tokenizer, alternative, rule as written."""

@final
class WordCounts:
    """Distinct words and how often each occurs."""

    @staticmethod
    def of(words: Sequence[tuple[bytes, int]]) -> WordCounts: ...
    def __len__(self) -> int: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    @property
    def n_left_out_words(self) -> int:
        """Distinct words that were too rare to be kept."""
    @property
    def n_left_out(self) -> int:
        """How often these occur, together."""
    def items(self) -> list[tuple[bytes, int]]: ...
    @property
    def fingerprint(self) -> str: ...

@final
class WordCounter:
    """Counts the words of texts by the stages before the model of a tokenizer.json."""

    def __new__(
        cls,
        file: bytes,
        by_line: bool,
        *,
        max_table_bytes: int | None = None,
        folder: str | PathLike[str] | None = None,
        is_named: bool = False,
    ) -> Self:
        """Tables of all threads hold `max_table_bytes` together; beyond it one goes to `folder`, sorted, as a run.

        Runs without names vanish with the process, however it ends; named ones are `run-<16 hex digits>.words`, each
        written whole.
        """
    def feed(self, texts: Sequence[Text], errors: str, n_threads: int | None, times: int = 1) -> None: ...
    def add(self, words: list[bytes], counts: list[int]) -> None: ...
    def add_tsv(self, block: bytes, first_line: int) -> None:
        """Whole lines of word, tab and count; in a word \\\\, \\t, \\n and \\r are escapes. Errors name the line."""
    def spill(self) -> list[str]:
        """Writes every table as a run; the names of all runs, where they have names.

        A file whose words another one holds now is removed by the call after the one that no longer names it.
        """
    def adopt(self, runs: list[str]) -> None:
        """Takes over runs of an earlier process in the folder, checked; other runs that lie there are removed."""
    @property
    def n_distinct_held(self) -> int:
        """Distinct words in the tables; a word in the tables of two threads counts twice."""
    @property
    def n_words(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    @property
    def n_run_bytes(self) -> int: ...
    @property
    def n_runs(self) -> int: ...
    def batches(self, n_words: int) -> WordBatches:
        """Takes the counts, sorted by bytes, each word once."""
    def finish(
        self, *, min_word_count: int = 1, max_bytes: int | None = None, n_entries: int = 0
    ) -> WordCounts:
        """Takes the counts. MemoryCapError where to learn so many entries from them would take more than `max_bytes`."""

@final
class WordBatches:
    """Counted words on their way out."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> tuple[list[bytes], list[int]]: ...

@final
class DecodeStream:
    """Ids, or bytes, on their way to text."""

    def feed(self, item: int | Sequence[int] | bytes) -> str: ...
    def finish(self) -> tuple[str, bool]:
        """(what is left of the text, whether the ids did not break off inside a character)."""
    @property
    def stopped(self) -> str | None: ...
    @property
    def streams(self) -> bool: ...

@final
class EncodeStream:
    """Text on its way to ids."""

    def feed(self, text: Text) -> Ids: ...
    def finish(self, text: Text) -> Ids: ...
    @property
    def streams(self) -> bool: ...
    @property
    def n_pending_bytes(self) -> int: ...

@final
class Tokenizer:
    """A loaded tokenizer; immutable and safe from many threads."""

    @staticmethod
    def from_pack(data: bytes) -> Tokenizer: ...
    @staticmethod
    def from_tiktoken(
        data: bytes, *, pattern: str | None = None, special_tokens: dict[str, int] | None = None
    ) -> Tokenizer: ...
    @staticmethod
    def from_tokenizer_json(data: bytes) -> Tokenizer: ...
    @staticmethod
    def from_sentencepiece(
        data: bytes, *, add_bos: bool | None = None, add_eos: bool | None = None
    ) -> Tokenizer: ...
    @staticmethod
    def from_tekken(data: bytes) -> Tokenizer: ...
    @staticmethod
    def from_gguf(data: bytes) -> Tokenizer: ...
    @staticmethod
    def from_wordpiece(vocab: bytes, options_json: str = "") -> Tokenizer: ...
    @staticmethod
    def from_vocab_merges(vocab: bytes, merges: bytes, options_json: str = "") -> Tokenizer: ...
    @staticmethod
    def from_definition(data: bytes) -> Tokenizer: ...
    def with_additions(
        self,
        *,
        added: Sequence[dict[str, Any]],
        controls: Sequence[tuple[str, str]],
        around: tuple[Sequence[int], Sequence[int]] | None,
    ) -> Tokenizer:
        """The tokenizer with what its directory adds.

        added: added tokens as added_tokens has them, "id" not needed: each takes its content's id, else the next free one.
        controls: (content, reason) of added tokens that steer the model; around: the ids before and after a text.
        """
    @property
    def notes(self) -> list[str]:
        """What is odd about the file that the tokenizer was read from, a sentence each; none after with_additions."""
    def definition(self) -> bytes: ...
    def to_tokenizer_json(self) -> tuple[bytes, bool]: ...
    def to_tiktoken(self) -> bytes: ...
    def to_vocab_merges(self) -> tuple[bytes, bytes]: ...
    def reasons(self, piece: str, max_steps: int | None = None) -> dict[str, Any]:
        """Why the model makes its tokens of one pretoken, given as the model sees it; by "kind", in plain values.

        Of more than max_steps merges, or places of a word, the first are recorded and all are counted.
        """
    def replayed(self, text: Text, special: Special) -> tuple[int, int, int, str | None]:
        """(pretokens, distinct, ids, the first whose record of reasons ends with other ids) of a text."""
    def ids(
        self,
        text: Text,
        special: Special,
        add_special_tokens: bool,
        errors: Errors,
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> Ids:
        """trusted: half-open ranges, in characters of a str and in bytes of bytes, sorted or not; None trusts all."""
    def count(
        self,
        text: Text,
        special: Special,
        add_special_tokens: bool,
        errors: Errors,
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> int: ...
    def count_up_to(
        self, text: Text, max_tokens: int, special: Special, add_special_tokens: bool, errors: Errors
    ) -> int | None: ...
    def truncate(
        self,
        text: str,
        max_tokens: int,
        side: Literal["left", "right"],
        special: Special,
        add_special_tokens: bool,
        errors: Errors,
    ) -> str: ...
    def encode(
        self,
        text: Text,
        special: Special,
        add_special_tokens: bool,
        errors: Errors,
        trusted: Sequence[tuple[int, int]] | None = None,
    ) -> Encoding: ...
    def encode_batch(
        self,
        texts: Sequence[Text],
        special: Special,
        add_special_tokens: bool,
        errors: Errors,
        n_threads: int | None,
    ) -> Batch: ...
    def count_batch(
        self,
        texts: Sequence[Text],
        special: Special,
        add_special_tokens: bool,
        errors: Errors,
        n_threads: int | None,
    ) -> Counts: ...
    def decode(self, ids: Sequence[int], errors: Errors, skip_special: bool) -> str: ...
    def decode_bytes(self, ids: Sequence[int], skip_special: bool) -> bytes: ...
    def decoder(self, skip_special: bool, errors: Errors, stop: Sequence[str]) -> DecodeStream: ...
    def encoder(self, special: Special, add_special_tokens: bool, errors: Errors) -> EncodeStream: ...
    def stages(self, text: Text, special: Special, errors: Errors) -> dict[str, Any]:
        """What each stage does: {"input": str, "sections": [section, ...]}, the sections tiling the input.

        An added token: {"kind": "added", "byte_span": (start, end), "text": str, "id": int, "content": str};
        text is what it matched, with white space that it swallowed.
        Other text: {"kind": "text", "byte_span": (start, end), "text": str, "normalized": str,
        "pretokens": Pretokens}.
        """
    def piece(self, id: int) -> str:
        """Readable: the bytes as UTF-8, each byte of no whole character as \\xf0 (Python's backslashreplace)."""
    def vocab_piece(self, id: int) -> str: ...
    def piece_bytes(self, id: int) -> bytes: ...
    def id(self, piece: str | bytes) -> int | None: ...
    @property
    def vocab_size(self) -> int:
        """One more than the largest id."""
    @property
    def n_tokens(self) -> int:
        """How many ids are tokens; holes are not."""
    @property
    def n_base(self) -> int:
        """How many of them are learned, not added."""
    @property
    def fingerprint(self) -> str: ...
    @property
    def special_tokens(self) -> dict[str, int]:
        """Added tokens with `special: true`."""
    @property
    def added_tokens(self) -> list[dict[str, Any]]: ...
    @property
    def control_tokens(self) -> list[tuple[str, int, str]]:
        """(content, id, reason)."""
    def find_controls(
        self, text: Text, errors: Errors
    ) -> list[tuple[str, int, tuple[int, int], tuple[int, int]]]: ...
    def added_by_post_processor(self) -> tuple[list[int], list[int]]:
        """(ids before, ids after) that add_special_tokens would put around a text."""
    def info(self) -> dict[str, Any]:
        """What its stages are.

        {"normalizers": ["NFC"], "pre_tokenizers": [{"kind": "split" | "prefix-space" | "digits", ...its fields}],
        "model": {"kind": "bpe", "whole_pieces": bool, "merges": "listed" | "ranks", "n_merges": int | None},
        "post_processor": {"single": [str, ...], "pair": [str, ...], "trim_offsets": bool}, "decoder": "byte-level",
        "profile": str, "plan": {stage: how it is run}, "holes": [(first, end), ...] half-open ranges of ids that are no
        token}. A post-processor's items are "$A", "$B" and tokens' contents.
        """
    def __reduce__(self) -> Any: ...

def detect(data: bytes) -> tuple[str, str]:
    """What a file is by its content: (a short name such as "tokenizer-json", what it looks like in words)."""

def gguf_front(data: bytes) -> int | None:
    """How many bytes at the front of a GGUF file hold its tokenizer; None where more than `data` is needed."""

def gguf_beside(data: bytes) -> tuple[str | None, str | None, list[str]]:
    """What a GGUF file says beside its tokenizer: its chat template, the model's name, and what is odd."""

def known_tiktoken(data: bytes) -> str | None:
    """The encoding or model whose published ranks these are; p50k_base and o200k_base where two share their ranks."""

def byte_alphabet() -> list[str]:
    """The 256 display characters of the GPT-2 byte alphabet, in byte order."""

def nfc(text: str) -> str: ...
def learning_bytes(n_words: int, n_symbols: int) -> int:
    """Memory that learning from distinct words of so many symbols takes at its peak, the words included: at most that."""

def train_bpe(
    counts: WordCounts,
    options: dict[str, object],
    progress: Callable[[int], object] | None = None,
    *,
    n_threads: int | None = None,
    tell_every_s: float | None = None,
) -> dict[str, Any]:
    """What a BPE trainer learns: tokens, merges (left, right, product, count), n_alphabet, dropped, n_symbols, steps.

    With them the words' fingerprint, which a second thread finds unless `n_threads` is 1. `progress` is called with the
    merges so far, about every 100 ms unless `tell_every_s` says otherwise, on this thread.
    """

def train_curve(counts: WordCounts, model: dict[str, object]) -> tuple[int, int, list[int]]:
    """Symbols before any merge, characters, and how often each merge applies, over the words as often as they occur."""

def words(text: str) -> list[tuple[int, int]]:
    """The byte spans of its words by the rules of Unicode, without the segments that have no letter or digit."""

SEGMENTER: Final[str]
"""The crate that finds them, with its version."""

ENTRY_BYTES: Final[int]
"""Memory that an entry of a learned vocabulary and its merge take: as objects, as JSON and in the tokenizer."""

def _debug_class(code: int) -> int: ...
def _debug_split(
    pattern: str, behavior: str, invert: bool, profile: str, texts: Sequence[str]
) -> list[list[tuple[int, int]]]: ...
def _debug_normalize(
    normalizers: str, user_defined: Sequence[str], texts: Sequence[str]
) -> list[tuple[str, list[tuple[int, int]]]]: ...
