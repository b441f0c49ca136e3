"""Check the shape of the sources: Rust layers, where `unsafe` may stand, and how long a file may be.

`crates/piecework-core/src/lib.rs` is the one list of layers: a comment `// Layer 2: ...` starts a layer, and the `mod`
lines below it are its modules. A module uses its own layer and those above it, and modules do not use each other in a
circle. Cargo checks the rest: that the engine depends on no other crate of the workspace.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE = Path("crates/piecework-core/src")
BINDING = Path("crates/piecework-py/src")

# Where `unsafe` is allowed, with the numbers that make it safe beside it. A name stands for `name.rs` and `name/`.
UNSAFE_MAY_STAND_IN = (CORE / "fast", CORE / "image", BINDING / "buffer", BINDING / "arrow")

MAX_LINES = 600
_MADE_BY_A_PROGRAM = "Not edited by hand."

_LAYER = re.compile(r"^// Layer (\d+):")
_MODULE = re.compile(r"^(?:pub(?:\([a-z]+\))? )?mod (\w+)")
_RAW_STRING = re.compile(r'\bb?r(#*)".*?"\1', re.DOTALL)
_NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'""",
    re.DOTALL,
)
_USE = re.compile(r"\bcrate::(\{)?|\b(?:super::)+(?=\w)")
_NAME = re.compile(r"\w+")


def main() -> int:
    """Print every finding.

    Returns:
        0 where there is none, 1 where there are some.
    """
    findings = [*check_layers(ROOT), *check_unsafe(ROOT), *check_sizes(ROOT)]
    for finding in findings:
        print(finding)
    if not findings:
        n_modules = len(read_layers(ROOT))
        print(
            f"{n_modules} Rust modules in their layers; unsafe only where it may stand; no file over {MAX_LINES} lines"
        )
    return 1 if findings else 0


def read_layers(root: Path) -> dict[str, int]:
    """The layer of each module that the engine's lib.rs lists.

    Raises:
        ValueError: A module stands before the first layer comment, so that it belongs to none.
    """
    layers: dict[str, int] = {}
    layer = None
    for line in (root / CORE / "lib.rs").read_text(encoding="utf-8").splitlines():
        if found := _LAYER.match(line):
            layer = int(found[1])
        elif found := _MODULE.match(line):
            if layer is None:
                raise ValueError(
                    f"{CORE / 'lib.rs'}: module {found[1]} stands before the first `// Layer N:`"
                )
            layers[found[1]] = layer
    return layers


def check_layers(root: Path) -> Iterator[str]:
    """Uses of a module from a higher layer, circles of modules, and files that no layer lists."""
    layers = read_layers(root)
    # Within a layer only: a circle through two layers shows as a use of the higher one.
    uses: dict[str, set[str]] = {module: set() for module in layers}
    for path in sorted((root / CORE).rglob("*.rs")):
        where = path.relative_to(root)
        module = path.relative_to(root / CORE).parts[0].removesuffix(".rs")
        if module == "lib":
            continue
        if module not in layers:
            yield f"{where}: lib.rs lists module {module} in no layer"
            continue
        for line, used in _uses(path.read_text(encoding="utf-8"), set(layers)):
            if layers[used] == layers[module]:
                uses[module].add(used)
            elif layers[used] > layers[module]:
                yield f"{where}:{line}: {module} (layer {layers[module]}) uses {used} (layer {layers[used]})"
    for circle in _circles(uses):
        yield f"{CORE}: modules use each other in a circle: {' → '.join(circle)}"


def check_unsafe(root: Path) -> Iterator[str]:
    """Unsafe code, or leave for it, outside the few files that may hold it."""
    for path in sorted((root / "crates").rglob("*.rs")):
        where = path.relative_to(root)
        if any(where.with_suffix("") == place or place in where.parents for place in UNSAFE_MAY_STAND_IN):
            continue
        code = _code(path.read_text(encoding="utf-8"))
        for found in re.finditer(r"\bunsafe\b|\b(?:allow|expect)\s*\(\s*unsafe_code", code):
            line = code.count("\n", 0, found.start()) + 1
            yield f"{where}:{line}: unsafe may stand only in {', '.join(map(str, UNSAFE_MAY_STAND_IN))}"


def check_sizes(root: Path) -> Iterator[str]:
    """Source files that are too long to hold one idea; what a program made may be."""
    for folder, kind in (("crates", "*.rs"), ("python", "*.py"), ("tools", "*.py"), ("tests", "*.py")):
        for path in sorted((root / folder).rglob(kind)):
            text = path.read_text(encoding="utf-8")
            n_lines = text.count("\n")
            if n_lines > MAX_LINES and _MADE_BY_A_PROGRAM not in text[:500]:
                yield f"{path.relative_to(root)}: {n_lines} lines; over {MAX_LINES} there is a second idea in it"


def _code(source: str) -> str:
    """The source without comments and literals, each replaced by its line ends, so that lines keep their numbers."""

    def lines_only(found: re.Match[str]) -> str:
        return " " + "\n" * found[0].count("\n")

    return _NO_CODE.sub(lines_only, _RAW_STRING.sub(lines_only, source))


def _uses(source: str, modules: set[str]) -> Iterator[tuple[int, str]]:
    """Each (line, module) that the code reaches by `crate::` or by climbing out with `super::`."""
    code = _code(source)
    for found in _USE.finditer(code):
        if found[1]:
            names = list(_group(code, found.end()))
        else:
            name = _NAME.match(code, found.end())
            names = [name[0]] if name else []
        line = code.count("\n", 0, found.start()) + 1
        yield from ((line, name) for name in names if name in modules)


def _group(code: str, start: int) -> Iterator[str]:
    """The first names of the paths in `{a, b::c, d::{e, f}}`, whose brace stands before start."""
    depth = 1
    expects_name = True
    for token in re.finditer(r"[{},]|::|\w+", code[start:]):
        text = token[0]
        if text == "{":
            depth += 1
        elif text == "}":
            depth -= 1
            if depth == 0:
                return
        elif text == ",":
            expects_name = depth == 1
        elif text != "::" and expects_name and depth == 1:
            yield text
            expects_name = False


def _circles(uses: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """One path for each circle that a walk through the modules of a layer closes."""
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> Iterator[list[str]]:
        if module in path:
            yield [*path[path.index(module) :], module]
            return
        if module in done:
            return
        for used in sorted(uses[module] - {module}):
            yield from walk(used, [*path, module])
        done.add(module)

    for module in uses:
        yield from walk(module, [])


if __name__ == "__main__":
    sys.exit(main())
