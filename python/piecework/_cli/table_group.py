"""A group whose commands are rows of a table: each stands in a file of its own, which is imported when it runs."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import ClassVar, Protocol

import click

__all__ = ["TableGroup"]


class _Row(Protocol):
    @property
    def name(self) -> str: ...


class TableGroup(click.Group):
    """A group of commands that are listed in a table.

    Attributes:
        rows: The table.
        modules: What stands before a command's name in the name of its module.
    """

    rows: ClassVar[Sequence[_Row]]
    modules: ClassVar[str]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the commands' names in the order of the table."""
        del ctx
        return [row.name for row in self.rows]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command; None where the table has no such name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{self.modules}{cmd_name}").command
        return command
