"""The paragraph on method: what a reader needs to have the same figures again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._measure.comparison import Comparison

__all__ = ["methods_text"]


def methods_text(result: Comparison) -> str:
    """Says how the figures of a comparison were made, for a paper or a report."""
    tokenizers = "; ".join(
        f"{one.name} ({one.n_tokens:,} tokens, fingerprint {one.fingerprint[:16]})"
        for one in result.tokenizers
    )
    label = f" They are {result.label}." if result.label else ""
    rows = sorted({text.n_rows for text in result.texts})
    n_rows = f"{rows[0]:,} rows" if len(rows) == 1 else f"{rows[0]:,} to {rows[-1]:,} rows"
    n_rows = "one row" if rows == [1] else n_rows
    left_out = "; ".join(f"{one.key} ({one.reason})" for one in result.left_out)
    parts = [
        f"Measured with Piecework {result.version}. Tokenizers: {tokenizers}.",
        f"Texts: {result.source}, {len(result.texts)} of them with {n_rows} each, SHA-256 {result.sha256}.{label}",
        *([f"Columns left out: {left_out}."] if left_out else []),
        "Text is encoded as it is, a row at a time, without begin and end tokens; control tokens in it are read as text.",
        f"Words: {result.segmenter}.",
        *_reference_parts(result),
        (
            "Fertility is tokens per word; compression is UTF-8 bytes per token; a word is split if more than one token has a "
            "byte of it. Coverage is the share of characters other than white space that stand whole in a known token. "
            "Vocabulary use is the share of the vocabulary that occurs. Rényi efficiency has order 2.5 and is relative to the "
            "tokens that occur (Zouhar et al. 2023). UTF-8 crossings are the share of token boundaries inside a character; "
            "digit alignment is the F1 of boundaries inside numbers against groups of three from the right."
        ),
        *_interval_parts(result),
    ]
    return " ".join(parts)


def _reference_parts(result: Comparison) -> list[str]:
    if result.reference is None:
        return []
    what = "are in the figures all the same" if result.keep_suspect else "are left out"
    return [
        (
            f"Premium (parity) is the tokens of a language over those of {result.reference} on the same rows (Petrov et al. "
            "2023); the Gini coefficient is over the premiums of all parallel languages."
        ),
        f"{len(result.suspects):,} rows that are empty, equal the reference or are in another script {what}.",
    ]


def _interval_parts(result: Comparison) -> list[str]:
    if not result.n_resamples:
        return []
    return [
        (
            f"Intervals are 95 % percentile intervals of a paired bootstrap over rows, {result.n_resamples:,} resamples, "
            f"seed {result.seed}; the same rows are drawn for every tokenizer and language."
        )
    ]
