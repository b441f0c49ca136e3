"""Recipes: from the files of packages to named texts, the same bytes every time.

A recipe takes the archives of its packages by name and returns the texts of its set by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tools.fetch.recipes.code import code
from tools.fetch.recipes.english import english
from tools.fetch.recipes.english_manuals import english_manuals
from tools.fetch.recipes.languages import languages
from tools.fetch.recipes.languages_home import languages_home
from tools.fetch.recipes.udhr import emoji, udhr
from tools.fetch.store import Archive

Recipe = Callable[[Mapping[str, Archive]], dict[str, str]]

RECIPES: dict[str, Recipe] = {
    "code": code,
    "emoji": emoji,
    "english": english,
    "english_manuals": english_manuals,
    "languages": languages,
    "languages_home": languages_home,
    "udhr": udhr,
}
