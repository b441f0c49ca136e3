"""Checking: each file, chat and budget of a configuration against its limit, and its text against the scan."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import piecework as pw
from piecework._budget.answer_limit import answer_limit
from piecework._check.config import BudgetRule, ChatRule, Config, FileRule, read_config, read_regular
from piecework._check.result import Check, Checked, Problem
from piecework._plural import plural
from piecework._safety import SEVERITIES
from piecework.errors import (
    BudgetError,
    ContextOverflowError,
    EncodeError,
    LoadError,
    PieceworkError,
    UnknownTokenizerError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from piecework._check.config import Shared
    from piecework._counts import Count
    from piecework._safety import Severity

__all__ = ["check"]


def check(
    config: str | os.PathLike[str] = "piecework.toml", *, on_file: Callable[[str], None] | None = None
) -> Check:
    r"""Checks a project's prompts as its piecework.toml asks: limits, windows, output limits, and what a text hides.

    Args:
        config: The file; paths in it are meant from its folder.
        on_file: Called with each name before it is looked at, for progress.

    Returns:
        A `Check`: `passed`, `n_errors`, `n_warnings`, and each thing with its problems.

    Raises:
        InputError: The configuration cannot be read, or has a setting that does not exist.
        LoadError: A tokenizer that it names cannot be loaded.

    Examples:
        >>> import piecework as pw, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "system.md").write_text("You are a terse assistant.")
        >>> _ = (folder / "piecework.toml").write_text('[[check.files]]\npaths = ["*.md"]\nmax_tokens = 5\n')
        >>> result = pw.check(folder / "piecework.toml")
        >>> result.passed, [problem.says for problem in result.all_problems]
        (False, ['6 tokens, 1 over the limit of 5'])
    """
    read = read_config(Path(config))
    checked: list[Checked] = []
    problems: list[Problem] = []
    for rule in read.rules:
        if isinstance(rule, BudgetRule):
            if on_file is not None:
                on_file(rule.name)
            checked.append(_budget(rule, read))
            continue
        seen: set[Path] = set()
        for pattern in rule.paths:
            found = _paths(read.folder, pattern)
            # A file that two patterns of a rule name is one file.
            paths = [path for path in found if path not in seen]
            seen.update(paths)
            if not found:
                says = f"{pattern} names no file"
                problems.append(Problem("error", "nothing-found", says, str(read.path)))
            for path in paths:
                name = (
                    path.relative_to(read.folder).as_posix()
                    if path.is_relative_to(read.folder)
                    else str(path)
                )
                if on_file is not None:
                    on_file(name)
                checked.append(
                    _file(rule, path, name) if isinstance(rule, FileRule) else _chat(rule, path, name)
                )
    return Check(str(read.path), tuple(checked), tuple(problems))


def _paths(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern; of a folder, all files in it."""
    named = folder / pattern
    try:
        if not named.exists():
            found = list(folder.glob(pattern))
        else:
            found = _walk(named) if named.is_dir() else [named]
    except (NotImplementedError, ValueError, OSError):
        # Patterns that are absolute, empty, or longer than any name.
        found = []
    return sorted(path for path in found if path.is_file())


def _walk(folder: Path) -> list[Path]:
    """All files of a folder; what cannot be listed or vanishes meanwhile is passed over, links to folders are not followed."""
    found = []
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        found += [Path(here, name) for name in names]
    return found


def _file(rule: FileRule, path: Path, name: str) -> Checked:
    """A text against its limit."""
    try:
        text = read_regular(path).decode("utf-8")
        count = pw.count(text, model=rule.shared.model)
    except (OSError, ValueError, PieceworkError) as error:
        return _unreadable(error, rule.shared, path, name)
    problems = [*_limit(count, rule.max_tokens, rule.shared, path), *_scan(text, rule.shared, path)]
    return Checked(name, rule.shared.model, _upper(count), count.basis, rule.max_tokens, tuple(problems))


def _chat(rule: ChatRule, path: Path, name: str) -> Checked:
    """A conversation against its window."""
    try:
        body, tools = _conversation(path), None if rule.tools is None else _json(rule.tools)
        count = pw.count(body, model=rule.shared.model, tools=tools, template=rule.template)
    except (OSError, ValueError, TypeError, PieceworkError) as error:
        return _unreadable(error, rule.shared, path, name)
    answer = rule.answer if rule.answer is not None else answer_limit(body)
    problems = []
    if answer is None:
        says = "no output limit: nothing keeps room for the answer, or ends it"
        problems.append(Problem("warning", "no-output-limit", says, str(path)))
    limit = rule.max_tokens
    try:
        plan = pw.budget(
            rule.shared.model,
            window=rule.window,
            request=_upper(count),
            answer=answer or 0,
            margin=rule.margin,
        )
    except BudgetError as error:
        if limit is None:
            problems.append(Problem("error", "unreadable", error.message, str(path)))
    else:
        room = max(0, plan.available_tokens)
        limit = room if limit is None else min(limit, room)
        if answer is not None and plan.max_output_tokens is not None and answer > plan.max_output_tokens:
            says = f"an answer of {answer:,} is over the model's output limit of {plan.max_output_tokens:,}"
            problems.append(Problem("error", "output-limit", says, str(path)))
    problems += _limit(count, limit, rule.shared, path)
    for text in _texts(body):
        problems += [
            Problem(one.level, one.kind, one.says, one.path) for one in _scan(text, rule.shared, path)
        ]
    return Checked(name, rule.shared.model, _upper(count), count.basis, limit, tuple(problems))


