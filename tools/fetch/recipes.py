"""Recipes: from the files of packages to named texts, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tools.fetch.store import Archive

Recipe = Callable[[Mapping[str, Archive]], dict[str, str]]

RECIPES: dict[str, Recipe] = {}
