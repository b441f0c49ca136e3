"""Make the pictures of docs/pictures from bundled tokenizers and built-in samples; `--check` compares with what is there.

An SVG is compared byte for byte: its only font comes with the converter. A PNG is drawn by the machine's own arithmetic, so
of it only the size is compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import piecework as pw
from tools import picture_data as data

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
_SAMPLES = "Built-in samples: a demonstration, not evidence"
_PNG_SIZE = slice(16, 24)


def _budget() -> pw.Chart:
    return pw.plot(data.budget(), kind="budget", window=32_768)


def _curve() -> pw.Chart:
    return pw.plot(
        data.compression_curve(),
        kind="compression-curve",
        subtitle=f"The first ranks of o200k_base alone. {_SAMPLES}",
    )


def _bars() -> pw.Chart:
    return pw.plot(data.content(), kind="bars", subtitle=_SAMPLES)


def _heat_map() -> pw.Chart:
    return pw.plot(data.premiums(), kind="heat-map", subtitle=f"English is 1. {_SAMPLES}")


def _premium() -> pw.Chart:
    return pw.plot(
        data.premium_intervals(),
        kind="premium",
        reference="English",
        subtitle=f"95 % intervals, paired bootstrap over 12 lines. {_SAMPLES}",
    )


def _lengths() -> pw.Chart:
    return pw.plot([pw.load(name) for name in data.TOKENIZERS])


PICTURES: dict[str, Callable[[], pw.Chart]] = {
    "bars.svg": _bars,
    "budget.png": _budget,
    "budget.svg": _budget,
    "compression-curve.svg": _curve,
    "conversation.svg": lambda: pw.plot(data.conversation(), kind="conversation", window=4_096),
    "heat-map.svg": _heat_map,
    "lattice.svg": lambda: pw.plot(data.lattice("t5", "▁tokenization"), kind="lattice"),
    "merge-tree.svg": lambda: pw.plot(data.merges("qwen3", " castanha"), kind="merge-tree"),
    "merge-tree-emoji.svg": lambda: pw.plot(
        data.merges("qwen3", " 🚀"),
        kind="merge-tree",
        title="The merges of a space and a rocket emoji, in the display alphabet",
    ),
    "premium.svg": _premium,
    "token-lengths.svg": _lengths,
}


def main(arguments: list[str]) -> int:
    """Make the pictures, or compare them.

    Args:
        arguments: Nothing, or `--check`.

    Returns:
        0; with `--check` 1 where a picture differs, is missing, or is not made here.
    """
    if arguments not in ([], ["--check"]):
        print("usage: python -m tools.make_pictures [--check]", file=sys.stderr)
        return 2
    if arguments:
        return _check()
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        print(f"{name}: {draw().save(FOLDER / name).stat().st_size:,} bytes")
    return 0


def differing() -> list[str]:
    """The names of pictures that are not what would be made now."""
    there = {path.name for path in FOLDER.iterdir()}
    changed = [name for name in PICTURES if name in there and not _is_same(name)]
    return sorted([*changed, *there.symmetric_difference(PICTURES)])


def _check() -> int:
    found = differing()
    for name in found:
        print(f"docs/pictures/{name} is not what is made now: run `make docs-pictures` and look at it")
    return 1 if found else 0


def _is_same(name: str) -> bool:
    made = PICTURES[name]().render("png" if name.endswith(".png") else "svg")
    there = (FOLDER / name).read_bytes()
    return made[_PNG_SIZE] == there[_PNG_SIZE] if name.endswith(".png") else made == there


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
