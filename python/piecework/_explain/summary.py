"""What a tokenizer is, as a result object: its numbers, its stages, its control tokens with the reason for each."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._explain.columns import columns
from piecework._explain.glyphs import visible
from piecework._explain.stage_names import model_name, pre_tokenizer_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework import _core

__all__ = ["ControlToken", "TokenizerInfo", "summarize", "summary_html"]


class ControlToken(NamedTuple):
    """A token that steers the model, and why it counts as one.

    Attributes:
        token: Its content.
        id: Its id.
        reason: Why, such as `special` or `marker-shaped`.
    """

    token: str
    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class TokenizerInfo:
    """What a tokenizer is.

    Attributes:
        tokenizer: Its name.
        fingerprint: A hash of all that decides ids.
        vocab_size: One more than the largest id.
        n_tokens: How many ids are tokens.
        n_base: How many of them are learned.
        n_added: How many of them are added.
        n_special: How many of the added have `special: true`.
        holes: Half-open ranges of ids that are no token.
        control_tokens: The tokens that the `special` policy governs.
        added_before: The tokens that `add_special_tokens` puts before a text.
        added_after: The tokens that it puts after it.
        stages: Normalizers, pre-tokenizers, model, post-processor, decoder, as the engine describes them.
        profile: The reference whose behavior is followed where references differ.
        plan: How each stage is run.
    """

    tokenizer: str
    fingerprint: str
    vocab_size: int
    n_tokens: int
    n_base: int
    n_added: int
    n_special: int
    holes: tuple[tuple[int, int], ...]
    control_tokens: tuple[ControlToken, ...]
    added_before: tuple[str, ...]
    added_after: tuple[str, ...]
    stages: Mapping[str, Any]
    profile: str
    plan: Mapping[str, Any]

    def __str__(self) -> str:
        lines = columns([[label, value] for label, value in self.rows()])
        tokens = [["", str(row.id), visible(row.token), row.reason] for row in self.control_tokens]
        return "\n".join([*lines, *columns(tokens, right=frozenset({1}))])

    def __repr__(self) -> str:
        return str(self)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yields label and value of each line of the summary; the control tokens' own lines follow the last."""
        yield "tokenizer", self.tokenizer
        yield "fingerprint", self.fingerprint
        yield "tokens", f"{self.n_tokens:,} = {self.n_base:,} learned + {self.n_added:,} added"
        yield "vocab_size", f"{self.vocab_size:,}{self._holes()}"
        yield "normalizer", ", ".join(self.stages["normalizers"]) or "none"
        for stage in self.stages["pre_tokenizers"]:
            yield "pre-tokenizer", pre_tokenizer_name(stage)
        yield "model", model_name(self.stages["model"])
        yield "decoder", str(self.stages["decoder"])
        yield "begin, end", self._around()
        yield "follows", self.profile
        for stage, how in self.plan.items():
            yield f"runs {stage}", str(how)
        yield "special", f"{_tokens_are(self.n_special)} left out by skip_special"
        yield "control", f"{_tokens_are(len(self.control_tokens))} read as text unless special is parse"

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        out: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        out["holes"] = [list(hole) for hole in self.holes]
        out["control_tokens"] = [row._asdict() for row in self.control_tokens]
        out["added_before"], out["added_after"] = list(self.added_before), list(self.added_after)
        out["stages"], out["plan"] = dict(self.stages), dict(self.plan)
        return out

    def _repr_html_(self) -> str:
        return summary_html(self)

    def _holes(self) -> str:
        n_holes = self.vocab_size - self.n_tokens
        if n_holes <= 0:
            return ""
        ranges = ", ".join(
            str(first) if end - first == 1 else f"{first} to {end - 1}" for first, end in self.holes
        )
        return f", {n_holes:,} of them no token: {ranges}"

    def _around(self) -> str:
        if not self.added_before and not self.added_after:
            return "none added"
        return " ".join([*self.added_before, "text", *self.added_after]) + "   (add_special_tokens)"


def _tokens_are(n: int) -> str:
    return "1 token is" if n == 1 else f"{n:,} tokens are"


def summarize(native: _core.Tokenizer, name: str) -> TokenizerInfo:
    """Collects what the native tokenizer says about itself."""
    record = native.info()
    before, after = native.added_by_post_processor()
    return TokenizerInfo(
        tokenizer=name,
        fingerprint=native.fingerprint,
        vocab_size=native.vocab_size,
        n_tokens=native.n_tokens,
        n_base=native.n_base,
        n_added=len(native.added_tokens),
        n_special=len(native.special_tokens),
        holes=tuple((first, end) for first, end in record["holes"]),
        control_tokens=tuple(ControlToken(*row) for row in native.control_tokens),
        added_before=tuple(map(native.piece, before)),
        added_after=tuple(map(native.piece, after)),
        stages={
            stage: record[stage]
            for stage in ("normalizers", "pre_tokenizers", "model", "post_processor", "decoder")
        },
        profile=record["profile"],
        plan=record["plan"],
    )


def summary_html(info: TokenizerInfo) -> str:
    """The summary as an HTML table, the control tokens folded."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(label)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for label, value in info.rows()
    )
    tokens = "".join(
        f"<tr><td>{row.id}</td><td><code>{escape(visible(row.token))}</code></td><td>{escape(row.reason)}</td></tr>"
        for row in info.control_tokens
    )
    folded = f"<details><summary>control tokens</summary><table>{tokens}</table></details>" if tokens else ""
    return f"<div><table>{rows}</table>{folded}</div>"
