"""The tables of a comparison: which there are, and what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from piecework._measure.bootstrap import Interval
from piecework._measure.table_formats import Table

if TYPE_CHECKING:
    from piecework._measure.comparison import Comparison
    from piecework._measure.figures import Cell, TokenizerFigures

__all__ = ["MEASURES", "Measure", "comparison_tables", "percent", "written"]

_LISTED_SUSPECTS = 10
_MAX_DIGITS = 8
# What one digit behind the point would round away.
_UNSEEN = 0.0005
_LOST = "* Text is lost to unknown tokens: few tokens then say little, and the figure flatters."


class Measure(NamedTuple):
    """A figure of a text under a tokenizer.

    Attributes:
        name: Its name in results.
        title: What its table is called.
        write: How a value is written.
    """

    name: str
    title: str
    write: Callable[[float], str]


def _ratio(value: float) -> str:
    return f"{value:.2f}"


def percent(value: float) -> str:
    """A share in percent: what is neither nothing nor all does not read as that.

    Examples:
        >>> percent(0.708), percent(0.0000857), percent(0), percent(0.99968), percent(1)
        ('70.8%', '0.0086%', '0.0%', '99.968%', '100.0%')
    """
    n_digits = 1
    rest = min(value, 1 - value)
    if 0 < rest < _UNSEEN:
        # Two digits of what is small, but no more than a share of a text can mean.
        while rest * 10 ** (n_digits + 1) < 1 and n_digits < _MAX_DIGITS:
            n_digits += 1
    return f"{value:.{n_digits}%}"


MEASURES = (
    Measure("premium", "Premium: tokens relative to the reference, the same meaning", _ratio),
    Measure("tokens_per_word", "Fertility: tokens per word", _ratio),
    Measure("bytes_per_token", "Compression: bytes per token", _ratio),
    Measure("split_share", "Words of more than one token", percent),
    Measure("coverage", "Coverage: characters that the vocabulary has whole", percent),
    Measure("vocabulary_use", "Vocabulary use: share of the vocabulary that occurs", percent),
    Measure("renyi_efficiency", "Rényi efficiency, order 2.5", _ratio),
    Measure("utf8_crossings", "Token boundaries inside a character", percent),
    Measure("digit_alignment", "Digit alignment: groups of three from the right, F1", _ratio),
)
"""The measures, in the order of their tables."""


def comparison_tables(result: Comparison, *, window: int | None) -> list[Table]:
    """The tables of a comparison: three counts for one tokenizer, a table for each measure for several."""
    if len(result.tokenizers) == 1:
        tables = [_counts(result, window), _baselines(result)]
    else:
        tables = [table for measure in MEASURES if (table := _measure_table(result, measure)).rows]
        tables += [_tokens(result, window), _by_tokenizer(result)]
    if result.suspects:
        tables.append(_suspects(result))
    if result.left_out:
        rows = [[one.key, one.reason] for one in result.left_out]
        tables.append(Table("Columns left out: not taken for texts", ["column", "why"], rows))
    return tables


def written(value: float | Interval | None, write: Callable[[float], str]) -> str:
    """A figure with its interval.

    Examples:
        >>> written(Interval(4.142, 3.9, 4.5), lambda value: f"{value:.1f}"), written(None, str)
        ('4.1 (3.9-4.5)', '-')
    """
    if value is None:
        return "-"
    if not isinstance(value, Interval):
        return write(value)
    if value.low is None or value.high is None:
        return write(value.value)
    return f"{write(value.value)} ({write(value.low)}-{write(value.high)})"


def _counts(result: Comparison, window: int | None) -> Table:
    heads = ["text", "rows", "characters", "bytes", "words", "tokens", "bytes/token", "tokens/word"]
    heads += ["premium"] if result.reference is not None else []
    heads += [f"of {window:,}"] if window else []
    rows = []
    for text, cell in zip(result.texts, result.cells, strict=True):
        counts = (text.n_rows, text.n_characters, text.n_bytes, text.n_words, cell.n_tokens)
        row = [text.name, *(f"{n:,}" for n in counts)]
        row[-1] = _marked(cell, row[-1])
        row += [written(cell.bytes_per_token, _ratio), written(cell.tokens_per_word, _ratio)]
        row += [written(cell.premium, _ratio)] if result.reference is not None else []
        rows.append([*row, *_share(cell, window)])
    one = result.tokenizers[0]
    gini = "" if one.gini is None else f" Gini over the premiums: {_gini(one)}."
    lost = f" {_LOST}" if any(cell.n_unknown for cell in result.cells) else ""
    return Table(
        f"{one.name}: characters, bytes, words, tokens", heads, rows, f"{_source(result)}{gini}{lost}"
    )


def _baselines(result: Comparison) -> Table:
    heads = [
        "text",
        "tokens",
        "different",
        "words",
        "different",
        "unseen",
        "characters",
        "different",
        "unseen",
    ]
    rows = []
    for text, cell in zip(result.texts, result.cells, strict=True):
        n_used = round(cell.vocabulary_use * result.tokenizers[0].n_tokens)
        row = [text.name, f"{cell.n_tokens:,}", f"{n_used:,}"]
        for kind in (text.words, text.characters):
            row += [f"{kind.n_pieces:,}", f"{kind.vocab_size:,}", written(kind.unseen_share, percent)]
        rows.append(row)
    one = result.tokenizers[0]
    note = (
        f"What {one.name} ({one.n_tokens:,} tokens) does not have {one.unknown}. A vocabulary of words or of characters "
        "has only what it has seen: unseen is the share of pieces that no other row has, and each of those would be lost "
        "as an unknown token."
    )
    return Table(f"Pieces of {one.name}, of whole words, of characters", heads, rows, note)


def _measure_table(result: Comparison, measure: Measure) -> Table:
    heads = ["text", *(one.name for one in result.tokenizers)]
    rows = []
    for name, cells in _by_text(result):
        values = [getattr(cell, measure.name) for cell in cells]
        if any(value is not None for value in values):
            shown = (written(value, measure.write) for value in values)
            rows.append([name, *(_marked(cell, text) for cell, text in zip(cells, shown, strict=True))])
    is_marked = any(cell.n_unknown for cell in result.cells)
    notes = [_LOST] if is_marked else []
    notes += [_source(result)] if measure.name == "premium" else []
    return Table(measure.title, heads, rows, " ".join(notes) or None)


def _tokens(result: Comparison, window: int | None) -> Table:
    names = [one.name for one in result.tokenizers]
    shares = [f"{name} of {window:,}" for name in names] if window else []
    rows = []
    for (name, cells), text in zip(_by_text(result), result.texts, strict=True):
        counts = (
            text.n_rows,
            text.n_characters,
            text.n_bytes,
            text.n_words,
            *(cell.n_tokens for cell in cells),
        )
        rows.append([name, *(f"{n:,}" for n in counts), *(x for cell in cells for x in _share(cell, window))])
    heads = ["text", "rows", "characters", "bytes", "words", *names, *shares]
    return Table("Counts: characters, bytes, words, tokens", heads, rows)


def _by_tokenizer(result: Comparison) -> Table:
    rows = []
    for one in result.tokenizers:
        found = [cell for cell in result.cells if cell.tokenizer == one.name and cell.premium is not None]
        worst = max(found, key=lambda cell: cell.premium.value if cell.premium else 0, default=None)
        names = {text.key: text.name for text in result.texts}
        most = f"{names[worst.key]} {worst.premium.value:.2f}" if worst and worst.premium else "-"
        most = _marked(worst, most) if worst else most
        rows.append([one.name, f"{one.n_tokens:,}", _gini(one), most, one.unknown])
    heads = ["tokenizer", "vocabulary", "Gini", "highest premium", "what it lacks"]
    note = _LOST if any(one.gini_is_flattered for one in result.tokenizers) else None
    return Table("Tokenizers", heads, rows, note)


def _gini(one: TokenizerFigures) -> str:
    return "-" if one.gini is None else f"{one.gini:.3f}{'*' if one.gini_is_flattered else ''}"


def _suspects(result: Comparison) -> Table:
    what = "kept" if result.keep_suspect else "left out"
    rows = [
        [one.key, str(one.row + 1), one.reason, one.text[:60]] for one in result.suspects[:_LISTED_SUSPECTS]
    ]
    n_more = len(result.suspects) - len(rows)
    note = f"and {n_more:,} more" if n_more else None
    title = f"Suspect rows, {what}: {len(result.suspects):,}"
    return Table(title, ["text", "row", "reason", "what it says"], rows, note)


def _by_text(result: Comparison) -> list[tuple[str, Sequence[Cell]]]:
    n = len(result.tokenizers)
    return [(text.name, result.cells[at * n : (at + 1) * n]) for at, text in enumerate(result.texts)]


def _marked(cell: Cell, text: str) -> str:
    # An unknown token stands for any length of text, so that a vocabulary that has nothing of a language looks cheap.
    return f"{text}*" if cell.n_unknown and text != "-" else text


def _share(cell: Cell, window: int | None) -> list[str]:
    return [percent(cell.n_tokens / window)] if window else []


def _source(result: Comparison) -> str:
    label = f" ({result.label})" if result.label else ""
    reference = f" Reference: {result.reference}." if result.reference is not None else ""
    return f"Texts: {result.source}{label}. Words: {result.segmenter}.{reference}"
