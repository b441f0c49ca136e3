"""`piecework cost`: what a call costs, or a conversation before it runs, or the requests of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli.chat_shape import looks_like_chat
from piecework._cli.cost_options import call_options, price_options, talk_options
from piecework._cli.cost_output import print_conversations, print_costs
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import TextInput, check_unicode, read_file, read_inputs, read_stdin
from piecework._cli.options import files_argument, model_options, printing_options
from piecework._cli.plot_option import plot_option, save_plot
from piecework._cli.settings import default_model
from piecework.errors import CostError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.cost_options import CallFlags, PriceFlags, TalkFlags
    from piecework._cli.options import Printing
    from piecework._cost import ConversationCost

__all__ = ["command"]

_EXAMPLES = (
    "piecework cost -m gpt-4o --in 3000 --out 500",
    "piecework cost -m gpt-4o -m claude-sonnet-4-5 -m gemini-2.5-flash --in 10000 --cached-tokens 8000 --out 500",
    "piecework cost -m gpt-4o prompt.txt --out 500 --batch",
    "piecework cost --price-input 2 --price-output 8 --in 2000 --out 500 --ms-per-token 4.78",
    "piecework cost --gpu-hour 2 --gpu-tokens-per-s 1000 --gpu-input-per-s 20000 --in 2000 --out 500",
    "piecework cost -m gpt-4o --turns 20 --system 400 --user 150 --answer 250 --cache --trim 3000",
    "piecework cost --from usage.jsonl",
)
# A picture has the model's window where the longest turn is at least this part of it.
_NEAR_WINDOW = 4
# An error's own hint speaks of Python's arguments.
_FLAGS = {
    "prices= gives your own": "--price-input and --price-output give your own",
    "give prices a 'input_tokens_per_s'": "give --gpu-input-per-s",
    "give prices a 'cache_write'": "give --price-cache-write",
    **{f"give prices a '{name}'": f"give --price-{name}" for name in ("input", "output", "image")},
    "or prices= with an 'image'": "or --price-image",
    "units={'input_image_tokens': N}": "--unit input_image_tokens=N",
    "units=": "--unit",
    "or pass tokenizer=": "with -m",
    "input_tokens_per_s, tokens read": "--gpu-input-per-s, tokens read",
    "n_gpus is": "--gpus is",
}


@click.command("cost", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=True)
@call_options
@price_options
@talk_options
@printing_options
@plot_option()
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    call: CallFlags,
    pricing: PriceFlags,
    talk: TalkFlags,
    printing: Printing,
    plot: str | None,
) -> None:
    """Price a call, a conversation before it runs (--turns), or the requests of a log (--from).

    A call is given in numbers (--in, --out), or as the prompt itself: a file, --text or standard input, which is then
    counted. Prices come from genai-prices by the model's name, or from --price-input and the like. What has no known price
    is an error, never zero.
    """
    named = _models(models, pricing, printing, has_log=talk.log is not None)
    if plot is not None and len(named) > 1:
        raise click.UsageError("--plot draws one conversation: name one model")
    if talk.log is not None:
        _refuse("--from", [*talk.given(), *call.given(), *(["--turns"] if talk.turns else [])], files, text)
        found = _replayed(talk, named, pricing, printing)
    elif talk.turns is not None:
        _refuse("--turns", call.given(), files, text)
        found = _planned(talk, call, named, pricing, assume, printing)
    else:
        if plot is not None:
            raise click.UsageError("--plot draws how a conversation grows: give --turns or --from")
        _calls(files, text, named, assume, call, pricing, talk, printing)
        return
    print_conversations(found, printing)
    save_plot(found[0], plot, printing, window=_drawn_window(found[0], talk.window))


def _drawn_window(found: ConversationCost, given: int | None) -> int | None:
    """The window that was asked for; else the model's, unless the turns would be a strip at the foot of the picture."""
    largest = max((turn.n_window for turn in found.turns), default=0)
    if given is not None or found.window is None or largest * _NEAR_WINDOW >= found.window:
        return found.window
    return None


def _models(
    models: tuple[str, ...], pricing: PriceFlags, printing: Printing, *, has_log: bool
) -> list[str | None]:
    """The models that are named, or the settings' one; None for a log's own, or the user's own prices alone."""
    if models:
        return list(dict.fromkeys(models))
    if has_log:
        return [None]
    default = default_model()
    if default.source is not None:
        printing.note(f"model {default.model}, from {default.source}")
        return [default.model]
    if pricing.prices is None:
        raise click.UsageError(
            "no price: name a model (-m NAME), or give prices (--price-input, --price-output)"
        )
    return [None]


def _refuse(mode: str, given: Sequence[str], files: tuple[str, ...], text: str | None) -> None:
    """A flag that would be left out in silence is a usage error."""
    if given:
        raise click.UsageError(f"{given[0]} says nothing beside {mode}")
    if files or text is not None:
        raise click.UsageError(f"{mode} takes no text beside it")


def _pricing(pricing: PriceFlags) -> dict[str, Any]:
    return pricing._asdict()


