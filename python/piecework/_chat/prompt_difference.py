"""Where two prompts part in tokens, with the field of the message that the difference lies in."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from piecework._explain.encoded_difference import Encoded, difference_of

if TYPE_CHECKING:
    from piecework._chat.prompt import ChatPrompt
    from piecework._explain import Difference

__all__ = ["compare_prompts"]


def compare_prompts(old: ChatPrompt, new: ChatPrompt, *, block_size: int | None) -> Difference:
    """Compares two prompts of one tokenizer; see `ChatPrompt.difference`."""
    if old.tokenizer.fingerprint != new.tokenizer.fingerprint:
        raise ValueError(
            f"the prompts are of different tokenizers, {old.tokenizer.name} and {new.tokenizer.name}: their ids do not compare"
        )
    return difference_of(new.tokenizer.name, _encoded(old), _encoded(new), block_size=block_size)


def _encoded(prompt: ChatPrompt) -> Encoded:
    runs = prompt.rendered.runs
    starts = [run.start for run in runs]

    def part_of(token: int) -> tuple[str, int]:
        run = runs[max(bisect_right(starts, prompt.char_spans[token][0]) - 1, 0)]
        path = run.origin.path
        name = str(run.origin) if path is None else prompt.conversation.place(path)
        return name, run.start

    return Encoded(prompt.text, prompt.ids, prompt.char_spans, part_of, prompt.tokenizer.piece)
