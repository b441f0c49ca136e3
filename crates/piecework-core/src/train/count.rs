//! Texts to counted words: a definition's normalizers and pre-tokenizers, in threads. Each thread has a table of its
//! own, which lives on from call to call; at the end they are added up.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

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
    idle: Mutex<Vec<Worker>>,
}

#[derive(Debug)]
struct Worker {
    counts: WordCounts,
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
        Ok(Self {
            splitter: Splitter::new(stages, definition.profile)?,
            scanner: plan::native(stages),
            prefix_space: stages.first() == Some(&PreTokenizer::PrefixSpace),
            needs_places: !normalizers.is_empty() && stages.iter().any(first),
            normalizers,
            by_line,
            idle: Mutex::default(),
        })
    }

    /// Counts the words of `texts` on `n_threads` threads (`None`: as many as there are processors).
    ///
    /// # Errors
    /// The error of the first text that has one, with its index: [`Error::TooLong`], [`Error::PatternLimit`];
    /// [`Error::Interrupted`].
    pub fn feed(
        &self,
        texts: &[&str],
        n_threads: Option<usize>,
        ctl: &Ctl<'_>,
    ) -> std::result::Result<(), Failed> {
        let mut lines = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            if self.by_line {
                lines.extend(text.split_inclusive('\n').map(|line| (at, line)));
            } else {
                lines.push((at, *text));
            }
        }
        let sizes: Vec<usize> = lines.iter().map(|(_, line)| line.len()).collect();
        executor::run(&sizes, n_threads, ctl, |range| {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut worker = idle.unwrap_or_else(|| self.worker());
            let mut ticker = ctl.ticker();
            let done = lines.get(range).unwrap_or_default().iter().try_for_each(|&(at, line)| {
                self.text(line, &mut worker, &mut ticker, ctl).map_err(Failed::at(at))
            });
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
            done
        })?;
        Ok(())
    }

    /// Returns the counts. In the order of first appearance where one thread did the work.
    pub fn finish(self) -> WordCounts {
        let workers = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all = workers.into_iter().map(|worker| worker.counts);
        let mut counts = all.next().unwrap_or_default();
        for other in all {
            counts.merge(&other);
        }
        counts
    }

    fn worker(&self) -> Worker {
        let (counts, split) = (WordCounts::default(), self.splitter.scratch());
        Worker { counts, split, pretokens: Pretokens::default() }
    }

    fn text(&self, text: &str, worker: &mut Worker, ticker: &mut Ticker<'_>, ctl: &Ctl<'_>) -> Result<()> {
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
        let has_prefix = self.prefix_space && !normal.starts_with(' ');
        let normal = if has_prefix { Cow::Owned(format!(" {normal}")) } else { normal };
        if let Some(scanner) = self.scanner {
            return native(scanner, normal.as_bytes(), &mut worker.counts, ticker);
        }
        let n_prefix = usize::from(has_prefix);
        let source = Source { alignment: Arc::new(alignment), n_prefix, ..Source::default() };
        let Worker { counts, split, pretokens } = worker;
        self.splitter.pretokens(&normal, &source, split, pretokens, ticker)?;
        let text = pretokens.text.as_deref().unwrap_or(&normal);
        for span in &pretokens.spans {
            counts.add(text.get(span.range()).unwrap_or("").as_bytes(), 1);
        }
        Ok(())
    }
}

/// Counts by a native scanner; one copy of the loop for each, so that its steps are inlined.
fn native(scanner: Scanner, text: &[u8], counts: &mut WordCounts, ticker: &mut Ticker<'_>) -> Result<()> {
    macro_rules! scan {
        ($($name:ident),*) => {
            match scanner {
                $(Scanner::$name => {
                    let mut at = 0;
                    while at < text.len() {
                        let end = Scanner::$name.next(text, at);
                        counts.add(text.get(at..end).unwrap_or_default(), 1);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tokenizer_json;

    fn counted(pre_tokenizer: &str, by_line: bool, n_threads: usize, texts: &[&str]) -> Vec<(String, u64)> {
        let file = format!(
            r#"{{"version": "1.0", "pre_tokenizer": {pre_tokenizer}, "model": {{"type": "BPE", "vocab": {{}}, "merges": []}}}}"#
        );
        let counter = Counter::new(&tokenizer_json::read(file.as_bytes()).unwrap(), by_line).unwrap();
        counter.feed(texts, Some(n_threads), &Ctl::new()).unwrap();
        let counts = counter.finish();
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
