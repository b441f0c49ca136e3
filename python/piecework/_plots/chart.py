"""A chart that is drawn: its Vega-Lite definition, and the files that can be made of it, offline."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from piecework._optional import optional_module
from piecework._plots.page import page
from piecework._plots.svg_ids import steady_ids
from piecework.errors import OutputError

if TYPE_CHECKING:
    import os
    from pathlib import Path
    from types import ModuleType

__all__ = ["Chart", "PictureFormat", "picture_format"]

PictureFormat = Literal["svg", "png", "html", "json"]

_FORMATS: dict[str, PictureFormat] = {".svg": "svg", ".png": "png", ".html": "html", ".json": "json"}
# The Vega-Lite that definitions are written for and pictures are made with; Altair writes the same into `$schema`.
_VEGA_LITE = "6.4"
# Two pixels of a PNG for one of the definition: sharp on today's screens and on paper.
_PNG_SCALE = 2.0


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart. It shows itself in a notebook as an SVG picture, without JavaScript.

    Attributes:
        kind: The kind of chart.
        title: What it says above the picture.
        definition: The Vega-Lite definition, data included.
    """

    kind: str
    title: str
    definition: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        counts = ", ".join(f"{len(rows)} {name}" for name, rows in self.definition["datasets"].items())
        return f"{self.title} ({self.kind}: {counts})"

    def to_dict(self) -> dict[str, Any]:
        """Returns the Vega-Lite definition: any program that reads Vega-Lite can draw it or change it."""
        return copy.deepcopy(self.definition)

    def save(self, path: str | os.PathLike[str]) -> Path:
        r"""Saves the chart; the file appears under its name when it is whole.

        Args:
            path: A file whose suffix says what is made: `.svg`, `.png` (twice the definition's pixels), `.html` (a page with
                tooltips that holds every script it needs) or `.json` (the Vega-Lite definition).

        Returns:
            The path that was written, `~` at its beginning resolved.

        Raises:
            ValueError: The suffix is none of these.
            MissingExtraError: vl-convert is not installed, which makes all but `.json`.
            OutputError: The file cannot be written, or no picture can be made of the definition.

        Examples:
            >>> import tempfile
            >>> import piecework as pw
            >>> rows = [{"part": "system", "n_tokens": 300}, {"part": "history", "n_tokens": 4100}]
            >>> chart = pw.plot(rows, kind="budget", window=8192)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     chart.save(f"{folder}/budget.svg").read_bytes()[:5]
            b'<svg '

        Complexity: O(rows of the definition).
        """
        # Only what is saved needs the room of files.
        from piecework._files.whole_files import target_path, write_files  # noqa: PLC0415

        target = target_path(path)
        content = self.render(picture_format(target))
        if not target.parent.is_dir():
            # A folder may be made for a model that is saved; a typing error in a picture's name is no wish for one.
            reason = "its folder does not exist"
            raise OutputError(f"{target} cannot be written: {reason}", path=str(target), reason=reason)
        (written,) = write_files({target: content})
        return written

    def render(self, format: PictureFormat) -> bytes:  # noqa: A002 - the word of `save`
        """Returns what a file of a format holds; the errors are those of `save`."""
        if format == "json":
            return (json.dumps(self.definition, indent=2, ensure_ascii=False) + "\n").encode()
        converter = optional_module("vl_convert", extra="plots")
        if format == "html":
            scripts = converter.javascript_bundle(vl_version=_VEGA_LITE)
            return page(self.title, self.definition, scripts).encode()
        return self._picture(converter, format)

    def _picture(self, converter: ModuleType, format: PictureFormat) -> bytes:  # noqa: A002
        # No address is allowed: the data stand in the definition, and nothing is fetched for a picture.
        fixed = {"vl_version": _VEGA_LITE, "allowed_base_urls": []}
        try:
            if format == "png":
                png: bytes = converter.vegalite_to_png(self.definition, scale=_PNG_SCALE, **fixed)
                return png
            svg: str = converter.vegalite_to_svg(self.definition, **fixed)
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise OutputError(
                f"no picture can be made of this chart: {reason}", path=self.title, reason=reason
            ) from error
        return steady_ids(svg).encode()

    def _repr_html_(self) -> str:
        return self.render("svg").decode()


def picture_format(path: str | os.PathLike[str]) -> PictureFormat:
    """The format that a file's suffix stands for.

    Raises:
        ValueError: The suffix is that of no format that is written.

    Examples:
        >>> picture_format("pictures/premium.SVG")
        'svg'
    """
    from pathlib import PurePath  # noqa: PLC0415 - loaded with the first path

    suffix = PurePath(path).suffix
    found = _FORMATS.get(suffix.lower())
    if found is None:
        named = f"a file that ends in {suffix}" if suffix else "a file without a suffix"
        raise ValueError(
            f"a chart is saved as {', '.join(_FORMATS)}; {named} ({PurePath(path).name}) says none of them"
        )
    return found
