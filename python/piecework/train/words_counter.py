"""Counts words into a file: one machine of many counts its part, and the files are added up where merges are learned."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from piecework._files.whole_files import target_path
from piecework._plural import plural
from piecework.errors import EmptyCorpusError
from piecework.train.count_file_writer import check_count_path, write_count_file
from piecework.train.progress import TrainingProgress
from piecework.train.request import Request
from piecework.train.sources.units import part_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from piecework._types import Text
    from piecework.train.counting import Counted
    from piecework.train.progress import Progress
    from piecework.train.sources import OnInvalid, Words

__all__ = ["WordsReport", "words"]

_BATCH_WORDS = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsReport:
    """What was counted into a file. Every number is exact.

    Attributes:
        path: The file.
        n_words: Words, each as often as it occurs.
        n_distinct_words: Distinct words: the lines or rows of the file.
        n_bytes: Bytes of all words, each as often as it occurs.
        n_invalid: Byte sequences that were no UTF-8, replaced or left out with their texts.
        part: Which part of how many it is; None for the whole corpus.
        inputs: SHA-256 over the files' names, sizes and beginnings, of all parts; None for texts, which have none.
        mix: What was taken of which source of a mix, in all parts together; None without a mix.
    """

    path: str
    n_words: int
    n_distinct_words: int
    n_bytes: int
    n_invalid: int
    part: tuple[int, int] | None
    inputs: str | None
    mix: Mapping[str, object] | None

    def __str__(self) -> str:
        part = f"part {self.part[0]}/{self.part[1]}: " if self.part else ""
        invalid = f"; {plural(self.n_invalid, 'sequence')} not UTF-8" if self.n_invalid else ""
        return (
            f"{part}{plural(self.n_words, 'word')} ({self.n_distinct_words:,} distinct, {plural(self.n_bytes, 'byte')})"
            f"{invalid} → {self.path}"
        )

    def to_dict(self) -> dict[str, object]:
        """Returns everything as JSON can hold it."""
        values = asdict(self)
        values["part"] = None if self.part is None else list(self.part)
        return {"schema": "piecework.words-report/1", **values}


def words(
    path: str | os.PathLike[str],
    *,
    files: Iterable[str | os.PathLike[str]] | None = None,
    texts: Iterable[Text] | None = None,
    words: Words | None = None,
    mix: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    field: str = "text",
    pre_tokenizer: str | None = "default",
    normalizer: str | Iterable[str] | None = None,
    part: str | tuple[int, int] | None = None,
    errors: OnInvalid = "strict",
    n_threads: int | None = None,
    max_memory: str | int | None = None,
    seed: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> WordsReport:
    r"""Counts words into a file that `bpe` and `wordlevel` take as `words=`.

    On several machines, each counts its part, `"1/8"` to `"8/8"`, of the same files; `words=` of all eight files gives the
    tokenizer that one machine would have made. The file says how its words were made, and which part it is.

    Args:
        path: Where it goes: `.tsv`, `.tsv.gz`, `.tsv.zst` or `.parquet`. TSV: a line that begins with `# piecework.words/1`,
            a heading, then word, tab and count, with `\\`, `\t`, `\n` and `\r` in words escaped. Parquet: `word` and
            `count`. Sorted by the words' bytes.
        files: Paths of texts, by suffix as in `bpe`.
        texts: Texts, each as it is. One of files, texts, words and mix is given.
        words: Counts that are added up into one file.
        mix: How much of which source is taken, as in `bpe`.
        field: The field or column of the text.
        pre_tokenizer: What cuts words, as in `bpe`; `default` is `o200k_base`.
        normalizer: As in `bpe`.
        part: Which part of the corpus is counted, as `"i/n"` or `(i, n)`, from 1; with files or a mix. Parts are made by bytes,
            whatever the order of the files; each unit (64 MiB of lines, a row group, an archive) is in one.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD, `"skip"` leaves the line or text out.
        n_threads: Threads that count; None for all processors.
        max_memory: What counting may take, at least 256 MB, as in `bpe`.
        seed: What draws the documents of a mix, in place of its own.
        checkpoint: A folder where counting is written down, as in `bpe`.
        resume: Whether to go on from what lies there.
        progress: Called with a `TrainingProgress` as the counting goes on.

    Returns:
        What was counted.

    Raises:
        EmptyCorpusError: There is no word, and no part was asked for.
        TrainError: Counts, a checkpoint or a mix are not what is asked for, as in `bpe`.
        InputError: A file is missing, unreadable or not what its suffix says.
        NotUnicodeError: What is read is not Unicode.
        OutputError: The file cannot be written; nothing half-written is left.
        MissingExtraError: A file needs pyarrow or zstandard.
        TypeError: An argument has the wrong type, or none or several sources are given.
        ValueError: An argument has no known value, or two do not go together.

    Examples:
        >>> import piecework as pw, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> report = pw.train.words(folder / "counts.tsv", texts=["to be or not to be"], pre_tokenizer="whitespace")
        >>> print((folder / "counts.tsv").read_text().split("\n", 1)[1])
        word	count
        be	2
        not	1
        or	1
        to	2
        <BLANKLINE>
        >>> pw.train.bpe(words=folder / "counts.tsv", n_merges=1).training.options["pre_tokenizer"]
        'whitespace'

    Complexity: O(bytes), and O(n log n) for n distinct words.
    """
    target = target_path(path)
    check_count_path(target)
    request = Request(
        files=files,
        texts=texts,
        words=words,
        mix=mix,
        field=field,
        pre_tokenizer=pre_tokenizer,
        normalizer=normalizer,
        part=part,
        errors=errors,
        n_threads=n_threads,
        max_memory=max_memory,
        seed=seed,
        checkpoint=checkpoint,
        resume=resume,
        progress=progress,
    ).settled()
    with request.counted(is_bytes=True) as counted:
        counter = counted.counter
        n_words, n_bytes = counted.n_words, counted.n_bytes
        if not n_bytes and request.part is None:
            raise EmptyCorpusError("there is no word to count", source=request.source)
        inputs = _inputs(request, counted)
        share = part_of(request.part)
        names = request.normalizer
        meta: dict[str, object] = {
            "pre_tokenizer": request.pre_tokenizer,
            "normalizer": None if names is None else [names] if isinstance(names, str) else list(names),
            "part": None if share is None else list(share),
            "inputs": inputs,
            "n_words": n_words,
            "n_bytes": n_bytes,
            "n_invalid": counted.n_invalid,
            "mix": counted.mix,
        }

        def told(done: int) -> None:
            if progress is not None:
                progress(
                    TrainingProgress(
                        phase="merge", done=done, total=None, unit="words", n_distinct_words=done
                    )
                )

        # Counts of others stay what they are: nobody knows how they were cut.
        known = meta if request.knows_stages else None
        n_distinct = write_count_file(target, known, counter.batches(_BATCH_WORDS), told)
        counted.close()
        return WordsReport(
            path=str(target),
            n_words=n_words,
            n_distinct_words=n_distinct,
            n_bytes=n_bytes,
            n_invalid=counted.n_invalid,
            part=share,
            inputs=inputs,
            mix=counted.mix,
        )


def _inputs(request: Request, counted: Counted) -> str | None:
    """What says that two count files are of one corpus."""
    if counted.corpus is not None:
        return counted.corpus.fingerprint()
    known = sorted({str((file.meta or {}).get("inputs")) for file in request.count_files})
    if len(known) == 1:
        return None if known == ["None"] else known[0]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest() if known else None
