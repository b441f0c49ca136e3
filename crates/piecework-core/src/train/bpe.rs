//! Byte-pair encoding, learned: the pair that stands side by side most often becomes one symbol, and so on.
//!
//! Two loops learn the same thing: `queue` keeps counts up to date as tokenizers' `BpeTrainer` does, quirks
//! included; `recount` counts anew after each merge, for other rules of ties.

use super::alphabet::{self, Entries};
use super::options::{BpeOptions, Merge, Score, Step, Ties, Trained};
use super::word_counts::WordCounts;
use super::{queue, recount};
use crate::error::Result;
use crate::interrupt::Ctl;

/// Returns what `options` make of `counts`. Nothing depends on the order of the words, but for [`Ties::FirstSeen`]
/// and the order in which steps show them.
///
/// # Errors
/// [`crate::error::Error::NotUnicode`] for a word that is no text where the base is characters;
/// [`crate::error::Error::TooMany`] for counts beyond 63 bits; [`crate::error::Error::Interrupted`].
///
/// # Examples
/// ```
/// use piecework_core::interrupt::Ctl;
/// use piecework_core::train::{BpeOptions, WordCounts, bpe};
///
/// let mut counts = WordCounts::default();
/// counts.add(b"hug", 10);
/// counts.add(b"pug", 5);
/// let options = BpeOptions { n_merges: 1, ..BpeOptions::default() };
/// let trained = bpe::train(&counts, &options, &Ctl::new())?;
/// assert_eq!(trained.tokens, ["g", "h", "p", "u", "ug"]);
/// # Ok::<(), piecework_core::error::Error>(())
/// ```
///
/// # Complexity
/// About linear in the distinct words' symbols, times their logarithm; with steps or another rule of ties,
/// that times the merges.
pub fn train(counts: &WordCounts, options: &BpeOptions, ctl: &Ctl<'_>) -> Result<Trained> {
    let start = alphabet::start(counts, options, ctl)?;
    let n_symbols = start.corpus.n_symbols()?;
    let mut learned = Learned { entries: start.entries, merges: Vec::new(), steps: Vec::new() };
    if options.ties == Ties::Hf && options.score == Score::Count {
        queue::learn(start.corpus, &mut learned, options, ctl)?;
    } else {
        recount::learn(start.corpus, &mut learned, options, ctl)?;
    }
    Ok(Trained { n_alphabet: start.n_alphabet, dropped: start.dropped, n_symbols, ..learned.finish() })
}

/// What is learned so far.
pub(super) struct Learned {
    pub entries: Entries,
    pub merges: Vec<Merge>,
    pub steps: Vec<Step>,
}

impl Learned {
    /// Returns whether the caller wants no more.
    pub fn is_enough(&self, options: &BpeOptions) -> bool {
        self.entries.len() >= options.vocab_size || self.merges.len() >= options.n_merges
    }

    /// Returns the id of what `left` and `right` become, a new one unless there is an entry of its text.
    pub fn product(&mut self, left: u32, right: u32, options: &BpeOptions) -> u32 {
        let right = self.entries.text(right);
        let prefix = options.continuing_subword_prefix.as_deref().unwrap_or("");
        let right = right.strip_prefix(prefix).unwrap_or(right);
        let text = format!("{}{right}", self.entries.text(left));
        self.entries.id(text)
    }

    /// Takes down a merge.
    pub fn push(&mut self, left: u32, right: u32, product: u32, count: i64) -> Merge {
        let merge = Merge { left, right, product, count: count.unsigned_abs() };
        self.merges.push(merge);
        merge
    }

    fn finish(self) -> Trained {
        let Self { entries, merges, mut steps } = self;
        let last = |merge: Merge| Merge {
            left: entries.last_id(merge.left),
            right: entries.last_id(merge.right),
            product: entries.last_id(merge.product),
            ..merge
        };
        let mut met = std::collections::HashSet::new();
        let mut merges: Vec<Merge> = merges.into_iter().map(last).collect();
        merges.reverse();
        merges.retain(|merge| met.insert((merge.left, merge.right)));
        merges.reverse();
        for step in &mut steps {
            step.merge = last(step.merge);
            for ((left, right), _) in &mut step.counts {
                (*left, *right) = (entries.last_id(*left), entries.last_id(*right));
            }
            for ((left, right), _) in &mut step.scores {
                (*left, *right) = (entries.last_id(*left), entries.last_id(*right));
            }
            for id in step.corpus.iter_mut().flatten() {
                *id = entries.last_id(*id);
            }
        }
        Trained { tokens: entries.into_texts(), merges, steps, ..Trained::default() }
    }
}
