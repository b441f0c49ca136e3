//! The trainer that counts all pairs anew after each merge: slow, and what a teacher does on the blackboard. It
//! knows every rule of ties and every score.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use super::bpe::Learned;
use super::corpus::Corpus;
use super::options::{BpeOptions, Merge, Score, Step, Ties};
use crate::error::Result;
use crate::interrupt::Ctl;

/// A pair and how often it stands in the words.
pub(super) type Counted = ((u32, u32), u64);

/// A pair and its score, as a fraction.
type Scored = ((u32, u32), (u64, u128));

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
    Ok(Step { merge, counts, scores: Vec::new(), corpus: words, n_symbols: corpus.n_symbols()? })
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
        let rare = options.min_frequency;
        let scores = match options.score {
            Score::Count => Vec::new(),
            Score::WordPiece => scores(&corpus, &counted),
        };
        let best = match options.score {
            Score::Count => best(&counted, learned, options.ties, |one, other| one == other).copied(),
            Score::WordPiece => {
                let frequent: HashMap<_, _> = counted.iter().copied().filter(|&(_, n)| n >= rare).collect();
                let candidates: Vec<Scored> =
                    scores.iter().copied().filter(|(pair, _)| frequent.contains_key(pair)).collect();
                let best =
                    best(&candidates, learned, options.ties, |&one, &other| compare(one, other).is_eq());
                best.map(|&(pair, _)| (pair, frequent[&pair]))
            }
        };
        let Some(((left, right), count)) = best else { break };
        if rare > count {
            break;
        }
        let whole = length(left) + length(right);
        let product = learned.product(left, right, options);
        lengths.entry(product).or_insert(whole);
        let merge = learned.push(left, right, product, count as i64);
        ctl.step();
        for index in 0..corpus.len() {
            corpus.merge(index, (left, right, product));
        }
        if options.steps {
            let step = step(merge, counted, &corpus)?;
            learned.steps.push(Step { scores, ..step });
        }
    }
    Ok(())
}

/// Returns the pair to merge, of those whose value is that of the first.
fn best<'v, V>(
    valued: &'v [((u32, u32), V)],
    learned: &Learned,
    ties: Ties,
    are_equal: impl Fn(&V, &V) -> bool,
) -> Option<&'v ((u32, u32), V)> {
    let first = valued.first()?;
    let equals = valued.iter().take_while(|(_, value)| are_equal(value, &first.1));
    let texts = |pair: (u32, u32)| (learned.entries.text(pair.0), learned.entries.text(pair.1));
    match ties {
        Ties::FirstSeen => Some(first),
        Ties::Lexicographic => equals.min_by_key(|valued| texts(valued.0)),
        Ties::Hf | Ties::SmallestIds => equals.min_by_key(|valued| valued.0),
    }
}

/// Returns the WordPiece score of every counted pair: the highest first, of equals the one met first.
fn scores(corpus: &Corpus, counted: &[Counted]) -> Vec<Scored> {
    let mut symbols: HashMap<u32, u64> = HashMap::new();
    let mut met: HashMap<(u32, u32), usize> = HashMap::new();
    for (word, count) in corpus.iter() {
        for &symbol in word {
            *symbols.entry(symbol).or_default() += count.unsigned_abs();
        }
        for pair in word.windows(2) {
            let n_met = met.len();
            met.entry((pair[0], pair[1])).or_insert(n_met);
        }
    }
    let n_of = |symbol| u128::from(symbols.get(&symbol).copied().unwrap_or(0));
    let mut scored: Vec<Scored> =
        counted.iter().map(|&(pair, n)| (pair, (n, n_of(pair.0) * n_of(pair.1)))).collect();
    scored
        .sort_by(|one, other| compare(other.1, one.1).then_with(|| met.get(&one.0).cmp(&met.get(&other.0))));
    scored
}

/// Compares two fractions by their cross products, exact to 192 bits. Denominators are below 2^127.
fn compare(one: (u64, u128), other: (u64, u128)) -> Ordering {
    let product = |n: u64, by: u128| {
        let low = u128::from(n) * u128::from(by as u64);
        (u128::from(n) * (by >> 64) + (low >> 64), low as u64)
    };
    product(one.0, other.1).cmp(&product(other.0, one.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_that_no_float_tells_apart() {
        let n = i64::MAX.unsigned_abs();
        let square = u128::from(n) * u128::from(n);
        assert_eq!(compare((n, square), (n - 1, square)), Ordering::Greater);
        assert_eq!(compare((n, square), (n, square - 1)), Ordering::Less);
        assert_eq!(compare((1, u128::from(n)), (n, square)), Ordering::Equal);
        assert_eq!(compare((1, 3), (2, 6)), Ordering::Equal);
    }
}
