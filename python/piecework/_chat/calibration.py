"""Calibrations: how a model's bills follow from local counts, as measured on one's own usage; kept in a file of the user's."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piecework._chat.calibration_file import calibrations_path
from piecework._files.whole_files import write_files
from piecework._plural import plural
from piecework.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CALIBRATED_ON",
    "Calibration",
    "calibration_of",
    "read_calibrations",
    "save_calibrations",
]

_SCHEMA = "piecework.calibrations/1"
CALIBRATED_ON = "calibrated on "
"""How the note of a count begins that a calibration made."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a model bills, from local counts: `per_request + per_message * n_messages + ratio * n_tokens`.

    Attributes:
        model: The model.
        tokenizer: The tokenizer of the local counts, the one that explains the bills best.
        fingerprint: That tokenizer's fingerprint.
        ratio: Billed tokens for each local token of text; 1 where the tokenizer is the model's own.
        per_request: Billed tokens that every request has.
        per_message: Billed tokens that every message has besides its text.
        n_requests: How many requests it rests on.
        date: When it was made.
        band: What share of the calibrated number the bills were, each by a fit without it: the 2.5th and the 97.5th percentile,
            or of fewer than 40 the extremes.
    """

    model: str
    tokenizer: str
    fingerprint: str
    ratio: float
    per_request: float
    per_message: float
    n_requests: int
    date: str
    band: tuple[float, float]

    def of_text(self, n_tokens: int) -> tuple[int, tuple[int, int]]:
        """The calibrated count of a text, and its band.

        Args:
            n_tokens: Its count under the calibration's tokenizer.
        """
        return self._with_band(self.ratio * n_tokens)

    def of_messages(self, n_tokens: int, n_messages: int) -> tuple[int, tuple[int, int]]:
        """The calibrated count of messages, and its band.

        Args:
            n_tokens: The count of their texts under the calibration's tokenizer.
            n_messages: How many they are.
        """
        return self._with_band(self.per_request + self.per_message * n_messages + self.ratio * n_tokens)

    @property
    def says(self) -> str:
        """What it rests on."""
        return f"{CALIBRATED_ON}{plural(self.n_requests, 'request')}, {self.date}, by {self.tokenizer}"

    def _with_band(self, value: float) -> tuple[int, tuple[int, int]]:
        n = max(0, round(value))
        # Six decimals: a fit that is exact but for rounding must not widen the band by a token.
        low, high = (round(value * end, 6) for end in self.band)
        return n, (min(n, max(0, floor(low))), max(n, ceil(high)))


def read_calibrations(path: Path | None = None) -> dict[str, Calibration]:
    """Reads the calibrations by model; none where there is no file.

    Raises:
        InputError: The file is there and holds something else.
    """
    source = path or calibrations_path()
    try:
        data = source.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _bad(source, error.strerror or str(error)) from None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise _bad(source, "it is no JSON") from None
    if (
        not isinstance(value, dict)
        or value.get("schema") != _SCHEMA
        or not isinstance(value.get("models"), dict)
    ):
        raise _bad(source, f"it is no {_SCHEMA}")
    return {model: _read(source, model, row) for model, row in value["models"].items()}


def calibration_of(model: str) -> Calibration | None:
    """The calibration of a model; None where there is none."""
    return read_calibrations().get(model)


def save_calibrations(new: Mapping[str, Calibration], path: Path | None = None) -> Path:
    """Writes calibrations beside those that are there; those of the same models are replaced.

    Returns:
        The file. It appears when it is whole.

    Raises:
        InputError: The file that is there holds something else.
        OutputError: It cannot be written.
    """
    target = path or calibrations_path()
    models = {**read_calibrations(target), **new}
    text = json.dumps(
        {"schema": _SCHEMA, "models": {name: asdict(models[name]) for name in sorted(models)}},
        indent=2,
        ensure_ascii=False,
    )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{target} cannot be written: {reason}", path=str(target), reason=reason) from error
    write_files({target: f"{text}\n".encode()})
    return target


def _read(source: Path, model: str, row: Any) -> Calibration:  # noqa: ANN401 - whatever the file holds
    try:
        low, high = (float(end) for end in row["band"])
        found = Calibration(
            model=model,
            tokenizer=str(row["tokenizer"]),
            fingerprint=str(row["fingerprint"]),
            ratio=float(row["ratio"]),
            per_request=float(row["per_request"]),
            per_message=float(row["per_message"]),
            n_requests=int(row["n_requests"]),
            date=str(row["date"]),
            band=(low, high),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _bad(source, f"the calibration of {model} is not whole") from None
    numbers = (found.ratio, found.per_request, found.per_message, *found.band)
    if not all(abs(number) < 1e9 for number in numbers) or found.ratio <= 0 or found.n_requests < 0:
        raise _bad(source, f"the calibration of {model} has numbers that no bill has")
    return found


def _bad(source: Path, reason: str) -> InputError:
    return InputError(
        f"{source} cannot be read as calibrations: {reason}",
        path=str(source),
        reason=reason,
        hint="remove it, or write it anew with piecework reconcile LOG --save",
    )
