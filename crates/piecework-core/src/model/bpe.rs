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

/// Decides by lot which joins are left out; or only watches, and leaves out none.
pub trait Dropout {
    /// Returns whether the join whose turn it is is left out.
    fn drops(&mut self) -> bool;

    /// Whether a join that was left out has its turn again after the next join that was not (tokenizers), or
    /// never (sentencepiece).
    const RETURNS: bool;

    /// Told that a merge begins, with `n` symbols.
    #[inline]
    fn begins(&mut self, n: usize) {
        let _ = n;
    }

    /// Told of each look at two neighbors: how they join now, if they do. A later look at the same place replaces it.
    #[inline]
    fn looked(&mut self, pair: Neighbors, found: Option<(Rank, TokenId)>) {
        let _ = (pair, found);
    }

    /// Told that two neighbors join, before the looks at what they make.
    #[inline]
    fn joined(&mut self, pair: Neighbors) {
        let _ = pair;
    }
}

/// Leaves out nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoDropout;

impl Dropout for NoDropout {
    const RETURNS: bool = false;

    #[inline]
    fn drops(&mut self) -> bool {
        false
    }
}

/// The buffers of one merge, kept to be used again.
#[derive(Debug, Default)]
pub struct Merger {
    symbols: Vec<Symbol>,
    heap: BinaryHeap<Reverse<u64>>,
    dropped: Vec<Reverse<u64>>,
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
        self.merge_dropping(join, &mut NoDropout, piece, out, ticker)
    }

    /// As [`Merger::merge`], leaving out joins as `dropout` says.
    ///
    /// # Errors
    /// As [`Merger::merge`].
    pub fn merge_dropping<J: Join, D: Dropout>(
        &mut self,
        join: &mut J,
        dropout: &mut D,
        piece: &[u8],
        out: &mut Vec<u32>,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        self.symbols.clear();
        for (index, &byte) in piece.iter().enumerate() {
            let id = join.byte(byte).ok_or(Error::Unencodable { byte, index })?;
            self.push(id);
        }
        self.run(
            &mut |pair| join.join(pair.left, pair.right, &piece[pair.start as usize..pair.end as usize]),
            dropout,
            ticker,
        )?;
        out.extend(self.symbols().map(|symbol| symbol.id.0));
        Ok(())
    }

    /// Merges symbols that are given by their ids: where one begins and ends is its place in the list, whatever
    /// it stands for. `pairs` is asked how two adjacent ones join.
    /// What remains is in [`Merger::symbols`].
    ///
    /// # Errors
    /// [`Error::Interrupted`]. Complexity: O(n log n) for n symbols.
    pub fn merge_ids<D: Dropout>(
        &mut self,
        ids: &[TokenId],
        pairs: &mut impl FnMut(Neighbors) -> Option<(Rank, TokenId)>,
        dropout: &mut D,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        self.symbols.clear();
        for &id in ids {
            self.push(id);
        }
        self.run(pairs, dropout, ticker)
    }

    /// Returns the symbols that the last merge has left, in order.
    pub fn symbols(&self) -> impl Iterator<Item = Merged> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let symbol = self.symbols.get(at as usize)?;
            let merged = Merged { id: symbol.id, start: at, end: symbol.next };
            at = symbol.next;
            Some(merged)
        })
    }

    /// Gives back the memory of an exceptionally long piece.
    pub fn shrink(&mut self) {
        const KEPT_SYMBOLS: usize = 1 << 14;
        self.symbols.truncate(KEPT_SYMBOLS);
        self.symbols.shrink_to(KEPT_SYMBOLS);
        self.heap.clear();
        self.heap.shrink_to(KEPT_SYMBOLS);
        self.dropped.shrink_to(KEPT_SYMBOLS);
    }

    #[inline]
    fn push(&mut self, id: TokenId) {
        let index = self.symbols.len() as u32;
        self.symbols.push(Symbol {
            id,
            next: index + 1,
            previous: index.wrapping_sub(1),
            rank: NONE,
            product: id,
        });
    }

    fn run<D: Dropout>(
        &mut self,
        pairs: &mut impl FnMut(Neighbors) -> Option<(Rank, TokenId)>,
        dropout: &mut D,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let n = self.symbols.len() as u32;
        dropout.begins(n as usize);
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        for at in 0..n.saturating_sub(1) {
            ticker.tick(1)?;
            entries.extend(self.look(pairs, dropout, at).map(Reverse));
        }
        self.heap = entries.into();
        self.dropped.clear();
        while let Some(Reverse(entry)) = self.heap.pop() {
            ticker.tick(1)?;
            // tokenizers draws before it looks whether the entry still holds, sentencepiece after.
            if D::RETURNS {
                if dropout.drops() {
                    self.dropped.push(Reverse(entry));
                    continue;
                }
                self.heap.extend(self.dropped.drain(..));
            }
            let (rank, at) = ((entry >> 32) as u32, entry as u32);
            if self.symbols[at as usize].rank != rank {
                continue; // The pair has changed since.
            }
            if D::RETURNS || !dropout.drops() {
                self.join_at(pairs, dropout, at);
            }
        }
        Ok(())
    }

    /// Looks up the join of the symbol at `at` with its next one, notes it there and returns its entry
    /// for the heap: the rank, then the place, so that the leftmost of equals comes first.
    fn look<D: Dropout>(
        &mut self,
        pairs: &mut impl FnMut(Neighbors) -> Option<(Rank, TokenId)>,
        dropout: &mut D,
        at: u32,
    ) -> Option<u64> {
        let left = self.symbols[at as usize];
        let found = self.symbols.get(left.next as usize).and_then(|right| {
            let pair =
                Neighbors { left: left.id, right: right.id, start: at, middle: left.next, end: right.next };
            let found = pairs(pair);
            dropout.looked(pair, found);
            found
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

    fn join_at<D: Dropout>(
        &mut self,
        pairs: &mut impl FnMut(Neighbors) -> Option<(Rank, TokenId)>,
        dropout: &mut D,
        at: u32,
    ) {
        let left = self.symbols[at as usize];
        let right = self.symbols[left.next as usize];
        let (start, middle, end) = (at, left.next, right.next);
        dropout.joined(Neighbors { left: left.id, right: right.id, start, middle, end });
        self.symbols[left.next as usize].rank = NONE;
        let symbol = &mut self.symbols[at as usize];
        symbol.id = left.product;
        symbol.next = right.next;
        if let Some(after) = self.symbols.get_mut(right.next as usize) {
            after.previous = at;
        }
        // The pair to the left first: sentencepiece looks in this order, and remembers what it saw last.
        if left.previous != NONE {
            let entry = self.look(pairs, dropout, left.previous);
            self.heap.extend(entry.map(Reverse));
        }
        let entry = self.look(pairs, dropout, at);
        self.heap.extend(entry.map(Reverse));
    }
}

/// Two adjacent symbols that may join.
#[derive(Debug, Clone, Copy)]
pub struct Neighbors {
    /// The left token.
    pub left: TokenId,
    /// The right token.
    pub right: TokenId,
    /// Where the left one begins, counted in the symbols at the start.
    pub start: u32,
    /// Where the left one ends and the right one begins.
    pub middle: u32,
    /// Where the right one ends.
    pub end: u32,
}

/// A symbol that a merge has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// Its token.
    pub id: TokenId,
    /// The first of the symbols that it is made of.
    pub start: u32,
    /// One past the last of them.
    pub end: u32,
}
