"""What tokens make of a text that nobody sees, as a part of `Tokenizer`: each method says all about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import _explain

if TYPE_CHECKING:
    from piecework import _core
    from piecework._explain import Difference, Quirks
    from piecework._explain.prompt_parts import Prompt
    from piecework._types import Errors, Special, Text

__all__ = ["Viewing"]


class Viewing:
    """Quirks of a text, and the first difference of two."""

    __slots__ = ()
    _native: _core.Tokenizer
    _name: str

    def quirks(
        self,
        text: Text,
        *,
        more: str | None = None,
        letter: str | None = None,
        max_per_kind: int = 12,
        special: Special = "text",
        errors: Errors = "strict",
    ) -> Quirks:
        """Finds what tokens make of a text that its reader does not see, with what each costs and what to do.

        Leading and trailing spaces, tokens that more text would make anew, digits, casing, characters that several tokens
        share, composed against decomposed letters, forms for compatibility, no-break and invisible spaces, line ends,
        indentation, white space; and the words, spelled: which token holds which letters.

        Args:
            text: A str, or its UTF-8 bytes.
            more: Text that will follow, to see which tokens it would make anew; None tries what mostly follows.
            letter: A letter (or several) to find in the tokens of each word; `str()` then shows it.
            max_per_kind: How many distinct places of a kind, and words, are measured, at least 0.
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            A `Quirks`: `found`, `spelling`, and how many places were left out. Costs are measured by encoding the text
            again with the alternative in it (of a text over 16,384 characters, the 2,048 on either side).

        Raises:
            EncodeError: As `ids` does.
            ValueError: `max_per_kind` is negative.

        Examples:
            >>> import piecework as pw
            >>> quirks = pw.load("qwen3").quirks("strawberry", letter="r")
            >>> [(token.piece, token.letters.count("r")) for token in quirks.spelling[0].tokens]
            [('str', 1), ('aw', 0), ('berry', 2)]
            >>> (space,) = quirks.of("leading-space")
            >>> space.alternative, space.cost
            (' strawberry', 2)

        Complexity: As `encode`, a few times for the whole text and once around each place that is measured.
        """
        return _explain.find_quirks(
            self._native,
            self._name,
            text,
            special=special,
            errors=errors,
            more=more,
            letter=letter,
            max_per_kind=max_per_kind,
        )

    def difference(
        self,
        old: Prompt,
        new: Prompt,
        *,
        block_size: int | None = None,
        special: Special = "text",
        errors: Errors = "strict",
    ) -> Difference:
        """Finds where two prompts part in tokens: what a prefix cache of the old one is still worth.

        Args:
            old: The prompt that was sent: a text; chat messages, or an object with `messages` and `tools`; or pairs of
                name and text. Of messages and pairs each text is encoded by itself: a template's own tokens stand between
                them, and are not counted.
            new: The prompt that will be sent, of the same kind.
            block_size: Tokens of a block of the cache, at least 1; None tells of 16 (vLLM) and 128 (OpenAI-like).
            special: Control tokens in the text: `"text"` reads them as ordinary text, `"parse"` as control tokens, `"raise"` raises.
            errors: Broken Unicode: `"strict"` raises, `"replace"` reads U+FFFD.

        Returns:
            A `Difference`: the first token that differs, its place and part in both, tokens kept and lost, and why.

        Raises:
            EncodeError: As `ids` does.
            TypeError: A prompt is none of these.
            ValueError: `block_size` is less than 1.

        Examples:
            >>> import piecework as pw
            >>> found = pw.load("qwen3").difference("Say: ", "Say: word")
            >>> found.reason, found.n_kept, found.n_lost, found.kept_in_blocks(16)
            ('retokenized', 2, 1, 0)
            >>> old = [{"role": "user", "content": "Hi"}]
            >>> pw.load("qwen3").difference(old, [*old, {"role": "assistant", "content": "Hello"}]).reason
            'extended'

        Complexity: As `encode` of both.
        """
        return _explain.find_difference(
            self._native, self._name, old, new, block_size=block_size, special=special, errors=errors
        )
