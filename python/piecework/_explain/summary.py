"""What a tokenizer is, as a result object: its numbers, its stages, its control tokens with the reason for each."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._explain.columns import columns
from piecework._explain.digits import digits_rule
from piecework._explain.glyphs import harmless, visible
from piecework._explain.roles import TURN_ROLES, token_role
from piecework._explain.stage_names import algorithm_name, model_name, pre_tokenizer_name
from piecework._files.bundle import bundled_origin
from piecework._files.findings import find_misfits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework import _core
    from piecework._files.origin import EmbeddingRows, FileRecord, Origin

__all__ = ["ControlToken", "TokenizerInfo", "summarize", "summary_html"]

# Control tokens that are shown to a reader: all of those that most models have.
_SHOWN_TOKENS = 40


class ControlToken(NamedTuple):
    """A token that steers the model, and why it counts as one.

    Attributes:
        token: Its content.
        id: Its id.
        reason: Why, such as `special` or `marker-shaped`.
        role: What it is for, such as `turn start`; empty where nothing tells.
    """

    token: str
    id: int
    reason: str
    role: str = ""


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
        algorithm: How pretokens become tokens, in the field's words.
        digits: How runs of digits are cut.
        turn_markers: The control tokens around a turn of a conversation.
        source: `bundled`, `file`, `folder`, `hub` or `object`.
        files: The files it came from and those that lie beside them.
        embedding_rows: What the model's own files say about its embedding.
        max_positions: The positions that the model's config has, if it says.
        findings: What does not fit between the tokenizer and the model's files, a sentence each.
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
    algorithm: str
    digits: str
    turn_markers: tuple[str, ...]
    source: str
    files: tuple[FileRecord, ...]
    embedding_rows: tuple[EmbeddingRows, ...]
    max_positions: int | None
    findings: tuple[str, ...]
    stages: Mapping[str, Any]
    profile: str
    plan: Mapping[str, Any]

    def __str__(self) -> str:
        lines = columns([[label, value] for label, value in self.rows()])
        lines += self._control_lines()
        if self.files:
            lines += ["files", *columns([_file_row(file) for file in self.files], right=frozenset({2}))]
        return "\n".join([*lines, *(f"finding: {harmless(finding)}" for finding in self.findings)])

    def __repr__(self) -> str:
        return str(self)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yields label and value of each line of the summary; the control tokens' own lines follow the last."""
        yield "tokenizer", self.tokenizer
        yield "fingerprint", self.fingerprint
        yield "algorithm", self.algorithm
        yield "tokens", self.reconciled
        yield "vocab_size", f"{self.vocab_size:,}{self._holes()}"
        yield "normalizer", ", ".join(self.stages["normalizers"]) or "none"
        for stage in self.stages["pre_tokenizers"]:
            yield "pre-tokenizer", pre_tokenizer_name(stage)
        yield "digits", self.digits
        yield "model", model_name(self.stages["model"])
        yield "decoder", str(self.stages["decoder"])
        yield "begin, end", self._around()
        if self.turn_markers:
            yield "turns", " ".join(map(visible, self.turn_markers))
        yield "follows", self.profile
        for stage, how in self.plan.items():
            yield f"runs {stage}", str(how)
        yield "special", f"{_tokens_are(self.n_special)} left out by skip_special"
        yield "control", f"{_tokens_are(len(self.control_tokens))} read as text unless special is parse"

    @property
    def reconciled(self) -> str:
        """The numbers of learned and added tokens and of embedding rows, in one sentence that adds up."""
        sentence = f"{self.n_tokens:,} = {self.n_base:,} learned + {self.n_added:,} added"
        if not self.embedding_rows:
            return sentence
        file, n_rows = self.embedding_rows[-1]
        spare = n_rows - self.vocab_size
        if spare > 0:
            fit = f": {spare:,} {'row is' if spare == 1 else 'rows are'} padding"
        else:
            fit = "" if spare == 0 else f": {-spare:,} too few"
        return f"{sentence}; {n_rows:,} embedding rows ({file}){fit}"

    @property
    def special_tokens(self) -> tuple[ControlToken, ...]:
        """The control tokens that `skip_special` leaves out: the added tokens with `special: true`."""
        return tuple(row for row in self.control_tokens if row.reason == "special")

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        out: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        out["holes"] = [list(hole) for hole in self.holes]
        out["control_tokens"] = [row._asdict() for row in self.control_tokens]
        out["special_tokens"] = [row._asdict() for row in self.special_tokens]
        out["turn_markers"], out["findings"] = list(self.turn_markers), list(self.findings)
        out["files"] = [row._asdict() for row in self.files]
        out["embedding_rows"] = [row._asdict() for row in self.embedding_rows]
        out["reconciled"] = self.reconciled
        out["added_before"], out["added_after"] = list(self.added_before), list(self.added_after)
        out["stages"], out["plan"] = dict(self.stages), dict(self.plan)
        return out

    def _repr_html_(self) -> str:
        return summary_html(self)

    def _control_lines(self) -> list[str]:
        """The control tokens; of more than a screen of them (o200k_harmony has over a thousand), the first and how to see all."""
        n_more = len(self.control_tokens) - _SHOWN_TOKENS
        # A line that says "one more" takes the place of the one.
        shown = self.control_tokens if n_more <= 1 else self.control_tokens[:_SHOWN_TOKENS]
        rows = [["", str(row.id), visible(row.token), row.reason, row.role] for row in shown]
        lines = columns(rows, right=frozenset({1}))
        return (
            lines
            if n_more <= 1
            else [*lines, f"  … and {n_more:,} more: --json, or .control_tokens, has all"]
        )

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


