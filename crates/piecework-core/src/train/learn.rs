//! BPE with counts and places of pairs that are kept up to date: the bookkeeping of tokenizers' `BpeTrainer`, so that
//! the merges are its merges. Four of its habits show in what is learned and are kept:
//! a pair is looked for only in words where it was seen to appear; a merged pair's own count stays as it was; a
//! token whose text exists takes that entry's id; a pair may be queued twice and be merged twice.

use std::collections::{HashMap, HashSet};

use super::alphabet::LATE;
use super::beside::Beside;
use super::blocks::{Blocks, Rule, Side};
use super::bpe::Learned;
use super::first_pairs;
use super::lists::{List, Lists};
use super::options::BpeOptions;
use super::pair_counts::{PairCounts, key, pair};
use super::queue::Queue;
use super::recount;
use super::symbol::Symbol;
use crate::error::Result;
use crate::interrupt::{Ctl, Ticker};

/// Blocks that are asked for ahead of the one that is looked at.
const AHEAD: usize = 16;
/// In a neighbor's `last`: no list is made of its blocks.
const NO_LIST: u32 = u32::MAX;

/// Ids as symbols: without the gap before special tokens that come last, and in the same order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ids {
    late_from: u32,
    n_late: u32,
}

impl Ids {
    /// Returns how ids become symbols.
    pub fn new(n_late: usize, n_entries: usize, options: &BpeOptions) -> Self {
        let n_most = n_entries.saturating_add(options.n_merges).min(options.vocab_size.max(n_entries));
        Self { late_from: n_most.min(LATE as usize) as u32, n_late: n_late as u32 }
    }

    /// Returns whether 16 bits hold every symbol.
    pub fn are_short(self) -> bool {
        self.late_from + self.n_late <= 1 << 16
    }

    /// Returns the symbol of an id.
    pub fn symbol(self, id: u32) -> u32 {
        id.checked_sub(LATE).map_or(id, |late| late + self.late_from)
    }

    fn id(self, symbol: u32) -> u32 {
        symbol.checked_sub(self.late_from).map_or(symbol, |late| late + LATE)
    }
}

/// How long tokens are, in symbols of the start, where that has a limit.
struct Lengths {
    max: Option<usize>,
    all: HashMap<u32, usize>,
}

impl Lengths {
    fn sum(&self, left: u32, right: u32) -> usize {
        let length = |id| self.all.get(&id).copied().unwrap_or(1);
        length(left) + length(right)
    }

    fn add(&mut self, left: u32, right: u32, product: u32) {
        if self.max.is_some() {
            let whole = self.sum(left, right);
            self.all.entry(product).or_insert(whole);
        }
    }

    fn is_short(&self, left: u32, right: u32) -> bool {
        self.max.is_none_or(|max| self.sum(left, right) < max)
    }
}

/// A pair that appeared in this merge.
struct Opened {
    key: u64,
    slot: usize,
    blocks: List,
}

/// What is known of all pairs.
#[derive(Default)]
pub(super) struct Books {
    pub counts: PairCounts,
    pub lists: Lists,
    pub queue: Queue,
    opened: Vec<Opened>,
    /// Pairs that may stand in blocks of a listed word which are not listed.
    partial: HashSet<u64>,
    /// Whether that matters.
    has_rows: bool,
}

/// Learns merges until the caller has enough or no pair is left.
///
/// # Errors
/// [`crate::error::Error::Interrupted`]; [`crate::error::Error::TooMany`].
pub(super) fn learn<S: Symbol>(
    mut blocks: Blocks<S>,
    ids: Ids,
    learned: &mut Learned,
    options: &BpeOptions,
    ctl: &Ctl<'_>,
) -> Result<()> {
    let mut ticker = ctl.ticker();
    let mut books = Books { has_rows: blocks.has_rows(), ..Books::default() };
    first_pairs::count(&blocks, &mut books, &mut ticker)?;
    let mut lengths = Lengths { max: options.max_token_length, all: HashMap::new() };
    let new_side = || Beside::new(ids.late_from, ids.n_late);
    let mut sides = [new_side(), new_side()];
    while !learned.is_enough(options) {
        let Some((key, count, list)) = books.queue.pop(&books.counts, &mut ticker)? else { break };
        if count < 1 || options.min_frequency > count.unsigned_abs() {
            break;
        }
        let (left, right) = pair(key);
        let before = options.steps.then(|| blocks.corpus(|symbol| ids.id(symbol)));
        let product = learned.product(ids.id(left), ids.id(right), options);
        let merge = learned.push(ids.id(left), ids.id(right), product, count);
        ctl.step();
        let product = ids.symbol(product);
        lengths.add(left, right, product);
        let rule = Rule { left: S::of(left), right: S::of(right), product: S::of(product) };
        if books.partial.contains(&key) {
            let whole = blocks.whole_words(books.lists.get(&list));
            apply(&mut blocks, &whole, rule, &mut sides, &mut ticker)?;
        } else {
            apply(&mut blocks, books.lists.get(&list), rule, &mut sides, &mut ticker)?;
        }
        books.lists.release(list);
        books.take_down((left, right, product), &mut sides, &lengths)?;
        if let Some(before) = before {
            let after = blocks.corpus(|symbol| ids.id(symbol));
            learned.steps.push(recount::step(merge, recount::counts(&before), &after)?);
        }
    }
    Ok(())
}

