//! WordPiece: the longest token first, from the left, a word at a time (Wu et al. 2016, "Google's Neural Machine
//! Translation System", section 4.1, as BERT runs it). A word of which some part is no token is unknown as a whole.

use super::trie::{Node, Trie};
use super::{Tokens, other_model};
use crate::definition::{Definition, Model};
use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ticker;

/// The model's tables.
#[derive(Debug)]
pub struct Tables {
    trie: Trie,
    /// Where the tokens that continue a word begin: behind their prefix. `None` where there are none.
    pub(super) inside: Option<Node>,
    unk: TokenId,
    pub(super) max_chars: usize,
}

/// What one thread needs.
#[derive(Debug, Default)]
pub struct Scratch {
    found: Vec<(TokenId, usize)>,
}

impl Tables {
    /// Builds the tables.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for another model's definition.
    pub fn new(definition: &Definition) -> Result<Self> {
        let Model::WordPiece(model) = &definition.model else {
            return Err(other_model());
        };
        let indexed = definition.vocab.iter().filter(|entry| entry.indexed);
        let trie = Trie::new(indexed.map(|entry| (entry.bytes, entry.id)))?;
        let inside = trie.walk(model.continuing_subword_prefix.as_bytes());
        Ok(Self { trie, inside, unk: model.unk, max_chars: model.max_input_chars_per_word })
    }

    /// Appends the tokens of the word `piece`.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`]. Complexity: O(n · longest token).
    pub fn encode(
        &self,
        scratch: &mut Scratch,
        piece: &str,
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        ticker.tick(piece.len())?;
        scratch.found.clear();
        let is_short = piece.chars().nth(self.max_chars).is_none();
        let mut rest = if is_short { piece } else { "" };
        let mut from = Some(Trie::ROOT);
        while let Some(found) = from.and_then(|node| self.longest(node, rest)) {
            ticker.tick(1)?;
            scratch.found.push(found);
            rest = rest.get(found.1..).unwrap_or("");
            from = self.inside;
        }
        if !piece.is_empty() && (!is_short || !rest.is_empty()) {
            tokens.push(self.unk, piece.len());
            return Ok(());
        }
        for &(id, n_bytes) in &scratch.found {
            tokens.push(id, n_bytes);
        }
        Ok(())
    }

    /// Returns the longest token that `text` begins with, going on from `node`, and its length in `text`.
    pub(super) fn longest(&self, node: Node, text: &str) -> Option<(TokenId, usize)> {
        let found =
            self.trie.prefixes(node, text.as_bytes()).filter(|&(n, _)| text.is_char_boundary(n)).last();
        found.map(|(n, id)| (id, n))
    }
}
