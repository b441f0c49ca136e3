//! How much memory learning takes, told from the words before they are held.

use crate::error::{Error, Result};

/// Counts up to here are told apart; larger ones by their power of two.
const N_EXACT: usize = 1 << 12;

/// Returns the bytes of memory that learning from `n_words` distinct words of `n_symbols` symbols together takes at its
/// peak, the words included. What the entries of the vocabulary take comes on top, [`BYTES_PER_ENTRY`] each. Together
/// that was 11 to 22 % more than what was measured on English, on code and on 128 languages, with 8,000 to 200,000 entries.
pub fn needed(n_words: u64, n_symbols: u64) -> u64 {
    let words = n_words.saturating_mul(BYTES_PER_WORD);
    words.saturating_add(n_symbols.saturating_mul(BYTES_PER_SYMBOL)).saturating_add(BYTES_AT_LEAST)
}

const BYTES_AT_LEAST: u64 = 8 << 20;
const BYTES_PER_WORD: u64 = 48;
const BYTES_PER_SYMBOL: u64 = 16;
/// What an entry of the vocabulary and its merge take as objects, as JSON and in the tokenizer, as measured.
pub const BYTES_PER_ENTRY: u64 = 600;
/// Entries that are there before any merge.
const N_BYTES: u64 = 256;

/// What training may take when the words are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    /// The memory that learning and the vocabulary may take, in bytes.
    pub max_bytes: u64,
    /// Entries that the vocabulary will have, if the words give so many; their memory is part of it.
    pub n_entries: u64,
}

impl Cap {
    /// Returns what learning from the words takes, and what becomes of it: each merge leaves a symbol less.
    fn needed(self, n_words: u64, n_symbols: u64) -> u64 {
        let n_entries = self.n_entries.min(n_symbols.saturating_add(N_BYTES));
        needed(n_words, n_symbols).saturating_add(n_entries * BYTES_PER_ENTRY)
    }
}

/// Distinct words by how often they occur.
#[derive(Debug)]
pub(super) struct Weights {
    /// Words and their bytes, by count up to [`N_EXACT`], then by powers of two.
    all: Vec<(u64, u64)>,
}

impl Default for Weights {
    fn default() -> Self {
        Self { all: vec![(0, 0); N_EXACT + u64::BITS as usize] }
    }
}

/// Returns the place of a count.
fn place(count: u64) -> usize {
    if count < N_EXACT as u64 { count as usize } else { N_EXACT + count.ilog2() as usize }
}

/// Returns the least count of a place.
fn least(place: usize) -> u64 {
    if place < N_EXACT { place as u64 } else { 1 << (place - N_EXACT) }
}

impl Weights {
    /// Adds a word.
    pub fn add(&mut self, word: &[u8], count: u64) {
        let (n_words, n_bytes) = &mut self.all[place(count)];
        *n_words += 1;
        *n_bytes += word.len() as u64;
    }

    /// Checks that words that occur `min` times or more can be learned from within `cap`.
    ///
    /// # Errors
    /// [`Error::MemoryCap`].
    pub fn check(&self, min: u64, cap: Cap) -> Result<()> {
        let (mut n_words, mut n_bytes, mut fits) = (0, 0, None);
        for at in (0..self.all.len()).rev() {
            let (words, bytes) = self.all[at];
            if words == 0 {
                continue;
            }
            // Of the power of two that holds `min` all words count.
            if next(at) <= min {
                break;
            }
            (n_words, n_bytes) = (n_words + words, n_bytes + bytes);
            if cap.needed(n_words, n_bytes) <= cap.max_bytes {
                fits = Some(at);
            }
        }
        let needed = cap.needed(n_words, n_bytes);
        if needed <= cap.max_bytes {
            return Ok(());
        }
        let below = |at: usize| self.all[..at].iter().rposition(|&(words, _)| words > 0);
        let fits = fits.map(|at| below(at).map_or(least(at), next));
        Err(Error::MemoryCap { needed, cap: cap.max_bytes, n_words, n_bytes, fits })
    }
}

/// Returns the least count beyond a place.
fn next(place: usize) -> u64 {
    if place < N_EXACT { place as u64 + 1 } else { least(place + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(counts: &[(u64, u64)], min: u64, cap: u64) -> Option<(u64, Option<u64>)> {
        checked_with(counts, min, cap, 0)
    }

    fn checked_with(counts: &[(u64, u64)], min: u64, cap: u64, n_entries: u64) -> Option<(u64, Option<u64>)> {
        let mut weights = Weights::default();
        for &(count, n) in counts {
            (0..n).for_each(|_| weights.add(b"12345678", count));
        }
        match weights.check(min, Cap { max_bytes: cap, n_entries }) {
            Err(Error::MemoryCap { needed, fits, .. }) => Some((needed, fits)),
            other => other.map(|()| None).unwrap(),
        }
    }

    #[test]
    fn the_smallest_count_that_fits_is_named() {
        let counts = [(1, 1000), (2, 500), (7, 300), (100, 20), (9000, 5)];
        let all = needed(1825, 8 * 1825);
        assert_eq!(checked(&counts, 1, all), None);
        assert_eq!(checked(&counts, 1, all - 1), Some((all, Some(2))));
        // Of counts 3 to 7 the first leaves out no more than the last.
        assert_eq!(checked(&counts, 1, needed(325, 8 * 325)), Some((all, Some(3))));
        assert_eq!(checked(&counts, 2, needed(825, 8 * 825)), None);
        assert_eq!(checked(&counts, 1, needed(25, 8 * 25)), Some((all, Some(8))));
        assert_eq!(checked(&counts, 1, needed(5, 40)), Some((all, Some(101))));
        let frequent = needed(5, 40);
        assert_eq!(checked(&counts, 5000, frequent - 1), Some((frequent, None)));
        // A power of two goes together: 9,000 lies with 8,192 below 16,384.
        assert_eq!(checked(&counts, 1 << 14, needed(0, 0)), None);
        assert_eq!(checked(&counts, 9001, frequent - 1), Some((frequent, None)));
    }

    #[test]
    fn the_vocabulary_has_its_room() {
        let counts = [(1, 1000), (2, 500)];
        let all = needed(1500, 12_000);
        assert_eq!(checked_with(&counts, 1, all + 600 * 200, 200), None);
        assert_eq!(checked_with(&counts, 1, all, 200), Some((all + 600 * 200, Some(2))));
        // Words of 12,000 bytes give no more than as many merges.
        assert_eq!(checked_with(&counts, 1, all + 600 * 12_256, u64::MAX), None);
        assert_eq!(checked_with(&counts, 1, all, u64::MAX), Some((all + 600 * 12_256, None)));
    }

    #[test]
    fn places_of_counts_tile_them() {
        for count in [0, 1, 4094, 4095, 4096, 4097, 8191, 8192, u64::MAX >> 1] {
            let place = place(count);
            assert!(least(place) <= count && count < next(place), "{count}");
        }
    }
}
