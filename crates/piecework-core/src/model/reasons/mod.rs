//! Why a model made these tokens of a pretoken: the record that an explanation is drawn from.
//!
//! BPE is watched while it really runs; WordPiece and Unigram are asked again, from their own tables.

pub mod bpe;
pub mod unigram;
pub mod word_piece;

use super::{Engine, Scratch, Tokens, other_model};
use crate::definition::{Definition, Model};
use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ticker;

/// How a token came to stand for its part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is in the vocabulary as the text has it.
    Piece,
    /// It stands for one byte of what the vocabulary lacks.
    Byte,
    /// The vocabulary lacks the text.
    Unknown,
    /// A user-defined piece, taken wherever it stands.
    UserDefined,
}

/// Why a pretoken became its tokens.
#[derive(Debug, Clone, PartialEq)]
pub enum Reasons {
    /// Of byte-pair encoding.
    Bpe(bpe::Replay),
    /// Of `WordPiece`.
    WordPiece(word_piece::Matches),
    /// Of Unigram.
    Unigram(unigram::Segmentation),
    /// Of `WordLevel`: a word is in the vocabulary or is not.
    WordLevel,
}

impl Engine {
    /// Returns why `piece` becomes its tokens, and these, each with how it came about. Of more than `max_steps` joins or
    /// places of a word, the first are recorded and the others counted.
    ///
    /// # Errors
    /// As [`Engine::encode`]. Complexity: for BPE O(n log n), else as [`Engine::encode`].
    pub fn reasons(
        &self,
        definition: &Definition,
        piece: &str,
        max_steps: usize,
        ticker: &mut Ticker<'_>,
    ) -> Result<(Reasons, Tokens, Vec<How>)> {
        let mut tokens = Tokens::default();
        let reasons = match self {
            Self::Bytes => Reasons::Bpe(bpe::of_bytes(definition, piece, max_steps, &mut tokens, ticker)?),
            Self::Characters(tables) => {
                Reasons::Bpe(tables.replay(definition, piece, max_steps, &mut tokens, ticker)?)
            }
            Self::Unigram(tables) => {
                Reasons::Unigram(tables.segmentation(definition, piece, &mut tokens, ticker)?)
            }
            Self::WordPiece(tables) => {
                let mut scratch = Scratch::default();
                tables.encode(&mut scratch.word_piece, piece, &mut tokens, ticker)?;
                Reasons::WordPiece(tables.matches(piece, max_steps, ticker)?)
            }
            Self::WordLevel(tables) => {
                tables.encode(definition, piece, &mut tokens, ticker)?;
                Reasons::WordLevel
            }
        };
        let how = hows(definition, piece, &tokens)?;
        Ok((reasons, tokens, how))
    }
}

/// Returns how each token came about: the unknown one by its id, a byte's by its spelling and that its text is not its
/// own, unless the model begins with bytes, which fall back on nothing.
fn hows(definition: &Definition, piece: &str, tokens: &Tokens) -> Result<Vec<How>> {
    let (unk, user_defined, begins_with_bytes): (_, &[TokenId], _) = match &definition.model {
        Model::Bpe(model) => match &model.characters {
            Some(characters) => (characters.unk, &characters.user_defined, false),
            None => (None, &[], true),
        },
        Model::Unigram(model) => (model.unk, &model.user_defined, false),
        Model::WordPiece(model) => (Some(model.unk), &[], false),
        Model::WordLevel(model) => (model.unk, &[], false),
    };
    let mut at = 0;
    let mut found = Vec::with_capacity(tokens.ids.len());
    for (&id, &length) in tokens.ids.iter().zip(&tokens.lengths) {
        let id = TokenId(id);
        let text = piece.as_bytes().get(at..at + length as usize).unwrap_or(&[]);
        at += length as usize;
        let bytes = definition.vocab.bytes(id).ok_or_else(other_model)?;
        found.push(if user_defined.binary_search(&id).is_ok() {
            How::UserDefined
        } else if Some(id) == unk && bytes != text {
            How::Unknown
        } else if !begins_with_bytes && bytes != text && super::bytes::parse(bytes).is_some() {
            How::Byte
        } else {
            How::Piece
        });
    }
    Ok(found)
}
