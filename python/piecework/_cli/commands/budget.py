"""`piecework budget`: does a request fit, by how much, and what to drop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from piecework._cli import exits
from piecework._cli.budget_amounts import read_line, read_named_line, read_ratio, read_value
from piecework._cli.budget_output import print_budgets, print_cuts, print_packed
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import read_inputs
from piecework._cli.json_files import read_json
from piecework._cli.options import WholeNumber, model_options, once, printing_options
from piecework._cli.output import open_output
from piecework._cli.settings import default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework._budget import Budget
    from piecework._cli.options import Command, Printing

__all__ = ["command"]

_EXAMPLES = (
    "piecework budget --window 8192 --system 400 --history 2000 --evidence 3000 --answer 1000",
    "piecework budget -m gpt-4o chat.json --answer 1000",
    "piecework budget -m gpt-4o chat.json --answer 1000 --pack -o packed.json",
    "piecework budget --window 65536 --history 20*205 --line document=20000 --scale 25/14 --of document",
)
_PARTS = ("system", "history", "evidence", "message")


class Lines(NamedTuple):
    """The lines of a request, as the command line gives them.

    Attributes:
        parts: `system`, `history`, `evidence`, `message` and the caller's own.
        tools: The tools, or their tokens.
        conversation: The messages of the file; None where there is no file.
        answer: The output limit of the file's request; None where it has none.
    """

    parts: dict[str, Any]
    tools: Any
    conversation: list[Any] | None
    answer: int | None = None


def _line_options(command: Command) -> Command:
    """Adds an option for each line."""
    added: list[Callable[[Command], Command]] = [
        click.option(
            f"--{name}",
            multiple=True,
            metavar="AMOUNT",
            help="Tokens (400, 20*205), a text, or @FILE; JSON files hold messages."
            if name == "system"
            else f"The {name}, likewise.",
        )
        for name in _PARTS
    ]
    added.append(once("--tools", metavar="AMOUNT", help="Tokens, or @FILE with tools as JSON."))
    added.append(
        click.option(
            "--line", "own", multiple=True, metavar="NAME=AMOUNT", help="A line of your own. Repeatable."
        )
    )
    for name, what in (
        ("framing", "Tokens that the template puts around messages, where lines are numbers."),
        ("answer", "Tokens kept for the answer."),
        ("margin", "Tokens kept besides."),
    ):
        added.append(once(f"--{name}", metavar="AMOUNT", help=what))
    for option in reversed(added):
        command = option(command)
    return command


@click.command("budget", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("files", nargs=-1, metavar="[MESSAGES]", type=click.Path(allow_dash=True))
@model_options(repeatable=True)
@once("--window", metavar="AMOUNT", help="Tokens of input and answer together, in place of the model's.")
@once("--max-output", metavar="AMOUNT", help="The longest answer, in place of the model's.")
@_line_options
@once("--template", metavar="NAME", help="The chat template: a name, chatml, or a file.")
@once("--scale", metavar="RATIO", help="The same text at RATIO times the tokens, such as 25/14: an estimate.")
@once(
    "--language",
    metavar="KEY",
    help="The same text in another language, by the built-in samples: an estimate.",
)
@once("--samples", metavar="SET", help="The samples of --language: parallel (the default) or fox.")
@click.option(
    "--of",
    multiple=True,
    metavar="LINE",
    help="The lines of --scale and --language; else all that people say.",
)
@click.option(
    "--change", multiple=True, metavar="LINE=AMOUNT", help="Other numbers for some lines: shows what changes."
)
@click.option(
    "--naive", type=click.Choice(["front", "back"]), help="What cutting the prompt at one end would destroy."
)
@click.option(
    "--pack",
    "is_packed",
    is_flag=True,
    help="Drop the oldest whole turns until it fits; prints the messages.",
)
@click.option(
    "--score",
    "scores",
    type=float,
    multiple=True,
    metavar="N",
    help="With --pack: the worth of each --evidence, which may then go.",
)
@click.option("--unit", type=click.Choice(["message", "exchange"]), help="With --pack: what a turn is.")
@click.option(
    "--starts-with",
    type=click.Choice(["any", "user"]),
    help="With --pack: what the kept history begins with.",
)
@click.option(
    "--first",
    type=click.Choice(["history", "evidence"]),
    help="With --pack and --score: what gets room first; history unless told.",
)
@click.option(
    "--slack",
    type=WholeNumber(min=0),
    metavar="N",
    help="With --pack: free tokens to make once anything is dropped.",
)
@printing_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    assume: str | None,
    window: str | None,
    max_output: str | None,
    system: tuple[str, ...],
    history: tuple[str, ...],
    evidence: tuple[str, ...],
    message: tuple[str, ...],
    tools: str | None,
    own: tuple[str, ...],
    framing: str | None,
    answer: str | None,
    margin: str | None,
    template: str | None,
    scale: str | None,
    language: str | None,
    samples: str | None,
    of: tuple[str, ...],
    change: tuple[str, ...],
    naive: Literal["front", "back"] | None,
    is_packed: bool,
    scores: tuple[float, ...],
    unit: Literal["message", "exchange"] | None,
    starts_with: Literal["any", "user"] | None,
    first: Literal["history", "evidence"] | None,
    slack: int | None,
    printing: Printing,
) -> int:
    """Plan what a request takes of a model's window, line by line; or make it fit with --pack.

    Lines are numbers of tokens, texts, or files behind an @. MESSAGES is a conversation as JSON, whose last turn is what
    is answered, or the body of a request: its tools and its output limit count too. Exits with 1 where the request does
    not fit.
    """
    if assume is not None:
        raise click.UsageError("budget has no --assume: -m names the tokenizer, --window the window")
    given = {"system": system, "history": history, "evidence": evidence, "message": message}
    lines = _read_lines(files, given, tools, own, printing)
    sums = {
        name: _number(name, value)
        for name, value in (
            ("window", window),
            ("answer", answer),
            ("margin", margin),
            ("framing", framing),
            ("max_output_tokens", max_output),
        )
    }
    if sums["answer"] is None and lines.answer is not None:
        printing.note(
            f"answer: {lines.answer:,} tokens, the limit in the request itself (--answer N for another)"
        )
        sums["answer"] = lines.answer
    chosen = _models(models, lines, has_window=window is not None)
    packing = {
        "scores": list(scores) or None,
        "unit": unit,
        "starts_with": starts_with,
        "first": first,
        "slack_tokens": slack,
    }
    if is_packed:
        for name, value in (
            ("--scale", scale),
            ("--language", language),
            ("--change", change),
            ("--naive", naive),
            ("--framing", framing),
            ("--max-output", max_output),
        ):
            if value:
                raise click.UsageError(f"{name} does not go with --pack")
        if len(chosen) > 1:
            raise click.UsageError("--pack takes one model")
        return _pack(
            chosen[0], lines, sums, template, {k: v for k, v in packing.items() if v is not None}, printing
        )
    if ignored := [name for name, value in packing.items() if value is not None]:
        raise click.UsageError(
            f"--{ignored[0].removesuffix('s').removesuffix('_token').replace('_', '-')} goes with --pack"
        )
    _check_together(scale or language, of, samples if language is None else None, naive, change, chosen)
    budgets = [_plan(model, lines, sums, template) for model in chosen]
    if scale is not None or language is not None:
        budgets = [_elsewhere(one, scale, language, samples, of) for one in budgets]
    changed = [one.changed(**dict(_changes(change))) for one in budgets] if change else []
    with open_output(printing.output) as output:
        if naive is not None:
            print_cuts(output, printing, budgets[0], naive)
        else:
            print_budgets(output, printing, budgets, changed)
    return exits.FINE if all(one.fits for one in changed or budgets) else exits.FINDING


def _check_together(  # noqa: PLR0917 - all of one command line
    elsewhere: str | None,
    of: tuple[str, ...],
    samples: str | None,
    naive: str | None,
    change: tuple[str, ...],
    models: list[str | None],
) -> None:
    """Refuses options that would be read and then do nothing."""
    if of and not elsewhere:
        raise click.UsageError("--of goes with --scale or --language")
    if samples is not None:
        raise click.UsageError("--samples goes with --language")
    if naive is not None and change:
        raise click.UsageError("--naive and --change show two different things: ask for one")
    if naive is not None and len(models) > 1:
        raise click.UsageError("--naive takes one model")


def _number(name: str, value: str | None) -> int | None:
    from piecework._budget.amounts import read_amount  # noqa: PLC0415 - only this command needs it

    if value is None:
        return None
    try:
        number = read_amount(value)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if number is None:
        raise click.UsageError(
            f"--{name.removesuffix('_tokens').replace('_', '-')} is a number of tokens, not {value!r}"
        )
    return number


def _models(models: tuple[str, ...], lines: Lines, *, has_window: bool) -> list[str | None]:
    """The models: those named; none where all is numbers; else the default one."""
    if models:
        return list(dict.fromkeys(models))
    texts = [value for value in [*lines.parts.values(), lines.tools, lines.conversation] if value is not None]
    if all(isinstance(value, int) for value in texts) and has_window:
        return [None]
    return [default_model().model]


def _read_lines(
    files: tuple[str, ...],
    given: dict[str, tuple[str, ...]],
    tools: str | None,
    own: tuple[str, ...],
    printing: Printing,
) -> Lines:
    if len(files) > 1:
        raise click.UsageError("budget takes one file of messages")
    parts = {name: read_line(values, printing) for name, values in given.items()}
    for one in own:
        name, value = read_named_line(one, printing)
        if name in parts:
            raise click.UsageError(
                f"--line {name} is --{name}" if name in _PARTS else f"--line {name} is there twice"
            )
        parts[name] = value
    listed = None if tools is None else read_value(tools, printing, as_json=True)
    if isinstance(listed, str):
        raise click.UsageError("--tools is a number of tokens, or @FILE with tools as JSON")
    if not files:
        return Lines(parts, listed, None)
    from piecework._budget.answer_limit import answer_limit  # noqa: PLC0415 - only where there are messages
    from piecework._chat.conversation import read_conversation  # noqa: PLC0415 - as above

    if any(parts[name] is not None for name in ("system", "history", "message")):
        raise click.UsageError(
            "MESSAGES has the system text, the history and the message: give them there, or as options"
        )
    (source,) = read_inputs(
        files, None, printing, hint="MESSAGES is a file of messages as JSON; --message TEXT gives one itself"
    )
    body = read_json(source)
    read = read_conversation(body, None if isinstance(listed, int) else listed)
    chosen = listed if isinstance(listed, int) else read.tools
    return Lines(parts, chosen, list(read.messages), answer_limit(body))


def _plan(model: str | None, lines: Lines, sums: dict[str, int | None], template: str | None) -> Budget:
    import piecework as pw  # noqa: PLC0415 - the public function

    parts = dict(lines.parts)
    if lines.conversation is not None:
        parts.update(_split(lines.conversation))
    return pw.budget(
        model,
        tools=lines.tools,
        template=template,
        **parts,
        **{name: value for name, value in sums.items() if value is not None},
    )


def _split(conversation: list[Any]) -> dict[str, Any]:
    """The leading system messages, what came before the last turn, and the last turn."""
    from piecework._budget.request import read_request  # noqa: PLC0415 - only where there are messages

    request = read_request((), conversation, (), (), last_is_current=True, unit="message")
    history = [message for turn in request.turns for message in turn.messages]
    return {
        "system": list(request.system) or None,
        "history": history or None,
        "message": list(request.current) or None,
    }


def _elsewhere(
    budget: Budget, scale: str | None, language: str | None, samples: str | None, of: tuple[str, ...]
) -> Budget:
    """The budget at another ratio, or in another language."""
    if scale is not None and language is not None:
        raise click.UsageError("--scale and --language are two ways to say the same")
    lines = [name.replace("_", " ") for name in of] or None
    if scale is not None:
        return budget.scaled(read_ratio(scale), of=lines)
    import piecework as pw  # noqa: PLC0415 - the public function

    chosen, key = samples or "parallel", language or ""
    try:
        tokenizer = budget.model or default_model().model
        result = pw.compare(tokenizer, chosen, keys=[key], n_resamples=0)
        premium = next(cell.premium for cell in result.cells if cell.key == key)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if premium is None:
        raise click.UsageError(f"the samples {chosen} have no rows of {key} beside English")
    why = (
        f"{key} takes {premium.value:.3g} times the tokens of English under {tokenizer}, by the {chosen} samples "
        "(demonstration, not evidence)"
    )
    return budget.scaled(premium.value, of=lines, why=why)


def _changes(change: tuple[str, ...]) -> list[tuple[str, int]]:
    changes = []
    for one in change:
        name, _, amount = one.partition("=")
        number = _number("change", amount) if amount else None
        if number is None or not name.strip():
            raise click.UsageError(f"--change is written LINE=AMOUNT with a number, not {one!r}")
        changes.append((name.strip().replace(" ", "_").replace("-", "_"), number))
    names = [name for name, _ in changes]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.UsageError(f"--change {twice[0]} is there twice")
    return changes


def _pack(  # noqa: PLR0917 - all of one command line
    model: str | None,
    lines: Lines,
    sums: dict[str, int | None],
    template: str | None,
    rules: dict[str, Any],
    printing: Printing,
) -> int:
    import piecework as pw  # noqa: PLC0415 - the public function

    parts = dict(lines.parts)
    if numbers := [name for name, value in parts.items() if isinstance(value, int)]:
        raise click.UsageError(f"--pack needs the texts themselves: --{numbers[0]} is a number")
    if own := [name for name in parts if name not in _PARTS]:
        raise click.UsageError(f"--pack knows no line {own[0]}")
    if isinstance(lines.tools, int):
        raise click.UsageError("--pack needs the tools themselves: --tools is a number")
    evidence = parts.pop("evidence") or ()
    named = parts if lines.conversation is None else {}
    packed = pw.pack(
        lines.conversation,
        model=model,
        evidence=evidence,
        tools=lines.tools,
        template=template,
        window=sums["window"],
        answer=sums["answer"] or 0,
        margin=sums["margin"] or 0,
        **named,
        **rules,
    )
    with open_output(printing.output) as output:
        if printing.json:
            output.json("piecework.pack/1", {"model": model, **packed.to_dict()})
        else:
            output.line(json.dumps(list(packed.messages), ensure_ascii=False, indent=2))
    print_packed(printing, packed)
    if not sums["answer"]:
        printing.note("no room is kept for an answer (--answer N)")
    return exits.FINE
