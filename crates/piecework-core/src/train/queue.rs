//! Pairs by their counts, the next to be merged first. Counts that changed are seen when a pair's turn comes, as in
//! tokenizers' `BpeTrainer`: it then waits again, with its count of that moment.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lists::List;
use super::pair_counts::PairCounts;
use crate::error::Result;
use crate::interrupt::Ticker;

/// A pair that waits; the largest is next: the highest count, then the smallest pair, then the earliest entry.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    count: i64,
    key: Reverse<u64>,
    entry: Reverse<u32>,
}

/// What is known of a pair that waits.
#[derive(Debug)]
struct Entry {
    key: u64,
    /// Its count when it began to wait.
    count: i64,
    blocks: List,
}

/// All pairs that wait. Most wait for a turn that never comes: those with counts below `floor` lie on a pile, and
/// only the others are kept in order.
#[derive(Debug)]
pub(super) struct Queue {
    entries: Vec<Entry>,
    heap: BinaryHeap<Next>,
    pile: Vec<u32>,
    floor: i64,
}

impl Default for Queue {
    fn default() -> Self {
        Self { entries: Vec::new(), heap: BinaryHeap::new(), pile: Vec::new(), floor: i64::MAX }
    }
}

impl Queue {
    /// Adds a pair and the blocks where it is to be looked for.
    pub fn push(&mut self, key: u64, count: i64, blocks: List) {
        self.entries.push(Entry { key, count, blocks });
        self.wait(self.entries.len() as u32 - 1);
    }

    fn wait(&mut self, entry: u32) {
        let &Entry { key, count, .. } = &self.entries[entry as usize];
        if count < self.floor {
            self.pile.push(entry);
        } else {
            self.heap.push(Next { count, key: Reverse(key), entry: Reverse(entry) });
        }
    }

    /// Takes the next pair whose count is what it waits with: the pair, its count, its blocks. A pair that is gone
    /// stays behind all others.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`].
    pub fn pop(&mut self, counts: &PairCounts, ticker: &mut Ticker<'_>) -> Result<Option<(u64, i64, List)>> {
        loop {
            let Some(top) = self.heap.pop() else {
                ticker.tick(self.pile.len())?;
                if !self.lower() {
                    return Ok(None);
                }
                continue;
            };
            ticker.tick(1)?;
            let count = counts.get(top.key.0);
            let entry = &mut self.entries[top.entry.0 as usize];
            if top.count == count {
                return Ok(Some((top.key.0, count, std::mem::take(&mut entry.blocks))));
            }
            if count >= 0 {
                entry.count = count;
                self.wait(top.entry.0);
            }
        }
    }

    /// Takes pairs off the pile; returns whether there were any.
    fn lower(&mut self) -> bool {
        let count = |&entry: &u32| self.entries[entry as usize].count;
        let Some(highest) = self.pile.iter().map(count).max() else { return false };
        self.floor = highest / 4;
        for entry in std::mem::take(&mut self.pile) {
            self.wait(entry);
        }
        true
    }
}
