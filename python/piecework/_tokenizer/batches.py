"""The calls on many texts, as a part of `Tokenizer`: each method says all about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from piecework._tokenizer.arguments import check_threads, text_sequence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import _core
    from piecework._files.origin import Origin
    from piecework._tokenizer.rows import PaddedRows, Rows
    from piecework._types import Errors, Side, Special, Strategy, Text

__all__ = ["Batches"]


class Batches:
    """What a tokenizer does with many texts at once."""

    __slots__ = ()
    _native: _core.Tokenizer
    _origin: Origin | None

    @overload
    def encode_batch(
        self,
        texts: Sequence[Text],
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
        n_threads: int | None = None,
    ) -> _core.Batch: ...
    @overload
    def encode_batch(
        self,
        texts: Sequence[Text],
        *,
        pairs: Sequence[Text] | None = None,
        pad: Literal["longest", "max"] | int,
        max_tokens: int | None = None,
        strategy: Strategy = "longest_first",
        overflow: bool = False,
        stride: int = 0,
        side: Side = "right",
        pad_side: Side = "right",
        pad_id: int | None = None,
        pad_type_id: int = 0,
        pad_to_multiple_of: int = 1,
        special: Special = "text",
        add_special_tokens: bool | None = None,
        errors: Errors = "strict",
        n_threads: int | None = None,
    ) -> PaddedRows: ...
    @overload
    def encode_batch(
        self,
        texts: Sequence[Text],
        *,
        pairs: Sequence[Text] | None = None,
        pad: None = None,
        max_tokens: int | None = None,
        strategy: Strategy = "longest_first",
        overflow: bool = False,
        stride: int = 0,
        side: Side = "right",
        pad_side: Side = "right",
        pad_id: int | None = None,
        pad_type_id: int = 0,
        pad_to_multiple_of: int = 1,
        special: Special = "text",
        add_special_tokens: bool | None = None,
        errors: Errors = "strict",
        n_threads: int | None = None,
    ) -> Rows: ...
    def encode_batch(
        self,
        texts: Sequence[Text],
        *,
        pairs: Sequence[Text] | None = None,
        pad: Literal["longest", "max"] | int | None = None,
        max_tokens: int | None = None,
        strategy: Strategy = "longest_first",
        overflow: bool = False,
        stride: int = 0,
        side: Side = "right",
        pad_side: Side = "right",
        pad_id: int | None = None,
        pad_type_id: int = 0,
        pad_to_multiple_of: int = 1,
        special: Special = "text",
        add_special_tokens: bool | None = None,
        errors: Errors = "strict",
        n_threads: int | None = None,
    ) -> _core.Batch | Rows | PaddedRows:
        """Encodes many texts, on many threads; for models that read many at once also as pairs, cut and padded.

        Args:
            texts: Texts, each a str or UTF-8 bytes.
            pairs: A second text for each: what a reranker or a classifier of pairs reads.
            pad: The width of all rows: `"longest"`, `"max"` (that is, `max_tokens`), or a number of tokens.
            max_tokens: How many tokens a row has at most, with what is put around the texts.
            strategy: Which of two texts gives up tokens: `"longest_first"`, `"only_first"`, `"only_second"`.
            overflow: Whether what is cut off becomes rows of its own, or is dropped.
            stride: How many tokens of a row an overflowing row repeats.
            side: The end of a text that is cut off.
            pad_side: The side on which rows are padded.
            pad_id: The id that pads; None for the token that the tokenizer's files name for it, else its `[PAD]` or `<pad>`.
            pad_type_id: The type id of padding.
            pad_to_multiple_of: The width is rounded up to a multiple of this.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the tokens that the tokenizer puts around texts are in; None for whether `pairs=` or `pad=` is given.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.
            n_threads: How many threads; None for as many as there are cores.

        Returns:
            A `Batch`: `.ids` (flat uint32) and `.offsets` (int64, one more than texts); `batch[i]` is `ids(texts[i])`.
            With `pairs=` or `max_tokens=`, `Rows`, flat like it; with `pad=`, `PaddedRows`, whose `.ids`, `.type_ids`, `.attention_mask`
            and `.special_mask` are tables of one width.

        Raises:
            EncodeError: As `ids` does, for the first text that cannot be encoded.
            LimitTooSmallError: `max_tokens` leaves no room for what is put around a text, or for the text that is not cut; a row is longer than `pad`.
            ValueError: `n_threads` is less than 1; as many pairs as texts are not given; an option lacks the one that it belongs to; `pad_id` is no id; no token pads.

        Examples:
            >>> import piecework as pw
            >>> batch = pw.load("gpt-4o").encode_batch(["Hello, world!", "", "Hi"])
            >>> batch.offsets.tolist(), batch[2].tolist()
            ([0, 4, 4, 5], [12194])
            >>> rows = pw.load("qwen3").encode_batch(["one two", "three"], pad="longest", pad_id=151643)
            >>> rows.ids.tolist(), rows.attention_mask.tolist()
            ([[603, 1378], [27856, 151643]], [[1, 1], [1, 0]])

        Complexity: The sum of `ids` over the texts, divided by the threads.
        Source: pairs are cut and overflow as Hugging Face tokenizers 0.23.3 does it.
        """
        if pairs is None and pad is None and max_tokens is None and not overflow:
            return self._native.encode_batch(
                text_sequence(texts), special, bool(add_special_tokens), errors, check_threads(n_threads)
            )
        from piecework._tokenizer.rows import encode_rows  # noqa: PLC0415 - few callers pad or pair

        if add_special_tokens is None:
            add_special_tokens = pairs is not None or pad is not None
        return encode_rows(
            self._native,
            texts,
            pairs=pairs,
            pad=pad,
            max_tokens=max_tokens,
            strategy=strategy,
            overflow=overflow,
            stride=stride,
            side=side,
            pad_side=pad_side,
            pad_id=pad_id,
            pad_token=None if self._origin is None else self._origin.roles.get("padding"),
            pad_type_id=pad_type_id,
            pad_to_multiple_of=pad_to_multiple_of,
            special=special,
            add_special_tokens=add_special_tokens,
            errors=errors,
            n_threads=n_threads,
        )

    def count_batch(
        self,
        texts: Sequence[Text],
        *,
        special: Special = "text",
        add_special_tokens: bool = False,
        errors: Errors = "strict",
        n_threads: int | None = None,
    ) -> _core.Counts:
        """Counts the tokens of many texts, on many threads.

        Args:
            texts: Texts, each a str or UTF-8 bytes.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.
            n_threads: How many threads; None for as many as there are cores.

        Returns:
            The counts: (n_texts,) int64, read-only, with the buffer protocol, `.tolist()` and `.numpy()`.

        Raises:
            EncodeError: As `ids` does, for the first text that cannot be encoded.
            ValueError: `n_threads` is less than 1.

        Examples:
            >>> import piecework as pw
            >>> pw.load("gpt-4o").count_batch(["Hello, world!", "", "Hi"]).tolist()
            [4, 0, 1]

        Complexity: The sum of `count` over the texts, divided by the threads.
        """
        return self._native.count_batch(
            text_sequence(texts), special, add_special_tokens, errors, check_threads(n_threads)
        )
