//! The models: a pretoken becomes tokens. Each is here as written in its paper or its source; what is
//! quicker stands in `fast` and is compared with these.

pub mod bpe;
pub mod characters;
pub mod unigram;
pub mod word_level;
pub mod word_piece;

use crate::definition::{Definition, Model};
use crate::error::{Error, Result};
use crate::id::{Rank, TokenId};
use crate::interrupt::Ticker;
use crate::merges::Merges;
use crate::vocab::Vocab;
use bpe::{Join, Merger};

/// The tokens of pretokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The ids.
    pub ids: Vec<u32>,
    /// Per id, the bytes of the pretoken that it covers; together they tile it.
    pub lengths: Vec<u32>,
}

impl Tokens {
    /// Appends one token.
    pub fn push(&mut self, id: TokenId, n_bytes: usize) {
        self.ids.push(id.0);
        self.lengths.push(n_bytes as u32);
    }

    /// Empties both lists.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.lengths.clear();
    }
}

/// A definition's model, ready to run.
#[derive(Debug)]
pub enum Engine {
    /// Byte-pair encoding over bytes.
    Bytes,
    /// Byte-pair encoding over characters.
    Characters(Box<characters::Tables>),
    /// Unigram.
    Unigram(Box<unigram::Tables>),
    /// WordPiece.
    WordPiece(Box<word_piece::Tables>),
    /// WordLevel.
    WordLevel(word_level::Tables),
}

/// What one thread needs to run an [`Engine`].
#[derive(Debug, Default)]
pub struct Scratch {
    merger: Merger,
    characters: characters::Scratch,
    unigram: unigram::Scratch,
    word_piece: word_piece::Scratch,
}

impl Engine {
    /// Builds the tables of the definition's model.
    ///
    /// # Errors
    /// [`Error::Format`] where the model cannot be run as it is written.
    pub fn new(definition: &Definition) -> Result<Self> {
        Ok(match &definition.model {
            Model::Bpe(bpe) => match &bpe.characters {
                None => Self::Bytes,
                Some(_) => Self::Characters(Box::new(characters::Tables::new(definition)?)),
            },
            Model::Unigram(_) => Self::Unigram(Box::new(unigram::Tables::new(definition)?)),
            Model::WordPiece(_) => Self::WordPiece(Box::new(word_piece::Tables::new(definition)?)),
            Model::WordLevel(_) => Self::WordLevel(word_level::Tables::new(definition)?),
        })
    }

    /// Appends the tokens of one pretoken. `definition` is the one that the engine was built from.
    ///
    /// # Errors
    /// [`Error::Unencodable`] where the model has no token for a part, with an index into `piece`;
    /// [`Error::Interrupted`].
    pub fn encode(
        &self,
        definition: &Definition,
        scratch: &mut Scratch,
        piece: &str,
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        match self {
            Self::Bytes => bytes(definition, &mut scratch.merger, piece.as_bytes(), tokens, ticker),
            Self::Characters(tables) => {
                tables.encode(definition, &mut scratch.characters, piece, tokens, ticker)
            }
            Self::Unigram(tables) => tables.encode(definition, &mut scratch.unigram, piece, tokens, ticker),
            Self::WordPiece(tables) => {
                tables.encode(definition, &mut scratch.word_piece, piece, tokens, ticker)
            }
            Self::WordLevel(tables) => tables.encode(definition, piece, tokens),
        }
    }
}

/// The byte-level model's own answers, nothing remembered.
struct PlainJoin<'a> {
    vocab: &'a Vocab,
    merges: &'a Merges,
}

impl Join for PlainJoin<'_> {
    fn byte(&self, byte: u8) -> Option<TokenId> {
        self.vocab.get(&[byte])
    }

    fn join(&mut self, left: TokenId, right: TokenId, joined: &[u8]) -> Option<(Rank, TokenId)> {
        self.merges.join(self.vocab, left, right, joined)
    }
}

fn bytes(
    definition: &Definition,
    merger: &mut Merger,
    piece: &[u8],
    tokens: &mut Tokens,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let Some(model) = definition.model.bpe() else {
        return Err(Error::format("model", "the engine is another model's"));
    };
    let mut join = PlainJoin { vocab: &definition.vocab, merges: &model.merges };
    let first = tokens.ids.len();
    match join.vocab.get(piece).filter(|_| model.whole_pieces) {
        Some(id) => tokens.ids.push(id.0),
        None => merger.merge(&mut join, piece, &mut tokens.ids, ticker)?,
    }
    for &id in tokens.ids.get(first..).unwrap_or(&[]) {
        tokens.lengths.push(definition.vocab.bytes(TokenId(id)).map_or(0, <[u8]>::len) as u32);
    }
    Ok(())
}
