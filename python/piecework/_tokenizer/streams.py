"""Streams: ids that become text as a model makes them, and text that becomes ids as it is written.

Whatever the cuts, what a stream gives out joins to what the whole would have given. Each part comes as soon as nothing
that follows can change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import _core

__all__ = ["DecodeStream", "EncodeStream", "StreamEnd", "stop_strings"]


class StreamEnd(NamedTuple):
    """How a stream of ids ended.

    Attributes:
        text: The text that was still held back.
        complete: False where the ids broke off inside a character, of which U+FFFD is left.
        stopped: The stop string that ended the text, or None.
    """

    text: str
    complete: bool
    stopped: str | None


@final
class DecodeStream:
    r"""Ids on their way to text. Made by `Tokenizer.decoder`; may be fed from one thread or many, but is one sequence.

    Examples:
        >>> import piecework as pw
        >>> stream = pw.load("o200k_base").decoder()
        >>> [stream.feed(part) for part in (b"Refund sent ", b"\xf0\x9f", b"\x98\x80", b" today")]
        ['Refund sent ', '', '😀', ' today']
        >>> stream.finish()
        StreamEnd(text='', complete=True, stopped=None)
    """

    __slots__ = ("_ended", "_native")

    def __init__(self, native: _core.DecodeStream) -> None:
        self._native = native
        self._ended = False

    def feed(self, item: int | Sequence[int] | bytes) -> str:
        r"""Takes what comes next, and gives out what is known.

        Args:
            item: An id, several, or raw bytes of the text, which every tokenizer takes. Where tokens are bytes (GPT's,
                Qwen's, Llama 3's), they join with those of the ids around them. Where tokens are texts (BERT's, T5's),
                they stand as they are: what the ids before them make is given out as before other text, and the next
                id's token is written as after other text, with the space that it brings along.

        Returns:
            The text that no later id can change, often "": a character is held back until all its bytes are there, and
            what may be the beginning of a stop string until it is clear that it is none. Nothing after a stop string.

        Raises:
            UnknownIdError: An id is none of the vocabulary's; its position is counted over the whole stream. Nothing of
                the call is taken, and the stream goes on.
            IncompleteTextError: `errors="strict"`, and the bytes are no text.
            TypeError: What is fed is no id and no bytes.
            ValueError: The stream has ended.

        Examples:
            >>> import piecework as pw
            >>> stream = pw.load("bert-base-uncased").decoder()
            >>> [stream.feed(part) for part in (7592, b", \xf0\x9f", b"\x98\x80", 2088, b"-wide")]
            ['hello', ', ', '😀', ' world', '-wide']

        Complexity: O(n_bytes), however the ids come.
        """
        if self._ended:
            raise ValueError("this stream has ended: begin another")
        try:
            return self._native.feed(item)
        except TypeError as error:
            if hasattr(item, "__iter__"):
                raise
            raise TypeError(f"feed takes an id, several, or raw bytes, not {type(item).__name__}") from error

    def finish(self) -> StreamEnd:
        """Ends the stream.

        Returns:
            What is left of the text, whether it was complete, and the stop string that ended it.

        Raises:
            IncompleteTextError: `errors="strict"`, and the ids break off inside a character.
            ValueError: The stream has ended already.
        """
        if self._ended:
            raise ValueError("this stream has ended: begin another")
        self._ended = True
        text, complete = self._native.finish()
        return StreamEnd(text, complete, self._native.stopped)

    @property
    def stopped(self) -> str | None:
        """The stop string that has ended the text, or None: no more ids are needed."""
        return self._native.stopped

    @property
    def streams(self) -> bool:
        """Whether text is given out before the end. False for the rare decoder that must see all of it first."""
        return self._native.streams


@final
class EncodeStream:
    """Text on its way to ids. Made by `Tokenizer.encoder`; may be fed from one thread or many, but is one sequence.

    Examples:
        >>> import piecework as pw
        >>> stream = pw.load("o200k_base").encoder()
        >>> [stream.feed(part).tolist() for part in ("I'm", " he", "re now")]
        [[], [15390], [2105]]
        >>> stream.finish().tolist()
        [1954]
    """

    __slots__ = ("_ended", "_native", "_surrogate")

    def __init__(self, native: _core.EncodeStream) -> None:
        self._native = native
        self._surrogate = ""
        self._ended = False

    def feed(self, text: str) -> _core.Ids:
        """Takes what comes next, and gives out what is known.

        Args:
            text: The next part of the text; cuts may fall anywhere, between two surrogates too.

        Returns:
            The ids that no later text can change: (n_tokens,) uint32, often none.

        Raises:
            EncodeError: As `Tokenizer.ids`, places counted over the whole stream in bytes (of broken Unicode, in
                characters of this part). The stream is then at its end.
            ValueError: The stream has ended.
            TypeError: What is fed is no str.

        Complexity: As `Tokenizer.ids` over the whole text, however it comes.
        """
        if self._ended:
            raise ValueError("this stream has ended: begin another")
        if not isinstance(text, str):
            raise TypeError(f"feed takes the next part of the text, a str, not {type(text).__name__}")
        text = self._surrogate + text
        # A high surrogate may be half a character.
        cut = len(text) - bool(text and "\ud800" <= text[-1] <= "\udbff")
        self._surrogate = text[cut:]
        return self._native.feed(text[:cut])

    def finish(self) -> _core.Ids:
        """Ends the text.

        Returns:
            The last ids, with those after a text where `add_special_tokens=True`.

        Raises:
            EncodeError: As `feed`.
            ValueError: The stream has ended already.
        """
        if self._ended:
            raise ValueError("this stream has ended: begin another")
        self._ended = True
        # Half a character is none: an error, or U+FFFD.
        return self._native.finish(self._surrogate)

    @property
    def streams(self) -> bool:
        """Whether ids are given out before the end. False where no cut of the text is known to be safe."""
        return self._native.streams

    @property
    def n_pending_bytes(self) -> int:
        """How much text is held back, in bytes of UTF-8."""
        return self._native.n_pending_bytes + 3 * len(self._surrogate)


def stop_strings(stop: str | Sequence[str]) -> list[str]:
    """Returns stop strings as a list.

    Raises:
        ValueError: One is empty: it would end every text at once.
        TypeError: One is no str.
    """
    stops = [stop] if isinstance(stop, str) else list(stop)
    for item in stops:
        if not isinstance(item, str):
            raise TypeError(f"a stop string is a str, not {type(item).__name__}")
        if not item:
            raise ValueError("a stop string is empty: it would end every text at once")
    return stops
