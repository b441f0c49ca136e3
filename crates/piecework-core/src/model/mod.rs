//! The models: a pretoken becomes tokens. Byte-level BPE is here as its paper has it, and what is quicker stands in
//! `fast`. The others are quick in place (a trie, cuts that no merge crosses, a memory of short pieces), and are
//! compared with the naive twins of `piecework-oracle`.

mod borders;
pub mod bpe;
mod bytes;
pub mod characters;
mod lattice;
mod memory;
pub mod random;
pub mod reasons;
pub mod sampling;
mod scaled;
pub mod trie;
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

    /// Appends one token, or lengthens the last one if both are `fused` and it is not before index `first`.
    pub fn push_fusing(&mut self, id: TokenId, n_bytes: usize, first: usize, fused: Option<TokenId>) {
        let last = self.ids.get(first..).and_then(<[u32]>::last).map(|&last| TokenId(last));
        match self.lengths.last_mut() {
            Some(length) if fused == Some(id) && last == fused => *length += n_bytes as u32,
            _ => self.push(id, n_bytes),
        }
    }

    /// Appends all tokens of `other`.
    pub fn append(&mut self, other: &Self) {
        self.ids.extend_from_slice(&other.ids);
        self.lengths.extend_from_slice(&other.lengths);
    }

    /// Appends all tokens of `other`, the first of them as [`Tokens::push_fusing`] does.
    pub fn append_fusing(&mut self, other: &Self, first: usize, fused: Option<TokenId>) {
        let (Some((&id, ids)), Some((&length, lengths))) =
            (other.ids.split_first(), other.lengths.split_first())
        else {
            return;
        };
        self.push_fusing(TokenId(id), length as usize, first, fused);
        self.ids.extend_from_slice(ids);
        self.lengths.extend_from_slice(lengths);
    }

    /// Empties both lists and gives back their memory beyond `n` tokens.
    pub fn shrink_to(&mut self, n: usize) {
        self.clear();
        self.ids.shrink_to(n);
        self.lengths.shrink_to(n);
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
    /// `WordPiece`.
    WordPiece(Box<word_piece::Tables>),
    /// `WordLevel`.
    WordLevel(Box<word_level::Tables>),
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
            Model::WordLevel(_) => Self::WordLevel(Box::new(word_level::Tables::new(definition)?)),
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
            Self::WordPiece(tables) => tables.encode(&mut scratch.word_piece, piece, tokens, ticker),
            Self::WordLevel(tables) => tables.encode(definition, piece, tokens, ticker),
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
        return Err(other_model());
    };
    let mut join = PlainJoin { vocab: &definition.vocab, merges: &model.merges };
    let first = tokens.ids.len();
    match join.vocab.get(piece).filter(|_| model.whole_pieces) {
        Some(id) => tokens.ids.push(id.0),
        None => merger.merge(&mut join, piece, &mut tokens.ids, ticker)?,
    }
    sampling::push_lengths(&definition.vocab, tokens, first);
    Ok(())
}

/// The error of tables that are asked about a definition which they were not built from.
fn other_model() -> Error {
    Error::format("model", "the engine is another model's")
}
