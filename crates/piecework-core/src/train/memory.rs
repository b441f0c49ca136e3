//! How much memory learning takes, told from the words before they are held.

use crate::error::{Error, Result};

/// Counts up to here are told apart; larger ones by their power of two.
const N_EXACT: usize = 1 << 12;

/// Returns the bytes of memory that learning from `n_words` distinct words of `n_symbols` symbols together takes at its
/// peak, the words included: an upper bound, up to a third more than what was measured.
pub fn needed(n_words: u64, n_symbols: u64) -> u64 {
    (8 << 20)
        + n_words.saturating_mul(BYTES_PER_WORD).saturating_add(n_symbols.saturating_mul(BYTES_PER_SYMBOL))
}

const BYTES_PER_WORD: u64 = 48;
const BYTES_PER_SYMBOL: u64 = 16;

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

    /// Checks that words that occur `min` times or more can be learned from within `cap` bytes.
    ///
    /// # Errors
    /// [`Error::MemoryCap`].
    pub fn check(&self, min: u64, cap: u64) -> Result<()> {
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
            if needed(n_words, n_bytes) <= cap {
                fits = Some(at);
            }
        }
        let needed = needed(n_words, n_bytes);
        if needed <= cap {
            return Ok(());
        }
        let below = |at: usize| self.all[..at].iter().rposition(|&(words, _)| words > 0);
        let fits = fits.map(|at| below(at).map_or(least(at), |below| next(below)));
        Err(Error::MemoryCap { needed, cap, n_words, n_bytes, fits })
    }
}

/// Returns the least count beyond a place.
fn next(place: usize) -> u64 {
    if place < N_EXACT { place as u64 + 1 } else { least(place + 1) }
}
