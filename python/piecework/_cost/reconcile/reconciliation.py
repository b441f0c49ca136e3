"""What came of reconciling a log: for each model the gap and what it is made of, the causes by name, and alarms."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from piecework._cost.reconcile.fitting import as_good
from piecework._plural import plural

if TYPE_CHECKING:
    from piecework._chat.calibration import Calibration
    from piecework._cost.reconcile.fitting import Fit
    from piecework._cost.reconcile.usage_log import UnreadLine

__all__ = ["Cause", "GapLine", "ModelReport", "Reconciliation"]


@dataclass(frozen=True, slots=True)
class GapLine:
    """One layer of what was billed, summed over a model's requests.

    Attributes:
        name: The layer.
        n_tokens: Its tokens.
        basis: What its count is worth; `"fitted"` where it follows from the bills, `"as logged"` for counts that the log has,
            `"billed"` for what remains of what the provider says.
    """

    name: str
    n_tokens: int
    basis: str


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that explains a difference, or should be looked at.

    Attributes:
        name: `template`, `tools`, `pictures`, `cache`, `reasoning`, `wrong-tokenizer`, `drift`, `near-limit`,
            `cut-replies` or `unexplained`.
        says: What it is, with its numbers.
        is_alarm: Whether somebody should look.
    """

    name: str
    says: str
    is_alarm: bool = False

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {"name": self.name, "says": self.says, "is_alarm": self.is_alarm}


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The requests of one model.

    Attributes:
        model: The model.
        n_requests: How many.
        n_compared: How many of them hold what was sent, or a local count, so that they could be compared.
        tokenizer: The tokenizer that counted here; None where none is known for the model.
        input_tokens: What was billed as input, in all.
        output_tokens: What was billed as output, in all.
        gap: The layers of the compared requests' input; they add up to what was billed for them.
        causes: What explains the difference, and alarms.
        fits: How well each known tokenizer explains the bills, the best first; empty where too few requests say.
        calibration: What `--save` writes; None where too few requests say.
    """

    model: str
    n_requests: int
    n_compared: int
    tokenizer: str | None
    input_tokens: int
    output_tokens: int
    gap: tuple[GapLine, ...]
    causes: tuple[Cause, ...]
    fits: tuple[Fit, ...]
    calibration: Calibration | None

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "model": self.model,
            "n_requests": self.n_requests,
            "n_compared": self.n_compared,
            "tokenizer": self.tokenizer,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "gap": [{"name": one.name, "n_tokens": one.n_tokens, "basis": one.basis} for one in self.gap],
            "causes": [cause.to_dict() for cause in self.causes],
            "fits": [
                {
                    "tokenizer": one.tokenizer,
                    "off_tokens_per_request": round(one.off, 3),
                    "per_request": round(one.per_request, 3),
                    "per_message": round(one.per_message, 3),
                }
                for one in self.fits
            ],
            "equally_good": [one.tokenizer for one in as_good(self.fits)],
            "calibration": None if self.calibration is None else self.calibration.says,
        }

    def lines(self) -> list[str]:
        """The report as text."""
        head = f"{self.model}: {plural(self.n_requests, 'request')}, {self.input_tokens:,} input and {self.output_tokens:,} output tokens billed"
        lines = [head]
        if self.gap:
            lines.append(
                f"  input of {plural(self.n_compared, 'request')}, layer by layer ({self.tokenizer or 'logged counts'}):"
            )
            width = max(len(one.name) for one in self.gap)
            number = max(len(f"{one.n_tokens:,}") for one in self.gap)
            lines += [f"    {one.name:{width}}  {one.n_tokens:>{number},}  {one.basis}" for one in self.gap]
        lines += [
            f"  {'ALARM ' if cause.is_alarm else ''}{cause.name}: {cause.says}" for cause in self.causes
        ]
        alike = as_good(self.fits)
        if len(alike) > 1:
            names = ", ".join(one.tokenizer for one in alike)
            lines.append(
                f"  explained equally well by {names} (off by {alike[0].off:,.1f} tokens a request): "
                "these requests do not tell them apart"
            )
        elif self.fits:
            shown = "; ".join(
                f"{one.tokenizer} off by {one.off:,.1f} tokens a request" for one in self.fits[:3]
            )
            lines.append(f"  best explained by: {shown}")
        if alike:
            best = next((one for one in alike if one.tokenizer == self.tokenizer), alike[0])
            lines.append(
                f"  {best.tokenizer} then has {best.per_request:,.1f} tokens a request and {best.per_message:,.1f} a message "
                "around the texts"
            )
        return lines


@dataclass(frozen=True, slots=True, repr=False)
class Reconciliation:
    """A log beside local counts.

    Attributes:
        models: A report for each model, the one with most input first.
        unread: Lines that are no usage records.
        not_compared: Why requests could not be compared, with how many each.
    """

    models: tuple[ModelReport, ...]
    unread: tuple[UnreadLine, ...]
    not_compared: tuple[tuple[str, int], ...]

    @property
    def has_alarms(self) -> bool:
        """Whether somebody should look."""
        return any(cause.is_alarm for model in self.models for cause in model.causes)

    def __getitem__(self, model: str) -> ModelReport:
        """The report of a model.

        Raises:
            KeyError: The log has none of it.
        """
        for report in self.models:
            if report.model == model:
                return report
        raise KeyError(model)

    def to_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "models": [model.to_dict() for model in self.models],
            "has_alarms": self.has_alarms,
            "unread": [{"line": one.line, "reason": one.reason} for one in self.unread],
            "not_compared": [{"reason": reason, "n_requests": n} for reason, n in self.not_compared],
        }

    def __repr__(self) -> str:
        """The result in a line."""
        return f"Reconciliation({', '.join(f'{one.model}: {one.n_requests:,}' for one in self.models)})"

    def __str__(self) -> str:
        """The reports, then what could not be read or compared."""
        lines = [line for model in self.models for line in [*model.lines(), ""]]
        lines += [f"{plural(n, 'request')} not compared: {reason}" for reason, n in self.not_compared]
        lines += [f"line {one.line} is no usage record: {one.reason}" for one in self.unread[:10]]
        if len(self.unread) > 10:
            lines.append(f"and {len(self.unread) - 10:,} more lines")
        return "\n".join(lines).rstrip()

    def _repr_html_(self) -> str:
        return "".join(
            f"<div style='white-space:pre-wrap'>{escape(line) or '&nbsp;'}</div>"
            for line in str(self).splitlines()
        )
