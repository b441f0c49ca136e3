//! The distinct words as symbols, in one arena, for a look at all of them: a word shrinks in place as its pairs are
//! merged.

use crate::error::{Error, Result};

/// Distinct words as symbols, and how often each occurs.
#[derive(Debug, Default)]
pub(super) struct Corpus {
    symbols: Vec<u32>,
    /// Where each word begins in `symbols`, and its length now.
    words: Vec<(usize, u32)>,
    counts: Vec<i64>,
}

impl Corpus {
    /// Adds a word.
    pub fn push(&mut self, symbols: impl Iterator<Item = u32>, count: i64) {
        let start = self.symbols.len();
        self.symbols.extend(symbols);
        self.words.push((start, (self.symbols.len() - start) as u32));
        self.counts.push(count);
    }

    /// Returns the number of distinct words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the symbols of a word and how often it occurs.
    pub fn word(&self, index: usize) -> (&[u32], i64) {
        let (start, len) = self.words[index];
        (&self.symbols[start..start + len as usize], self.counts[index])
    }

    /// Returns every word in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], i64)> {
        (0..self.len()).map(|index| self.word(index))
    }

    /// Returns the number of symbols, each word as often as it occurs.
    ///
    /// # Errors
    /// [`Error::TooMany`] where no signed 64-bit number holds it, and so no pair's count might be held either.
    pub fn n_symbols(&self) -> Result<u64> {
        let total: u128 =
            self.iter().map(|(word, count)| word.len() as u128 * u128::from(count.unsigned_abs())).sum();
        let max = i64::MAX as usize;
        match i64::try_from(total) {
            Ok(total) => Ok(total as u64),
            Err(_) => {
                Err(Error::TooMany { what: "symbols", n: usize::try_from(total).unwrap_or(usize::MAX), max })
            }
        }
    }

    /// Merges `left` and `right` in one word, from the left.
    pub fn merge(&mut self, index: usize, (left, right, product): (u32, u32, u32)) {
        let (start, len) = self.words[index];
        let word = &mut self.symbols[start..start + len as usize];
        let (mut at, mut n_kept) = (0, 0);
        while at < word.len() {
            let is_pair = word[at] == left && word.get(at + 1) == Some(&right);
            word[n_kept] = if is_pair { product } else { word[at] };
            at += if is_pair { 2 } else { 1 };
            n_kept += 1;
        }
        self.words[index].1 = n_kept as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_merged_from_the_left() {
        let mut corpus = Corpus::default();
        corpus.push([0, 1, 2, 2, 2, 3].into_iter(), 7);
        corpus.merge(0, (2, 2, 4));
        assert_eq!(corpus.word(0), (&[0, 1, 4, 2, 3][..], 7));
    }

    #[test]
    fn a_total_beyond_64_bits_is_refused() {
        let mut corpus = Corpus::default();
        corpus.push([0, 1, 2].into_iter(), i64::MAX / 4);
        assert!(corpus.n_symbols().is_ok());
        corpus.push([0, 1, 2].into_iter(), i64::MAX / 4);
        assert!(corpus.n_symbols().is_err());
    }
}
