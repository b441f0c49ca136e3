"""The ids inside an SVG: Vega counts them on through a process, so that the same chart would come out differently each time."""

from __future__ import annotations

import re

__all__ = ["steady_ids"]

_TAG = re.compile(r"<[^<>]*>")
_ID = re.compile(r"""(\s(?:id|clip-path|fill|stroke|xlink:href|href)="(?:url\()?#?)(clip|gradient_)(\d+)""")


def steady_ids(svg: str) -> str:
    """Numbers the ids of clips and gradients anew, from 0, in the order in which they stand.

    Examples:
        >>> print(steady_ids('<g clip-path="url(#clip7)">clip7</g><clipPath id="clip7"/><path fill="url(#gradient_3)"/>'))
        <g clip-path="url(#clip0)">clip7</g><clipPath id="clip0"/><path fill="url(#gradient_0)"/>
    """
    numbers: dict[str, dict[str, int]] = {}

    def anew(found: re.Match[str]) -> str:
        of_kind = numbers.setdefault(found[2], {})
        return f"{found[1]}{found[2]}{of_kind.setdefault(found[3], len(of_kind))}"

    # Only inside tags: a label may say what an id looks like.
    return _TAG.sub(lambda tag: _ID.sub(anew, tag[0]), svg)
