"""The words of a whole corpus, reckoned from those of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework.train.mixing import N_BUCKETS, Scale, drawings
from piecework.train.planning.figures import Planned, estimated, exactly
from piecework.train.planning.growth import Growth, fitted

if TYPE_CHECKING:
    from piecework.train.mix_file import Mix
    from piecework.train.planning.sample import Sample, Size

__all__ = ["CorpusWords", "words_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusWords:
    """Words of a corpus.

    Attributes:
        sample: The sample.
        text_bytes: Bytes of text.
        counted_bytes: Bytes of text that are counted, each as often as it is.
        n_words: Words in them.
        n_distinct: Distinct words.
        growth: The law that these follow.
        is_exact: Whether all words were counted.
    """

    sample: Sample
    text_bytes: Planned
    counted_bytes: Planned
    n_words: Planned
    n_distinct: Planned
    growth: Growth
    is_exact: bool

    def kept(self, min_word_count: int) -> Planned:
        """Distinct words that occur so often."""
        words = self.sample.words
        if min_word_count == 1:
            return self.n_distinct
        n_kept = sum(count >= min_word_count for count in words.values())
        if self.is_exact:
            return exactly(n_kept)
        share = n_kept / len(words)
        return estimated(
            round(self.n_distinct.value * share),
            f"{share:.1%} of the sample's distinct words occur {min_word_count:,} times or more",
        )

    @property
    def mean_bytes(self) -> float:
        """Bytes of a distinct word."""
        return sum(map(len, self.sample.words)) / len(self.sample.words)

    def symbol_bytes(self, min_word_count: int) -> int:
        """Bytes of the distinct words that are kept, together."""
        words = self.sample.words
        lengths = [len(word) for word, count in words.items() if count >= min_word_count]
        if not lengths:
            return 0
        return round(self.kept(min_word_count).value * sum(lengths) / len(lengths))


def words_of(sample: Sample, mix: Mix | None) -> CorpusWords:
    """Reckons the words of the corpus that a sample is of; the sample has a word at least.

    Raises:
        TrainError: The mix cannot be drawn.
    """
    n_text = sum(size.n_text_bytes for size in sample.sizes)
    is_known = all(size.is_exact for size in sample.sizes)
    unpacked = f"{sum(size.n_read for size in sample.sizes):,} bytes of files were unpacked or parsed"
    text_bytes = exactly(n_text) if is_known else estimated(n_text, unpacked)
    counted_bytes, n_different = text_bytes, float(n_text)
    if mix is not None:
        n_drawn, n_different = _drawn(mix, sample.sizes)
        how = "what the mix draws, were all documents of one size"
        counted_bytes = estimated(n_drawn, how)
    growth = fitted(sample.growth)
    if sample.is_whole and mix is None:
        return CorpusWords(
            sample=sample,
            text_bytes=text_bytes,
            counted_bytes=counted_bytes,
            n_words=exactly(sample.n_words, "all were counted"),
            n_distinct=exactly(len(sample.words), "all were counted"),
            growth=growth,
            is_exact=True,
        )
    per_byte = sample.n_words / sample.n_bytes
    law = f"{growth.k:.3g} · words^{growth.b:.3f}, fitted on {growth.n_distinct:,} distinct of {growth.n_words:,} words"
    return CorpusWords(
        sample=sample,
        text_bytes=text_bytes,
        counted_bytes=counted_bytes,
        n_words=estimated(
            round(per_byte * counted_bytes.value),
            f"as in a sample of {sample.n_bytes:,} bytes in {sample.n_pieces:,} pieces",
        ),
        n_distinct=estimated(max(1, growth.n_distinct_at(per_byte * n_different)), law),
        growth=growth,
        is_exact=False,
    )


def _drawn(mix: Mix, sizes: Sequence[Size]) -> tuple[int, float]:
    """Bytes that a mix takes, and bytes of different text among them, if documents are spread evenly over its buckets."""
    scales = []
    for source, size in zip(mix.sources, sizes, strict=True):
        scale = Scale(source.name, mix.seed)
        each, more = divmod(size.n_text_bytes, N_BUCKETS)
        for bucket in range(N_BUCKETS):
            scale.bytes[bucket] = each + (bucket < more)
        scales.append(scale)
    n_drawn, n_different = 0, 0.0
    found, _ = drawings(mix, scales)
    for scale, drawing in zip(scales, found, strict=True):
        n_all, n_more = sum(scale.bytes), sum(scale.bytes[: drawing.n_buckets])
        n_drawn += drawing.n_times * n_all + n_more
        n_different += n_all if drawing.n_times else n_more
    return n_drawn, n_different
