//! Each pretoken is one token, or unknown.

use super::Tokens;
use crate::definition::{Definition, Model};
use crate::error::{Error, Result};
use crate::id::TokenId;

/// The model's tables.
#[derive(Debug)]
pub struct Tables {
    unk: Option<TokenId>,
}

impl Tables {
    /// Builds the tables.
    ///
    /// # Errors
    /// [`Error::Format`] for another model's definition.
    pub fn new(definition: &Definition) -> Result<Self> {
        let Model::WordLevel(model) = &definition.model else {
            return Err(Error::format("model", "the engine is another model's"));
        };
        Ok(Self { unk: model.unk })
    }

    /// Appends the token of `piece`.
    ///
    /// # Errors
    /// [`Error::Unencodable`] for a pretoken that is not in a vocabulary without an unknown token.
    pub fn encode(&self, definition: &Definition, piece: &str, tokens: &mut Tokens) -> Result<()> {
        let Some(id) = definition.vocab.get(piece.as_bytes()).or(self.unk) else {
            let byte = piece.as_bytes().first().copied().unwrap_or(0);
            return Err(Error::Unencodable { byte, index: 0 });
        };
        tokens.push(id, piece.len());
        Ok(())
    }
}
