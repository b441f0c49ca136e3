"""The kinds of charts: a name, the file that draws it, and which options it takes. A new kind is a file and a line here."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, cast, get_args

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from piecework._plots.drawing import Drawing, Options
    from piecework._plots.rows import Column, Row

__all__ = ["KINDS", "Kind", "KindName", "kind_of"]

KindName = Literal[
    "bars", "budget", "compression-curve", "conversation", "heat-map", "lattice", "merge-tree", "premium", "token-lengths"
]  # fmt: skip


class _Definition(Protocol):
    """What the file of a kind holds."""

    def columns(self, options: Options) -> list[Column]: ...

    def draw(self, alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing: ...


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of chart.

    Attributes:
        name: Its name.
        module: The file of its definition.
        options: The options that it takes, beside a title.
    """

    name: KindName
    module: str
    options: frozenset[str] = frozenset()

    def definition(self) -> _Definition:
        """Loads the file of the kind."""
        return cast("_Definition", importlib.import_module(f"piecework._plots.{self.module}"))


_MEASURE = frozenset({"measure"})
_WINDOW = frozenset({"window"})
_ALL = (
    Kind("bars", "bars", _MEASURE),
    Kind("budget", "budget", _WINDOW),
    Kind("compression-curve", "compression", _MEASURE),
    Kind("conversation", "conversation", _WINDOW),
    Kind("heat-map", "heat_map", _MEASURE),
    Kind("lattice", "lattice"),
    Kind("merge-tree", "merge_tree"),
    Kind("premium", "premium", frozenset({"reference"})),
    Kind("token-lengths", "token_lengths"),
)

KINDS: tuple[KindName, ...] = get_args(KindName)
"""The names of all kinds."""


def kind_of(name: str) -> Kind:
    """The kind of a name.

    Raises:
        ValueError: No kind has it.
    """
    found = next((kind for kind in _ALL if kind.name == name), None)
    if found is None:
        raise ValueError(f"kind is one of {', '.join(KINDS)}, not {name!r}")
    return found
