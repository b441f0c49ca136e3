"""The `[check]` part of a piecework.toml: read whole and strictly, so that a misspelled limit is no missing one.

[check]                      # what holds for all of it
model = "gpt-4o"             # else [default] model
near = 0.8                   # from this share of a limit on, a warning
scan = "high"                # findings of this severity and above fail; "off" for none
phrases = ["internal only"]

[[check.files]]              # texts
paths = ["prompts/**/*.md"]
max_tokens = 2000

[[check.chats]]              # messages as JSON, or bodies of requests
paths = ["chats/*.json"]
answer = 1000                # tokens kept for the answer

[[check.budgets]]            # lines of a window: numbers, or files behind an @
name = "support"
window = 8192
system = "@prompts/system.md"
history = 2000
answer = 1000
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from piecework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BudgetRule", "ChatRule", "Config", "FileRule", "ScanFrom", "read_config", "read_regular"]

ScanFrom: TypeAlias = Literal["off", "info", "low", "medium", "high"]
"""The lowest severity of a finding that fails."""

_SEVERITIES = ("off", "info", "low", "medium", "high")
_SHARED = {"model", "near", "scan", "phrases"}
_LINES = ("system", "tools", "history", "evidence", "message", "framing", "answer", "margin")
_TAKEN = frozenset(
    {
        *_LINES,
        "model",
        "window",
        "template",
        "max_output_tokens",
        "template_framing",
        "planned",
        "left",
        "over",
    }
)


@dataclass(frozen=True, slots=True)
class Shared:
    """What a rule has from `[check]` unless it says otherwise.

    Attributes:
        model: The model that counts.
        near: The share of a limit from which on there is a warning.
        scan: The lowest severity that fails.
        phrases: What no text may hold.
    """

    model: str
    near: float
    scan: ScanFrom
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileRule:
    """Texts with a limit.

    Attributes:
        shared: Model, near, scan, phrases.
        paths: Patterns of paths, from the folder of the file.
        max_tokens: The limit of each; None for none.
    """

    shared: Shared
    paths: tuple[str, ...]
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class ChatRule:
    """Conversations that must fit with their answer.

    Attributes:
        shared: Model, near, scan, phrases.
        paths: Patterns of paths.
        answer: Tokens kept for the answer; None where the request's own limit says it, or nothing does.
        margin: Tokens kept besides.
        window: The window, in place of the model's.
        max_tokens: The limit of the input, in place of what the window leaves.
        tools: A file of tools that all have; None for those of the request.
        template: The chat template, as `Tokenizer.chat` takes it; None for the model's own.
    """

    shared: Shared
    paths: tuple[str, ...]
    answer: int | None
    margin: int
    window: int | None
    max_tokens: int | None
    tools: Path | None
    template: str | None


@dataclass(frozen=True, slots=True)
class BudgetRule:
    """A plan of a window.

    Attributes:
        shared: Model, near, scan, phrases.
        name: What it is called.
        window: The window, in place of the model's.
        lines: The lines: numbers, texts, or files behind an `@`.
        template: The chat template.
    """

    shared: Shared
    name: str
    window: int | None
    lines: tuple[tuple[str, int | str], ...]
    template: str | None


@dataclass(frozen=True, slots=True)
class Config:
    """A piecework.toml.

    Attributes:
        path: The file.
        rules: What it asks for, in its order.
    """

    path: Path
    rules: tuple[FileRule | ChatRule | BudgetRule, ...]

    @property
    def folder(self) -> Path:
        """The folder that paths are meant from."""
        return self.path.parent


def read_regular(path: Path) -> bytes:
    """The bytes of a file that has an end: pipes and devices are refused.

    Raises:
        OSError: It cannot be read, or is no regular file.
    """
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is a folder, a pipe or a device, and no file")
    return path.read_bytes()


def read_config(path: Path) -> Config:
    """Reads a piecework.toml.

    Raises:
        InputError: It is missing, is no TOML, has nothing to check, or has a setting that does not exist or is of another kind.
    """
    import tomllib  # noqa: PLC0415 - only checks read one

    try:
        value = tomllib.loads(read_regular(path).decode("utf-8"))
    except FileNotFoundError:
        raise _bad(path, "there is no such file") from None
    except (OSError, ValueError, RecursionError) as error:
        raise _bad(path, str(error)) from None
    reader = _Reader(path)
    default = reader.table(value.get("default", {}), "default")
    check = reader.table(value.get("check"), "check") if "check" in value else None
    if check is None:
        raise _bad(path, "it has no [check]")
    rest = {key: check[key] for key in check if key not in _SHARED}
    base = Shared(reader.text(default.get("model"), "default.model") or "o200k_base", 0.8, "high", ())
    shared = reader.shared(check, base, "check")
    rules: list[FileRule | ChatRule | BudgetRule] = []
    readers: dict[str, Callable[[dict[str, Any], Shared, str], FileRule | ChatRule | BudgetRule]] = {
        "files": reader.files,
        "chats": reader.chats,
        "budgets": reader.budget,
    }
    for key, rows in rest.items():
        read = readers.get(key)
        if read is None:
            raise _bad(
                path,
                f"[check] has no setting {key}; it has model, near, scan, phrases, files, chats, budgets",
            )
        if not isinstance(rows, list):
            raise _bad(path, f"check.{key} is a list of tables: [[check.{key}]]")
        for at, row in enumerate(rows):
            where = f"check.{key}[{at}]"
            rules.append(read(reader.table(row, where), shared, where))
    if not rules:
        raise _bad(
            path, "[check] names nothing to check: [[check.files]], [[check.chats]] or [[check.budgets]]"
        )
    return Config(path, tuple(rules))


class _Reader:
    """Reads values of a file, and names it where one is wrong."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def files(self, row: dict[str, Any], shared: Shared, where: str) -> FileRule:
        """Reads one of `[[check.files]]`."""
        self._known(row, {"paths", "max_tokens"}, where)
        return FileRule(
            self.shared(row, shared, where), self._paths(row, where), self._number(row, "max_tokens", where)
        )

    def chats(self, row: dict[str, Any], shared: Shared, where: str) -> ChatRule:
        """Reads one of `[[check.chats]]`."""
        self._known(row, {"paths", "answer", "margin", "window", "max_tokens", "tools", "template"}, where)
        tools = self.text(row.get("tools"), f"{where}.tools")
        return ChatRule(
            self.shared(row, shared, where),
            self._paths(row, where),
            self._number(row, "answer", where),
            self._number(row, "margin", where) or 0,
            self._number(row, "window", where),
            self._number(row, "max_tokens", where),
            None if tools is None else self._path.parent / tools.removeprefix("@"),
            self.text(row.get("template"), f"{where}.template"),
        )

    def budget(self, row: dict[str, Any], shared: Shared, where: str) -> BudgetRule:
        """Reads one of `[[check.budgets]]`."""
        self._known(row, {"name", "window", "template", "lines", *_LINES}, where)
        own = self.table(row.get("lines", {}), f"{where}.lines")
        for line in own:
            if line.replace(" ", "_") in _TAKEN or line in row:
                raise _bad(self._path, f"{where}.lines.{line} is no line of one's own: take another name")
        lines = {**{key: row[key] for key in _LINES if key in row}, **own}
        for name, value in lines.items():
            if isinstance(value, bool) or not isinstance(value, int | str):
                raise _bad(self._path, f"{where}.{name} is a number of tokens, a text, or a file behind an @")
        name = self.text(row.get("name"), f"{where}.name") or where
        return BudgetRule(
            self.shared(row, shared, where),
            name,
            self._number(row, "window", where),
            tuple(lines.items()),
            self.text(row.get("template"), f"{where}.template"),
        )

    def shared(self, row: dict[str, Any], base: Shared, where: str) -> Shared:
        """Reads what a rule may say otherwise."""
        near = row.get("near", base.near)
        if isinstance(near, bool) or not isinstance(near, int | float) or not 0 < near <= 1:
            raise _bad(self._path, f"{where}.near is a share of the limit, above 0 and at most 1")
        scan = row.get("scan", base.scan)
        if scan not in _SEVERITIES:
            raise _bad(self._path, f"{where}.scan is one of {', '.join(_SEVERITIES)}")
        phrases = row.get("phrases", list(base.phrases))
        if not isinstance(phrases, list) or not all(isinstance(one, str) for one in phrases):
            raise _bad(self._path, f"{where}.phrases is a list of texts")
        model = self.text(row.get("model"), f"{where}.model") or base.model
        return Shared(model, float(near), cast("ScanFrom", scan), tuple(phrases))

    def table(self, value: object, where: str) -> dict[str, Any]:
        """A table."""
        if not isinstance(value, dict):
            raise _bad(self._path, f"{where} is a table")
        return value

    def text(self, value: object, where: str) -> str | None:
        """A text that is not empty; None where there is none."""
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise _bad(self._path, f"{where} is a text")
        return value

    def _number(self, row: dict[str, Any], key: str, where: str) -> int | None:
        value = row.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise _bad(self._path, f"{where}.{key} is a number of tokens")
        return value

    def _paths(self, row: dict[str, Any], where: str) -> tuple[str, ...]:
        paths = row.get("paths")
        listed = [paths] if isinstance(paths, str) else paths
        if (
            not isinstance(listed, list)
            or not listed
            or not all(isinstance(one, str) and one for one in listed)
        ):
            raise _bad(self._path, f"{where}.paths is a list of paths or patterns")
        return tuple(listed)

    def _known(self, row: dict[str, Any], known: set[str], where: str) -> None:
        for key in row:
            if key not in known | _SHARED:
                raise _bad(
                    self._path, f"{where} has no setting {key}; it has {', '.join(sorted(known | _SHARED))}"
                )


def _bad(path: Path, reason: str) -> InputError:
    return InputError(f"{path}: {reason}", path=str(path), reason=reason)
