//! The NFC and NFD of one cluster: decompose, order the marks, compose. Time is linear in the cluster, which
//! can be as long as the text.
//!
//! Source: chapter 3.11 of the Unicode Standard, D108 to D117.

use crate::error::Result;
use crate::interrupt::Ticker;
use crate::unicode::canonical::{combining_class, compose, decompose};

/// Runs of marks up to this long are sorted by comparison, longer ones by counting, which is linear
/// and can be interrupted.
const MAX_SORTED_MARKS: usize = 1 << 10;

/// A character with its combining class in the top byte: half the memory of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Letter(u32);

impl Letter {
    fn new(c: char) -> Self {
        Self(u32::from(combining_class(c)) << 24 | c as u32)
    }

    fn class(self) -> u8 {
        (self.0 >> 24) as u8
    }

    fn char(self) -> char {
        // Only made of a character, so the fallback is never taken.
        char::from_u32(self.0 & 0x00FF_FFFF).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

/// The buffers for one cluster, kept from cluster to cluster.
#[derive(Default)]
pub(super) struct Composer {
    letters: Vec<Letter>,
    spare: Vec<Letter>,
    spelled: String,
}

impl Composer {
    /// Returns the NFC of `cluster`.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`] when the caller has said stop.
    pub(super) fn compose_cluster(&mut self, cluster: &str, ticker: &mut Ticker<'_>) -> Result<&str> {
        self.decompose(cluster, ticker)?;
        self.compose(ticker)?;
        self.spell(ticker)
    }

    /// Returns the NFD of `cluster`.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`] when the caller has said stop.
    pub(super) fn decompose_cluster(&mut self, cluster: &str, ticker: &mut Ticker<'_>) -> Result<&str> {
        self.decompose(cluster, ticker)?;
        self.spell(ticker)
    }

    /// Takes `cluster` apart and orders its marks.
    fn decompose(&mut self, cluster: &str, ticker: &mut Ticker<'_>) -> Result<()> {
        self.letters.clear();
        for c in cluster.chars() {
            ticker.tick(c.len_utf8())?;
            decompose(c, |letter| self.letters.push(Letter::new(letter)));
        }
        self.order(ticker)
    }

    /// Returns the letters as text.
    fn spell(&mut self, ticker: &mut Ticker<'_>) -> Result<&str> {
        self.spelled.clear();
        for letter in &self.letters {
            ticker.tick(1)?;
            self.spelled.push(letter.char());
        }
        Ok(&self.spelled)
    }

    /// Puts each run of marks in order of their classes; equal classes keep their order.
    fn order(&mut self, ticker: &mut Ticker<'_>) -> Result<()> {
        for run in self.letters.chunk_by_mut(|_, right| right.class() != 0) {
            ticker.tick(run.len())?;
            // A run begins with its starter, except at the start of the text: class 0 sorts first.
            if run.is_sorted_by_key(|letter| letter.class()) {
                continue;
            }
            if run.len() <= MAX_SORTED_MARKS {
                run.sort_by_key(|letter| letter.class());
            } else {
                sort_by_counting(run, &mut self.spare, ticker)?;
            }
        }
        Ok(())
    }

    /// Lets each starter absorb the letters that compose with it and that nothing blocks from it.
    fn compose(&mut self, ticker: &mut Ticker<'_>) -> Result<()> {
        let letters = &mut self.letters;
        let mut starter = None;
        let mut n_kept = 0;
        for at in 0..letters.len() {
            ticker.tick(1)?;
            let letter = letters[at];
            // What is kept between the starter and the letter blocks it, unless its class is lower.
            let reached = starter.filter(|&starter: &usize| {
                starter + 1 == n_kept || letters[n_kept - 1].class() < letter.class()
            });
            if let Some(starter) = reached
                && let Some(composed) = compose(letters[starter].char(), letter.char())
            {
                letters[starter] = Letter::new(composed);
                continue;
            }
            if letter.class() == 0 {
                starter = Some(n_kept);
            }
            letters[n_kept] = letter;
            n_kept += 1;
        }
        letters.truncate(n_kept);
        Ok(())
    }
}

/// Sorts `run` by class, stably, in linear time. `spare` is a buffer of any content.
fn sort_by_counting(run: &mut [Letter], spare: &mut Vec<Letter>, ticker: &mut Ticker<'_>) -> Result<()> {
    let mut next = [0; 256];
    for letter in run.iter() {
        ticker.tick(1)?;
        next[usize::from(letter.class())] += 1;
    }
    let mut before = 0;
    for slot in &mut next {
        before += std::mem::replace(slot, before);
    }
    spare.clear();
    spare.resize(run.len(), Letter::default());
    for letter in run.iter() {
        ticker.tick(1)?;
        let slot = &mut next[usize::from(letter.class())];
        spare[*slot] = *letter;
        *slot += 1;
    }
    run.copy_from_slice(spare);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::Ctl;

    #[test]
    fn counting_sorts_like_sorting() {
        let marks: Vec<Letter> = (0..5000u32)
            .map(|n| Letter::new(['\u{301}', '\u{316}', '\u{334}'][n as usize * n as usize % 7 % 3]))
            .collect();
        let (mut counted, mut sorted) = (marks.clone(), marks);
        sort_by_counting(&mut counted, &mut Vec::new(), &mut Ctl::new().ticker()).unwrap();
        sorted.sort_by_key(|letter| letter.class());
        assert!(counted == sorted);
    }
}
