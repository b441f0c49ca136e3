"""The parts of a prompt in tokens: they add up to all of it, and each says how much of it nobody wrote but the template."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from piecework._chat.owners import Owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._chat.conversation import Conversation
    from piecework._chat.engine import Origin
    from piecework._chat.layout import Stretch
    from piecework._chat.owners import Kind

__all__ = ["ChatPart", "Tokens", "count_parts"]

_NAMES: dict[Kind, str] = {
    "begin": "begin token",
    "scaffold": "scaffold around tools",
    "argument": "arguments of the template",
    "template": "the template's own text",
    "generation": "generation prompt",
    "thinking": "thinking block",
}


_SCAFFOLD = Owner("scaffold")


@dataclass(frozen=True, slots=True)
class ChatPart:
    """One part of a prompt.

    Attributes:
        name: What it is, such as `messages[0] system`, `tools[1] get_weather` or `generation prompt`.
        kind: `message`, `tool`, `document`, `argument` (a string given to the template by name); `begin`, `scaffold` (around
            tools), `template` (a turn that the template adds by itself), `generation` (what the answer goes on from),
            `thinking` (the block of it that opens or skips thinking).
        path: Where it stands in what was given, such as `messages[0]`; None for what the template adds.
        n_tokens: Its tokens; those of all parts add up to the prompt's.
        n_body: Those of them whose first byte the caller wrote; of a tool all of its JSON.
    """

    name: str
    kind: Kind
    path: str | None
    n_tokens: int
    n_body: int

    @property
    def n_framing(self) -> int:
        """The tokens that the template adds."""
        return self.n_tokens - self.n_body

    @property
    def framing_share(self) -> float:
        """How much of it is framing, from 0 to 1; 0 for a part without tokens."""
        return self.n_framing / self.n_tokens if self.n_tokens else 0.0

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {**asdict(self), "n_framing": self.n_framing, "framing_share": self.framing_share}


class Tokens(NamedTuple):
    """The tokens of a prompt: where each stands, where each begins, in characters, and its origin."""

    char_spans: Sequence[tuple[int, int]]
    starts: Sequence[int]
    origins: Sequence[Origin]


def count_parts(
    tokens: Tokens, stretches: Sequence[Stretch], conversation: Conversation
) -> tuple[ChatPart, ...]:
    """Counts the tokens of each part: a token is of the part that its first byte is in.

    One that begins with a tool's last brace and goes on into the template's text is scaffold, as the brace is the
    template's too: so a tool takes the tokens that its JSON takes.

    Returns:
        The parts in the order of the text; messages and tools that are not in it at their places, with no tokens.
    """
    char_spans, starts, origins = tokens
    is_body = [origin.kind != "template" for origin in origins]
    n_tokens: Counter[Owner] = Counter()
    n_body: Counter[Owner] = Counter()
    done = 0
    for stretch in stretches:
        end = bisect_left(starts, stretch.stop) if stretch is not stretches[-1] else len(starts)
        kept = end
        # A tool's last token, if its first byte is a brace and it goes on into the template's text.
        while stretch.owner.kind == "tool" and kept > done and char_spans[kept - 1][1] > stretch.stop:
            if is_body[kept - 1]:
                break
            kept -= 1
        n_tokens[stretch.owner] += kept - done
        n_body[stretch.owner] += kept - done if stretch.owner.kind == "tool" else sum(is_body[done:kept])
        n_tokens[_SCAFFOLD] += end - kept
        done = end
    if not n_tokens[_SCAFFOLD]:
        del n_tokens[_SCAFFOLD]
    order = list(dict.fromkeys([*(stretch.owner for stretch in stretches), *n_tokens]))
    for owner in _absent(order, conversation):
        order.insert(_place(order, owner), owner)
    return tuple(_part(owner, n_tokens[owner], n_body[owner], conversation) for owner in order)


def _absent(present: Sequence[Owner], conversation: Conversation) -> list[Owner]:
    wanted = [Owner("message", at) for at in range(len(conversation.messages))]
    wanted += [Owner("tool", at) for at in range(len(conversation.tools or ()))]
    there = set(present)
    return [owner for owner in wanted if owner not in there]


def _place(order: Sequence[Owner], owner: Owner) -> int:
    """After the part of the same kind before it, else before the generation prompt."""
    before = [
        at
        for at, other in enumerate(order)
        if other.kind == owner.kind and (other.number or 0) < (owner.number or 0)
    ]
    if before:
        return before[-1] + 1
    same = [at for at, other in enumerate(order) if other.kind == owner.kind]
    tail = [at for at, other in enumerate(order) if other.kind in {"generation", "thinking"}]
    return (same or tail or [len(order)])[0]


def _part(owner: Owner, n_tokens: int, n_body: int, conversation: Conversation) -> ChatPart:
    if owner.number is None:
        return ChatPart(_NAMES[owner.kind], owner.kind, None, n_tokens, n_body)
    path = f"{owner.kind}s[{owner.number}]"
    what = ""
    if owner.kind == "message":
        what = str(conversation.messages[owner.number].get("role", ""))
    elif owner.kind == "tool" and conversation.tools is not None:
        what = str(conversation.tools[owner.number]["function"].get("name", ""))
    return ChatPart(f"{path} {what}".rstrip(), owner.kind, conversation.place(path), n_tokens, n_body)
