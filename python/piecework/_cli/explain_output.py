"""What `explain` prints of one text: its stages, or its trace in one of four forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from piecework._cli.plot_option import save_plot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output
    from piecework._explain import Trace

__all__ = ["View", "draw_trace", "print_stages", "print_trace"]


# Pretokens of each part of a text that --stages lists.
_MAX_PRETOKENS = 1_000


class View(NamedTuple):
    """Which pretokens are explained, and in which form."""

    table: bool
    tree: bool
    word: str | None
    pretoken: int | None
    max_pretokens: int | None
    is_whole: bool = False

    def check(self, *, only_stages: bool, is_json: bool) -> None:
        """Refuses flags that ask for two things at once."""
        chosen = [flag for flag in (self.word, self.pretoken, self.max_pretokens) if flag is not None]
        if self.table + self.tree + only_stages > 1 or (is_json and (self.table or self.tree)):
            raise click.UsageError("--stages, --table, --tree and --json are forms of their own: choose one")
        if len(chosen) > 1 or (chosen and only_stages):
            raise click.UsageError(
                "--word, --pretoken and --max-pretokens choose what is explained: give one"
            )

    def places(self, trace: Trace, *, is_json: bool) -> Sequence[int]:
        """Returns the places of the pretokens to explain."""
        if self.word is not None:
            places = trace.places(self.word)
            if not places:
                raise click.UsageError(f"no pretoken is {self.word!r}; --stages lists them")
            return places
        if self.pretoken is not None:
            if self.pretoken >= len(trace.pretokens):
                n = len(trace.pretokens)
                raise click.UsageError(f"there is no pretoken {self.pretoken}: the text has {n:,}, from 0")
            return (self.pretoken,)
        if self.max_pretokens is not None:
            return trace.distinct(self.max_pretokens)
        return trace.distinct(None) if is_json or self.is_whole else trace.distinct()


def print_stages(
    source: TextInput, choice: Choice, reading: Reading, printing: Printing, output: Output, *, is_whole: bool
) -> None:
    """Prints what each stage makes of a text: of a long one the beginning, unless it is to be whole."""
    from piecework._explain.stages_text import render_stages  # noqa: PLC0415 - --json needs none

    stages = choice.tokenizer.stages(source.data, special=reading.special, errors=reading.errors)
    if printing.json:
        output.json("piecework.stages/1", {"name": source.name, **choice.to_dict(), **stages.members()})
    else:
        max_pretokens = None if is_whole else _MAX_PRETOKENS
        output.line(render_stages(stages, max_pretokens=max_pretokens, is_whole=is_whole))


def print_trace(
    source: TextInput, choice: Choice, reading: Reading, printing: Printing, output: Output, *, view: View
) -> None:
    """Prints why a text became its tokens."""
    from piecework._explain.trace_style import COLORED, PLAIN  # noqa: PLC0415
    from piecework._explain.trace_text import render_table, render_trace  # noqa: PLC0415 - one form is printed
    from piecework._explain.trace_tree import render_tree  # noqa: PLC0415

    trace = _trace(source, choice, reading, view)
    places = view.places(trace, is_json=printing.json)
    style = COLORED if output.is_terminal and not printing.plain else PLAIN
    if printing.json:
        # The reasons are written as they are made.
        members = {**choice.to_dict(), **trace.stages.members(), "why": trace.rows(places)}
        left_out = 0 if view.word or view.pretoken is not None else trace.n_distinct() - len(places)
        output.json("piecework.explain/1", {"name": source.name, **members, "n_left_out": left_out})
    elif view.table:
        output.line(render_table(trace, places))
    elif view.tree:
        output.line(render_tree(trace, places, style, is_whole=view.is_whole))
    else:
        output.line(render_trace(trace, places, style, is_whole=view.is_whole))


def _trace(source: TextInput, choice: Choice, reading: Reading, view: View) -> Trace:
    # The same number as without the argument, which a reader of --json is told of by n_merges.
    most: dict[str, None] = {"max_merges": None} if view.is_whole else {}
    return choice.tokenizer.explain(source.data, special=reading.special, errors=reading.errors, **most)


def draw_trace(
    source: TextInput, choice: Choice, reading: Reading, printing: Printing, *, view: View, path: str | None
) -> None:
    """Draws one pretoken of a text, if a file is named: the one that the view chooses, else the first that was made of several."""
    if path is None:
        return
    trace = _trace(source, choice, reading, view)
    is_chosen = view.word is not None or view.pretoken is not None
    pretoken = view.places(trace, is_json=printing.json)[0] if is_chosen else None
    save_plot(trace, path, printing, pretoken=pretoken)
