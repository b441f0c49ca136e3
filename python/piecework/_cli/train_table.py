"""The trainers: each is one line here and one file `train_<name>.py`, which is imported when it runs."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TRAINERS", "TrainerRow"]


class TrainerRow(NamedTuple):
    """One trainer, or one step of training.

    Attributes:
        name: What is typed, and the end of its file's name.
        help: What it does, in a few words.
    """

    name: str
    help: str


TRAINERS = (
    TrainerRow("bpe", "the pairs that stand together most often become entries"),
    TrainerRow("wordlevel", "the most frequent words are the entries"),
    TrainerRow("words", "only count words, in parts on several machines if need be"),
    TrainerRow("curve", "how compression grows with the size of a BPE vocabulary"),
)