def _budget(rule: BudgetRule, config: Config) -> Checked:
    """A plan against its window."""
    where = str(config.path)
    model = rule.shared.model
    try:
        lines = {name: _line(value, config.folder) for name, value in rule.lines}
        plan = pw.budget(model, window=rule.window, template=rule.template, **lines)
    except LoadError:
        raise
    except (OSError, ValueError, TypeError, PieceworkError) as error:
        return _unreadable(error, rule.shared, config.path, rule.name)
    problems = []
    if not any(name == "answer" for name, _ in rule.lines):
        says = f"{rule.name}: no output limit: no line keeps room for the answer"
        problems.append(Problem("warning", "no-output-limit", says, where))
    planned, window = plan.input_tokens, plan.available_tokens
    if not plan.fits:
        problems.append(
            Problem(
                "error",
                "over-limit",
                f"{rule.name}: {plural(plan.over_tokens, 'token')} over {window:,}",
                where,
            )
        )
    elif planned > rule.shared.near * window:
        says = f"{rule.name}: {planned / window:.0%} of {window:,}"
        problems.append(Problem("warning", "near-limit", says, where))
    for name, value in lines.items():
        if isinstance(value, str):
            problems += [
                Problem(one.level, one.kind, f"{rule.name}, {name}: {one.says}", where)
                for one in _scan(value, rule.shared, config.path)
            ]
    return Checked(rule.name, model, planned, plan.basis, window, tuple(problems))


def _line(value: int | str, folder: Path) -> Any:  # noqa: ANN401 - a number, a text, or what a JSON file holds
    if not isinstance(value, str) or not value.startswith("@"):
        return value
    path = folder / value[1:]
    return _json(path) if path.suffix in {".json", ".jsonl"} else read_regular(path).decode("utf-8")


def _conversation(path: Path) -> Any:  # noqa: ANN401 - messages, or the body of a request
    body = _json(path)
    if not isinstance(body, list | dict):
        raise ValueError("a conversation is a list of messages, or the body of a request")  # noqa: TRY004 - of a file
    return body


def _json(path: Path) -> Any:  # noqa: ANN401 - whatever it holds
    try:
        return json.loads(read_regular(path).decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _texts(value: object) -> Iterator[str]:
    """All texts of a JSON value, keys included; without recursion, however deep it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += [*one.values(), *one.keys()]
        elif isinstance(one, list):
            waiting += one


def _limit(count: Count, limit: int | None, shared: Shared, path: Path) -> Iterator[Problem]:
    n = _upper(count)
    if limit is None:
        return
    basis = "" if count.basis == "exact" else f" ({count.basis})"
    if n > limit:
        says = f"{n:,} tokens{basis}, {n - limit:,} over the limit of {limit:,}"
        yield Problem("error", "over-limit", says, str(path))
    elif n > shared.near * limit:
        yield Problem(
            "warning", "near-limit", f"{n:,} tokens{basis}, {n / limit:.0%} of {limit:,}", str(path)
        )


def _scan(text: str, shared: Shared, path: Path) -> Iterator[Problem]:
    """What the scan finds that is serious enough, each with its line."""
    if shared.scan == "off":
        return
    try:
        result = _scanned(text, shared)
    except EncodeError as error:
        # What cannot be encoded cannot be scanned: that is a finding of its own.
        yield Problem("error", "unreadable", f"a text cannot be scanned: {error.message}", str(path))
        return
    for finding in result.findings:
        if _is_serious(finding.severity, shared.scan):
            says = f"{finding.message}: {finding.text}"
            yield Problem("error", "scan", says, str(path), finding.line)
    n_more = result.at_least(shared.scan) - sum(
        _is_serious(finding.severity, shared.scan) for finding in result.findings
    )
    if n_more > 0:
        yield Problem("error", "scan", f"{n_more:,} more of the same kinds", str(path))


def _scanned(text: str, shared: Shared) -> pw.Scan:
    try:
        return pw.scan(text, shared.model, phrases=shared.phrases)
    except UnknownTokenizerError:
        # A model whose tokenizer is not published: markers of all families are looked for by any.
        return pw.scan(text, "o200k_base", phrases=shared.phrases)


def _is_serious(severity: Severity, least: Severity) -> bool:
    """Whether a severity is at least another."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(least)


def _upper(count: Count) -> int:
    return count.n if count.band is None else max(count.n, count.band[1])


def _unreadable(error: Exception, shared: Shared, path: Path, name: str) -> Checked:
    if isinstance(error, LoadError):
        raise error
    says = error.message if isinstance(error, PieceworkError) else f"{name} cannot be read: {error}"
    kind = "over-limit" if isinstance(error, ContextOverflowError) else "unreadable"
    return Checked(name, shared.model, None, None, None, (Problem("error", kind, says, str(path)),))
