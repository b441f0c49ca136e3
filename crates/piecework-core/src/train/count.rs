//! Texts to counted words: a definition's normalizers and pre-tokenizers, in threads. Each thread has a table of its
//! own, which lives on from call to call and goes to disk, sorted, where it would grow beyond its share of the memory;
//! at the end tables and runs are added up.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::parts::{Cuts, Part};
use super::runs::{Place, Runs};
use super::sorted::Sorted;
use super::tsv;
use super::word_counts::WordCounts;
use crate::alignment::Alignment;
use crate::batch::Failed;
use crate::definition::{Definition, PreTokenizer, Prepend};
use crate::error::{Error, Result};
use crate::executor;
use crate::fast::scan::Scanner;
use crate::interrupt::{Ctl, Ticker};
use crate::normalize::Normalizers;
use crate::observe::Source;
use crate::plan;
use crate::split::{Pretokens, SplitScratch, Splitter};
use crate::tokenizer::MAX_TEXT_BYTES;

/// No table is held to less: a table of a few words is not worth a file.
const MIN_SHARE_BYTES: usize = 1 << 11;

/// Counts words of texts. Threads share it.
#[derive(Debug)]
pub struct Counter {
    normalizers: Normalizers,
    splitter: Splitter,
    scanner: Option<Scanner>,
    /// Whether the first pre-tokenizer puts a space in front.
    prefix_space: bool,
    /// Whether a pre-tokenizer asks where in the text a piece stands.
    needs_places: bool,
    /// Whether each line, its end included, is a text of its own.
    by_line: bool,
    /// What the tables of all threads may hold together.
    pub(super) max_table_bytes: usize,
    /// What one table may hold.
    share: AtomicUsize,
    pub(super) idle: Mutex<Vec<Worker>>,
    pub(super) runs: Runs,
    progress: Arc<Progress>,
}

/// How far a counter is; others look at it while it counts.
#[derive(Debug, Default)]
pub struct Progress {
    /// Words so far, each as often as it occurs.
    pub n_words: AtomicU64,
    /// Bytes of these words.
    pub n_bytes: AtomicU64,
    /// Distinct words in the tables of all threads; a word in two tables counts twice.
    pub n_distinct_held: AtomicU64,
    /// Runs on disk.
    pub n_runs: AtomicU64,
    /// Their bytes.
    pub n_run_bytes: AtomicU64,
}

/// What one thread works with.
#[derive(Debug)]
pub(super) struct Worker {
    pub table: WordCounts,
    /// What is counted and not yet told to [`Progress`].
    n_words: u64,
    n_bytes: u64,
    /// The distinct words that it was told of.
    n_told: usize,
    split: SplitScratch,
    pretokens: Pretokens,
}

impl Counter {
    /// Compiles what stands before the model of `definition`.
    ///
    /// # Errors
    /// [`Error::Format`] for a component that cannot be run exactly.
    pub fn new(definition: &Definition, by_line: bool) -> Result<Self> {
        let stages = &definition.pre_tokenizers;
        let first =
            |stage: &PreTokenizer| matches!(stage, PreTokenizer::Metaspace { prepend: Prepend::First, .. });
        let normalizers = Normalizers::of(definition)?;
        let progress = Arc::new(Progress::default());
        Ok(Self {
            splitter: Splitter::new(stages, definition.profile)?,
            scanner: plan::native(stages),
            prefix_space: stages.first() == Some(&PreTokenizer::PrefixSpace),
            needs_places: !normalizers.is_empty() && stages.iter().any(first),
            normalizers,
            by_line,
            max_table_bytes: usize::MAX,
            share: AtomicUsize::new(usize::MAX),
            idle: Mutex::default(),
            runs: Runs::new(Place::default(), Arc::clone(&progress)),
            progress,
        })
    }

    /// Returns the counter with a limit on what the tables of all threads hold together. A table that would go over
    /// its share goes to `place` as a run; none is held to less than 2 KB.
    #[must_use]
    pub fn within(self, max_table_bytes: Option<usize>, place: Place) -> Self {
        let max_table_bytes = max_table_bytes.unwrap_or(usize::MAX);
        let runs = Runs::new(place, Arc::clone(&self.progress));
        Self { max_table_bytes, runs, ..self }
    }

