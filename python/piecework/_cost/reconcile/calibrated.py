"""Counts by a calibration: local tokens made what the model's bills will say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from piecework._chat.conversation import read_conversation
from piecework._cost.reconcile.local_counts import Request, all_texts, count_texts
from piecework._counts import Count, Part
from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._chat.calibration import Calibration
    from piecework._types import Text

__all__ = ["calibrated_messages", "calibrated_text"]


class CountsText(Protocol):
    """What is needed of a tokenizer."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def fingerprint(self) -> str:
        """The hash of all that decides ids."""

    def count(self, text: Text, /) -> int:
        """Counts the tokens of a text."""


def calibrated_text(text: Text, calibration: Calibration, tokenizer: CountsText) -> Count:
    """The calibrated count of a text alone.

    Raises:
        InputError: The calibration was made with another tokenizer of this name.
    """
    _check(calibration, tokenizer)
    n, band = calibration.of_text(tokenizer.count(text))
    return _count(n, band, calibration, (Part("text", n),), ())


def calibrated_messages(
    messages: object, tools: object, calibration: Calibration, tokenizer: CountsText
) -> Count:
    """The calibrated count of messages with tools; a lower bound where there are images or the like.

    Raises:
        InputError: The calibration was made with another tokenizer of this name.
        MessageError: The messages are not what they must be.
    """
    _check(calibration, tokenizer)
    read = read_conversation(messages, tools)
    request = Request(read.messages, read.tools, all_texts(read.messages), 0)
    n_texts = count_texts(request, tokenizer.count)
    n, band = calibration.of_messages(n_texts, len(read.messages))
    in_texts = min(n, calibration.of_text(n_texts)[0])
    parts = (Part("texts", in_texts), Part("framing", n - in_texts))
    left_out = (f"not counted: {read.not_counted}",) if read.not_counted else ()
    return _count(n, band, calibration, parts, left_out)


def _count(
    n: int,
    band: tuple[int, int],
    calibration: Calibration,
    parts: tuple[Part, ...],
    left_out: tuple[str, ...],
) -> Count:
    return Count(
        n=n,
        basis="lower-bound" if left_out else "calibrated",
        tokenizer=calibration.tokenizer,
        fingerprint=calibration.fingerprint,
        band=None if left_out else band,
        parts=parts,
        notes=(calibration.says, *left_out),
    )


def _check(calibration: Calibration, tokenizer: CountsText) -> None:
    if tokenizer.fingerprint != calibration.fingerprint:
        reason = f"the calibration of {calibration.model} was made with another {calibration.tokenizer}"
        raise InputError(reason, reason=reason, hint="make it anew with piecework reconcile LOG --save")
