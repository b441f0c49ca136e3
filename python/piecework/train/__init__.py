"""Trainers: a tokenizer of texts, files or counted words; the same bytes whatever the order and the threads.

    >>> import piecework as pw
    >>> tok = pw.train.bpe(words={"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, n_merges=3, base="chars")
    >>> tok.training.merges
    (('u', 'g'), ('u', 'n'), ('h', 'ug'))

`bpe` learns merges, `wordlevel` keeps whole words, `curve` measures what each size of vocabulary would make of a text,
`plan` what a training will take, `report` what a tokenizer makes of held-out text beside others. `words` counts into a
file, which the trainers take. What was asked and what came of it is `Tokenizer.training`.
"""

from piecework.train.bpe_trainer import bpe
from piecework.train.closing.closing_report import ClosingReport, report
from piecework.train.curve_measure import Curve, CurvePoint, curve
from piecework.train.planning.training_plan import Plan, plan
from piecework.train.progress import TrainingProgress
from piecework.train.training import Training, TrainingReport, TrainingStep
from piecework.train.wordlevel_trainer import wordlevel
from piecework.train.words_counter import WordsReport, words

__all__ = [
    "ClosingReport",
    "Curve",
    "CurvePoint",
    "Plan",
    "Training",
    "TrainingProgress",
    "TrainingReport",
    "TrainingStep",
    "WordsReport",
    "bpe",
    "curve",
    "plan",
    "report",
    "wordlevel",
    "words",
]


def __dir__() -> list[str]:
    return sorted(__all__)
