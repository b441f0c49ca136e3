//! The trainer that counts all pairs anew after each merge: slow, and what a teacher does on the blackboard. It
//! knows every rule of ties.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::bpe::Learned;
use super::corpus::Corpus;
use super::options::{BpeOptions, Merge, Step, Ties};
use crate::error::Result;
use crate::interrupt::Ctl;

/// A pair and how often it stands in the words.
pub(super) type Counted = ((u32, u32), u64);

/// Returns every pair and its count: the most frequent first, of equals the one met first.
pub(super) fn counts(corpus: &Corpus) -> Vec<Counted> {
    let mut met: HashMap<(u32, u32), usize> = HashMap::new();
    let mut counted: Vec<Counted> = Vec::new();
    for (word, count) in corpus.iter() {
        for pair in word.windows(2) {
            let pair = (pair[0], pair[1]);
            let at = *met.entry(pair).or_insert(counted.len());
            match counted.get_mut(at) {
                Some((_, n)) => *n += count.unsigned_abs(),
                None => counted.push((pair, count.unsigned_abs())),
            }
        }
    }
    counted.retain(|&(_, n)| n > 0);
    counted.sort_by_key(|&(_, n)| Reverse(n));
    counted
}

/// Returns the step of a merge that was made.
///
/// # Errors
/// As [`Corpus::n_symbols`].
pub(super) fn step(merge: Merge, counts: Vec<Counted>, corpus: &Corpus) -> Result<Step> {
    let words = corpus.iter().map(|(word, _)| word.to_vec()).collect();
    Ok(Step { merge, counts, corpus: words, n_symbols: corpus.n_symbols()? })
}

/// Learns merges until the caller has enough or no pair is left.
///
/// # Errors
/// [`crate::error::Error::Interrupted`].
///
/// # Complexity
/// Linear in the distinct words' symbols, for each merge.
pub(super) fn learn(
    mut corpus: Corpus,
    learned: &mut Learned,
    options: &BpeOptions,
    ctl: &Ctl<'_>,
) -> Result<()> {
    let mut ticker = ctl.ticker();
    let mut lengths: HashMap<u32, usize> = HashMap::new();
    while !learned.is_enough(options) {
        let length = |id| lengths.get(&id).copied().unwrap_or(1_usize);
        let mut counted = counts(&corpus);
        ticker.tick(corpus.iter().map(|(word, _)| word.len()).sum())?;
        if let Some(max_length) = options.max_token_length {
            // Two characters may always join: the reference looks at lengths only where a merge made a pair.
            counted.retain(|&((left, right), _)| {
                let whole = length(left) + length(right);
                whole == 2 || whole < max_length
            });
        }
        let Some(&((left, right), count)) = best(&counted, learned, options.ties) else { break };
        if options.min_frequency > count {
            break;
        }
        let whole = length(left) + length(right);
        let product = learned.product(left, right, options);
        lengths.entry(product).or_insert(whole);
        let merge = learned.push(left, right, product, count as i64);
        for index in 0..corpus.len() {
            corpus.merge(index, (left, right, product), |_, _| {});
        }
        if options.steps {
            learned.steps.push(step(merge, counted, &corpus)?);
        }
    }
    Ok(())
}

/// Returns the pair to merge, of those with the highest count.
fn best<'c>(counted: &'c [Counted], learned: &Learned, ties: Ties) -> Option<&'c Counted> {
    let highest = counted.first()?.1;
    let equals = counted.iter().take_while(|&&(_, n)| n == highest);
    let texts = |pair: (u32, u32)| (learned.entries.text(pair.0), learned.entries.text(pair.1));
    match ties {
        Ties::FirstSeen => counted.first(),
        Ties::Lexicographic => equals.min_by_key(|counted| texts(counted.0)),
        Ties::Hf | Ties::SmallestIds => equals.min_by_key(|counted| counted.0),
    }
}
