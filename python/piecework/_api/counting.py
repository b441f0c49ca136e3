"""How many tokens a text or a chat has for a model: the public functions, which find out what counts and call it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from piecework._counts import Count, Part
from piecework._decoding import decoded
from piecework._tokenizer import load_or_assume
from piecework.errors import TemplateError, UnknownTokenizerError

if TYPE_CHECKING:
    from piecework._chat.counting import Messages, Tools
    from piecework._chat.templates import TemplateChoice
    from piecework._tokenizer import Tokenizer
    from piecework._types import Errors, Special, Text

__all__ = ["count", "count_async", "count_by_rules"]


def count(
    text: Text | Messages,
    *,
    model: str | os.PathLike[str] | Tokenizer,
    tools: Tools = None,
    template: TemplateChoice = None,
    remote: bool = False,
    assume: str | os.PathLike[str] | Tokenizer | None = None,
    special: Special = "text",
    add_special_tokens: bool = False,
    errors: Errors = "strict",
) -> Count:
    """Counts the tokens of a text or of a chat for a model.

    Args:
        text: A str, or its UTF-8 bytes; or messages as OpenAI's chat and Responses or Anthropic's API have them, in a list
            or in the body of a request.
        model: A model's or an encoding's name, a path, or a tokenizer.
        tools: With messages, the tools in the form of OpenAI, Anthropic or MCP.
        template: With messages for a tokenizer, the chat template, as `Tokenizer.chat` takes it; None for its own.
        remote: Whether to ask the provider's own endpoint: Anthropic's or Gemini's, with the key of the environment.
        assume: What counts in its place if the model's name is unknown; the count is then an estimate and says so.
        special: What becomes of control tokens in the text: `"text"`, `"parse"` or `"raise"`. In messages they are text.
        add_special_tokens: Whether begin and end tokens count. With messages, the template has them.
        errors: What becomes of broken Unicode: `"strict"` or `"replace"`.

    Returns:
        A `Count`: the number with its basis, tokenizer, fingerprint, parts and notes. Exact by the model's own tokenizer,
        messages by its own template, or by the endpoint; `"calibrated"` where a server adds framing by published rules
        (OpenAI's chat) or `piecework reconcile --save` measured the model's bills, which then goes first; `"estimate"` for Claude and Gemini, whose tokenizers are not published, with a band; and
        `"lower-bound"` where something is not counted, such as an image of unknown size.

    Raises:
        UnknownTokenizerError: The model is unknown and nothing is assumed.
        LoadError: The model names a file that cannot be loaded.
        EncodeError: As `Tokenizer.count` does.
        ChatError: Messages are not what they must be, or the tokenizer has no template.
        RemoteCountError: The endpoint is not known, has no key, or gave no count.
        TypeError: The text is neither str nor bytes nor messages.
        ValueError: `tools` or `template` come with a text, `special` or `add_special_tokens` with messages, or `template`
            with a model whose server has its own.

    Examples:
        >>> import piecework as pw
        >>> pw.count("Hello, world!", model="gpt-4o").n
        4
        >>> result = pw.count("Hello, world!", model="zz-unknown-9", assume="o200k_base")
        >>> result.n, result.basis, result.tokenizer
        (4, 'estimate', 'o200k_base')
        >>> result = pw.count([{"role": "user", "content": "Hello, world!"}], model="gpt-4o")
        >>> result.n, result.basis, [(part.name, part.n_tokens) for part in result.parts]
        (11, 'calibrated', [('messages[0] user', 8), ('reply', 3)])
        >>> result = pw.count("Hello, world!", model="claude-opus-4-7")
        >>> result.n, result.basis, result.band
        (5, 'estimate', (1, 12))

    Complexity: As `Tokenizer.count`; for messages, as `Tokenizer.chat`.
    """
    if remote or not isinstance(text, str | bytes):
        messages = _messages(text, special, errors, add_special_tokens=add_special_tokens)
        return _count_messages(messages, tools, template, model, assume, remote=remote)
    if tools is not None or template is not None:
        raise ValueError("tools= and template= go with messages; a text has none")
    try:
        tokenizer, basis = load_or_assume(model, assume=assume)
    except UnknownTokenizerError as error:
        calibrated = None if assume is not None else _calibrated(text, None, error.name)
        if calibrated is not None:
            return calibrated
        estimated = _estimated(text, error.name, errors)
        if estimated is None:
            raise
        return estimated
    n = tokenizer.count(text, special=special, add_special_tokens=add_special_tokens, errors=errors)
    return Count(
        n=n,
        basis=basis,
        tokenizer=tokenizer.name,
        fingerprint=tokenizer.fingerprint,
        band=(n, n) if basis == "exact" else None,
        parts=(Part("text", n),),
    )


async def count_async(
    text: Text | Messages,
    *,
    model: str | os.PathLike[str] | Tokenizer,
    tools: Tools = None,
    template: TemplateChoice = None,
    remote: bool = False,
    assume: str | os.PathLike[str] | Tokenizer | None = None,
    special: Special = "text",
    add_special_tokens: bool = False,
    errors: Errors = "strict",
) -> Count:
    """As `count`, without holding up the event loop: an endpoint is waited for, all else counts in another thread.

    Args:
        text: As `count`.
        model: As `count`.
        tools: As `count`.
        template: As `count`.
        remote: As `count`.
        assume: As `count`.
        special: As `count`.
        add_special_tokens: As `count`.
        errors: As `count`.

    Returns:
        As `count`.

    Raises:
        PieceworkError: As `count`.
        TypeError: As `count`.
        ValueError: As `count`.

    Examples:
        >>> import asyncio, piecework as pw
        >>> asyncio.run(pw.count_async("Hello, world!", model="gpt-4o")).n
        4
    """
    if remote:
        from piecework._chat.counting import ask_endpoint_async  # noqa: PLC0415 - most counts ask nobody

        messages = _messages(text, special, errors, add_special_tokens=add_special_tokens)
        return await ask_endpoint_async(messages, tools=tools, name=model if isinstance(model, str) else None)
    import asyncio  # noqa: PLC0415 - slow to import

    return await asyncio.to_thread(
        count,
        text,
        model=model,
        tools=tools,
        template=template,
        assume=assume,
        special=special,
        add_special_tokens=add_special_tokens,
        errors=errors,
    )


def _messages(text: object, special: Special, errors: Errors, *, add_special_tokens: bool) -> Messages:
    """Messages as they are; a text as the one message of a user, which is what an endpoint counts."""
    if special != "text" or add_special_tokens:
        raise ValueError(
            "special= and add_special_tokens= go with a text that is counted here, not with messages"
        )
    if isinstance(text, str | bytes):
        return [{"role": "user", "content": decoded(text, errors)}]
    if not isinstance(text, Mapping | list | tuple):
        what = type(text).__name__
        raise TypeError(f"count takes a text, a str or its UTF-8 bytes, or a list of messages, not {what}")
    return text


def _count_messages(
    messages: Messages,
    tools: Tools,
    template: TemplateChoice,
    model: str | os.PathLike[str] | Tokenizer,
    assume: str | os.PathLike[str] | Tokenizer | None,
    *,
    remote: bool,
) -> Count:
    from piecework._chat.counting import ask_endpoint  # noqa: PLC0415 - a text needs no chat

    name = model if isinstance(model, str) else None
    if remote:
        return ask_endpoint(messages, tools=tools, name=name)
    if name is None or assume is not None or template is not None:
        return count_by_rules(messages, tools=tools, template=template, model=model, assume=assume)
    try:
        counted = count_by_rules(messages, tools=tools, template=template, model=model, assume=assume)
    except (UnknownTokenizerError, TemplateError):
        calibrated = _calibrated(messages, tools, name)
        if calibrated is None:
            raise
        return calibrated
    # What is exact needs no calibration; what is not gives way to what the user measured.
    return counted if counted.basis == "exact" else _calibrated(messages, tools, name) or counted


def count_by_rules(
    messages: Messages,
    *,
    model: str | os.PathLike[str] | Tokenizer,
    tools: Tools = None,
    template: TemplateChoice = None,
    assume: str | os.PathLike[str] | Tokenizer | None = None,
) -> Count:
    """Counts messages by a template, by published rules or by estimate, whatever calibration the user has."""
    from piecework._chat.counting import count_messages  # noqa: PLC0415 - a text needs no chat

    return count_messages(
        messages,
        tools=tools,
        name=model if isinstance(model, str) else None,
        is_assumed=assume is not None,
        template=template,
        load=lambda: load_or_assume(model, assume=assume),
    )


def _calibrated(content: Text | Messages, tools: Tools, name: str) -> Count | None:
    """The count by the user's own calibration of a model; None where there is none."""
    from piecework._chat.calibration import calibration_of  # noqa: PLC0415 - an exact count needs none

    calibration = calibration_of(name)
    if calibration is None:
        return None
    from piecework._cost.reconcile.calibrated import calibrated_messages, calibrated_text  # noqa: PLC0415

    tokenizer, _ = load_or_assume(calibration.tokenizer, assume=None)
    if isinstance(content, str | bytes):
        return calibrated_text(content, calibration, tokenizer)
    return calibrated_messages(content, tools, calibration, tokenizer)


def _estimated(text: Text, name: str, errors: Errors) -> Count | None:
    from piecework._chat.counting import estimate_served  # noqa: PLC0415 - only where no tokenizer is known

    return estimate_served(text, name, errors)
