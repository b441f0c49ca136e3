//! Segmentations of a text other than the best one: random ones from a seed, for training with subword
//! regularization, and the best few.
//!
//! Added tokens, normalizer and pre-tokenizer do as always; what differs is only what the model makes of each pretoken.

use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ctl;
use crate::model::random::Random;
use crate::model::{Scratch, Tokens};
use crate::stages::Section;
use crate::tokenizer::{Options, Tokenizer};

pub use crate::model::sampling::Sampling;

/// Ids and the sum of their scores.
pub type Scored = (Vec<u32>, f64);

impl Tokenizer {
    /// Returns the ids of a segmentation of `text` drawn as `sampling` says: for BPE some joins are left out, for
    /// Unigram any segmentation may come, by its score. The same seed gives the same ids on every machine. `WordPiece`
    /// and `WordLevel` have only one segmentation.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`]; [`Error::TooLong`] for a pretoken too long for `sampling.nbest_size`.
    pub fn sample(
        &self,
        text: &str,
        options: &Options,
        sampling: &Sampling,
        ctl: &Ctl<'_>,
    ) -> Result<Vec<u32>> {
        let mut random = Random::new(sampling.seed);
        let mut scratch = Scratch::default();
        let mut tokens = Tokens::default();
        let mut ticker = ctl.ticker();
        for part in self.parts(text, options, ctl)? {
            match part {
                Part::Added(id) => tokens.push(id, 0),
                Part::Pretoken(piece) => self
                    .plan()
                    .model()
                    .sample(
                        self.definition(),
                        &mut scratch,
                        &piece,
                        (sampling, &mut random),
                        &mut tokens,
                        &mut ticker,
                    )
                    .map_err(|error| self.in_text(error, text, options, ctl))?,
            }
        }
        Ok(tokens.ids)
    }

    /// Returns the up to `n` best segmentations of `text` with the sums of their scores, the best first.
    ///
    /// # Errors
    /// [`Error::Format`] for a model that is not Unigram: no other has scores;
    /// [`Error::TooLong`] for a pretoken too long for `n`; else as [`Tokenizer::ids`]. Complexity: that of
    /// each pretoken, and O(n log n) ids more for each.
    pub fn nbest(&self, text: &str, n: usize, options: &Options, ctl: &Ctl<'_>) -> Result<Vec<Scored>> {
        if n == 0 {
            return Ok(Vec::new());
        }
        let mut scores = vec![0.0];
        let mut steps = Vec::new();
        let mut ticker = ctl.ticker();
        for part in self.parts(text, options, ctl)? {
            let ways = match part {
                Part::Added(id) => vec![(Tokens { ids: vec![id.0], lengths: vec![0] }, 0.0)],
                Part::Pretoken(piece) => self
                    .plan()
                    .model()
                    .nbest(self.definition(), &piece, n, &mut ticker)
                    .map_err(|error| self.in_text(error, text, options, ctl))?,
            };
            let pairs = best_pairs(&scores, &ways, n);
            ticker.tick(pairs.len())?;
            scores = pairs.iter().map(|&(score, ..)| score).collect();
            steps.push(Step { ways, pairs });
        }
        let read = |(rank, &score): (usize, &f64)| (ids(&steps, rank), score);
        Ok(scores.iter().enumerate().map(read).collect())
    }

    /// Returns the error of a pretoken with its place in the text: what cannot be encoded has no other segmentation
    /// either, and the whole encoding knows where it stands.
    fn in_text(&self, error: Error, text: &str, options: &Options, ctl: &Ctl<'_>) -> Error {
        match error {
            Error::Unencodable { .. } => self.ids(text, options, ctl).err().unwrap_or(error),
            other => other,
        }
    }

    fn parts(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        for section in self.stages(text, options, ctl)? {
            match section {
                Section::Added { id, .. } => parts.push(Part::Added(id)),
                Section::Text { normalized, pretokens, .. } => {
                    let piece = |range| normalized.get(range).unwrap_or("").to_owned();
                    parts.extend(
                        pretokens.iter().map(|pretoken| Part::Pretoken(piece(pretoken.span.range()))),
                    );
                }
            }
        }
        Ok(parts)
    }
}

/// What a text consists of before the model.
enum Part {
    Added(TokenId),
    Pretoken(String),
}

/// The ways through one part, and the best combinations with the ways through what stands before it: their score, which
/// way before, and which way here.
struct Step {
    ways: Vec<(Tokens, f64)>,
    pairs: Vec<(f64, usize, usize)>,
}

/// Returns the up to `n` best of all pairs of a way so far and a way on; both lists are the best first.
fn best_pairs(so_far: &[f64], on: &[(Tokens, f64)], n: usize) -> Vec<(f64, usize, usize)> {
    // The i-th best so far with the j-th best on has (i + 1)(j + 1) - 1 pairs before it that are no worse.
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, first) in so_far.iter().enumerate() {
        let few = on.iter().enumerate().take_while(|(j, _)| (i + 1) * (j + 1) <= n);
        pairs.extend(few.map(|(j, (_, second))| (first + second, i, j)));
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs.truncate(n);
    pairs
}

/// Returns the ids of the way of this rank through all steps.
fn ids(steps: &[Step], mut rank: usize) -> Vec<u32> {
    let mut parts: Vec<&[u32]> = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        let Some(&(_, before, here)) = step.pairs.get(rank) else { break };
        parts.extend(step.ways.get(here).map(|(tokens, _)| tokens.ids.as_slice()));
        rank = before;
    }
    parts.into_iter().rev().flatten().copied().collect()
}
