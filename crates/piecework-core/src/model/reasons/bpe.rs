//! Byte-pair encoding, watched: each join in its order, what would have come next, and what it took the chance from.
//!
//! The joins are those of the engine itself. Beside them stands an ordered set of all pairs that could join, so that the
//! runner-up of each is known; a Fenwick tree turns places in the text into places in the state.

use std::collections::BTreeSet;

use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::id::{Rank, TokenId};
use crate::interrupt::Ticker;
use crate::model::bpe::{Dropout, Join, Merger, Neighbors};
use crate::model::{PlainJoin, Tokens, other_model, sampling};

/// A pair that could join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Its rank: the lowest joins first.
    pub rank: u32,
    /// The index of its left symbol in the state.
    pub at: usize,
    /// Where its left symbol begins, in the symbols at the start.
    pub start: usize,
    /// Where the left one ends and the right one begins.
    pub middle: usize,
    /// Where the right one ends.
    pub end: usize,
}

/// One join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The pair that joined.
    pub pair: Candidate,
    /// The next best pair of the same state.
    pub runner_up: Option<Candidate>,
    /// Pairs that could have joined and cannot any more: this join took one of their symbols.
    pub lost: Vec<Candidate>,
}

/// Why no further pair joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// No adjacent pair joins.
    NoPair,
    /// One symbol is left.
    OneSymbol,
    /// The pretoken is a token, and such are taken whole.
    WholePiece,
}

/// How a pretoken came to its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Where each symbol of the start begins in the pretoken, and where the last one ends.
    pub begins: Vec<u32>,
    /// The token of each, where it has one.
    pub symbols: Vec<Option<TokenId>>,
    /// The joins, in order, at most as many as were asked for. Where the pretoken is taken whole, those that would have been.
    pub steps: Vec<Step>,
    /// How many joins there are.
    pub n_steps: usize,
    /// Why they end.
    pub stop: Stop,
    /// What the joins alone make; nothing where a character of a pretoken that is taken whole is no token.
    pub by_merges: Vec<u32>,
}

/// Watches a merge.
#[derive(Debug, Default)]
pub(in crate::model) struct Recorder {
    /// Every pair that could join: rank and start.
    open: BTreeSet<(u32, u32)>,
    /// What stands at each start, as far as a symbol begins there.
    places: Vec<Place>,
    /// Symbols that begin at or before a place, as a Fenwick tree.
    counts: Vec<u32>,
    steps: Vec<Step>,
    n_steps: usize,
    /// How many steps are recorded. After them joins are counted, and pairs no longer followed.
    max_steps: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    previous: u32,
    middle: u32,
    end: u32,
    rank: Option<u32>,
}

impl Recorder {
    /// Returns a recorder of the first `max_steps` joins.
    pub(in crate::model) fn new(max_steps: usize) -> Self {
        Self { max_steps, ..Self::default() }
    }

    fn is_full(&self) -> bool {
        self.steps.len() >= self.max_steps
    }

    /// Returns how many symbols begin before `start`.
    fn index(&self, start: u32) -> usize {
        let mut at = start as usize;
        let mut sum = 0;
        while let Some(count) = at.checked_sub(1).and_then(|below| self.counts.get(below)) {
            sum += *count as usize;
            at &= at - 1;
        }
        sum
    }

    fn forget(&mut self, start: u32) {
        let mut at = start as usize + 1;
        while let Some(count) = self.counts.get_mut(at - 1) {
            *count -= 1;
            at += at & at.wrapping_neg();
        }
    }

    fn candidate(&self, start: u32) -> Option<Candidate> {
        let place = self.places.get(start as usize)?;
        Some(Candidate {
            rank: place.rank?,
            at: self.index(start),
            start: start as usize,
            middle: place.middle as usize,
            end: place.end as usize,
        })
    }

    /// Takes the pair at `start` out of those that could join.
    fn close(&mut self, start: u32) {
        if let Some(rank) = self.places.get_mut(start as usize).and_then(|place| place.rank.take()) {
            self.open.remove(&(rank, start));
        }
    }

    /// Returns the record of a merge that has ended with `ids`.
    pub(in crate::model) fn replay(
        self,
        begins: Vec<u32>,
        symbols: Vec<Option<TokenId>>,
        n_left: usize,
        by_merges: Vec<u32>,
    ) -> Replay {
        let stop = if n_left > 1 { Stop::NoPair } else { Stop::OneSymbol };
        Replay { begins, symbols, steps: self.steps, n_steps: self.n_steps, stop, by_merges }
    }
}

impl Dropout for Recorder {
    const RETURNS: bool = false;

    fn drops(&mut self) -> bool {
        false
    }

