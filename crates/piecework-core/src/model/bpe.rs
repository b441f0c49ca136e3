//! Byte-pair encoding, plainly: the pair of lowest rank joins first, the leftmost of equals, until no
//! adjacent pair joins. A heap holds the candidate joins, a linked list the symbols, so that a piece of
//! n bytes costs O(n log n) however its merges fall.
//!
//! The algorithm is Sennrich, Haddow, Birch (2016), "Neural Machine Translation of Rare Words with
//! Subword Units", section 3.2, over bytes instead of characters.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::{Error, Result};
use crate::id::{Rank, TokenId};
use crate::interrupt::Ticker;

/// Answers how a pair joins; implemented by the plain model and by the fast tables.
pub trait Join {
    /// Returns the token of a single byte.
    fn byte(&self, byte: u8) -> Option<TokenId>;

    /// Returns the rank and the product of an adjacent pair whose bytes together are `joined`.
    fn join(&mut self, left: TokenId, right: TokenId, joined: &[u8]) -> Option<(Rank, TokenId)>;
}

/// No neighbor, or a symbol that has been joined to its left.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Symbol {
    id: TokenId,
    /// The symbol's index is where it begins; it ends where the next one begins.
    next: u32,
    previous: u32,
    /// The join with the next symbol that the heap's valid entry stands for.
    rank: u32,
    product: TokenId,
}

/// The buffers of one merge, kept to be used again.
#[derive(Debug, Default)]
pub struct Merger {
    symbols: Vec<Symbol>,
    heap: BinaryHeap<Reverse<u64>>,
}

impl Merger {
    /// Appends the ids of `piece` to `out`.
    ///
    /// # Errors
    /// [`Error::Unencodable`] for a byte without a token, with its index in `piece`;
    /// [`Error::Interrupted`]. `out` then holds nothing of the piece. Complexity: O(n log n).
    pub fn merge<J: Join>(
        &mut self,
        join: &mut J,
        piece: &[u8],
        out: &mut Vec<u32>,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        self.start(join, piece, ticker)?;
        while let Some(Reverse(entry)) = self.heap.pop() {
            ticker.tick(1)?;
            let (rank, at) = ((entry >> 32) as u32, entry as u32);
            if self.symbols[at as usize].rank != rank {
                continue; // The pair has changed since.
            }
            self.join_at(join, piece, at);
        }
        let mut at = 0;
        while (at as usize) < piece.len() {
            let symbol = self.symbols[at as usize];
            out.push(symbol.id.0);
            at = symbol.next;
        }
        Ok(())
    }

    /// Gives back the memory of an exceptionally long piece.
    pub fn shrink(&mut self) {
        const KEPT_SYMBOLS: usize = 1 << 14;
        self.symbols.truncate(KEPT_SYMBOLS);
        self.symbols.shrink_to(KEPT_SYMBOLS);
        self.heap.clear();
        self.heap.shrink_to(KEPT_SYMBOLS);
    }

    fn start<J: Join>(&mut self, join: &mut J, piece: &[u8], ticker: &mut Ticker<'_>) -> Result<()> {
        self.symbols.clear();
        let n = piece.len() as u32;
        for (index, &byte) in piece.iter().enumerate() {
            let id = join.byte(byte).ok_or(Error::Unencodable { byte, index })?;
            let index = index as u32;
            self.symbols.push(Symbol {
                id,
                next: index + 1,
                previous: index.wrapping_sub(1),
                rank: NONE,
                product: id,
            });
        }
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        for at in 0..n.saturating_sub(1) {
            ticker.tick(1)?;
            entries.extend(self.look(join, piece, at).map(Reverse));
        }
        self.heap = entries.into();
        Ok(())
    }

    /// Looks up the join of the symbol at `at` with its next one, notes it there and returns its entry
    /// for the heap: the rank, then the place, so that the leftmost of equals comes first.
    fn look<J: Join>(&mut self, join: &mut J, piece: &[u8], at: u32) -> Option<u64> {
        let left = self.symbols[at as usize];
        let found = self.symbols.get(left.next as usize).and_then(|right| {
            let joined = &piece[at as usize..right.next as usize];
            join.join(left.id, right.id, joined)
        });
        let symbol = &mut self.symbols[at as usize];
        if let Some((rank, product)) = found {
            symbol.rank = rank.0;
            symbol.product = product;
            Some(u64::from(rank.0) << 32 | u64::from(at))
        } else {
            symbol.rank = NONE;
            None
        }
    }

    fn join_at<J: Join>(&mut self, join: &mut J, piece: &[u8], at: u32) {
        let left = self.symbols[at as usize];
        let right = self.symbols[left.next as usize];
        self.symbols[left.next as usize].rank = NONE;
        let symbol = &mut self.symbols[at as usize];
        symbol.id = left.product;
        symbol.next = right.next;
        if let Some(after) = self.symbols.get_mut(right.next as usize) {
            after.previous = at;
        }
        let entry = self.look(join, piece, at);
        self.heap.extend(entry.map(Reverse));
        if left.previous != NONE {
            let entry = self.look(join, piece, left.previous);
            self.heap.extend(entry.map(Reverse));
        }
    }
}
