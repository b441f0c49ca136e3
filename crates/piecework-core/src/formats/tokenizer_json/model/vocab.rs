//! The vocabulary of a file, held as bytes or as texts.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::byte_alphabet;
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::vocab::{Entry, MAX_IDS, Vocab};

/// The vocabulary, with the way from a file's spelling to the id.
pub struct Tokens<'a> {
    pub vocab: Vocab,
    /// Whether the vocabulary holds the bytes that spellings stand for.
    pub is_byte_level: bool,
    /// Tokens with a character outside the byte alphabet, which no text can spell.
    unspellable: HashMap<Cow<'a, str>, TokenId>,
}

impl<'a> Tokens<'a> {
    /// Returns the id of the token that the file spells so.
    pub fn id(&self, spelling: &str) -> Option<TokenId> {
        if !self.is_byte_level {
            return self.vocab.get(spelling.as_bytes());
        }
        match byte_alphabet::parse(spelling) {
            Some(bytes) => self.vocab.get(&bytes),
            None => self.unspellable.get(spelling).copied(),
        }
    }

    /// Holds spellings in the display alphabet as the bytes that they stand for.
    pub fn bytes(ids: Vec<(Cow<'a, str>, u32)>) -> Result<Self> {
        let mut bytes = Vec::new();
        let mut entries = Vec::with_capacity(ids.len());
        let mut unspellable = HashMap::new();
        for (spelling, id) in ids {
            check_id(&spelling, id)?;
            let start = bytes.len();
            let indexed = byte_alphabet::parse_into(&spelling, &mut bytes);
            if !indexed {
                bytes.extend_from_slice(spelling.as_bytes());
                if let Some(other) = unspellable.get(&spelling) {
                    let TokenId(other) = other;
                    return Err(Error::format(
                        place(&spelling),
                        format!("the token has two ids, {other} and {id}"),
                    ));
                }
                unspellable.insert(spelling, TokenId(id));
            }
            entries.push((TokenId(id), start..bytes.len(), indexed));
        }
        let entries = entries.into_iter().map(|(id, range, indexed)| Entry {
            id,
            bytes: bytes.get(range).unwrap_or_default(),
            indexed,
        });
        Ok(Self { vocab: vocab(entries)?, is_byte_level: true, unspellable })
    }

    /// Holds spellings as they are.
    pub fn texts(ids: &[(Cow<'a, str>, u32)]) -> Result<Self> {
        ids.iter().try_for_each(|(spelling, id)| check_id(spelling, *id))?;
        let entries = ids.iter().map(|(spelling, id)| Entry {
            id: TokenId(*id),
            bytes: spelling.as_bytes(),
            indexed: true,
        });
        Ok(Self { vocab: vocab(entries)?, is_byte_level: false, unspellable: HashMap::new() })
    }

    /// Holds pieces whose ids are their places. Of two with one spelling the last is found, as in the
    /// reference.
    pub fn pieces(pieces: &[(Cow<'a, str>, f64)]) -> Result<Self> {
        let last: HashMap<&str, usize> =
            pieces.iter().enumerate().map(|(id, (piece, _))| (piece.as_ref(), id)).collect();
        let entries = pieces.iter().enumerate().map(|(id, (piece, _))| Entry {
            id: TokenId(u32::try_from(id).unwrap_or(u32::MAX - 1)),
            bytes: piece.as_bytes(),
            indexed: last.get(piece.as_ref()) == Some(&id),
        });
        Ok(Self { vocab: vocab(entries)?, is_byte_level: false, unspellable: HashMap::new() })
    }
}

fn place(spelling: &str) -> String {
    format!("model.vocab[{spelling:?}]")
}

fn check_id(spelling: &str, id: u32) -> Result<()> {
    if id as usize >= MAX_IDS {
        return Err(Error::format(
            place(spelling),
            format!("the id {id} is over the limit of {MAX_IDS} ids"),
        ));
    }
    Ok(())
}

fn vocab<'a>(entries: impl Iterator<Item = Entry<'a>>) -> Result<Vocab> {
    Vocab::new(entries).map_err(|error| match error {
        Error::Format { reason, .. } => Error::format("model.vocab", reason),
        other => other,
    })
}
