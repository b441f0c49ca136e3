//! The streaming encoder.

use std::sync::Arc;

use super::boundary::Rule;
use crate::error::{Error, Result};
use crate::interrupt::Ctl;
use crate::span::Span;
use crate::tokenizer::{Options, Tokenizer};

/// Text on its way to ids.
#[derive(Debug)]
pub struct Encoder {
    tokenizer: Arc<Tokenizer>,
    options: Options,
    rule: Rule,
    /// The text whose ids are not given out yet.
    pending: String,
    /// How much of it has been searched for a cut.
    searched: usize,
    /// How many bytes came before it.
    base: usize,
    has_begun: bool,
    /// The failure that the stream ended with.
    failed: Option<Error>,
}

impl Encoder {
    /// Returns a stream at its beginning. Trusted spans are not known in a stream: `options` trust everything where
    /// control tokens are parsed.
    pub fn new(tokenizer: Arc<Tokenizer>, options: Options) -> Self {
        let rule = Rule::new(tokenizer.definition(), &options.special);
        Self {
            tokenizer,
            options,
            rule,
            pending: String::new(),
            searched: 0,
            base: 0,
            has_begun: false,
            failed: None,
        }
    }

    /// Returns whether ids are given out before the end, and not all of the text kept until then.
    pub fn streams(&self) -> bool {
        self.rule.cuts()
    }

    /// Returns how many bytes of text are kept.
    pub fn n_pending_bytes(&self) -> usize {
        self.pending.len()
    }

    /// Takes `text` and returns the ids that no later text can change.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`], with places in the whole stream; the stream is then at its end.
    ///
    /// # Complexity
    /// Each character is looked at once for a cut and encoded once, however the text comes.
    pub fn feed(&mut self, text: &str, ctl: &Ctl<'_>) -> Result<Vec<u32>> {
        self.alive()?;
        let mut ids = self.begin();
        self.pending.push_str(text);
        let cut = self.rule.last_cut(&self.pending, self.searched);
        self.searched = self.pending.char_indices().next_back().map_or(0, |(at, _)| at);
        if let Some(cut) = cut {
            self.encode(cut, &mut ids, ctl)?;
            self.searched = self.searched.saturating_sub(cut);
        }
        Ok(ids)
    }

    /// Ends the text and returns its last ids.
    ///
    /// # Errors
    /// As [`Encoder::feed`].
    pub fn finish(&mut self, ctl: &Ctl<'_>) -> Result<Vec<u32>> {
        self.alive()?;
        let mut ids = self.begin();
        self.encode(self.pending.len(), &mut ids, ctl)?;
        if self.options.add_special_tokens {
            ids.extend(self.tokenizer.added_around().1);
        }
        Ok(ids)
    }

    /// Returns the ids before the text, once.
    fn begin(&mut self) -> Vec<u32> {
        let begins = !std::mem::replace(&mut self.has_begun, true) && self.options.add_special_tokens;
        if begins { self.tokenizer.added_around().0 } else { Vec::new() }
    }

    fn encode(&mut self, until: usize, ids: &mut Vec<u32>, ctl: &Ctl<'_>) -> Result<()> {
        let rest = self.pending.split_off(until);
        let part = std::mem::replace(&mut self.pending, rest);
        let options = Options { add_special_tokens: false, ..self.options.clone() };
        match self.tokenizer.ids(&part, &options, ctl) {
            Ok(more) => ids.extend(more),
            Err(error) => {
                let error = moved(error, self.base);
                self.failed = Some(error.clone());
                return Err(error);
            }
        }
        self.base += part.len();
        Ok(())
    }

    fn alive(&self) -> Result<()> {
        self.failed.clone().map_or(Ok(()), Err)
    }
}

/// Returns `error` with a place in a part turned into one in the whole text.
fn moved(error: Error, by: usize) -> Error {
    match error {
        Error::SpecialToken { token, span } => {
            Error::SpecialToken { token, span: Span::new(span.start + by, span.end + by) }
        }
        other => other.moved(by),
    }
}
