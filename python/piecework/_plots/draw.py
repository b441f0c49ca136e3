"""The one way to a chart: find what a result is, read its rows, draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._optional import optional_module
from piecework._plots.drawing import Options, finish
from piecework._plots.kinds import Kind, kind_of
from piecework._plots.rows import read_rows
from piecework._plots.sources import drawable

if TYPE_CHECKING:
    from piecework._plots.chart import Chart
    from piecework._plots.kinds import KindName

__all__ = ["plot"]


def plot(
    result: object,
    *,
    kind: KindName | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    measure: str | None = None,
    reference: str | None = None,
    window: int | None = None,
    pretoken: int | None = None,
) -> Chart:
    """Draws a result.

    Args:
        result: One of

            - a result that has rows to draw (its `chart_kinds` says as what);
            - a trace, `tok.explain(text)`: the merges of a pretoken as a tree, or its lattice (`merge-tree`, `lattice`);
            - a tokenizer, or a list of them: how long their tokens are (`token-lengths`);
            - rows, mappings of column to value, with `kind`: `bars`, `budget`, `compression-curve`, `conversation`,
              `heat-map`, `lattice`, `merge-tree`, `premium` or `token-lengths`. docs/plots.md lists the columns of each.
        kind: What is drawn; None for the result's own kind.
        title: What stands above the picture; None for words that say what it shows.
        subtitle: The line under it; None for what the result says of its figures, else the kind's own words.
        measure: For `bars`, `heat-map` and `compression-curve`: the column that is drawn.
        reference: For `premium`: the name of the language that the others are compared with.
        window: For `budget` and `conversation`: the most tokens that the model reads at once.
        pretoken: For a trace: the place of the pretoken; None for the first that has more than one symbol or piece.

    Returns:
        A `Chart`, with `save(path)` for .svg, .png, .html and .json, and `to_dict()` for its Vega-Lite definition. The same
        data give the same definition.

    Raises:
        MissingExtraError: The extra `plots` is not installed.
        TypeError: It is nothing that can be drawn, or a value is of another type than its column.
        ValueError: It cannot be drawn as this kind, the kind does not take an option, or a row lacks a value.

    Examples:
        >>> import piecework as pw
        >>> rows = [
        ...     {"content": "English", "tokenizer": "qwen3", "bytes_per_token": 4.57},
        ...     {"content": "numbers", "tokenizer": "qwen3", "bytes_per_token": 1.0},
        ... ]
        >>> print(pw.plot(rows, kind="bars"))
        Compression by content (bars: 2 bars)

    Complexity: O(rows); for a tokenizer O(size of the vocabulary).
    """
    named = None if kind is None else kind_of(kind)
    found = drawable(result, None if named is None else named.name, pretoken)
    chosen = kind_of(found.kind)
    given = {"measure": measure, "reference": reference, "window": window}
    _check(chosen, {name for name, value in given.items() if value is not None})
    options = Options(
        measure=measure,
        reference=reference,
        window=_window(window),
        subtitle=found.label if subtitle is None else subtitle,
    )
    definition = chosen.definition()
    rows = read_rows(found.rows, definition.columns(options), kind=chosen.name)
    altair = optional_module("altair", extra="plots")
    return finish(definition.draw(altair, rows, options), kind=chosen.name, title=title)


def _check(kind: Kind, given: set[str]) -> None:
    unknown = sorted(given - kind.options)
    if unknown:
        takes = (
            f"takes {', '.join(sorted(kind.options))}"
            if kind.options
            else "takes only a title and a subtitle"
        )
        raise ValueError(f"{kind.name} has no {' and no '.join(unknown)}; it {takes}")


def _window(window: int | None) -> int | None:
    if window is not None and window < 1:
        raise ValueError(f"window is at least 1 token, not {window}")
    return window
