//! Patterns in one pass: a deterministic automaton over classes of characters, built while it runs.
//!
//! Its alphabet is not bytes but the classes that the pattern tells apart (a dozen or so), with one symbol
//! more for "no character". The automaton decides at each position with the next symbol in hand, before it
//! takes it. So an assertion about the next character, `\s+(?!\S)` and `$` above all, costs nothing and needs
//! no backtracking; one about the previous character is part of the state.

mod alphabet;
mod cache;
mod program;

use std::fmt;

use super::syntax::{Node, Refusal};
use crate::error::Result;
use crate::interrupt::Ticker;
use crate::span::Span;
use alphabet::Alphabet;
use cache::{Automaton, Cache, DEAD, MATCH, Row};
use program::{Direction, Program, Sets};

/// The most sets that a pattern may name and classes that they may make: each state has a row of the latter.
const MAX_CLASSES: usize = 1 << 12;

/// Bytes between two reports of work.
const WINDOW: usize = 1 << 14;

/// A pattern as an automaton in both directions.
pub struct Linear {
    alphabet: Alphabet,
    forward: Program,
    backward: Program,
}

/// The states that one thread has met, in both directions.
#[derive(Debug)]
pub struct LinearScratch {
    forward: Cache,
    backward: Cache,
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linear").field("n_symbols", &self.alphabet.n_symbols()).finish_non_exhaustive()
    }
}

impl Linear {
    /// Builds the automaton of `node`, which must be regular: see [`super::rewrite::is_regular`].
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] where it tells too many classes of characters apart.
    pub fn new(node: &Node) -> std::result::Result<Self, Refusal> {
        let too_large = Refusal::TooLarge { unit: "classes of characters", max: MAX_CLASSES };
        let mut sets = Sets::default();
        let forward = Program::new(node, Direction::Forward, &mut sets);
        let backward = Program::new(node, Direction::Backward, &mut sets);
        if sets.len() > MAX_CLASSES {
            return Err(too_large);
        }
        let alphabet = Alphabet::new(&sets.into_vec());
        if alphabet.n_symbols() > MAX_CLASSES {
            return Err(too_large);
        }
        Ok(Self { alphabet, forward, backward })
    }

    /// Returns an automaton without states.
    pub fn scratch(&self) -> LinearScratch {
        LinearScratch {
            forward: Cache::new(&self.alphabet, &self.forward),
            backward: Cache::new(&self.alphabet, &self.backward),
        }
    }

    /// Calls `each` with every match in `text`, from left to right.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`], and those of `each`.
    pub fn for_each_match(
        &self,
        text: &str,
        scratch: &mut LinearScratch,
        ticker: &mut Ticker<'_>,
        mut each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut from = 0;
        let mut last_end = None;
        while let Some(found) = self.find(text, from, scratch, ticker)? {
            from = found.end;
            // Both references pass over an empty match at the end of the one before, and search on from the
            // next character.
            if found.is_empty() && last_end == Some(found.end) {
                match text.get(from..).and_then(|rest| rest.chars().next()) {
                    Some(c) => from += c.len_utf8(),
                    None => return Ok(()),
                }
                continue;
            }
            last_end = Some(found.end);
            each(found, ticker)?;
        }
        Ok(())
    }

    /// Returns the leftmost match at or after byte `from`, and of those that begin there the first in the
    /// pattern's order.
    fn find(
        &self,
        text: &str,
        from: usize,
        scratch: &mut LinearScratch,
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<Span>> {
        // Patterns of tokenizers leave no gaps, so the next match nearly always begins here.
        if let Some(end) = self.forward(text, from, self.forward.start, &mut scratch.forward, ticker)? {
            return Ok(Some(Span::new(from, end)));
        }
        let end = self.forward(text, from, self.forward.start_anywhere, &mut scratch.forward, ticker)?;
        let Some(end) = end else { return Ok(None) };
        let start = self.backward(text, from, end, &mut scratch.backward, ticker)?;
        Ok(Some(Span::new(start, end)))
    }

    /// Returns where the match ends that begins at `from`, or for the start that allows it, the leftmost one
    /// that begins later.
    fn forward(
        &self,
        text: &str,
        from: usize,
        start: u32,
        cache: &mut Cache,
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<usize>> {
        let automaton = Automaton { program: &self.forward, alphabet: &self.alphabet };
        let bytes = text.as_bytes();
        let mut row = cache.start(automaton, start, || self.alphabet.before(text, from));
        let mut found = None;
        let mut at = from;
        while at < bytes.len() {
            let window_start = at;
            let window_end = bytes.len().min(at + WINDOW);
            while at < window_end {
                let (symbol, length) = self.alphabet.at(text, at);
                let step = cache.step(automaton, row, symbol, ticker)?;
                if step & MATCH != 0 {
                    found = Some(at);
                }
                row = step & !MATCH;
                if row == DEAD {
                    // The symbol that ended it was looked at as well.
                    ticker.tick(at + length - window_start)?;
                    return Ok(found);
                }
                at += length;
            }
            ticker.tick(at - window_start)?;
        }
        if self.ends(automaton, cache, row, ticker)? {
            found = Some(bytes.len());
        }
        Ok(found)
    }

    /// Returns the first byte, not before `from`, from which the pattern matches up to `end`.
    ///
    /// The leftmost match is known to end there. It begins at the smallest start from which *any* way to
    /// match reaches `end`: there is none further left, for that would be a match that begins before the
    /// leftmost one.
    fn backward(
        &self,
        text: &str,
        from: usize,
        end: usize,
        cache: &mut Cache,
        ticker: &mut Ticker<'_>,
    ) -> Result<usize> {
        let automaton = Automaton { program: &self.backward, alphabet: &self.alphabet };
        // Seen backward, what stands after the match stands behind it.
        let mut row = cache.start(automaton, self.backward.start, || self.alphabet.at(text, end).0);
        let mut found = end;
        let mut at = end;
        loop {
            let (symbol, length) = self.alphabet.before_with_length(text, at);
            let step = cache.step(automaton, row, symbol, ticker)?;
            if step & MATCH != 0 {
                found = at;
            }
            row = step & !MATCH;
            if row == DEAD || at <= from {
                return Ok(found);
            }
            at -= length;
            ticker.tick(length)?;
        }
    }

    /// Returns whether there is a match where the text ends.
    fn ends(
        &self,
        automaton: Automaton<'_>,
        cache: &mut Cache,
        row: Row,
        ticker: &mut Ticker<'_>,
    ) -> Result<bool> {
        Ok(cache.step(automaton, row, self.alphabet.edge(), ticker)? & MATCH != 0)
    }
}
