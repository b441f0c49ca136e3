//! One decoding under way: it takes ids as they come.

use super::sentencepiece::{Pieces, kind};
use super::steps::Steps;
use super::utf8::{Invalid, Part, Utf8};
use super::{Decoding, Plan, piece};
use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ctl;

/// One decoding under way. It is of one [`Decoding`], which each call is given.
#[derive(Debug)]
pub struct Run {
    state: State,
    /// Raw bytes among tokens that are texts, on their way to text.
    literal: Utf8,
    skip_special: bool,
    /// How many ids have come.
    n_ids: usize,
}

#[derive(Debug)]
enum State {
    Bytes(Utf8),
    Steps(Steps),
    SentencePiece(Pieces),
}

impl Run {
    /// Returns the beginning of a text.
    pub fn new(decoding: &Decoding, skip_special: bool, invalid: Invalid) -> Self {
        let state = match &decoding.plan {
            Plan::Bytes => State::Bytes(Utf8::new(invalid, Part::Longest)),
            Plan::Steps(recipes) => State::Steps(Steps::new(recipes, invalid)),
            Plan::SentencePiece(surface) => State::SentencePiece(Pieces::new(surface, invalid)),
        };
        Self { state, literal: Utf8::new(invalid, Part::Longest), skip_special, n_ids: 0 }
    }

    /// Returns how many ids have come.
    pub fn n_ids(&self) -> usize {
        self.n_ids
    }

    /// Takes `ids` and appends to `out` what is known of their text.
    ///
    /// # Errors
    /// [`crate::error::Error::UnknownId`] with the position counted from the first id that this run was given;
    /// none of `ids` is then taken. Those of a pattern's engine; [`crate::error::Error::Interrupted`].
    pub fn feed(&mut self, decoding: &Decoding, ids: &[u32], out: &mut Vec<u8>, ctl: &Ctl<'_>) -> Result<()> {
        let mut ticker = ctl.ticker();
        let mut tokens = Vec::with_capacity(ids.len());
        for (at, &id) in ids.iter().enumerate() {
            ticker.tick(1)?;
            if let Some(bytes) = decoding.token(id, self.n_ids + at, self.skip_special)? {
                tokens.push((TokenId(id), bytes));
            }
        }
        self.n_ids += ids.len();
        if !tokens.is_empty() {
            // A character is not made half of raw bytes and half of texts.
            self.literal.finish(|text| out.extend_from_slice(text));
        }
        let definition = &decoding.definition;
        match &mut self.state {
            State::Bytes(utf8) => {
                for (_, bytes) in tokens {
                    ticker.tick(bytes.len())?;
                    utf8.push(bytes, |text| out.extend_from_slice(text));
                }
            }
            State::Steps(steps) => {
                for (id, bytes) in tokens {
                    steps.token(piece::spelled(definition, id, bytes).as_bytes());
                }
                steps.pass(out, &mut ticker)?;
            }
            State::SentencePiece(pieces) => {
                for (id, bytes) in tokens {
                    ticker.tick(bytes.len())?;
                    pieces.piece(kind(definition, id), &String::from_utf8_lossy(bytes), out);
                }
            }
        }
        Ok(())
    }

    /// Takes raw bytes of the text. Where tokens are bytes, it is as if a token stood for them; where they are texts, the
    /// bytes stand as they are, and what follows comes after a text.
    ///
    /// # Errors
    /// Those of a pattern's engine; [`crate::error::Error::Interrupted`].
    pub fn feed_bytes(&mut self, bytes: &[u8], out: &mut Vec<u8>, ctl: &Ctl<'_>) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &mut self.state {
            State::Bytes(utf8) => {
                utf8.push(bytes, |text| out.extend_from_slice(text));
                return Ok(());
            }
            State::Steps(steps) => steps.literal(out, &mut ctl.ticker())?,
            State::SentencePiece(pieces) => pieces.literal(out),
        }
        self.literal.push(bytes, |text| out.extend_from_slice(text));
        Ok(())
    }

    /// Ends the text and appends what is left of it. Returns whether it did not break off inside a character.
    ///
    /// # Errors
    /// As [`Run::feed`].
    pub fn finish(&mut self, out: &mut Vec<u8>, ctl: &Ctl<'_>) -> Result<bool> {
        let is_whole = self.literal.finish(|text| out.extend_from_slice(text));
        let is_complete = match &mut self.state {
            State::Bytes(utf8) => utf8.finish(|text| out.extend_from_slice(text)),
            State::Steps(steps) => steps.finish(out, &mut ctl.ticker())?,
            State::SentencePiece(pieces) => pieces.finish(out),
        };
        Ok(is_whole && is_complete)
    }
}
