"""Window, price and KV cache of the models of a comparison, from the price tables and from configs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from piecework._measure.model_figures import ModelFigures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["figures_of_models"]


def figures_of_models(
    columns: Sequence[tuple[str, str]], configs: Mapping[str, str | os.PathLike[str]]
) -> list[ModelFigures]:
    """Finds what is known of each model.

    Args:
        columns: What each column is called, and what was asked for: a model's name, a file or a folder.
        configs: The config.json of models, by what was asked for; of a model's folder its own is taken.

    Raises:
        ValueError: A config is for none of the models.
        InputError: A config cannot be read, or says too little.
    """
    from piecework._cost.columns import model_columns  # noqa: PLC0415 - loads the price tables

    if unknown := set(configs) - {asked for _, asked in columns}:
        raise ValueError(f"there is no model {', '.join(sorted(unknown))} in this comparison")
    found = []
    for name, asked in columns:
        known = model_columns(asked)
        config = configs.get(asked) or _own_config(asked)
        missing = list(known.missing)
        if config is None:
            missing.append("no config.json, so the KV cache is not known")
        found.append(
            ModelFigures(
                name=name,
                window_tokens=None if known.window is None else known.window.n_tokens,
                window_source=None if known.window is None else str(known.window.source),
                input_usd=known.input_usd,
                price_source=None if known.source is None else str(known.source),
                kv_token_bytes=None if config is None else _token_bytes(config),
                missing=tuple(missing),
            )
        )
    return found


def _own_config(asked: str) -> Path | None:
    """The config.json of a model's folder."""
    path = Path(asked) / "config.json"
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):
        return None


def _token_bytes(config: str | os.PathLike[str]) -> int:
    from piecework import memory  # noqa: PLC0415 - only where there is a config

    return memory.kv_cache(config, n_tokens=1).token_bytes
