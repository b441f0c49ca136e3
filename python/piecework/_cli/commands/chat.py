"""`piecework chat`: messages as the model reads them, part by part."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Literal

import click

from piecework._cli.chat_output import print_prompt, print_prompt_notes
from piecework._cli.choice import choices
from piecework._cli.conversations import NamedConversation, read_arguments, read_conversations, read_json
from piecework._cli.help_text import ExampleCommand
from piecework._cli.options import WholeNumber, model_options, once, printing_options
from piecework._cli.output import open_output
from piecework.errors import ChatError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework._chat.prompt import ChatPrompt
    from piecework._cli.choice import Choice
    from piecework._cli.options import Printing
    from piecework._cli.output import Output

__all__ = ["command"]

_EXAMPLES = (
    'piecework chat --system "You are terse." --user "Hi" -m qwen3 --template chatml',
    "piecework chat messages.json --tools tools.json -m qwen3 --template chatml",
    "piecework chat messages.json -m qwen3 -m gpt-4o --template chatml --json",
    "piecework chat messages.json -m tokenizer.json --template template.jinja --arg enable_thinking=false",
    "piecework chat messages.json --against old.json -m qwen3 --template chatml",
    "cat messages.json | piecework chat - -m qwen3 --template chatml --ids",
)
_USER_HINT = "FILE is a file of messages as JSON; --user TEXT gives a message itself"
_GENERATION = {"auto": "auto", "on": True, "off": False}


@click.command("chat", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(allow_dash=True))
@model_options(repeatable=True)
@once("--system", metavar="TEXT", help="Instructions: the first message.")
@once("--user", metavar="TEXT", help="A message of the user, in place of a file.")
@once("--tools", metavar="FILE", help="Tools as JSON: OpenAI's, Anthropic's or MCP's form.")
@once("--documents", metavar="FILE", help="Documents as JSON, for templates that write some.")
@once(
    "--template",
    metavar="NAME|FILE",
    help="A named template, chatml (ours), or a file; else the model's own.",
)
@click.option("--arg", "given", multiple=True, metavar="NAME=VALUE", help="An argument of the template.")
@click.option(
    "--generation-prompt",
    type=click.Choice(["auto", "on", "off"]),
    default="auto",
    show_default=True,
    help="End with what an answer goes on from; auto: unless the assistant spoke last.",
)
@once("--bos-token", metavar="TOKEN", help="The begin token that the template writes.")
@once("--eos-token", metavar="TOKEN", help="The end token that the template writes.")
@click.option(
    "--arguments",
    type=click.Choice(["given", "object", "string"]),
    default="given",
    show_default=True,
    help="Arguments of calls: as given, as JSON objects, as JSON strings.",
)
@click.option(
    "--parts",
    type=click.Choice(["given", "join"]),
    default="given",
    show_default=True,
    help="Lists of text parts: as given, or joined.",
)
@click.option("--ids", "as_ids", is_flag=True, help="Only the ids.")
@click.option("--text", "as_text", is_flag=True, help="Only the text, as it is.")
@once("--against", metavar="OLD", help="Where the prompt parts from that of OLD, and what a cache loses.")
@click.option(
    "--block-size",
    type=WholeNumber(min=1),
    metavar="N",
    help="With --against: tokens of a block of the cache (16 and 128 without).",
)
@printing_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    assume: str | None,
    user: str | None,
    tools: str | None,
    documents: str | None,
    given: tuple[str, ...],
    generation_prompt: Literal["auto", "on", "off"],
    as_ids: bool,
    as_text: bool,
    against: str | None,
    block_size: int | None,
    printing: Printing,
    **options: Any,  # noqa: ANN401 - the flags that are arguments of Tokenizer.chat by the same name
) -> None:
    """Show messages as the model reads them: tokens part by part, who wrote what, and every forged marker.

    FILE holds messages as JSON or JSON lines, or the body of a request with tools and system, in OpenAI's or Anthropic's
    form. Control tokens come only from the template; what a message holds is text. In the text they stand in ⟦ ⟧, forged
    ones in ‼ ‼, look-alikes in ⁇ ⁇; on a terminal all of them are colored.
    """
    views = {"--ids": as_ids, "--text": as_text, "--json": printing.json}
    _check(files, user, against, block_size, [name for name, is_chosen in views.items() if is_chosen])
    arguments = {
        **options,
        **read_arguments(given),
        "add_generation_prompt": _GENERATION[generation_prompt],
        "tools": None if tools is None else read_json(tools, printing),
        "documents": None if documents is None else read_json(documents, printing),
    }
    found = (
        _given(user, printing) if user is not None else read_conversations(files, printing, hint=_USER_HINT)
    )
    chosen = choices(models, assume, printing)
    with open_output(printing.output) as output:
        if against is not None:
            _print_differences(
                list(found),
                against,
                chosen,
                output,
                printing=printing,
                arguments=arguments,
                block_size=block_size,
            )
            return
        n_before = 0
        for conversation in found:
            for choice in chosen:
                prompt = _prompt(choice, conversation, arguments)
                if as_ids:
                    output.line(" ".join(map(str, prompt.ids)))
                elif as_text:
                    output.bytes(prompt.text.encode())
                else:
                    if n_before and not printing.json:
                        output.line("")
                    print_prompt(prompt, choice, conversation.name, output, printing)
                print_prompt_notes(prompt, choice, printing)
                n_before += 1


def _check(
    files: tuple[str, ...], user: str | None, against: str | None, block_size: int | None, views: list[str]
) -> None:
    if user is not None and files:
        raise click.UsageError("--user is a message in place of a file: give one of both")
    if len(views) > 1:
        raise click.UsageError(f"{' and '.join(views)} print different things: give one of them")
    if block_size is not None and against is None:
        raise click.UsageError("--block-size says how --against counts: it needs --against OLD")
    if against is None:
        return
    if set(views) - {"--json"}:
        raise click.UsageError(f"--against prints a difference: it takes no {views[0]}")
    if len(files) > 1:
        raise click.UsageError("--against compares one conversation: it takes no second file")
    if against == "-" and user is None and files in {(), ("-",)}:
        raise click.UsageError("standard input is one conversation: name a file for the new one")


def _given(user: str, printing: Printing) -> Iterator[NamedConversation]:
    if user.startswith("@") and os.path.isfile(user[1:]):  # noqa: PTH113 - False, where Path raises, for a name too long
        printing.note(
            f'note: --user {user} is that text, not the file; --user "$(cat {shlex.quote(user[1:])})" sends its text'
        )
    yield NamedConversation("<user>", [{"role": "user", "content": user}])


def _prompt(choice: Choice, conversation: NamedConversation, arguments: Mapping[str, Any]) -> ChatPrompt:
    try:
        return choice.tokenizer.chat(conversation.messages, **arguments)
    except ChatError as error:
        if conversation.name.startswith("<"):
            raise
        message = f"{conversation.name}: {error.message}"
        raise type(error)(message, hint=error.hint, **error.fields()) from None
    except PieceworkError:
        raise
    except ValueError as error:
        raise click.UsageError(f"--arg {error}") from None


def _print_differences(
    found: list[NamedConversation],
    against: str,
    chosen: list[Choice],
    output: Output,
    *,
    printing: Printing,
    arguments: Mapping[str, Any],
    block_size: int | None,
) -> None:
    olds = list(read_conversations((against,), printing))
    if len(olds) != 1 or len(found) != 1:
        raise click.UsageError("--against compares one conversation with one: a file here holds several")
    for at, choice in enumerate(chosen):
        new = _prompt(choice, found[0], arguments)
        difference = new.difference(_prompt(choice, olds[0], arguments), block_size=block_size)
        if printing.json:
            names = {"name": found[0].name, "against": olds[0].name}
            output.json("piecework.difference/1", {**names, **choice.to_dict(), **difference.to_dict()})
        else:
            output.line(f"\n{difference}" if at else str(difference))
        printing.note(choice.describe())