/// Merges in the blocks of a list.
fn apply<S: Symbol>(
    blocks: &mut Blocks<S>,
    list: &[u32],
    rule: Rule<S>,
    [before, after]: &mut [Beside; 2],
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let mut add = |side, symbol, count, block| {
        let beside = if side == Side::Before { &mut *before } else { &mut *after };
        beside.add(symbol, count, block);
    };
    for &block in list.iter().take(AHEAD) {
        blocks.prefetch(block);
    }
    for (at, &block) in list.iter().enumerate() {
        if let Some(&block) = list.get(at + AHEAD) {
            blocks.prefetch(block);
        }
        ticker.tick(blocks.merge(block, rule, &mut add))?;
    }
    Ok(())
}

impl Books {
    /// Counts what a merge changed, and queues the pairs that appeared and still stand somewhere.
    fn take_down(
        &mut self,
        (left, right, product): (u32, u32, u32),
        [before, after]: &mut [Beside; 2],
        lengths: &Lengths,
    ) -> Result<()> {
        self.counts.reserve(2 * (before.seen().len() + after.seen().len()));
        self.side(
            before,
            |symbol| (key(symbol, left), key(symbol, product)),
            |symbol| lengths.is_short(symbol, product),
        )?;
        let n_before = self.opened.len();
        self.side(
            after,
            |symbol| (key(right, symbol), key(product, symbol)),
            |symbol| lengths.is_short(product, symbol),
        )?;
        self.join(key(product, product), n_before)?;
        for Opened { key, slot, blocks } in std::mem::take(&mut self.opened) {
            let count = self.counts.at(slot);
            if count > 0 {
                self.queue.push(key, count, blocks);
            } else {
                self.lists.release(blocks);
            }
        }
        Ok(())
    }

    /// Counts the pairs of one side: those that are gone, and those that are new unless they are too long.
    fn side(
        &mut self,
        beside: &mut Beside,
        keys: impl Fn(u32) -> (u64, u64),
        is_short: impl Fn(u32) -> bool,
    ) -> Result<()> {
        for at in 0..beside.seen().len() {
            if let Some(&symbol) = beside.seen().get(at + AHEAD) {
                let (gone, new) = keys(symbol);
                self.counts.prefetch(gone);
                self.counts.prefetch(new);
            }
            let symbol = beside.seen()[at];
            let (gone, new) = keys(symbol);
            let neighbor = beside.get(symbol);
            self.counts.change(gone, -neighbor.count);
            if is_short(symbol) {
                let (slot, is_new) = self.counts.change(new, neighbor.count);
                if self.has_rows && !is_new {
                    self.partial.insert(new);
                }
                let blocks = self.lists.make(neighbor.n_blocks as usize)?;
                neighbor.last = self.opened.len() as u32;
                self.opened.push(Opened { key: new, slot, blocks });
            } else {
                neighbor.last = NO_LIST;
                if self.has_rows && self.counts.get(new) != 0 {
                    self.partial.insert(new);
                }
            }
            neighbor.n_blocks = 0;
        }
        let Self { opened, lists, .. } = self;
        beside.for_each_place(|neighbor, block| {
            if neighbor.last != NO_LIST {
                lists.set(&mut opened[neighbor.last as usize].blocks, neighbor.n_blocks, block);
                neighbor.n_blocks += 1;
            }
        });
        beside.clear();
        Ok(())
    }

    /// Makes one list of two: a product that was there before may stand on both sides of itself.
    fn join(&mut self, twice: u64, n_before: usize) -> Result<()> {
        let (before, after) = self.opened.split_at(n_before);
        let find = |opened: &[Opened]| opened.iter().position(|opened| opened.key == twice);
        let Some(second) = find(after) else { return Ok(()) };
        let Some(first) = find(before) else { return Ok(()) };
        let second = self.opened.swap_remove(n_before + second).blocks;
        let first = &mut self.opened[first].blocks;
        let mut all = [self.lists.get(first), self.lists.get(&second)].concat();
        all.sort_unstable();
        all.dedup();
        self.lists.release(*first);
        self.lists.release(second);
        *first = self.lists.make(all.len())?;
        for (index, block) in (0..).zip(all) {
            self.lists.set(first, index, block);
        }
        Ok(())
    }
}
