//! Byte-pair encoding, learned: the pair that stands side by side most often becomes one symbol, and so on.
//!
//! Two loops learn the same thing: `learn` keeps counts up to date as tokenizers' `BpeTrainer` does, quirks
//! included; `recount` counts anew after each merge, for other rules of ties.

use super::alphabet::{self, Entries, Start};
use super::blocks::{Blocks, MAX_BLOCK};
use super::corpus::Corpus;
use super::learn::{self, Ids};
use super::options::{BpeOptions, Merge, Score, Step, Ties, Trained};
use super::recount;
use super::symbol::Symbol;
use super::word_counts::WordCounts;
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
    let mut start = alphabet::start(counts, options, ctl)?;
    if options.ties == Ties::Hf && options.score == Score::Count {
        let ids = Ids::new(start.entries.n_late(), start.entries.len(), options);
        return if ids.are_short() {
            with_books::<u16>(start, counts, ids, options, ctl)
        } else {
            with_books::<u32>(start, counts, ids, options, ctl)
        };
    }
    let mut corpus = Corpus::default();
    let n_symbols = start.words(counts, ctl, |word, count| {
        corpus.push(word.iter().copied(), count);
        Ok(())
    })?;
    let (mut learned, trained) = Learned::new(start, n_symbols);
    recount::learn(corpus, &mut learned, options, ctl)?;
    Ok(learned.finish(trained))
}

fn with_books<S: Symbol>(
    mut start: Start<'_>,
    counts: &WordCounts,
    ids: Ids,
    options: &BpeOptions,
    ctl: &Ctl<'_>,
) -> Result<Trained> {
    let n_bytes = counts.iter().map(|(word, _)| word.len()).sum();
    let mut blocks: Blocks<S> = Blocks::new(counts.len(), n_bytes, MAX_BLOCK);
    let n_symbols = start.words(counts, ctl, |word, count| {
        // A word of one symbol has no pair; only steps show it.
        if word.len() > 1 || options.steps { blocks.push(word, count, |id| ids.symbol(id)) } else { Ok(()) }
    })?;
    let (mut learned, trained) = Learned::new(start, n_symbols);
    learn::learn(blocks, ids, &mut learned, options, ctl)?;
    Ok(learned.finish(trained))
}

/// What is learned so far.
pub(super) struct Learned {
    pub entries: Entries,
    pub merges: Vec<Merge>,
    pub steps: Vec<Step>,
}

impl Learned {
    /// Returns that nothing is learned yet, and what is known of the start.
    fn new(start: Start<'_>, n_symbols: u64) -> (Self, Trained) {
        let Start { entries, dropped, n_alphabet, .. } = start;
        let trained = Trained { n_alphabet, dropped, n_symbols, ..Trained::default() };
        (Self { entries, merges: Vec::new(), steps: Vec::new() }, trained)
    }

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

    fn finish(self, trained: Trained) -> Trained {
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
        Trained { tokens: entries.into_texts(), merges, steps, ..trained }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Base;
    use super::*;
    use crate::error::Error;

    /// A word of random letters.
    fn word(n_bytes: usize) -> Vec<u8> {
        let mut state = 3_u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'@' + (state >> 26) as u8
        };
        std::iter::repeat_with(next).take(n_bytes).collect()
    }

    #[test]
    fn a_long_word_is_not_read_whole_for_each_merge() {
        let (n_bytes, n_merges) = (200_000, 2_000);
        let mut counts = WordCounts::default();
        counts.add(&word(n_bytes), 1);
        let options = BpeOptions { base: Base::Bytes, n_merges, ..BpeOptions::default() };
        let ctl = Ctl::new();
        let trained = train(&counts, &options, &ctl).unwrap();
        assert_eq!(trained.merges.len(), n_merges);
        // Every merge leaves a hole in some forty blocks of a few dozen symbols.
        assert!(ctl.work() < 100 * n_bytes as u64, "{}", ctl.work());
    }

    #[test]
    fn learning_stops_when_it_is_told() {
        let mut counts = WordCounts::default();
        counts.add(&word(200_000), 1);
        let n_looks = std::sync::atomic::AtomicU64::new(0);
        let poll = || n_looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 40;
        let options = BpeOptions { base: Base::Bytes, n_merges: 2_000, ..BpeOptions::default() };
        let stopped = train(&counts, &options, &Ctl::with_poll(&poll));
        assert_eq!((stopped, n_looks.into_inner()), (Err(Error::Interrupted), 41));
    }
}
