//! The distinct words as symbols, in one arena: a word shrinks in place as its pairs are merged.

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
    ///
    /// # Errors
    /// [`Error::TooMany`] for a count that no signed 64-bit number holds.
    pub fn push(&mut self, symbols: impl Iterator<Item = u32>, count: u64) -> Result<()> {
        let max = i64::MAX as usize;
        let count = i64::try_from(count).map_err(|_| Error::TooMany { what: "words", n: usize::MAX, max })?;
        let start = self.symbols.len();
        self.symbols.extend(symbols);
        self.words.push((start, (self.symbols.len() - start) as u32));
        self.counts.push(count);
        Ok(())
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

    /// Merges `left` and `right` in one word, from the left, and tells `beside` of each symbol that stood beside the
    /// pair: before it (then the pair of it and `left` is gone, that of it and `product` is new) or after it (that of
    /// `right` and it is gone, that of `product` and it is new).
    pub fn merge(
        &mut self,
        index: usize,
        (left, right, product): (u32, u32, u32),
        mut beside: impl FnMut(Side, u32),
    ) {
        let (start, len) = self.words[index];
        let word = &mut self.symbols[start..start + len as usize];
        let (mut at, mut n_kept) = (0, 0);
        while at < word.len() {
            if word[at] == left && word.get(at + 1) == Some(&right) {
                if n_kept > 0 {
                    beside(Side::Before, word[n_kept - 1]);
                }
                at += 2;
                if let Some(&next) = word.get(at) {
                    beside(Side::After, next);
                }
                word[n_kept] = product;
            } else {
                word[n_kept] = word[at];
                at += 1;
            }
            n_kept += 1;
        }
        self.words[index].1 = n_kept as u32;
    }
}

/// Where a symbol stands beside a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_those_of_the_reference() {
        // tokenizers' own test of a word: h e l l o with l l → 4.
        let mut corpus = Corpus::default();
        corpus.push([0, 1, 2, 2, 3].into_iter(), 7).unwrap();
        let mut seen = Vec::new();
        corpus.merge(0, (2, 2, 4), |side, symbol| seen.push((side, symbol)));
        assert_eq!(corpus.word(0), (&[0, 1, 4, 3][..], 7));
        // (1, 2) and (2, 3) stand once less, (1, 4) and (4, 3) once more.
        assert_eq!(seen, [(Side::Before, 1), (Side::After, 3)]);
    }

    #[test]
    fn a_total_beyond_64_bits_is_refused() {
        let mut corpus = Corpus::default();
        assert!(corpus.push([0].into_iter(), u64::MAX).is_err());
        corpus.push([0, 1, 2].into_iter(), u64::MAX / 8).unwrap();
        assert!(corpus.n_symbols().is_ok());
        corpus.push([0, 1, 2].into_iter(), u64::MAX / 8).unwrap();
        assert!(corpus.n_symbols().is_err());
    }
}
