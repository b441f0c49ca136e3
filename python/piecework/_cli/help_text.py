"""Help that ends with examples, kept as data so that a test can run each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ExampleCommand", "write_examples"]


class ExampleCommand(click.Command):
    """A command with examples.

    Attributes:
        examples: Command lines, as typed in a shell.
    """

    def __init__(self, *args: Any, examples: Sequence[str], **kwargs: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples, each on a line of its own, as long as it is."""
        del ctx
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Writes a section of examples without wrapping them."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
