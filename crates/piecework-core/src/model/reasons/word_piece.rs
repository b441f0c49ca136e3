//! `WordPiece`, asked again: which token was the longest at each place, and where none was.

use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ticker;
use crate::model::trie::Trie;
use crate::model::word_piece::Tables;

/// What was found in a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matches {
    /// The longest token at each place: where it begins and ends in the word, and its id. At most as many as were asked for.
    pub found: Vec<(usize, usize, TokenId)>,
    /// How many there are.
    pub n_found: usize,
    /// Where no token begins, if there is such a place: the word is unknown then.
    pub failed_at: Option<usize>,
    /// How many characters the word has.
    pub n_chars: usize,
    /// How many a word may have; a longer one is unknown without a look.
    pub max_chars: usize,
}

impl Matches {
    /// Returns whether the word was too long to be looked at.
    pub fn is_too_long(&self) -> bool {
        self.n_chars > self.max_chars
    }
}

impl Tables {
    /// Returns what was looked for in the word `piece`, and found.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`]. Complexity: as [`Tables::encode`].
    pub(in crate::model) fn matches(
        &self,
        piece: &str,
        max_found: usize,
        ticker: &mut Ticker<'_>,
    ) -> Result<Matches> {
        let n_chars = piece.chars().count();
        let max_chars = self.max_chars;
        let mut matches = Matches { found: Vec::new(), n_found: 0, failed_at: None, n_chars, max_chars };
        if matches.is_too_long() {
            return Ok(matches);
        }
        let (mut at, mut from) = (0, Some(Trie::ROOT));
        while at < piece.len() {
            ticker.tick(1)?;
            let rest = piece.get(at..).unwrap_or("");
            let Some((id, n_bytes)) = from.and_then(|node| self.longest(node, rest)) else {
                matches.failed_at = Some(at);
                break;
            };
            if matches.n_found < max_found {
                matches.found.push((at, at + n_bytes, id));
            }
            matches.n_found += 1;
            at += n_bytes;
            from = self.inside;
        }
        Ok(matches)
    }
}
