"""The engines, each as one object with the same three calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tools import references

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENGINES", "Engine", "engines_of", "load"]


class Engine(Protocol):
    """What is measured."""

    def ids(self, text: str) -> object:
        """The ids of one text, in the library's own quickest form."""

    def n_ids(self, ids: object) -> int:
        """How many they are."""

    def count(self, text: str) -> int:
        """The number of ids, the quickest way that the library has."""


class _Piecework:
    def __init__(self, name: str) -> None:
        import piecework as pw  # noqa: PLC0415 - a peer's process does not import it

        self._tok = pw.load(name)
        self.ids = self._tok.ids
        self.count = self._tok.count

    def n_ids(self, ids: object) -> int:
        return len(ids)  # type: ignore[arg-type]


class _Tiktoken:
    def __init__(self, name: str) -> None:
        self.ids = references.tiktoken_encoding(name).encode_ordinary

    def n_ids(self, ids: object) -> int:
        return len(ids)  # type: ignore[arg-type]

    def count(self, text: str) -> int:
        return len(self.ids(text))


_FOLDERS = {"o200k_base": "gpt4o", "cl100k_base": "gpt35turbo", "qwen3": "qwen3"}


class _Tokenizers:
    def __init__(self, name: str) -> None:
        self._tok = references.hf_tokenizer(_FOLDERS[name])
        # Otherwise marker strings in a text become control tokens.
        self._tok.encode_special_tokens = True

    def ids(self, text: str) -> object:
        return self._tok.encode(text, add_special_tokens=False)

    def n_ids(self, ids: object) -> int:
        return len(ids.ids)  # type: ignore[attr-defined]

    def count(self, text: str) -> int:
        return self.n_ids(self.ids(text))


ENGINES: dict[str, Callable[[str], Engine]] = {
    "piecework": _Piecework,
    "tiktoken": _Tiktoken,
    "tokenizers": _Tokenizers,
}


def engines_of(tokenizer: str) -> list[str]:
    """The engines that have this tokenizer."""
    return [name for name in ENGINES if name != "tiktoken" or tokenizer != "qwen3"]


def load(engine: str, tokenizer: str) -> Engine:
    """Loads a tokenizer with an engine."""
    return ENGINES[engine](tokenizer)
