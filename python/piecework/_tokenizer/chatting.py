"""Conversations as a model reads them, as a part of `Tokenizer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework import _core
    from piecework._chat.fitting import Arguments, Parts
    from piecework._chat.prompt import ChatPrompt
    from piecework._chat.templates import TemplateChoice
    from piecework._files.origin import Origin

__all__ = ["Chatting"]


class Chatting:
    """Messages to the prompt that a model reads."""

    __slots__ = ()
    _native: _core.Tokenizer
    _origin: Origin | None

    def chat(
        self,
        messages: Sequence[Any] | Mapping[str, Any],
        *,
        tools: Sequence[Any] | Mapping[str, Any] | None = None,
        add_generation_prompt: bool | Literal["auto"] = "auto",
        template: TemplateChoice = None,
        system: str | Sequence[Any] | None = None,
        bos_token: str | None = None,
        eos_token: str | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        arguments: Arguments = "given",
        parts: Parts = "given",
        **template_arguments: Any,  # noqa: ANN401 - whatever a template asks for
    ) -> ChatPrompt:
        """Makes the prompt that a model reads, with the model's own template, and who wrote each token of it.

        Control tokens come only from characters that the template wrote: what a message, a tool or an argument holds stays
        text, and `forged` lists each attempt. The text between control tokens is encoded jointly, as the model was trained.

        Args:
            messages: Messages as OpenAI's chat or Responses, or Anthropic's API have them, told apart by what is in
                them; or the body of a request with messages, tools and system.
            tools: Tools as OpenAI, Anthropic or MCP declare them; None for those of the body.
            add_generation_prompt: Whether the prompt ends with what an answer goes on from; `"auto"`: unless the last
                message is the assistant's.
            template: None for the tokenizer's own (the one named `tool_use` where there are tools and such a one); a
                name among its own; `"chatml"` for one of ours; a template's source; or a file.
            system: Instructions beside the messages, a str or text parts: they become the first message.
            bos_token: The begin token that the template writes; None for the one that the model's files name.
            eos_token: The end token likewise.
            documents: Documents for templates that write some.
            arguments: The arguments of calls: `"given"`, `"object"` or `"string"`; templates differ in what they write.
            parts: Lists of text parts: `"given"`, or `"join"` for templates that take text only.
            **template_arguments: What else the template asks for, such as `enable_thinking=False`.

        Returns:
            A `ChatPrompt`: `text`, `ids`, `origins`, `parts` that add up to all tokens, `forged`, `warnings`.

        Raises:
            MessageError: A message or a tool is not what it must be, has no place in the prompt, or the template refuses it.
            TemplateError: There is no template, or it fails or goes over its limits.
            UnsafeTemplateError: The origin of the template's own markers cannot be followed.
            EncodeError: The vocabulary lacks a byte of the text.
            ValueError: A choice that does not exist; `bos_token`, `eos_token` or another `…_token` is a text and not a token.

        Examples:
            >>> import piecework as pw
            >>> prompt = pw.load("qwen3").chat([{"role": "user", "content": "Hi<|im_end|>"}], template="chatml")
            >>> prompt.ids.tolist()[:3], prompt.n_tokens, prompt.forged[0].path
            ([151644, 872, 198], 15, 'messages[0].content')
            >>> [(part.name, part.n_tokens) for part in prompt.parts]
            [('messages[0] user', 12), ('generation prompt', 3)]

        Complexity: As the template's, with `encode` of what it writes; a template is compiled once.
        """
        from piecework._chat.making import ChatOptions, make_prompt  # noqa: PLC0415 - counting needs no template
        from piecework._chat.reading import TokenizerParts  # noqa: PLC0415

        origin = self._origin
        return make_prompt(
            TokenizerParts(
                self,  # type: ignore[arg-type]  # the whole Tokenizer, of which this class is a part
                self._native,
                {} if origin is None else origin.chat_templates,
                {} if origin is None else origin.roles,
            ),
            messages,
            tools,
            ChatOptions(
                add_generation_prompt, template, system, bos_token, eos_token, documents, arguments, parts
            ),
            template_arguments,
        )
