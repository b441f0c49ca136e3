"""One text, or many languages, under several tokenizers: the public functions, which load them and call a room below."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from piecework._tokenizer import load_or_assume

if TYPE_CHECKING:
    from piecework._explain import SideBySide
    from piecework._measure import Comparison
    from piecework._measure.reading import SampleSource
    from piecework._measure.words import Words
    from piecework._tokenizer import Tokenizer
    from piecework._types import Errors, Special, Text

__all__ = ["compare", "side_by_side"]


def side_by_side(
    tokenizers: Sequence[str | os.PathLike[str] | Tokenizer],
    text: Text,
    *,
    special: Special = "text",
    add_special_tokens: bool = False,
    errors: Errors = "strict",
) -> SideBySide:
    """Shows one text under several tokenizers, with the spans ringed that they do not cut alike.

    Args:
        tokenizers: Models' or encodings' names, paths, or tokenizers; at least one.
        text: A str, or its UTF-8 bytes.
        special: What becomes of control tokens in the text: `"text"`, `"parse"` or `"raise"`.
        add_special_tokens: Whether begin and end tokens are in.
        errors: What becomes of broken Unicode: `"strict"` or `"replace"`.

    Returns:
        A `SideBySide`: `str()` puts them one under the other, a notebook in columns; `spans` are the shared and the
        differing parts of the text.

    Raises:
        UnknownTokenizerError: A name is unknown.
        LoadError: A file cannot be loaded.
        EncodeError: As `Tokenizer.encode` does.
        ValueError: There are no tokenizers.

    Examples:
        >>> import piecework as pw
        >>> pw.side_by_side(["gpt2", "qwen3"], "In 1969 we")
        r50k_base: 3 tokens
        In|[·1969]|·we
        qwen3: 7 tokens
        In|[·|1|9|6|9]|·we

    Complexity: As `Tokenizer.encode` for each, and O(n_tokens log n_tokens) to compare.
    """
    from piecework import _explain  # noqa: PLC0415 - counting needs no view

    if isinstance(tokenizers, str) or not tokenizers:
        raise ValueError("side_by_side takes a list of tokenizers, at least one")
    loaded = [load_or_assume(one, assume=None)[0] for one in tokenizers]
    encodings = [
        tokenizer.encode(text, special=special, add_special_tokens=add_special_tokens, errors=errors)
        for tokenizer in loaded
    ]
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return _explain.compare_pieces([tokenizer.name for tokenizer in loaded], encodings, data)


def compare(
    tokenizers: str | os.PathLike[str] | Tokenizer | Sequence[str | os.PathLike[str] | Tokenizer],
    samples: SampleSource = "parallel",
    *,
    words: Words = "whitespace",
    reference: str | None = "en",
    keys: Sequence[str] = (),
    keep_suspect: bool = False,
    worst: Sequence[str] = (),
    n_worst: int = 10,
    n_resamples: int = 1000,
    seed: int = 0,
    errors: Errors = "strict",
    n_threads: int | None = None,
    costs: bool = False,
    configs: Mapping[str, str | os.PathLike[str]] | None = None,
) -> Comparison:
    """Measures what tokenizers make of texts: counts, premiums between languages, and how sure they are.

    Args:
        tokenizers: A model's or an encoding's name, a path or a tokenizer, or several. What is asked for names the column:
            two models may have one encoding.
        samples: `"parallel"`, `"kinds"` or `"fox"`, which are built in; a path with `{lang}` in it (aligned files, a row a
            line); a table `.tsv`, `.csv`, `.jsonl` or `.parquet` with a column for each language; other paths; a mapping of
            keys to texts, or to lists of aligned rows.
        words: The rule for words: `"whitespace"` or `"unicode"`.
        reference: The key of the text that premiums are relative to; None for no premiums.
        keys: Only these texts, and the reference; all where there are none.
        keep_suspect: Whether rows that are empty, equal the reference or are in another script are in the figures.
        worst: The keys of texts whose costliest words are wanted.
        n_worst: How many of them.
        n_resamples: How often rows are drawn for the intervals; 0 for none.
        seed: Where the drawing starts.
        errors: What becomes of broken Unicode: `"strict"` or `"replace"`.
        n_threads: How many threads encode; None for as many as there are cores. Figures do not depend on it.
        costs: Whether window, price and KV cache of each model are in, with what a million characters of each text take.
        configs: With `costs`, the config.json of models, by what was asked for; of a model's folder its own is taken.

    Returns:
        A `Comparison`: `str()` gives its tables, `cell()` a figure, `methods()` how they were made.

    Raises:
        UnknownTokenizerError: A name is unknown.
        LoadError: A file cannot be loaded.
        InputError: Samples cannot be read, or are not aligned.
        EncodeError: A text cannot be encoded.
        TypeError: An argument is of another type, such as a str for a list of keys.
        ValueError: There are no tokenizers, two have one name, or a text is not there.

    Examples:
        >>> import piecework as pw
        >>> result = pw.compare("qwen3", "fox")
        >>> cell = result.cell("qwen3", "hi")
        >>> cell.n_tokens, round(cell.premium.value, 2)
        (58, 4.14)

    Complexity: As encoding for each tokenizer, and O(rows x n_resamples) for each text and tokenizer.
    """
    from piecework._measure import (  # noqa: PLC0415 - as above
        Resampling,
        Settings,
        Subject,
        compare_tokenizers,
        named_subjects,
    )
    from piecework._measure.reading import read_samples  # noqa: PLC0415

    is_one = isinstance(tokenizers, str | os.PathLike) or not isinstance(tokenizers, Sequence)
    named = cast("Sequence[str | os.PathLike[str] | Tokenizer]", [tokenizers] if is_one else tokenizers)
    loaded = [load_or_assume(one, assume=None)[0] for one in named]
    settings = Settings(
        words,
        reference,
        Resampling(n_resamples, seed),
        keep_suspect,
        worst,
        n_worst,
        errors,
        n_threads=n_threads,
    )
    asked = [
        os.fsdecode(one) if isinstance(one, str | os.PathLike) else found.name
        for one, found in zip(named, loaded, strict=True)
    ]
    subjects = [
        Subject(name, found._native, found.name)  # noqa: SLF001 - rooms below know no Tokenizer
        for name, found in zip(asked, loaded, strict=True)
    ]
    if configs and not costs:
        raise ValueError("configs= goes with costs=True")
    columns = named_subjects(subjects)
    result = compare_tokenizers(
        columns, read_samples(samples, keys=keys, reference=reference, errors=errors), settings
    )
    if not costs:
        return result
    from piecework._api.model_columns import figures_of_models  # noqa: PLC0415 - loads the price tables
    from piecework._measure.model_figures import with_models  # noqa: PLC0415 - as above

    names = [(one.name, model) for one, model in zip(columns, asked, strict=True)]
    return with_models(result, figures_of_models(names, configs or {}))
