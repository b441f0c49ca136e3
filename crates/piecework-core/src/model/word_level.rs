//! Each word is one token, or unknown. A word is a pretoken or, as sentencepiece 0.2.3 has it, a part of one that
//! begins with `▁`.

use super::bytes::ByteTokens;
use super::{Tokens, other_model};
use crate::definition::{Definition, Model, WordLevel};
use crate::error::{Error, Result};
use crate::interrupt::Ticker;

/// The model's tables.
#[derive(Debug)]
pub struct Tables {
    bytes: Option<ByteTokens>,
}

impl Tables {
    /// Builds the tables.
    ///
    /// # Errors
    /// [`Error::Format`] for another model's definition.
    pub fn new(definition: &Definition) -> Result<Self> {
        let Model::WordLevel(model) = &definition.model else {
            return Err(other_model());
        };
        Ok(Self { bytes: model.byte_fallback.then(|| ByteTokens::new(&definition.vocab)) })
    }

    /// Appends the tokens of `piece`. Complexity: O(n).
    ///
    /// # Errors
    /// [`Error::Unencodable`] for a word that is not in a vocabulary without an unknown token, with its index;
    /// [`Error::Interrupted`].
    pub fn encode(
        &self,
        definition: &Definition,
        piece: &str,
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let Model::WordLevel(model) = &definition.model else {
            return Err(other_model());
        };
        let Some(start) = model.word_start else {
            return self.word(definition, model, (piece, 0), tokens, 0);
        };
        let first = tokens.ids.len();
        let mut at = 0;
        while at < piece.len() {
            let rest = piece.get(at..).unwrap_or("");
            let mut inside = rest.char_indices().skip(1);
            let end = inside.find(|&(_, c)| c == start).map_or(rest.len(), |(end, _)| end);
            ticker.tick(end)?;
            self.word(definition, model, (rest.get(..end).unwrap_or(""), at), tokens, first)?;
            at += end;
        }
        Ok(())
    }

    /// Appends the tokens of the word that begins at byte `at` of its pretoken, whose tokens begin at `first`.
    fn word(
        &self,
        definition: &Definition,
        model: &WordLevel,
        (word, at): (&str, usize),
        tokens: &mut Tokens,
        first: usize,
    ) -> Result<()> {
        if let Some(id) = definition.vocab.get(word.as_bytes()) {
            tokens.push(id, word.len());
        } else if let Some(bytes) = self.bytes.as_ref().filter(|bytes| bytes.has_all(word.as_bytes())) {
            for id in word.bytes().filter_map(|byte| bytes.get(byte)) {
                tokens.push(id, 1);
            }
        } else if let Some(unk) = model.unk {
            tokens.push_fusing(unk, word.len(), first, Some(unk).filter(|_| model.fuse_unk));
        } else {
            let byte = word.as_bytes().first().copied().unwrap_or(0);
            return Err(Error::Unencodable { byte, index: at });
        }
        Ok(())
    }
}
