"""`piecework models`: the names that are known, the encodings they stand for, and `add`, the only download."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.help_text import ExampleCommand
from piecework._cli.options import printing_options
from piecework._cli.output import open_output
from piecework._explain.columns import columns
from piecework._files.registry import ENCODINGS, model_rows, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.options import Printing
    from piecework._files.hub_fetch import Fetched, Plan

__all__ = ["command"]

_EXAMPLES = (
    "piecework models",
    "piecework models gpt-4o-2024-08-06 o1",
    "piecework models | grep qwen3",
    "piecework models --json",
)
_FIELDS = ("name", "encoding", "source", "checked")


@click.command("models", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("names", nargs=-1, metavar="[NAME]... | add NAME[@REVISION]...")
@printing_options
def command(*, names: tuple[str, ...], printing: Printing) -> None:
    """List the models and encodings that are known by name, look names up, or add one.

    Each row says where it is written that the model reads with the encoding, and when that was checked. An OpenAI model
    is also known with a snapshot's date (gpt-4o-2024-08-06). All of these are bundled.

    `add` fetches the tokenizer of a repository of the Hugging Face hub, as organization/name or
    organization/name@revision, into the hub's own cache, where -m finds it. Nothing else here asks the network, and
    weights are never fetched. It needs the extra `hub`.
    """
    if names[:1] == ("add",):
        _add(names[1:], printing)
        return
    rows = [_look_up(name) for name in names] if names else _all_rows()
    with open_output(printing.output) as output:
        if printing.json:
            output.json(
                "piecework.models/1", {"models": [dict(zip(_FIELDS, row, strict=True)) for row in rows]}
            )
        elif names:
            for line in columns([row[:2] for row in rows]):
                output.line(line)
        else:
            for line in columns([["name", "encoding", "where that is said", "checked"], *rows]):
                output.line(line)


def _all_rows() -> list[Sequence[str]]:
    encodings = [(name, name, "an encoding", "") for name in ENCODINGS]
    return [*encodings, *((row.name, row.encoding, row.source, row.checked) for row in model_rows())]


def _look_up(name: str) -> Sequence[str]:
    """The row of a name; one that only follows from another (a snapshot, a fine-tuned model) says so."""
    encoding = resolve(name)
    for row in _all_rows():
        if row[0] == name:
            return row
    return (name, encoding, "a snapshot or a fine-tuned model of a row", "")


def _add(names: tuple[str, ...], printing: Printing) -> None:
    """Fetches tokenizers, and loads each to show that it can be used."""
    if not names:
        raise click.UsageError("add what? piecework models add organization/name")
    from piecework._files.hub_fetch import fetch_tokenizer  # noqa: PLC0415 - the other runs fetch nothing
    from piecework._tokenizer import load  # noqa: PLC0415

    def announce(plan: Plan) -> None:
        n_files = len(plan.files)
        printing.note(
            f"fetching {plan.name}: {n_files} files, {plan.n_bytes:,} bytes, revision {plan.commit}"
        )

    added: list[dict[str, object]] = []
    with open_output(printing.output) as output:
        for name in names:
            fetched = fetch_tokenizer(name, offline=printing.offline, announce=announce)
            tokenizer = load(fetched.folder)
            added.append(_row(fetched, tokenizer.fingerprint))
            if not printing.json:
                for line in _lines(fetched, tokenizer.fingerprint):
                    output.line(line)
        if printing.json:
            output.json("piecework.models-add/1", {"added": added})


def _row(fetched: Fetched, fingerprint: str) -> dict[str, object]:
    return {
        "name": str(fetched.plan.name),
        "revision": fetched.plan.commit,
        "folder": str(fetched.folder),
        "n_bytes": sum(file.n_bytes for file in fetched.files),
        "fingerprint": fingerprint,
        "files": [
            {"name": file.name, "n_bytes": file.n_bytes, "sha256": file.sha256} for file in fetched.files
        ],
    }


def _lines(fetched: Fetched, fingerprint: str) -> list[str]:
    n_bytes = sum(file.n_bytes for file in fetched.files)
    head = columns(
        [
            ["name", str(fetched.plan.name)],
            ["revision", fetched.plan.commit],
            ["size", f"{n_bytes:,} bytes in {len(fetched.files)} files"],
            ["fingerprint", fingerprint],
            ["folder", str(fetched.folder)],
        ]
    )
    files = [["", file.name, f"{file.n_bytes:,}", f"sha256 {file.sha256}"] for file in fetched.files]
    return [*head, *columns(files, right=frozenset({2}))]
