"""What the trainers say of Python's arguments, said in flags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from piecework.errors import FormatError, InputError, NotUnicodeError

if TYPE_CHECKING:
    from piecework.errors import PieceworkError

__all__ = ["as_flags", "in_flags"]

# Arguments whose flag has another name.
_OTHER = {
    "n_merges": "merges",
    "special_tokens": "special-token",
    "continuing_subword_prefix": "prefix",
    "n_threads": "threads",
}
_SAME = (
    "base", "checkpoint", "end_of_word", "end_of_word_suffix", "errors", "field", "held_out", "id_layout", "initial_alphabet",
    "limit_alphabet", "max_memory", "max_token_length", "min_frequency", "min_word_count", "mix", "normalizer", "part",
    "pre_tokenizer", "resume", "rivals", "score", "seed", "sizes", "steps", "ties", "unk", "vocab_size", "words",
)  # fmt: skip
_FLAGS = {name: f"--{name.replace('_', '-')}" for name in _SAME} | {
    name: f"--{flag}" for name, flag in _OTHER.items()
}
# What a hint advises in Python.
_ADVICE = (
    (
        'give the files in it, such as sorted(Path("folder").glob("*.txt"))',
        "give the files in it, such as folder/*.txt",
    ),
    ("texts= takes what can be read only once", "- is standard input, which can be read only once"),
)
# The hint of a file of counts that is not UTF-8.
_COUNTED = "words are UTF-8"
_NAMES = "|".join(sorted(_FLAGS, key=len, reverse=True))
_ARGUMENT = re.compile(rf"""\b({_NAMES})=("[^"]*"|'[^']*'|[\w.,]*\w)?""")
_SUBJECT = re.compile(rf"^(?:{_NAMES})(?= (?:is|has|holds) )")


def as_flags(text: str) -> str:
    """A sentence with each `name=value` as the flag that it is on the command line.

    Examples:
        >>> as_flags("max_memory is a size"), as_flags('unk= goes with base="chars"; steps=True and n_merges=3 too')
        ('--max-memory is a size', '--unk goes with --base chars; --steps and --merges 3 too')
    """

    def flag(found: re.Match[str]) -> str:
        value = (found[2] or "").strip("\"'").replace("None", "none")
        return _FLAGS[found[1]] if value in ("", "True") else f"{_FLAGS[found[1]]} {value}"

    for python, shell in _ADVICE:
        text = text.replace(python, shell)
    text = _SUBJECT.sub(lambda found: _FLAGS[found[0]], text)
    return _ARGUMENT.sub(flag, text)


def in_flags(error: PieceworkError) -> PieceworkError:
    """The same error, its message and hint in flags; what is wrong with a file of counts or of a mix is bad input."""
    hint = None if error.hint is None else as_flags(error.hint)
    if isinstance(error, FormatError) and error.path is not None:
        reason = error.reason or error.message
        return InputError(as_flags(error.message), path=str(error.path), reason=reason, hint=hint)
    if isinstance(error, NotUnicodeError) and hint == _COUNTED:
        # --errors, which the command line would advise, says nothing of words that are counted already.
        return InputError(error.message, reason=error.message, hint=hint)
    return type(error)(as_flags(error.message), hint=hint, **error.fields())
