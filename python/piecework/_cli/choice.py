"""From -m to tokenizers, with what each one's results are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._cli.settings import default_model
from piecework._files.load import way_out
from piecework._files.registry import SERVED_HINT
from piecework._tokenizer import load_or_assume
from piecework.errors import UnknownTokenizerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.options import Printing
    from piecework._tokenizer import Tokenizer
    from piecework._types import Basis

__all__ = ["Choice", "choices", "chosen_names"]


class Choice(NamedTuple):
    """A model as named, and the tokenizer that reads for it.

    Attributes:
        model: The name.
        tokenizer: Its tokenizer, or the assumed one.
        basis: `"exact"`, or `"estimate"` for an assumed one.
    """

    model: str
    tokenizer: Tokenizer
    basis: Basis

    @property
    def label(self) -> str:
        """The model's name, with the tokenizer's where that is another."""
        name = self.tokenizer.name
        return self.model if self.model == name else f"{self.model} ({name})"

    def describe(self) -> str:
        """Returns basis, tokenizer and fingerprint as one line."""
        basis = "estimate (assumed)" if self.basis == "estimate" else self.basis
        model = "" if self.model == self.tokenizer.name else f" for {self.model}"
        return f"{basis} · {self.tokenizer.name}{model} · fingerprint {self.tokenizer.fingerprint[:12]}"

    def to_dict(self) -> dict[str, object]:
        """Returns model, tokenizer, fingerprint and basis."""
        return {
            "model": self.model,
            "tokenizer": self.tokenizer.name,
            "fingerprint": self.tokenizer.fingerprint,
            "basis": self.basis,
            "assumed": self.basis == "estimate",
        }


def choices(models: Sequence[str], assume: str | None, printing: Printing) -> list[Choice]:
    """Loads the tokenizers of the models named by -m, or of the default one, which it says.

    Raises:
        UnknownTokenizerError: A name is unknown and nothing is assumed.
        LoadError: A file cannot be loaded.
    """
    return [_choice(model, assume) for model in chosen_names(models, printing)]


def chosen_names(models: Sequence[str], printing: Printing) -> list[str]:
    """The names of -m, each once, or that of the default model, which it says."""
    if models:
        return list(dict.fromkeys(models))
    default = default_model()
    if default.source is None:
        printing.note(f"no model named; using {default.model} (-m NAME, PIECEWORK_MODEL, or piecework.toml)")
    else:
        printing.note(f"model {default.model}, from {default.source}")
    return [default.model]


def _choice(model: str, assume: str | None) -> Choice:
    try:
        return Choice(model, *load_or_assume(model, assume=assume))
    except UnknownTokenizerError as error:
        if "," in model:
            again = " ".join(f"-m {name.strip()}" for name in model.split(",") if name.strip())
            raise UnknownTokenizerError(
                error.message, hint=f"-m takes one name: {again}", **error.fields()
            ) from None
        raise UnknownTokenizerError(error.message, hint=_hint(error), **error.fields()) from None


def _hint(error: UnknownTokenizerError) -> str:
    way = way_out(error.name)
    # A file or a folder is meant then, and no name that is like it.
    if way is not None and "models add" not in way:
        return way
    if error.hint == SERVED_HINT:
        return f"{SERVED_HINT}; --assume NAME estimates with a tokenizer"
    fetch = "" if way is None else f"{way}; "
    close = f"close names are {', '.join(error.close_matches)}; else " if error.close_matches else ""
    return f"{fetch}{close}-m path/to/tokenizer.json loads its own, --assume NAME estimates with another"
