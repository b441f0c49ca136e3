"""A conversation as a model reads it: text, ids, who wrote each token, parts that add up, and what a caller tried to forge."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from piecework._counts import Count, Part
from piecework.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import _core
    from piecework._chat.conversation import Conversation
    from piecework._chat.counted_parts import ChatPart
    from piecework._chat.engine import Origin, Rendered
    from piecework._chat.forged import ForgedMarker
    from piecework._explain import Difference
    from piecework._types import Basis, Special

__all__ = ["ChatPrompt", "ChatTokenizer"]


class ChatTokenizer(Protocol):
    """What a prompt needs of a tokenizer after it is made."""

    @property
    def name(self) -> str:
        """The tokenizer's name."""

    @property
    def fingerprint(self) -> str:
        """The hash of all that decides ids."""

    @property
    def added_around(self) -> tuple[list[int], list[int]]:
        """The ids that it puts before and after a text."""

    def count(self, text: str, *, special: Special = "text") -> int:
        """Counts the tokens of a text."""

    def piece(self, id: int, /) -> str:  # noqa: A002 - the field's word
        """The readable piece of an id."""


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A conversation as a model reads it. Made by `Tokenizer.chat`.

    Control tokens come only from characters that the model's template wrote; whatever a message, a tool or an argument
    holds is text.

    Attributes:
        tokenizer: The tokenizer that made the ids.
        template: The name of the template: `default`, `tool_use`, `chatml`, `given`, or a file.
        template_label: What the name does not say; for our own template that it is not the model's.
        basis: What the count is worth: `"exact"`; `"calibrated"` with our own template; `"lower-bound"` where images,
            sounds, videos or files are not counted.
        rendered: The text with its origins, as the template made it.
        ids: The ids: (n_tokens,) uint32.
        char_spans: Where each token stands in the text, in characters.
        origins: Who wrote each token: the origin of its first byte.
        mixed: The indices of tokens that hold characters of more than one origin.
        parts: The parts; their tokens add up to `len(ids)`.
        forged: The control strings in callers' texts, which are read as text.
        lookalikes: What only looks like a control string there.
        dropped: The paths of what the template does not write, such as a role that it does not know.
        warnings: What somebody should know before this is sent, in sentences.
        conversation: The messages and tools in the form that the template was given.
        add_generation_prompt: Whether the prompt ends with what an answer goes on from.
    """

    tokenizer: ChatTokenizer
    template: str
    template_label: str
    basis: Basis
    rendered: Rendered
    ids: _core.Ids
    char_spans: tuple[tuple[int, int], ...]
    origins: tuple[Origin, ...]
    mixed: frozenset[int]
    parts: tuple[ChatPart, ...]
    forged: tuple[ForgedMarker, ...]
    lookalikes: tuple[ForgedMarker, ...]
    dropped: tuple[str, ...]
    warnings: tuple[str, ...]
    conversation: Conversation
    add_generation_prompt: bool
    control_ids: frozenset[int] = field(repr=False)

    @property
    def text(self) -> str:
        """The prompt as text; to read it again as plain text gives other ids."""
        return self.rendered.text

    @property
    def n_tokens(self) -> int:
        """How many tokens the prompt has."""
        return len(self.ids)

    @property
    def n_body(self) -> int:
        """How many of them the caller wrote: messages, tools, documents."""
        return sum(part.n_body for part in self.parts)

    @property
    def n_framing(self) -> int:
        """How many of them the template adds."""
        return self.n_tokens - self.n_body

    @property
    def framing_share(self) -> float:
        """How much of the prompt is framing, from 0 to 1."""
        return self.n_framing / self.n_tokens if self.n_tokens else 0.0

    @property
    def not_counted(self) -> str:
        """What is in the messages and in no count here, such as `2 images`; "" for nothing."""
        return self.conversation.not_counted

    @property
    def trusted(self) -> list[tuple[int, int]]:
        """The ranges of the text, in characters, that the template wrote: `ids(text, special="parse", trusted=...)` gives the same ids."""
        return self.rendered.trusted_spans()

    def count(self) -> Count:
        """Returns the count with its parts and what it is worth, as `piecework.count` does."""
        n = self.n_tokens
        return Count(
            n=n,
            basis=self.basis,
            tokenizer=self.tokenizer.name,
            fingerprint=self.tokenizer.fingerprint,
            band=(n, n) if self.basis == "exact" else None,
            parts=tuple(Part(part.name, part.n_tokens) for part in self.parts),
        )

    def count_as_text(self) -> int:
        """Counts the same text read as plain text, as where somebody pastes a rendered prompt: no control token in it.

        Returns:
            The count; mostly more than `n_tokens`, since each marker then takes several tokens.
        """
        return self.tokenizer.count(self.text, special="text")

    def assistant_mask(self) -> list[int]:
        """Marks the tokens that the assistant said: what training on this conversation learns from.

        Returns:
            One number for each token: 1 where it holds a character between the template's `{% generation %}` and
            `{% endgeneration %}`, else 0.

        Raises:
            TemplateError: The template has no such block, or marks nothing though the assistant has a message.
        """
        said = [message for message in self.conversation.messages if message.get("role") == "assistant"]
        if not self.rendered.marks_generation or (said and not self.rendered.generation_spans):
            reason = (
                "has no {% generation %} block" if not self.rendered.marks_generation else "marks nothing"
            )
            raise TemplateError(
                f"template {self.template} {reason}, so that what the assistant said cannot be told from the rest",
                template=self.template,
                reason=reason,
                hint="give a template= with {% generation %} … {% endgeneration %} around the assistant's text",
            )
        mask = [0] * self.n_tokens
        starts = [start for start, _ in self.char_spans]
        stops = [stop for _, stop in self.char_spans]
        for start, stop in self.rendered.generation_spans:
            for at in range(bisect_right(stops, start), bisect_left(starts, stop)):
                mask[at] = 1
        return mask

    def difference(self, old: ChatPrompt, *, block_size: int | None = None) -> Difference:
        """Finds where this prompt parts in tokens from an older one: what a cache of that one is still worth.

        Args:
            old: The prompt that was sent, of the same tokenizer.
            block_size: Tokens of a block of the cache, at least 1; None tells of 16 and 128.

        Returns:
            A `Difference`; its places name the fields of the messages.

        Raises:
            ValueError: The prompts are of different tokenizers, or `block_size` is less than 1.
        """
        from piecework._chat.prompt_difference import compare_prompts  # noqa: PLC0415 - only where it is asked for

        return compare_prompts(old, self, block_size=block_size)

    def tokens_of(self, path: str) -> list[int]:
        """The indices of the tokens of a field, such as `messages[0].content`, as the template was given it."""
        return [at for at, origin in enumerate(self.origins) if origin.path == path]

    def ansi(self) -> str:
        """Returns the text in a terminal's colors: control tokens on red, the template's text dim, forged markers inverse."""
        from piecework._chat.prompt_text import ansi_text  # noqa: PLC0415

        return ansi_text(self)

    def marked(self) -> str:
        """Returns the text with control tokens in `⟦ ⟧` and forged markers in `‼ ‼`, nothing invisible in it."""
        from piecework._chat.prompt_text import marked_text  # noqa: PLC0415

        return marked_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {
            "tokenizer": self.tokenizer.name,
            "fingerprint": self.tokenizer.fingerprint,
            "template": self.template,
            "template_label": self.template_label,
            "basis": self.basis,
            "add_generation_prompt": self.add_generation_prompt,
            "n_tokens": self.n_tokens,
            "n_body": self.n_body,
            "n_framing": self.n_framing,
            "framing_share": self.framing_share,
            "n_as_text": self.count_as_text(),
            "not_counted": self.not_counted,
            "parts": [part.to_dict() for part in self.parts],
            "forged": [item.to_dict() for item in self.forged],
            "lookalikes": [item.to_dict() for item in self.lookalikes],
            "dropped": list(self.dropped),
            "warnings": list(self.warnings),
            "text": self.text,
            "ids": self.ids.tolist(),
            "origins": _named_origins(self.origins),
        }

    def __len__(self) -> int:
        return len(self.ids)

    def __hash__(self) -> int:
        # The messages are dicts, which have no hash.
        return hash(self.ids)

    def __str__(self) -> str:
        from piecework._chat.prompt_text import table_text  # noqa: PLC0415

        return table_text(self)

    def __repr__(self) -> str:
        noun = "token" if self.n_tokens == 1 else "tokens"
        return (
            f"<ChatPrompt of {self.n_tokens:,} {noun}, {self.tokenizer.name}, template {self.template}, "
            f"{self.basis}: {self.n_body:,} in bodies, {self.n_framing:,} framing, {len(self.forged):,} forged>"
        )

    def _repr_html_(self) -> str:
        from piecework._chat.prompt_page import prompt_html  # noqa: PLC0415

        return prompt_html(self)


def _named_origins(origins: Sequence[Origin]) -> list[str]:
    return [str(origin) for origin in origins]
