"""The streams, as a part of `Tokenizer`: each method says all about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import _core
    from piecework._tokenizer.streams import DecodeStream, EncodeStream
    from piecework._types import Errors, Special

__all__ = ["Streaming"]


class Streaming:
    """Ids that become text as they come, and text that becomes ids."""

    __slots__ = ()
    _native: _core.Tokenizer

    def decoder(
        self, *, skip_special: bool = False, errors: Errors = "replace", stop: str | Sequence[str] = ()
    ) -> DecodeStream:
        """A stream of ids that become text as they come.

        Args:
            skip_special: Whether added tokens that the file marks `special` are left out.
            errors: Bytes that are no text: `"replace"` gives U+FFFD, `"strict"` raises.
            stop: Strings before the first of which the text ends, wherever tokens are cut. A stop string counts as soon
                as its last character has come, so of several the one that ends first wins.

        Returns:
            A stream with `feed(id | ids | bytes)` and `finish()`; what they give joins to `decode` of all the ids.

        Raises:
            ValueError: A stop string is empty.

        Examples:
            >>> import piecework as pw
            >>> stream = pw.load("cl100k_base").decoder(stop="el")
            >>> [stream.feed(id) for id in [12453, 10036, 75901, 283, 13453, 74, 20195, 10044, 237, 1995, 9978]]
            ['ž', 'lu', 'ť', 'ou', 'č', 'k', 'ý', ' ', 'ď', 'á', 'b']
            >>> stream.finish()
            StreamEnd(text='', complete=True, stopped='el')
        """
        from piecework._tokenizer.streams import DecodeStream, stop_strings  # noqa: PLC0415 - few callers stream

        return DecodeStream(self._native.decoder(skip_special, errors, stop_strings(stop)))

    def encoder(
        self, *, special: Special = "text", add_special_tokens: bool = False, errors: Errors = "strict"
    ) -> EncodeStream:
        """A stream of text that becomes ids as it comes.

        Args:
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            add_special_tokens: Whether the begin and end tokens that the tokenizer adds are in.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            A stream with `feed(text)` and `finish()`; what they give joins to `ids` of the whole text.

        Examples:
            >>> import piecework as pw
            >>> stream = pw.load("qwen3").encoder()
            >>> stream.feed("I'm he").tolist(), stream.feed("re").tolist(), stream.finish().tolist()
            ([40, 2776], [], [1588])
        """
        from piecework._tokenizer.streams import EncodeStream  # noqa: PLC0415 - few callers stream

        return EncodeStream(self._native.encoder(special, add_special_tokens, errors))