    fn begins(&mut self, n: usize) {
        let place = |at: u32| Place { previous: at.wrapping_sub(1), middle: at + 1, end: at + 2, rank: None };
        self.places = (0..n as u32).map(place).collect();
        self.counts = (1..=n).map(|index| (index & index.wrapping_neg()) as u32).collect();
    }

    fn looked(&mut self, pair: Neighbors, found: Option<(Rank, TokenId)>) {
        if self.is_full() {
            return;
        }
        self.close(pair.start);
        if let Some(place) = self.places.get_mut(pair.start as usize) {
            (place.middle, place.end) = (pair.middle, pair.end);
            place.rank = found.map(|(rank, _)| rank.0);
            self.open.extend(place.rank.map(|rank| (rank, pair.start)));
        }
    }

    fn joined(&mut self, pair: Neighbors) {
        self.n_steps += 1;
        if self.is_full() {
            return;
        }
        let Some(winner) = self.candidate(pair.start) else { return };
        self.close(pair.start);
        let runner_up = self.open.first().and_then(|&(_, start)| self.candidate(start));
        let previous = self.places.get(pair.start as usize).map_or(u32::MAX, |place| place.previous);
        let lost = [previous, pair.middle].into_iter().filter_map(|start| self.candidate(start)).collect();
        self.steps.push(Step { pair: winner, runner_up, lost });
        self.close(previous);
        self.close(pair.middle);
        self.forget(pair.middle);
        if let Some(after) = self.places.get_mut(pair.end as usize) {
            after.previous = pair.start;
        }
    }
}

/// Returns the record of a byte-level model, and appends its tokens.
///
/// # Errors
/// As [`crate::model::Engine::encode`].
pub(in crate::model) fn of_bytes(
    definition: &Definition,
    piece: &str,
    max_steps: usize,
    tokens: &mut Tokens,
    ticker: &mut Ticker<'_>,
) -> Result<Replay> {
    let Some(model) = definition.model.bpe() else {
        return Err(other_model());
    };
    let piece = piece.as_bytes();
    let mut join = PlainJoin { vocab: &definition.vocab, merges: &model.merges };
    let mut recorder = Recorder::new(max_steps);
    let mut ids = Vec::new();
    let merged = Merger::default().merge_dropping(&mut join, &mut recorder, piece, &mut ids, ticker);
    if let Some(replay) = Replay::without_merges(definition, piece, tokens, merged)? {
        return Ok(replay);
    }
    let symbols = piece.iter().map(|&byte| join.byte(byte)).collect();
    let begins = (0..=piece.len() as u32).collect();
    let mut replay = recorder.replay(begins, symbols, ids.len(), ids);
    replay.end(definition, piece, tokens, |tokens, ids| {
        tokens.ids.extend_from_slice(ids);
        sampling::push_lengths(&definition.vocab, tokens, 0);
    });
    Ok(replay)
}

impl Replay {
    /// Returns the byte of the pretoken at which a symbol of the start begins.
    pub fn begin(&self, symbol: usize) -> usize {
        self.begins.get(symbol).map_or(0, |&begin| begin as usize)
    }

    /// Appends the tokens: the pretoken itself where it is one and such are taken whole, or what the joins make.
    pub(in crate::model) fn end(
        &mut self,
        definition: &Definition,
        piece: &[u8],
        tokens: &mut Tokens,
        by_merges: impl FnOnce(&mut Tokens, &[u32]),
    ) {
        match whole(definition, piece) {
            Some(id) => {
                self.stop = Stop::WholePiece;
                tokens.push(id, piece.len());
            }
            None => by_merges(tokens, &self.by_merges),
        }
    }

    /// Returns the record of a pretoken that is taken whole and whose characters are not all tokens, so that it cannot be
    /// `merged`; `None` where it was.
    ///
    /// # Errors
    /// Those of `merged`, for any other pretoken.
    pub(in crate::model) fn without_merges(
        definition: &Definition,
        piece: &[u8],
        tokens: &mut Tokens,
        merged: Result<()>,
    ) -> Result<Option<Self>> {
        match (merged, whole(definition, piece)) {
            (Err(Error::Unencodable { .. }), Some(id)) => {
                tokens.push(id, piece.len());
                Ok(Some(Self {
                    begins: vec![0, piece.len() as u32],
                    symbols: vec![Some(id)],
                    steps: Vec::new(),
                    n_steps: 0,
                    stop: Stop::WholePiece,
                    by_merges: Vec::new(),
                }))
            }
            (merged, _) => merged.map(|()| None),
        }
    }
}

/// Returns the token that `piece` is, where such are taken whole.
fn whole(definition: &Definition, piece: &[u8]) -> Option<TokenId> {
    definition.model.bpe().filter(|model| model.whole_pieces)?;
    definition.vocab.get(piece)
}
