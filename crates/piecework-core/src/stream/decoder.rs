//! The streaming decoder.

use std::sync::Arc;

use super::stop::Stops;
use crate::decode::{Invalid, Run};
use crate::error::{Error, Result};
use crate::interrupt::Ctl;
use crate::tokenizer::Tokenizer;

/// Ids on their way to text.
#[derive(Debug)]
pub struct Decoder {
    tokenizer: Arc<Tokenizer>,
    run: Run,
    stops: Stops,
    /// Bytes of text that the ids have made so far, held back or given out.
    n_bytes: usize,
    /// The failure that the stream ended with: what comes after it would not join to the whole.
    failed: Option<Error>,
}

/// How a stream ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The text that was still held back.
    pub text: String,
    /// Whether the ids did not break off inside a character.
    pub complete: bool,
}

impl Decoder {
    /// Returns a stream at its beginning. `skip_special` and `strict` are those of
    /// [`crate::decode::Decoding::text`]; the text ends before the first of `stops`.
    pub fn new(tokenizer: Arc<Tokenizer>, skip_special: bool, strict: bool, stops: &[String]) -> Self {
        let invalid = if strict { Invalid::Refuse } else { Invalid::Replace };
        let run = Run::new(tokenizer.decoding(), skip_special, invalid);
        Self { tokenizer, run, stops: Stops::new(stops), n_bytes: 0, failed: None }
    }

    /// Returns the tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Returns how many ids have come.
    pub fn n_ids(&self) -> usize {
        self.run.n_ids()
    }

    /// Returns whether text is given out before the end, and not all of it held until then.
    pub fn streams(&self) -> bool {
        self.tokenizer.decoding().streams()
    }

    /// Returns which stop string has ended the text, if any.
    pub fn stopped(&self) -> Option<&str> {
        self.stops.stopped()
    }

    /// Takes `ids` and returns the text that is known now; none after a stop string.
    ///
    /// # Errors
    /// [`Error::UnknownId`] with the position in the whole stream: none of `ids` is then taken, and the stream
    /// goes on. Any other ends it: [`Error::IncompleteText`], [`Error::PatternLimit`], [`Error::Interrupted`].
    pub fn feed(&mut self, ids: &[u32], ctl: &Ctl<'_>) -> Result<String> {
        self.alive()?;
        if self.stopped().is_some() {
            return Ok(String::new());
        }
        let mut out = Vec::new();
        match self.run.feed(self.tokenizer.decoding(), ids, &mut out, ctl) {
            Ok(()) => self.give(out),
            Err(error @ Error::UnknownId { .. }) => Err(error),
            Err(error) => self.fail(error),
        }
    }

    /// Takes raw bytes of the text, and returns what is known of it now. Where tokens are bytes, they join with those of
    /// the ids around them; where tokens are texts, they stand as they are, and what follows comes after a text.
    ///
    /// # Errors
    /// As [`Decoder::feed`], but for ids.
    pub fn feed_bytes(&mut self, bytes: &[u8], ctl: &Ctl<'_>) -> Result<String> {
        self.alive()?;
        if self.stopped().is_some() {
            return Ok(String::new());
        }
        let mut out = Vec::new();
        match self.run.feed_bytes(bytes, &mut out, ctl) {
            Ok(()) => self.give(out),
            Err(error) => self.fail(error),
        }
    }

    /// Ends the stream and returns the text that was held back. Ending it again returns nothing more.
    ///
    /// # Errors
    /// As [`Decoder::feed`].
    pub fn finish(&mut self, ctl: &Ctl<'_>) -> Result<End> {
        self.alive()?;
        if self.stopped().is_some() {
            return Ok(End { text: String::new(), complete: true });
        }
        let mut out = Vec::new();
        let complete = match self.run.finish(&mut out, ctl) {
            Ok(complete) => complete,
            Err(error) => return self.fail(error),
        };
        let mut text = self.give(out)?;
        if self.stopped().is_some() {
            return Ok(End { text, complete: true });
        }
        text.push_str(&String::from_utf8_lossy(&self.stops.finish()));
        Ok(End { text, complete })
    }

    fn alive(&self) -> Result<()> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn fail<T>(&mut self, error: Error) -> Result<T> {
        self.failed = Some(error.clone());
        Err(error)
    }

    fn give(&mut self, mut out: Vec<u8>) -> Result<String> {
        let n_valid = std::str::from_utf8(&out).map_or_else(|error| error.valid_up_to(), str::len);
        let is_valid = n_valid == out.len();
        out.truncate(n_valid);
        self.n_bytes += n_valid;
        // Stop strings are whole characters, so what is before one is too.
        let text = String::from_utf8_lossy(&self.stops.push(out)).into_owned();
        if is_valid || self.stopped().is_some() {
            return Ok(text);
        }
        self.fail(Error::IncompleteText { valid_up_to: self.n_bytes })
    }
}