def _file_row(file: FileRecord) -> list[str]:
    checksum = "" if file.sha256 is None else f"sha256 {file.sha256[:12]}"
    return ["", visible(file.name), f"{file.n_bytes:,}", "bytes", checksum, file.used_for]


def _tokens_are(n: int) -> str:
    return "1 token is" if n == 1 else f"{n:,} tokens are"


def summarize(native: _core.Tokenizer, name: str, origin: Origin | None = None) -> TokenizerInfo:
    """Collects what the native tokenizer says about itself, and what the files say that it came from."""
    record = native.info()
    origin = bundled_origin(name) if origin is None else origin
    controls = tuple(_control(row, origin) for row in native.control_tokens)
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
        control_tokens=controls,
        added_before=tuple(map(native.piece, before)),
        added_after=tuple(map(native.piece, after)),
        algorithm=algorithm_name(record["model"]),
        digits=digits_rule(native),
        turn_markers=tuple(row.token for row in controls if not TURN_ROLES.isdisjoint(row.role.split(", "))),
        source=origin.source,
        files=origin.files,
        embedding_rows=origin.embedding_rows,
        max_positions=origin.max_positions,
        findings=find_misfits(native, origin),
        stages={
            stage: record[stage]
            for stage in ("normalizers", "pre_tokenizers", "model", "post_processor", "decoder")
        },
        profile=record["profile"],
        plan=record["plan"],
    )


def _control(row: tuple[str, int, str], origin: Origin) -> ControlToken:
    token, id_, reason = row
    named = (named.name for named in origin.named_ids if id_ in named.ids)
    return ControlToken(token, id_, reason, token_role(token, origin.roles, named))


def summary_html(info: TokenizerInfo) -> str:
    """The summary as an HTML table, the control tokens folded."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(label)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for label, value in info.rows()
    )
    tokens = "".join(
        f"<tr><td>{row.id}</td><td><code>{escape(visible(row.token))}</code></td>"
        f"<td>{escape(row.reason)}</td><td>{escape(row.role)}</td></tr>"
        for row in info.control_tokens
    )
    folded = f"<details><summary>control tokens</summary><table>{tokens}</table></details>" if tokens else ""
    return f"<div><table>{rows}</table>{folded}</div>"
