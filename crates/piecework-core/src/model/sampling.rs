//! Segmentations other than the best one: random ones, and the best few.

use super::bpe::{Dropout, Merger};
use super::lattice::{self, choose};
use super::random::Random;
use super::scaled::Scaled;
use super::{Engine, PlainJoin, Scratch, Tokens, other_model};
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ticker;
use crate::vocab::Vocab;

/// How to draw a segmentation. The same seed gives the same one on every machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Where the random numbers begin.
    pub seed: u64,
    /// For Unigram: how much the score counts. At 0 all segmentations are equally likely; the larger, the more often
    /// the best is drawn.
    pub alpha: f64,
    /// For BPE: the probability with which each join is left out, 0 to 1; `None` for what the definition says.
    pub dropout: Option<f64>,
    /// For Unigram: from how many of the best segmentations one is drawn; `None` for all.
    pub nbest_size: Option<usize>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { seed: 0, alpha: 1.0, dropout: None, nbest_size: None }
    }
}

/// Leaves out joins, each until another one was made (tokenizers).
#[derive(Debug)]
pub(super) struct Drops<'r> {
    pub p: f64,
    pub random: &'r mut Random,
}

impl Dropout for Drops<'_> {
    const RETURNS: bool = true;

    fn drops(&mut self) -> bool {
        self.random.unit() < self.p
    }
}

/// Leaves out joins for good (sentencepiece).
#[derive(Debug)]
pub(super) struct DropsForGood<'r> {
    pub p: f64,
    pub random: &'r mut Random,
}

impl Dropout for DropsForGood<'_> {
    const RETURNS: bool = false;

    fn drops(&mut self) -> bool {
        self.random.unit() < self.p
    }
}

impl Engine {
    /// Appends a segmentation of one pretoken drawn from `random` as `sampling` says (its seed is not looked at).
    /// `WordPiece` and `WordLevel` have only one.
    ///
    /// # Errors
    /// As [`Engine::encode`]; [`Error::TooLong`] as [`Engine::nbest`].
    pub fn sample(
        &self,
        definition: &Definition,
        scratch: &mut Scratch,
        piece: &str,
        (sampling, random): (&Sampling, &mut Random),
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let model = definition.model.bpe();
        let dropout = model.map_or(0.0, |model| f64::from(model.dropout_millionths) / 1e6);
        let p = sampling.dropout.unwrap_or(dropout);
        match (self, sampling.nbest_size) {
            (Self::Bytes, _) if p > 0.0 => {
                bytes(definition, &mut scratch.merger, piece.as_bytes(), (p, random), tokens, ticker)
            }
            (Self::Characters(tables), _) if p > 0.0 => {
                tables.sample(definition, &mut scratch.characters, piece, (p, random), tokens, ticker)
            }
            (Self::Unigram(tables), None) => {
                lattice::sample(tables, definition, piece, (sampling.alpha, random), tokens, ticker)
            }
            (Self::Unigram(tables), Some(n)) if n > 1 => {
                let found = lattice::nbest(tables, definition, piece, n, ticker)?;
                tokens.append(&one_of(found, sampling.alpha, random));
                Ok(())
            }
            _ => self.encode(definition, scratch, piece, tokens, ticker),
        }
    }

    /// Returns the up to `n` best segmentations of one pretoken with their scores, the best first.
    ///
    /// # Errors
    /// [`Error::Format`] for a model that is not Unigram: no other has scores; [`Error::TooLong`] for a pretoken too
    /// long for `n`; else as [`Engine::encode`].
    pub fn nbest(
        &self,
        definition: &Definition,
        piece: &str,
        n: usize,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<(Tokens, f64)>> {
        let Self::Unigram(tables) = self else {
            let name = definition.model.name();
            return Err(Error::format(
                "model",
                format!("only Unigram has n best segmentations; this is {name}"),
            ));
        };
        lattice::nbest(tables, definition, piece, n, ticker)
    }
}

/// Draws one of the segmentations by their scores.
fn one_of(found: Vec<(Tokens, f64)>, alpha: f64, random: &mut Random) -> Tokens {
    // Against the best, so that the sum is near 1.
    let best = found.first().map_or(0.0, |(_, score)| *score);
    let weighed: Vec<(Tokens, Scaled)> =
        found.into_iter().map(|(tokens, score)| (tokens, Scaled::exp(alpha * (score - best)))).collect();
    let sum = weighed.iter().fold(Scaled::ZERO, |sum, (_, weight)| sum.plus(*weight));
    choose(&weighed, sum, random).cloned().unwrap_or_default()
}

fn bytes(
    definition: &Definition,
    merger: &mut Merger,
    piece: &[u8],
    (p, random): (f64, &mut Random),
    tokens: &mut Tokens,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let model = definition.model.bpe().ok_or_else(other_model)?;
    let mut join = PlainJoin { vocab: &definition.vocab, merges: &model.merges };
    let first = tokens.ids.len();
    merger.merge_dropping(&mut join, &mut Drops { p, random }, piece, &mut tokens.ids, ticker)?;
    push_lengths(&definition.vocab, tokens, first);
    Ok(())
}

/// Gives the ids from index `first` on their lengths: those of their own bytes.
pub(super) fn push_lengths(vocab: &Vocab, tokens: &mut Tokens, first: usize) {
    for &id in tokens.ids.get(first..).unwrap_or(&[]) {
        tokens.lengths.push(vocab.bytes(TokenId(id)).map_or(0, <[u8]>::len) as u32);
    }
}
