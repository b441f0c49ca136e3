"""Counts of conversations for models behind a server, part by part, with what each number is worth."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from piecework._chat.served.charges import add_openai_media, add_served_media
from piecework._chat.served.claude import FRAMING_SOURCE as CLAUDE_SOURCE
from piecework._chat.served.claude import TOOLS_SOURCE, message_framing, tool_prompt
from piecework._chat.served.estimate import Estimate, estimate, joint_band, table_fingerprint
from piecework._chat.served.openai import FRAMING_SOURCE, message_tokens, reply_tokens, tool_tokens
from piecework._chat.served.reading import calls, texts, tool_text
from piecework._chat.served.sums import Sum, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from piecework._chat.conversation import Conversation
    from piecework._chat.served.media import Medium
    from piecework._chat.served.models import ServedModel
    from piecework._chat.served.openai import OpenAIModel
    from piecework._counts import Count

__all__ = ["count_estimated", "count_framed", "estimate_text"]

# The share of bytes without a figure up to which the band still says how surely the rest is known: an emoji in a letter.
_MAX_GAP = 0.05


def count_framed(
    conversation: Conversation,
    media: Sequence[Medium],
    model: OpenAIModel,
    *,
    count: Callable[[str], int],
    tokenizer: str,
    fingerprint: str,
) -> Count:
    """Counts a conversation for a model of OpenAI's chat.

    Args:
        conversation: The conversation.
        media: What in it is no text, of `find_media`.
        model: The model.
        count: Counts a text's tokens under the model's own tokenizer.
        tokenizer: That tokenizer's name.
        fingerprint: Its fingerprint.

    Returns:
        The count: `"calibrated"` where the published rules cover all of it; `"estimate"` where they are another
        model's, or something in it has no rule; `"lower-bound"` where something is not counted.
    """
    total = Sum("calibrated")
    total.note(f"framing: {FRAMING_SOURCE}")
    if not model.is_framed:
        # A prompt of o3 that was measured is one token shorter (OpenAI's forum, 2025-05), and a server may add lines.
        total.note(f"{model.name}: its framing is not documented; that of gpt-4o stands in")
    for at, message in enumerate(conversation.messages):
        found = message_tokens(message, model, count)
        _add(
            total,
            f"messages[{at}] {message.get('role', '?')}",
            found.n,
            (found.least, found.most),
            by_rule=found.by_rule,
        )
        if not found.by_rule:
            total.note("calls and results of tools have no published rule")
    declared = conversation.tools or ()
    for at, (tool, found) in enumerate(zip(declared, tool_tokens(declared, model, count), strict=True)):
        name = f"tools[{at}] {tool['function'].get('name', '')}"
        _add(total, name, found.n, (found.least, found.most), by_rule=found.by_rule)
        if not found.by_rule:
            total.note(f"{name}: its schema has more than the published rule knows")
    n = reply_tokens()
    slack = 0 if model.is_framed else 2 + len(conversation.messages)
    _add(total, "reply", n, (n - min(slack, n), n + 8 * slack), by_rule=model.is_framed)
    add_openai_media(total, media, model)
    return total.count(tokenizer, fingerprint)


def count_estimated(
    conversation: Conversation, media: Sequence[Medium], model: ServedModel, generation: str
) -> Count:
    """Estimates a conversation for a model whose tokenizer is not published.

    Args:
        conversation: The conversation.
        media: What in it is no text, of `find_media`.
        model: The model.
        generation: Its rows of the table.

    Returns:
        The count: `"estimate"`; `"lower-bound"` where media are not counted, or more than a twentieth of the text is in a
        script without a figure.
    """
    total = Sum("estimate")
    estimates = []
    for at, message in enumerate(conversation.messages):
        said = [*texts(message), *(text for call in calls(message) for text in call)]
        estimates.append((f"messages[{at}] {message.get('role', '?')}", estimate(said, generation)))
    for at, tool in enumerate(conversation.tools or ()):
        name = f"tools[{at}] {tool['function'].get('name', '')}"
        estimates.append((name, estimate([tool_text(tool)], generation)))
    _add_estimates(total, estimates)
    if model.provider == "google" and model.version > (3, 0):
        total.note(f"{model.name}: no count is published; Gemini 2 to 3 Pro stand in")
    if model.provider == "anthropic":
        n_framed = sum(message.get("role") != "system" for message in conversation.messages)
        around = message_framing(n_framed)
        total.add("framing", around.n, band=(around.least, around.most), basis="estimate")
        total.note(f"framing: {CLAUDE_SOURCE}")
        if conversation.tools:
            around = tool_prompt(model)
            total.add("tool instructions", around.n, band=(around.least, around.most), basis="calibrated")
            total.note(f"tool instructions: {TOOLS_SOURCE}")
    add_served_media(total, media, model)
    return total.count(f"bytes per token of {generation}", table_fingerprint())


def estimate_text(text: str, generation: str) -> Count:
    """Estimates a text alone, without framing.

    Examples:
        >>> found = estimate_text("Hello, world!", "claude-4.7")
        >>> found.n, found.basis, found.band
        (5, 'estimate', (1, 12))
    """
    total = Sum("estimate")
    _add_estimates(total, [("text", estimate([text], generation))])
    return total.count(f"bytes per token of {generation}", table_fingerprint())


def _add(total: Sum, name: str, n: int, band: tuple[int, int], *, by_rule: bool) -> None:
    total.add(name, n, band=band, basis="calibrated" if by_rule else "estimate")


def _add_estimates(total: Sum, estimates: Sequence[tuple[str, Estimate]]) -> None:
    least, most = joint_band([found for _, found in estimates])
    total.least += least
    total.most += most
    for name, found in estimates:
        # The band is that of all together.
        total.add(name, found.n, band=(0, 0), basis="estimate")
        for figure in found.used:
            if not figure.is_lower_bound:
                samples = f"{figure.n} sample{'' if figure.n == 1 else 's'}"
                rate = f"{figure.bytes_per_token:.2f} bytes a token"
                total.note(f"{figure.content}: {rate} ({samples}, {figure.date}: {figure.source})")
    lower = _summed(found.lower for _, found in estimates)
    uncounted = _summed(found.uncounted for _, found in estimates)
    for content, n_bytes in lower.items():
        total.note(f"{content}: {n_bytes:,} bytes at their least number of tokens; no count is published")
    for content, n_bytes in uncounted.items():
        total.note(f"not counted: {n_bytes:,} bytes of {content}; no count is published")
    n_gap = sum(found.n_gap_bytes for _, found in estimates)
    if n_gap > _MAX_GAP * sum(found.n_bytes for _, found in estimates):
        total.basis = worst(total.basis, "lower-bound")


def _summed(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return total