def _calls(  # noqa: PLR0917 - all of one command line
    files: tuple[str, ...],
    text: str | None,
    models: Sequence[str | None],
    assume: str | None,
    call: CallFlags,
    pricing: PriceFlags,
    talk: TalkFlags,
    printing: Printing,
) -> None:
    import piecework as pw  # noqa: PLC0415 - the public function

    if talk.given():
        raise click.UsageError(f"{talk.given()[0]} is of a conversation: add --turns N")
    if talk.window is not None:
        raise click.UsageError("--window is of a conversation: add --turns N or --from LOG")
    content = _content(files, text, call, printing)
    flags = call._asdict()
    ms = flags.pop("ms_per_token")
    given = {name: value for name, value in flags.items() if value is not None}
    if ms is not None:
        given["seconds_per_token"] = ms / 1000
    if isinstance(content, dict):
        given["tools"] = content.get("tools") or None
        content = content["messages"]
    costs = []
    for model in models:
        counted: dict[str, Any] = {} if content is None else _counting(model, assume, printing)
        costs.append(_one(pw.cost, content, model=model, **given, **counted, **_pricing(pricing)))
    print_costs(costs, printing)
    if content is not None and call.output_tokens is None:
        printing.note("the prompt alone: --out N adds an answer")


def _one(function: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - any of the public functions
    """Calls one; a choice that does not exist is a usage error, and hints speak of flags."""
    try:
        return function(*args, **named)
    except CostError as error:
        hint = error.hint
        for argument, flag in _FLAGS.items():
            hint = hint if hint is None else hint.replace(argument, flag)
        raise type(error)(error.message, hint=hint, **error.fields()) from None
    except PieceworkError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _counting(model: str | None, assume: str | None, printing: Printing) -> dict[str, Any]:
    """What counts: the model's own tokenizer, or the default one where only prices are given."""
    if model is not None or assume == "rule-of-thumb":
        return {"assume": assume}
    tokenizer = assume or default_model().model
    printing.note(f"no model named; counting with {tokenizer}")
    return {"tokenizer": tokenizer}


def _content(files: tuple[str, ...], text: str | None, call: CallFlags, printing: Printing) -> Any:  # noqa: ANN401 - a text or messages
    """The prompt to count: a text, messages, or a request's body with messages and tools; None where its length is given."""
    if len(files) > 1 or (files and text is not None):
        raise click.UsageError("cost takes one prompt: one file, or --text, or standard input")
    if call.input_tokens is not None:
        if files or text is not None:
            raise click.UsageError("--input-tokens is the length of the prompt: leave out the prompt itself")
        return None
    (found,) = read_inputs(files, text, printing)
    if not looks_like_chat(found.data):
        return check_unicode(found, "strict")
    from piecework._cli.json_files import read_json  # noqa: PLC0415 - only where there are messages

    return read_json(found)


def _planned(  # noqa: PLR0917 - all of one command line
    talk: TalkFlags,
    call: CallFlags,
    models: Sequence[str | None],
    pricing: PriceFlags,
    assume: str | None,
    printing: Printing,
) -> list[Any]:
    import piecework as pw  # noqa: PLC0415 - the public function
    from piecework._cli.budget_amounts import read_line  # noqa: PLC0415 - only where amounts are given

    parts = {
        name: read_line((value,), printing)
        for name in ("system", "user", "answer")
        if (value := getattr(talk, name)) is not None
    }
    if not parts:
        raise click.UsageError("--turns N needs how long they are: --system, --user, --answer")
    is_counted = any(not isinstance(value, int) for value in parts.values())
    if is_counted:
        printing.note("counted as texts: what a template puts around messages is not in it")
    return [
        _one(
            pw.cost_conversation,
            talk.turns,
            model=model,
            **parts,
            reasoning_tokens=call.reasoning_tokens or 0,
            cache=False if talk.cache is None else talk.cache,
            trim_tokens=talk.trim,
            summarize=talk.summarize,
            tool_loop=talk.tool_loop,
            window=talk.window,
            **(_counting(model, assume, printing) if is_counted else {}),
            **_pricing(pricing),
        )
        for model in models
    ]


def _replayed(
    talk: TalkFlags, models: Sequence[str | None], pricing: PriceFlags, printing: Printing
) -> list[Any]:
    import piecework as pw  # noqa: PLC0415 - the public function

    name = talk.log or "-"
    source = read_stdin(printing) if name == "-" else TextInput(name, read_file(name))
    try:
        return [
            _one(pw.cost_log, _records(source), model=model, window=talk.window, **_pricing(pricing))
            for model in models
        ]
    except CostError as error:
        raise type(error)(f"{source.name}: {error.message}", hint=error.hint, **error.fields()) from None


def _records(source: TextInput) -> list[Any]:
    """The records of a log: JSON lines, or one JSON list."""
    if source.data.lstrip()[:1] != b"[":
        return source.data.splitlines()
    from piecework._cli.json_files import read_json  # noqa: PLC0415 - a log is usually of lines

    return list(read_json(source))
