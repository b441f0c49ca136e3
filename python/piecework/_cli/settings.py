"""Which model is meant when none is named: the environment's, else that of the nearest piecework.toml that has one, else o200k_base."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import click

from piecework._files.load import is_path

__all__ = ["Default", "default_model"]

FALLBACK = "o200k_base"
_FILE = "piecework.toml"


class Default(NamedTuple):
    """A model that nobody named on the command line, and who named it.

    Attributes:
        model: Its name.
        source: The place that names it; None where none does.
    """

    model: str
    source: str | None


def default_model() -> Default:
    """Finds the default model.

    Raises:
        click.UsageError: A piecework.toml on the way cannot be read, has an unknown setting, or its default is no name.
    """
    named = os.environ.get("PIECEWORK_MODEL", "").strip()
    if named:
        return Default(named, "PIECEWORK_MODEL")
    here = Path.cwd()
    # A file that names no model leaves the choice to those above it.
    for folder in (here, *here.parents):
        file = folder / _FILE
        if file.is_file():
            model = _model_in(file)
            if model is not None:
                return Default(model, str(file))
    return Default(FALLBACK, None)


def _model_in(file: Path) -> str | None:
    import tomllib  # noqa: PLC0415 - only where there is such a file

    try:
        default = tomllib.loads(file.read_text(encoding="utf-8")).get("default", {})
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{file} cannot be read: {error}") from error
    if not isinstance(default, dict):
        raise click.UsageError(f'{file}: default is a table: [default], then model = "NAME"')
    for key in default:
        if key != "model":
            raise click.UsageError(f"{file}: [default] has no setting {key!r}; it has model")
    model = default.get("model")
    if model is not None and (not isinstance(model, str) or not model.strip()):
        raise click.UsageError(f"{file}: [default] model must be a name, not {model!r}")
    # A path in the file is meant from where the file is.
    if model is None or not is_path(model, folder=file.parent):
        return model
    return str(file.parent / Path(model).expanduser())
