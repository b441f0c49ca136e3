"""Every exception of Piecework, once, each with a stable kebab-case code.

    PieceworkError                          piecework
    ├── LoadError (ValueError)              load
    │   ├── UnknownTokenizerError           unknown-tokenizer
    │   ├── FormatError                     format
    │   ├── ChecksumError                   checksum
    │   └── FetchError                      fetch
    ├── EncodeError (ValueError)            encode
    │   ├── SpecialTokenError               special-token
    │   ├── UnencodableError                unencodable
    │   ├── NotUnicodeError                 not-unicode
    │   ├── PatternLimitError               pattern-limit
    │   ├── TooLongError                    too-long
    │   └── LimitTooSmallError              limit-too-small
    ├── DecodeError (ValueError)            decode
    │   ├── UnknownIdError                  unknown-id
    │   └── IncompleteTextError             incomplete-text
    ├── ChatError (ValueError)              chat
    │   ├── MessageError                    message
    │   └── TemplateError                   template
    │       └── UnsafeTemplateError         unsafe-template
    ├── BudgetError (ValueError)            budget
    │   └── ContextOverflowError            context-overflow
    ├── CostError (ValueError)              cost
    │   └── UnknownPriceError               unknown-price
    ├── TrainError (ValueError)             train
    │   ├── EmptyCorpusError                empty-corpus
    │   ├── MemoryCapError                  memory-cap
    │   └── VocabSizeError                  vocab-size
    ├── RemoteCountError                    remote-count
    ├── InputError                          input
    ├── OutputError                         output
    └── MissingExtraError (ImportError)     missing-extra

An argument of the wrong type raises TypeError, a choice that does not exist ValueError, as everywhere in Python.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar

__all__ = [
    "BudgetError",
    "ChatError",
    "ChecksumError",
    "ContextOverflowError",
    "CostError",
    "DecodeError",
    "EmptyCorpusError",
    "EncodeError",
    "FetchError",
    "FormatError",
    "IncompleteTextError",
    "InputError",
    "LimitTooSmallError",
    "LoadError",
    "MemoryCapError",
    "MessageError",
    "MissingExtraError",
    "NotUnicodeError",
    "OutputError",
    "PatternLimitError",
    "PieceworkError",
    "PieceworkWarning",
    "RemoteCountError",
    "SpecialTokenError",
    "TemplateError",
    "TooLongError",
    "TrainError",
    "UnencodableError",
    "UnknownIdError",
    "UnknownPriceError",
    "UnknownTokenizerError",
    "UnsafeTemplateError",
    "VocabSizeError",
]


class PieceworkError(Exception):
    """The root of all errors that Piecework raises on purpose.

    Attributes:
        code: The stable kebab-case name of the kind of error, as the command line prints it.
        message: What is wrong, without the hint.
        hint: What to do about it, or None.
        field_names: The names of the attributes that carry the particulars; an unset one is None.
    """

    code: ClassVar[str] = "piecework"
    field_names: ClassVar[tuple[str, ...]] = ()
    hint: str | None = None

    def __init__(self, message: str, *, hint: str | None = None, **fields: object) -> None:
        unknown = fields.keys() - set(self.field_names)
        if unknown:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        super().__init__(message)
        self.message = message
        if hint is not None:
            self.hint = hint
        for name in self.field_names:
            setattr(self, name, fields.get(name))

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.hint, self.fields())

    def fields(self) -> dict[str, object]:
        """Returns the particulars that are set, by name."""
        found = {name: getattr(self, name) for name in self.field_names}
        return {name: value for name, value in found.items() if value is not None}

    def to_dict(self) -> dict[str, object]:
        """Returns code, message, fields and hint as JSON can hold them (bytes as hex).

        Examples:
            >>> UnknownIdError("no id 9", id=9, position=0, vocab_size=8).to_dict()
            {'code': 'unknown-id', 'message': 'no id 9', 'id': 9, 'position': 0, 'vocab_size': 8}
        """
        plain = {name: _plain(value) for name, value in self.fields().items()}
        out: dict[str, object] = {"code": self.code, "message": self.message, **plain}
        return out if self.hint is None else {**out, "hint": self.hint}


class LoadError(PieceworkError, ValueError):
    """A tokenizer cannot be loaded: nothing is there, or it cannot be read.

    Attributes:
        path: The file or folder that was looked for.
        searched: The folders in which it was looked for.
    """

    code = "load"
    field_names: ClassVar[tuple[str, ...]] = ("path", "searched")
    path: str | None
    searched: tuple[str, ...] | None


class UnknownTokenizerError(LoadError):
    """No bundled tokenizer and no known model has this name.

    Attributes:
        name: The name as given.
        close_matches: Known names that are close to it, the closest first.
    """

    code = "unknown-tokenizer"
    field_names: ClassVar[tuple[str, ...]] = ("name", "close_matches")
    name: str
    close_matches: tuple[str, ...] | None


class FormatError(LoadError):
    """A tokenizer file does not hold what its format requires, or holds what is not supported.

    Attributes:
        path: The file, where it is known.
        place: Where in the file: a JSON path such as `model.merges[17]`, a line, or a byte offset.
        reason: What is wrong there.
    """

    code = "format"
    field_names: ClassVar[tuple[str, ...]] = ("path", "place", "reason")
    path: str | None
    place: str | None
    reason: str | None


class ChecksumError(LoadError):
    """Stored bytes, or a fingerprint, are not what was recorded.

    Attributes:
        what: What was being read.
        expected: The recorded checksum or fingerprint.
        found: That of what was read.
    """

    code = "checksum"
    field_names: ClassVar[tuple[str, ...]] = ("what", "expected", "found")
    what: str | None
    expected: str | None
    found: str | None


class FetchError(LoadError):
    """A tokenizer cannot be fetched from the hub.

    Attributes:
        name: The repository as given.
        reason: Why not.
    """

    code = "fetch"
    field_names: ClassVar[tuple[str, ...]] = ("name", "reason")
    name: str
    reason: str | None


class EncodeError(PieceworkError, ValueError):
    """A text cannot be encoded."""

    code = "encode"


class SpecialTokenError(EncodeError):
    """The text holds a control token, and the caller asked for an error in that case (`special="raise"`).

    Attributes:
        token: The control token's text.
        byte_span: Where it stands, in bytes of the text as UTF-8.
    """

    code = "special-token"
    hint = 'special="text" reads it as ordinary text, special="parse" as the control token'
    field_names: ClassVar[tuple[str, ...]] = ("token", "byte_span")
    token: str
    byte_span: tuple[int, int]


class UnencodableError(EncodeError):
    """The vocabulary has no token for a byte of the text, and none for unknown text.

    Attributes:
        byte: The byte without a token.
        index: Where it stands, in bytes of the text as UTF-8.
    """

    code = "unencodable"
    field_names: ClassVar[tuple[str, ...]] = ("byte", "index")
    byte: int
    index: int


class NotUnicodeError(EncodeError):
    """The text is not Unicode: a lone surrogate in a str, or bytes that are not UTF-8.

    Attributes:
        index: Where: a character index into a str, a byte index into bytes.
    """

    code = "not-unicode"
    hint = 'errors="replace" reads what is broken as U+FFFD'
    field_names: ClassVar[tuple[str, ...]] = ("index",)
    index: int


class PatternLimitError(EncodeError):
    """A tokenizer's own pattern went over the limits of its regex engine on this text.

    Attributes:
        index: Where the search began, in bytes of the text.
        reason: The regex engine's own words.
    """

    code = "pattern-limit"
    field_names: ClassVar[tuple[str, ...]] = ("index", "reason")
    index: int
    reason: str


class TooLongError(EncodeError):
    """One text is larger than one call can take.

    Attributes:
        n_bytes: The text's size.
        max_bytes: The limit.
    """

    code = "too-long"
    field_names: ClassVar[tuple[str, ...]] = ("n_bytes", "max_bytes")
    n_bytes: int
    max_bytes: int


class LimitTooSmallError(EncodeError):
    """A limit leaves no room for what must be there: tokens put around a text, a stride, a row that is not cut.

    Attributes:
        max_tokens: The limit.
        needed: How many tokens there must be room for.
    """

    code = "limit-too-small"
    field_names: ClassVar[tuple[str, ...]] = ("max_tokens", "needed")
    max_tokens: int
    needed: int


class DecodeError(PieceworkError, ValueError):
    """Ids cannot be decoded."""

    code = "decode"


class UnknownIdError(DecodeError):
    """An id that the vocabulary does not have: beyond its end, in a hole, or negative.

    Attributes:
        id: The id.
        position: Its index in the sequence; None where a single id was asked about.
        vocab_size: One more than the largest id of the vocabulary.
    """

    code = "unknown-id"
    field_names: ClassVar[tuple[str, ...]] = ("id", "position", "vocab_size")
    id: int
    position: int | None
    vocab_size: int


class IncompleteTextError(DecodeError):
    """Decoded bytes end or break inside a character, and the caller asked for `errors="strict"`.

    Attributes:
        valid_up_to: How many bytes are valid UTF-8.
    """

    code = "incomplete-text"
    hint = 'errors="replace" shows what is broken as U+FFFD; decode_bytes returns the bytes'
    field_names: ClassVar[tuple[str, ...]] = ("valid_up_to",)
    valid_up_to: int


class ChatError(PieceworkError, ValueError):
    """Messages cannot become the prompt that a model reads."""

    code = "chat"


class MessageError(ChatError):
    """A message, a tool or a field of one is not what it must be, or the model's template refuses it.

    Attributes:
        path: Where it is, such as `messages[3].content[1]`; None where the whole conversation is refused.
        reason: What is wrong there, or what the template said.
    """

    code = "message"
    field_names: ClassVar[tuple[str, ...]] = ("path", "reason")
    path: str | None
    reason: str | None


class TemplateError(ChatError):
    """A chat template is missing, does not parse, fails, or goes over its limits of time or size.

    Attributes:
        template: Its name.
        line: The line of it, from 1, where that is known.
        reason: What is wrong there.
        path: What of the messages or tools it read last before it failed, in what was given.
    """

    code = "template"
    field_names: ClassVar[tuple[str, ...]] = ("template", "line", "reason", "path")
    template: str | None
    line: int | None
    reason: str | None
    path: str | None


class UnsafeTemplateError(TemplateError):
    """The origin of a template's own markers cannot be followed, so that a user's could not be told from them.

    Attributes:
        template: Its name.
        line: None.
        reason: What could not be followed.
        path: None.
        markers: The markers whose origin was lost.
    """

    code = "unsafe-template"
    field_names: ClassVar[tuple[str, ...]] = ("template", "line", "reason", "path", "markers")
    markers: tuple[str, ...] | None


class BudgetError(PieceworkError, ValueError):
    """A budget has parts that make no sense, such as an answer larger than the window."""

    code = "budget"


class ContextOverflowError(BudgetError):
    """What must stay does not fit.

    Attributes:
        needed: The tokens that the fixed parts take.
        available: The tokens that there are for them.
        excess: How many are too many.
    """

    code = "context-overflow"
    field_names: ClassVar[tuple[str, ...]] = ("needed", "available", "excess")
    needed: int
    available: int
    excess: int


class CostError(PieceworkError, ValueError):
    """A cost cannot be computed from what was given."""

    code = "cost"


class UnknownPriceError(CostError):
    """No price is known for a model; never taken as zero.

    Attributes:
        name: The model as given.
        close_matches: Known names that are close to it, the closest first.
    """

    code = "unknown-price"
    field_names: ClassVar[tuple[str, ...]] = ("name", "close_matches")
    name: str
    close_matches: tuple[str, ...] | None


class TrainError(PieceworkError, ValueError):
    """A tokenizer cannot be trained on what was given."""

    code = "train"


class EmptyCorpusError(TrainError):
    """There is no word to learn from.

    Attributes:
        source: The argument that gave none.
    """

    code = "empty-corpus"
    field_names: ClassVar[tuple[str, ...]] = ("source",)
    source: str


class MemoryCapError(TrainError):
    """The distinct words are too many to be learned from in the memory that is allowed.

    Attributes:
        needed: The memory that learning would take, in bytes.
        cap: The memory that is allowed for it, in bytes.
    """

    code = "memory-cap"
    field_names: ClassVar[tuple[str, ...]] = ("needed", "cap")
    needed: int
    cap: int


class VocabSizeError(TrainError):
    """A vocabulary is too small for what must be in it.

    Attributes:
        vocab_size: The size that was asked for.
        needed: The smallest size that holds the alphabet and the special tokens.
    """

    code = "vocab-size"
    field_names: ClassVar[tuple[str, ...]] = ("vocab_size", "needed")
    vocab_size: int
    needed: int


class RemoteCountError(PieceworkError):
    """A provider's count endpoint did not answer with a count.

    Attributes:
        provider: Whose endpoint it is.
        status: The HTTP status, where there was an answer.
    """

    code = "remote-count"
    field_names: ClassVar[tuple[str, ...]] = ("provider", "status")
    provider: str | None
    status: int | None


class InputError(PieceworkError):
    """What was given cannot be used: a file is missing, unreadable or not what it must be, or a text, phrase or setting is.

    Attributes:
        path: The file; None for what is in no file.
        reason: Why it cannot be used.
    """

    code = "input"
    field_names: ClassVar[tuple[str, ...]] = ("path", "reason")
    path: str | None
    reason: str


class OutputError(PieceworkError):
    """A result cannot be written; nothing half-written is left under its name.

    Attributes:
        path: The file.
        reason: Why it cannot be written.
    """

    code = "output"
    field_names: ClassVar[tuple[str, ...]] = ("path", "reason")
    path: str
    reason: str


class MissingExtraError(PieceworkError, ImportError):
    """An optional package is needed and not installed.

    Attributes:
        module: The module that is missing.
        install: The command that installs it.
    """

    code = "missing-extra"
    field_names: ClassVar[tuple[str, ...]] = ("module", "install")
    module: str
    install: str


class ArgumentError(ValueError):
    """An argument has a value that it cannot have. To callers it is a ValueError, and documented as one.

    The command line tells by it what is wrong about a command from what is wrong in Piecework.
    """


class PieceworkWarning(UserWarning):
    """Something works, and is probably not meant."""


def _rebuild(
    cls: type[PieceworkError], message: str, hint: str | None, fields: dict[str, object]
) -> PieceworkError:
    return cls(message, hint=hint, **fields)


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