    /// Returns how far the counter is.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Counts the words of `texts` on `n_threads` threads (`None`: as many as there are processors), each `times`
    /// times.
    ///
    /// # Errors
    /// The error of the first text that has one, with its index: [`Error::TooLong`], [`Error::PatternLimit`];
    /// [`Error::Unwritable`]; [`Error::Interrupted`].
    pub fn feed(
        &self,
        texts: &[&str],
        times: u64,
        n_threads: Option<usize>,
        ctl: &Ctl<'_>,
    ) -> std::result::Result<(), Failed> {
        let n_threads = executor::n_threads(n_threads);
        self.divide(n_threads, ctl)?;
        let is_plain = self.normalizers.is_empty();
        let cuts = Cuts { by_line: self.by_line, scanner: self.scanner.filter(|_| is_plain) };
        let parts = cuts.parts(texts);
        let sizes: Vec<usize> = parts.iter().map(|part| part.n_bytes).collect();
        executor::run(&sizes, Some(n_threads), ctl, |range| {
            let parts = parts.get(range).unwrap_or_default();
            self.with_worker(|worker| {
                let mut ticker = ctl.ticker();
                parts.iter().try_for_each(|&part| self.part(texts, part, times, worker, &mut ticker, ctl))
            })
        })?;
        Ok(())
    }

    /// Gives each of `n` tables its share of the memory.
    fn divide(&self, n: usize, ctl: &Ctl<'_>) -> Result<()> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let share = (self.max_table_bytes / n.max(idle.len()).max(1)).max(MIN_SHARE_BYTES);
        self.share.store(share, Ordering::Relaxed);
        for worker in idle.iter_mut().filter(|worker| worker.table.held_bytes() > share) {
            self.spill_table(worker, ctl)?;
            worker.table = WordCounts::default();
        }
        Ok(())
    }

    fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = idle.unwrap_or_else(|| Worker {
            table: WordCounts::default(),
            n_words: 0,
            n_bytes: 0,
            n_told: 0,
            split: self.splitter.scratch(),
            pretokens: Pretokens::default(),
        });
        let done = work(&mut worker);
        self.tell(&mut worker);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        done
    }

    fn tell(&self, worker: &mut Worker) {
        let Progress { n_words, n_bytes, n_distinct_held, .. } = &*self.progress;
        n_words.fetch_add(std::mem::take(&mut worker.n_words), Ordering::Relaxed);
        n_bytes.fetch_add(std::mem::take(&mut worker.n_bytes), Ordering::Relaxed);
        let n_held = worker.table.len();
        let n_more = n_held.wrapping_sub(std::mem::replace(&mut worker.n_told, n_held));
        // What wraps around here wraps back there.
        n_distinct_held.fetch_add(n_more as u64, Ordering::Relaxed);
    }

    /// Counts words that are counted already.
    ///
    /// # Errors
    /// [`Error::Unwritable`]; [`Error::Interrupted`].
    pub fn add<'w>(&self, words: impl Iterator<Item = (&'w [u8], u64)>, ctl: &Ctl<'_>) -> Result<()> {
        self.divide(1, ctl)?;
        self.with_worker(|worker| {
            let mut ticker = ctl.ticker();
            for (word, n) in words {
                ticker.tick(word.len() + 8)?;
                self.count(word, n, worker, ctl)?;
            }
            Ok(())
        })
    }

    /// Counts the words of whole lines of word, tab and count; `first_line` is the number of the first.
    ///
    /// # Errors
    /// [`Error::Format`], which names the line; [`Error::Unwritable`]; [`Error::Interrupted`].
    pub fn add_tsv(&self, block: &[u8], first_line: u64, ctl: &Ctl<'_>) -> Result<()> {
        self.divide(1, ctl)?;
        self.with_worker(|worker| {
            let mut ticker = ctl.ticker();
            tsv::read(block, first_line, |word, n| {
                ticker.tick(word.len() + 8)?;
                self.count(word, n, worker, ctl)
            })
        })
    }

    /// Writes every table as a run, and returns the names of all runs, where they have names.
    ///
    /// # Errors
    /// [`Error::Unwritable`], [`Error::Interrupted`]; tables that are not written are kept.
    pub fn spill(&self, ctl: &Ctl<'_>) -> Result<Vec<String>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        for worker in idle.iter_mut() {
            self.spill_table(worker, ctl)?;
        }
        Ok(self.runs.names())
    }

    /// Takes over runs of an earlier process that lie in the folder for runs; what else of runs lies there is removed.
    ///
    /// # Errors
    /// [`Error::Checksum`], [`Error::Format`], [`Error::Unreadable`], [`Error::Interrupted`]: then none is taken.
    pub fn adopt(&self, names: &[String], ctl: &Ctl<'_>) -> Result<()> {
        self.runs.adopt(names, ctl)
    }

    /// Counts a word `n` times.
    #[inline]
    fn count(&self, word: &[u8], n: u64, worker: &mut Worker, ctl: &Ctl<'_>) -> Result<()> {
        worker.n_words = worker.n_words.saturating_add(n);
        worker.n_bytes = worker.n_bytes.saturating_add(n.saturating_mul(word.len() as u64));
        if worker.table.add_within(self.share.load(Ordering::Relaxed), word, n) {
            return Ok(());
        }
        self.make_room(word, n, worker, ctl)
    }

    /// Counts a word that the table has no room for.
    #[cold]
    fn make_room(&self, word: &[u8], n: u64, worker: &mut Worker, ctl: &Ctl<'_>) -> Result<()> {
        self.spill_table(worker, ctl)?;
        if worker.table.add_within(self.share.load(Ordering::Relaxed), word, n) {
            return Ok(());
        }
        self.runs.write_word(word, n, ctl)
    }

    /// Writes a table as a run and empties it; where that fails, it is kept.
    fn spill_table(&self, worker: &mut Worker, ctl: &Ctl<'_>) -> Result<()> {
        let table = std::mem::take(&mut worker.table);
        if table.is_empty() {
            worker.table = table;
            return Ok(());
        }
        match Sorted::new(table, ctl) {
            Err(kept) => {
                let (table, error) = *kept;
                worker.table = table;
                Err(error)
            }
            Ok(sorted) => {
                let written = self.runs.write_table(&sorted, ctl);
                worker.table = if written.is_ok() { sorted.into_empty() } else { sorted.into_table() };
                self.tell(worker);
                written?;
                self.runs.merge_if_many(ctl)
            }
        }
    }

    fn part(
        &self,
        texts: &[&str],
        part: Part,
        times: u64,
        worker: &mut Worker,
        ticker: &mut Ticker<'_>,
        ctl: &Ctl<'_>,
    ) -> std::result::Result<(), Failed> {
        let all = texts.get(part.first..part.first + part.n).unwrap_or_default();
        for (at, text) in (part.first..).zip(all) {
            let is_whole = part.n > 1 || part.n_bytes == text.len();
            let text =
                if is_whole { text } else { text.get(part.start..part.start + part.n_bytes).unwrap_or("") };
            let mut is_start = part.is_start;
            let mut each = |text: &str| {
                let done =
                    self.text(text, std::mem::replace(&mut is_start, true), times, worker, ticker, ctl);
                done.map_err(|error| match error {
                    Error::Unwritable { .. } | Error::Unreadable { .. } => Failed::from(error),
                    error => Failed::at(at)(error),
                })
            };
            if self.by_line {
                text.split_inclusive('\n').try_for_each(&mut each)?;
            } else {
                each(text)?;
            }
        }
        Ok(())
    }

    fn text(
        &self,
        text: &str,
        is_start: bool,
        times: u64,
        worker: &mut Worker,
        ticker: &mut Ticker<'_>,
        ctl: &Ctl<'_>,
    ) -> Result<()> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::TooLong { n_bytes: text.len(), max_bytes: MAX_TEXT_BYTES });
        }
        ticker.tick(1)?;
        let (normal, alignment) = if self.needs_places {
            self.normalizers.normalize_aligned(text, ctl)?
        } else {
            (self.normalizers.normalize(text, ctl)?, Alignment::identity())
        };
        if normal.is_empty() {
            return Ok(());
        }
        let has_prefix = is_start && self.prefix_space && !normal.starts_with(' ');
        let normal = if has_prefix { Cow::Owned(format!(" {normal}")) } else { normal };
        if let Some(scanner) = self.scanner {
            return self.native(scanner, normal.as_bytes(), times, worker, ticker, ctl);
        }
        let n_prefix = usize::from(has_prefix);
        let source = Source { alignment: Arc::new(alignment), n_prefix, ..Source::default() };
        let Worker { split, pretokens, .. } = worker;
        self.splitter.pretokens(&normal, &source, split, pretokens, ticker)?;
        let pretokens = std::mem::take(pretokens);
        let text = pretokens.text.as_deref().unwrap_or(&normal);
        let done = pretokens.spans.iter().try_for_each(|span| {
            self.count(text.get(span.range()).unwrap_or("").as_bytes(), times, worker, ctl)
        });
        worker.pretokens = pretokens;
        done
    }

    /// Counts by a native scanner; one copy of the loop for each, so that its steps are inlined.
    fn native(
        &self,
        scanner: Scanner,
        text: &[u8],
        times: u64,
        worker: &mut Worker,
        ticker: &mut Ticker<'_>,
        ctl: &Ctl<'_>,
    ) -> Result<()> {
        macro_rules! scan {
            ($($name:ident),*) => {
                match scanner {
                    $(Scanner::$name => {
                        let mut at = 0;
                        while at < text.len() {
                            let end = Scanner::$name.next(text, at);
                            self.count(text.get(at..end).unwrap_or_default(), times, worker, ctl)?;
                            ticker.tick(end - at)?;
                            at = end;
                        }
                    })*
                }
            };
        }
        scan!(Gpt2, Cl100kTiktoken, Cl100k, Qwen2, O200k);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tokenizer_json;

    fn counted(pre_tokenizer: &str, by_line: bool, n_threads: usize, texts: &[&str]) -> Vec<(String, u64)> {
        let file = format!(
            r#"{{"version": "1.0", "pre_tokenizer": {pre_tokenizer}, "model": {{"type": "BPE", "vocab": {{}}, "merges": []}}}}"#
        );
        let counter = Counter::new(&tokenizer_json::read(file.as_bytes()).unwrap(), by_line).unwrap();
        counter.feed(texts, 1, Some(n_threads), &Ctl::new()).unwrap();
        let counts = counter.finish(1, None, &Ctl::new()).unwrap();
        counts.iter().map(|(word, n)| (String::from_utf8_lossy(word).into_owned(), n)).collect()
    }

    fn pairs(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
        expected.iter().map(|&(word, n)| (word.to_owned(), n)).collect()
    }

    #[test]
    fn words_come_in_the_order_of_first_appearance() {
        let split = r#"{"type": "Whitespace"}"#;
        let expected = [("low", 2), ("lower", 1), (",", 1)];
        assert_eq!(counted(split, false, 1, &["low lower,", "", "low"]), pairs(&expected));
    }

    #[test]
    fn a_line_keeps_its_end_and_is_a_text_of_its_own() {
        let bytes = r#"{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}"#;
        // Whole, the run of white space is cut before its last space; by line, the newline ends it.
        assert_eq!(counted(bytes, false, 1, &["a \n b"]), pairs(&[("a", 1), (" \n", 1), (" b", 1)]));
        assert_eq!(counted(bytes, false, 1, &["a\n\nb"]), pairs(&[("a", 1), ("\n", 2), ("b", 1)]));
        assert_eq!(counted(bytes, true, 1, &["a\n\nb"]), pairs(&[("a", 1), ("\n", 2), ("b", 1)]));
        assert_eq!(
            counted(bytes, false, 1, &["a\n\n\nb"]),
            pairs(&[("a", 1), ("\n\n", 1), ("\n", 1), ("b", 1)])
        );
        assert_eq!(counted(bytes, true, 1, &["a\n\n\nb"]), pairs(&[("a", 1), ("\n", 3), ("b", 1)]));
    }

    #[test]
    fn threads_change_no_count() {
        let texts: Vec<String> = (0..20_000).map(|i| format!("text number {} of {}", i, i % 97)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let bytes = r#"{"type": "ByteLevel", "add_prefix_space": true, "use_regex": true}"#;
        let (mut one, mut four) = (counted(bytes, false, 1, &texts), counted(bytes, false, 4, &texts));
        one.sort();
        four.sort();
        assert_eq!(one, four);
        assert!(one.contains(&(" number".to_owned(), 20_000)));
    }
}
