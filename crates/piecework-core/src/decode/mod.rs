//! From ids back to text. Byte-level tokens stand for their bytes; the texts of others go through the steps of
//! their decoder.
//!
//! There is one way to decode, and it takes tokens as they come: a whole list is a stream that ends at once, so
//! that the two cannot differ. Each step gives out what no later token can change.

mod bytes;
mod fragments;
mod piece;
mod replace;
mod run;
mod sentencepiece;
mod step;
mod steps;
mod utf8;
mod words;

use std::fmt::Write;
use std::sync::Arc;

use crate::definition::{Decoder, Definition};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ctl;

pub use piece::{piece_bytes, spelling};
pub use run::Run;
pub use utf8::Invalid;

/// Ids that are taken at a time, so that what is between two steps stays small.
const BLOCK: usize = 4096;

/// A definition's decoder, compiled.
#[derive(Debug)]
pub struct Decoding {
    definition: Arc<Definition>,
    plan: Plan,
}

/// How texts are made.
#[derive(Debug)]
enum Plan {
    /// The tokens' bytes one after the other.
    Bytes,
    /// Steps over the tokens' texts.
    Steps(Vec<steps::Recipe>),
    /// As sentencepiece does it.
    SentencePiece(sentencepiece::Surface),
}

impl Decoding {
    /// Compiles the decoder of `definition`.
    ///
    /// # Errors
    /// [`Error::Format`] for a pattern that cannot be run exactly.
    pub fn new(definition: Arc<Definition>) -> Result<Self> {
        let plan = match (&definition.decoder, sentencepiece::Surface::new(&definition.decoder)) {
            (_, Some(surface)) => Plan::SentencePiece(surface),
            (Decoder::Steps(steps), _) => Plan::Steps(steps::compile(steps, definition.profile)?),
            _ => Plan::Bytes,
        };
        Ok(Self { definition, plan })
    }

    /// Returns the definition.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns whether tokens are bytes, which may stand among raw bytes.
    pub fn is_byte_level(&self) -> bool {
        matches!(self.plan, Plan::Bytes)
    }

    /// Returns whether a stream gives out text before it ends: not where a step must see all of it.
    pub fn streams(&self) -> bool {
        match &self.plan {
            Plan::Steps(recipes) => steps::streams(recipes),
            Plan::Bytes | Plan::SentencePiece(_) => true,
        }
    }

    /// Returns the text of `ids`. `skip_special` leaves out added tokens that the file marks `special`; `strict`
    /// makes bytes that are no text an error, and not U+FFFD.
    ///
    /// # Errors
    /// [`Error::UnknownId`] for an id that is no token, with its position; [`Error::IncompleteText`] with the
    /// number of bytes of text before the first that are none; [`Error::PatternLimit`]; [`Error::Interrupted`].
    ///
    /// # Complexity
    /// O(bytes) for each step.
    pub fn text(&self, ids: &[u32], skip_special: bool, strict: bool, ctl: &Ctl<'_>) -> Result<String> {
        let invalid = if strict { Invalid::Refuse } else { Invalid::Replace };
        if self.is_byte_level() {
            let bytes = self.bytes(ids, skip_special, ctl)?;
            return if strict { self::strict(bytes) } else { Ok(replaced(bytes)) };
        }
        self::strict(self.run_all(ids, skip_special, invalid, ctl)?)
    }

    /// Returns the bytes of `ids`: those of the text, but for bytes that are no text, which stay as they are.
    ///
    /// # Errors
    /// As [`Decoding::text`], but none for bytes that are no text.
    pub fn bytes(&self, ids: &[u32], skip_special: bool, ctl: &Ctl<'_>) -> Result<Vec<u8>> {
        self.run_all(ids, skip_special, Invalid::Keep, ctl)
    }

    fn run_all(&self, ids: &[u32], skip_special: bool, invalid: Invalid, ctl: &Ctl<'_>) -> Result<Vec<u8>> {
        let mut run = Run::new(self, skip_special, invalid);
        let mut out = Vec::with_capacity(ids.len() * 4);
        for block in ids.chunks(BLOCK) {
            run.feed(self, block, &mut out, ctl)?;
        }
        run.finish(&mut out, ctl)?;
        Ok(out)
    }

    /// Returns the token's bytes where it is one that is not to be skipped, and `None` where it is to be.
    fn token(&self, id: u32, position: usize, skip_special: bool) -> Result<Option<&[u8]>> {
        let token = TokenId(id);
        if let Some(added) = self.definition.added_token(token) {
            return Ok((!skip_special || !added.special).then_some(added.content.as_bytes()));
        }
        let unknown = || Error::UnknownId { id, position, vocab_size: self.definition.vocab_size() };
        self.definition.vocab.bytes(token).map(Some).ok_or_else(unknown)
    }
}

/// Returns the text that `bytes` spell.
///
/// # Errors
/// [`Error::IncompleteText`] where they are not UTF-8.
pub fn strict(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| Error::IncompleteText { valid_up_to: error.utf8_error().valid_up_to() })
}

/// Returns the text that `bytes` spell, with U+FFFD for each maximal part that is not UTF-8.
pub fn replaced(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns a token's bytes as a person reads them: text where they are UTF-8, `\xNN` for each byte
/// that is not part of a whole character.
pub fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests;
