//! The pairs of the words before the first merge: how often each stands there, and where.

use super::blocks::Blocks;
use super::learn::Books;
use super::lists::List;
use super::pair_counts::{PairCounts, key};
use super::symbol::Symbol;
use crate::error::Result;
use crate::interrupt::Ticker;

/// Pairs of symbols below this are found by a table of all of them.
const N_DENSE: usize = 512;

/// One pair.
#[derive(Debug, Clone, Copy)]
struct First {
    key: u64,
    count: i64,
    n_blocks: u32,
    last: u32,
    blocks: List,
}

/// Where each pair is in the list of pairs.
struct Index {
    dense: Vec<u32>,
    sparse: PairCounts,
    all: Vec<First>,
}

impl Index {
    #[inline]
    fn pair(&mut self, left: u32, right: u32) -> &mut First {
        let is_dense = (left as usize) < N_DENSE && (right as usize) < N_DENSE;
        let at = if is_dense {
            let number = &mut self.dense[left as usize * N_DENSE + right as usize];
            if *number == 0 {
                *number = self.all.len() as u32 + 1;
            }
            *number as usize - 1
        } else {
            // A pair's number in the table is one more than its index; 0 is what a new one gets.
            self.sparse.reserve(1);
            let slot = self.sparse.change(key(left, right), 0).0;
            match self.sparse.at(slot) {
                0 => {
                    self.sparse.change(key(left, right), self.all.len() as i64 + 1);
                    self.all.len()
                }
                number => number as usize - 1,
            }
        };
        if at == self.all.len() {
            let (key, blocks) = (key(left, right), List::default());
            self.all.push(First { key, count: 0, n_blocks: 0, last: 0, blocks });
        }
        &mut self.all[at]
    }
}

/// Counts the pairs and queues them.
///
/// # Errors
/// [`crate::error::Error::Interrupted`]; [`crate::error::Error::TooMany`].
pub(super) fn count<S: Symbol>(blocks: &Blocks<S>, books: &mut Books, ticker: &mut Ticker<'_>) -> Result<()> {
    let mut index =
        Index { dense: vec![0; N_DENSE * N_DENSE], sparse: PairCounts::default(), all: Vec::new() };
    blocks.pairs(ticker, |left, right, count, block| {
        let first = index.pair(left.id(), right.id());
        first.count = first.count.saturating_add(count);
        if first.n_blocks == 0 || first.last != block {
            first.n_blocks += 1;
            first.last = block;
        }
    })?;
    for first in &mut index.all {
        first.blocks = books.lists.make(first.n_blocks as usize)?;
        first.n_blocks = 0;
    }
    let lists = &mut books.lists;
    blocks.pairs(ticker, |left, right, _, block| {
        let first = index.pair(left.id(), right.id());
        if first.n_blocks == 0 || first.last != block {
            lists.set(&mut first.blocks, first.n_blocks, block);
            first.n_blocks += 1;
            first.last = block;
        }
    })?;
    books.counts.reserve(index.all.len());
    for First { key, count, blocks, .. } in index.all {
        books.counts.change(key, count);
        if count > 0 {
            books.queue.push(key, count, blocks);
        } else {
            books.lists.release(blocks);
        }
    }
    Ok(())
}
