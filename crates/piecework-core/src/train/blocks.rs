//! The distinct words as symbols, each word beside its count in one block of one arena, so that a look at a word is
//! one look at memory. A word shrinks in place as its pairs are merged. A long word is a row of blocks: a merge then
//! looks at the blocks where the pair stands, not at the whole word.

use std::ops::Range;

use super::corpus::Corpus;
use super::symbol::{Head, Symbol};
use crate::error::{Error, Result};
use crate::fast;
use crate::interrupt::Ticker;

/// Symbols of a block at most, if nobody says otherwise: two lines of memory hold most blocks of a row.
pub(super) const MAX_BLOCK: usize = 64;
/// From here on, the count in a block is the index of a [`Wide`].
const WIDE: u32 = 1 << 31;

/// A word whose count is large, or that is a row of blocks.
#[derive(Debug, Clone)]
struct Wide {
    count: i64,
    /// Its blocks' places in the arena, where it is a row; all have the same room, and some are empty by and by.
    row: Option<Range<usize>>,
}

/// The words. A block's number is its place in the arena, counted in grains.
#[derive(Debug)]
pub(super) struct Blocks<S> {
    arena: Vec<S>,
    wide: Vec<Wide>,
    max_block: usize,
}

/// Blocks of some words, which one thread works on.
#[derive(Debug)]
pub(super) struct Part<'b, S> {
    arena: &'b mut [S],
    /// The place of the first block.
    base: usize,
    wide: &'b [Wide],
}

/// Returns the places of a block.
fn size<S: Symbol>(room: usize) -> usize {
    (S::HEAD + room).next_multiple_of(S::GRAIN)
}

impl<S: Symbol> Blocks<S> {
    /// Returns no words, with room for words of `n_symbols` in all.
    pub fn new(n_words: usize, n_symbols: usize, max_block: usize) -> Self {
        let n_places = n_symbols.saturating_add(n_words.saturating_mul(size::<S>(1)));
        Self { arena: Vec::with_capacity(n_places), wide: Vec::new(), max_block }
    }

    /// Adds a word; its ids become what `symbol` says.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more blocks than have numbers.
    pub fn push(&mut self, word: &[u32], count: i64, symbol: impl Fn(u32) -> u32) -> Result<()> {
        if word.len() > self.max_block {
            let n_places = word.len().div_ceil(self.max_block) * size::<S>(self.max_block);
            let row = self.arena.len()..self.arena.len() + n_places;
            let count = self.widen(count, Some(row));
            let (room, mut parts) = (self.max_block, word.chunks(self.max_block));
            return parts.try_for_each(|part| self.block(part, count, room, &symbol));
        }
        let small = u32::try_from(count).ok().filter(|&count| count < WIDE);
        let count = small.unwrap_or_else(|| self.widen(count, None));
        self.block(word, count, word.len(), &symbol)
    }

    fn widen(&mut self, count: i64, row: Option<Range<usize>>) -> u32 {
        self.wide.push(Wide { count, row });
        WIDE | (self.wide.len() - 1) as u32
    }

    fn block(&mut self, word: &[u32], count: u32, room: usize, symbol: &impl Fn(u32) -> u32) -> Result<()> {
        let at = self.arena.len();
        let (n, max) = (at / S::GRAIN, u32::MAX as usize);
        if n > max || self.wide.len() > WIDE as usize {
            return Err(Error::TooMany { what: "symbols", n, max });
        }
        self.arena.resize(at + S::HEAD, S::default());
        S::set_head(&mut self.arena[at..], Head { count, len: word.len(), room });
        self.arena.extend(word.iter().map(|&id| S::of(symbol(id))));
        self.arena.resize(at + size::<S>(room), S::default());
        Ok(())
    }

    /// Calls `each` with every block in order: its number, its count, its symbols, and whether it goes on a row.
    fn for_each<E>(
        &self,
        mut each: impl FnMut(u32, i64, &[S], bool) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let (mut at, mut last) = (0, None);
        while at < self.arena.len() {
            let head = S::head(&self.arena[at..]);
            let word = &self.arena[at + S::HEAD..][..head.len];
            let (count, row) = wide(&self.wide, head.count);
            each((at / S::GRAIN) as u32, count, word, row.is_some() && last == Some(head.count))?;
            last = Some(head.count);
            at += size::<S>(head.room);
        }
        Ok(())
    }

    /// Calls `each` with every pair in order: left, right, the word's count and the block where the left one stands.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn pairs(&self, ticker: &mut Ticker<'_>, mut each: impl FnMut(S, S, i64, u32)) -> Result<()> {
        let mut last = None;
        self.for_each(|block, count, word, goes_on| {
            ticker.tick(word.len())?;
            if let (true, Some((left, before)), Some(&right)) = (goes_on, last, word.first()) {
                each(left, right, count, before);
            }
            for pair in word.windows(2) {
                each(pair[0], pair[1], count, block);
            }
            if let Some(&symbol) = word.last() {
                last = Some((symbol, block));
            }
            Ok(())
        })
    }

    /// Returns the words as they are now, with the ids that `id` gives symbols.
    pub fn corpus(&self, id: impl Fn(u32) -> u32) -> Corpus {
        let mut words: Vec<(Vec<u32>, i64)> = Vec::new();
        let all = self.for_each(|_, count, symbols, goes_on| {
            let symbols = symbols.iter().map(|symbol| id(symbol.id()));
            match words.last_mut() {
                Some((word, _)) if goes_on => word.extend(symbols),
                _ => words.push((symbols.collect(), count)),
            }
            Ok::<_, std::convert::Infallible>(())
        });
        let Ok(()) = all;
        let mut corpus = Corpus::default();
        words.into_iter().for_each(|(word, count)| corpus.push(word.into_iter(), count));
        corpus
    }

    /// Returns whether any word is a row.
    pub fn has_rows(&self) -> bool {
        self.wide.iter().any(|wide| wide.row.is_some())
    }

    /// Returns `blocks` with all blocks of each row that has one of them, in rising order.
    pub fn whole_words(&self, blocks: &[u32]) -> Vec<u32> {
        let (mut whole, mut done) = (Vec::new(), None);
        for &block in blocks {
            let head = S::head(&self.arena[block as usize * S::GRAIN..]);
            match wide(&self.wide, head.count).1 {
                Some(_) if done == Some(head.count) => {}
                Some(row) => {
                    done = Some(head.count);
                    let places = row.step_by(size::<S>(head.room));
                    whole.extend(places.map(|at| (at / S::GRAIN) as u32));
                }
                None => whole.push(block),
            }
        }
        whole
    }

    /// Returns all blocks.
    pub fn all(&mut self) -> Part<'_, S> {
        Part { arena: &mut self.arena, base: 0, wide: &self.wide }
    }
}

fn wide(all: &[Wide], count: u32) -> (i64, Option<Range<usize>>) {
    match all.get((count ^ WIDE) as usize) {
        Some(wide) if count >= WIDE => (wide.count, wide.row.clone()),
        _ => (i64::from(count), None),
    }
}

/// Where a symbol stands beside a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// A pair and what it becomes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule<S> {
    pub left: S,
    pub right: S,
    pub product: S,
}

impl<S: Symbol> Part<'_, S> {
    /// Asks for a block before it is needed.
    #[inline]
    pub fn prefetch(&self, block: u32) {
        let at = block as usize * S::GRAIN - self.base;
        fast::prefetch(self.arena[at..].as_ptr().cast());
    }

    /// Merges in one block, from the left, and tells `beside` of each symbol that stood beside the pair: before it
    /// (then the pair of it and the left one is gone, that of it and the product is new) or after it (that of the
    /// right one and it is gone, that of the product and it is new), with the word's count and the block where the
    /// new pair stands. Returns how many symbols were looked at.
    #[inline]
    pub fn merge(&mut self, block: u32, rule: Rule<S>, beside: &mut impl FnMut(Side, S, i64, u32)) -> usize {
        let at = block as usize * S::GRAIN - self.base;
        let head = S::head(&self.arena[at..]);
        let count = if head.count < WIDE {
            i64::from(head.count)
        } else {
            let (count, row) = wide(self.wide, head.count);
            if let Some(row) = row {
                let row = row.start - self.base..row.end - self.base;
                return Row { arena: self.arena, row, step: size::<S>(head.room), base: self.base, count }
                    .merge(at, rule, beside);
            }
            count
        };
        let word = &mut self.arena[at + S::HEAD..][..head.len];
        let Some(first) = word.windows(2).position(|pair| pair == [rule.left, rule.right]) else {
            return head.len;
        };
        let (mut from, mut to) = (first, first);
        while from < word.len() {
            if word[from] == rule.left && word.get(from + 1) == Some(&rule.right) {
                if to > 0 {
                    beside(Side::Before, word[to - 1], count, block);
                }
                from += 2;
                if let Some(&next) = word.get(from) {
                    beside(Side::After, next, count, block);
                }
                word[to] = rule.product;
            } else {
                word[to] = word[from];
                from += 1;
            }
            to += 1;
        }
        S::set_head(&mut self.arena[at..], Head { len: to, ..head });
        head.len
    }
}

/// A long word, which is a row of blocks.
struct Row<'r, S> {
    arena: &'r mut [S],
    row: Range<usize>,
    /// Places from one block to the next.
    step: usize,
    base: usize,
    count: i64,
}

impl<S: Symbol> Row<'_, S> {
    fn symbols(&self, at: usize) -> &[S] {
        let head = S::head(&self.arena[at..]);
        &self.arena[at + S::HEAD..][..head.len]
    }

    fn set_len(&mut self, at: usize, len: usize) {
        let head = S::head(&self.arena[at..]);
        S::set_head(&mut self.arena[at..], Head { len, ..head });
    }

    /// Returns the next block with a symbol, and its first.
    fn next(&self, at: usize) -> Option<(usize, S)> {
        let mut blocks = (at + self.step..self.row.end).step_by(self.step);
        blocks.find_map(|at| Some((at, *self.symbols(at).first()?)))
    }

    /// Returns the last block with a symbol before this one, and its last.
    fn previous(&self, at: usize) -> Option<(usize, S)> {
        let blocks = (self.row.start..at).step_by(self.step).rev();
        blocks.into_iter().find_map(|at| Some((at, *self.symbols(at).last()?)))
    }

    fn drop_first(&mut self, at: usize) {
        let len = self.symbols(at).len();
        self.arena[at + S::HEAD..][..len].rotate_left(1);
        self.set_len(at, len - 1);
    }

    /// As [`Part::merge`]. The right one of a pair may stand in the next block; the product stays in this one.
    fn merge(&mut self, at: usize, rule: Rule<S>, beside: &mut impl FnMut(Side, S, i64, u32)) -> usize {
        let n = self.symbols(at).len();
        let number = |at: usize| ((at + self.base) / S::GRAIN) as u32;
        let (start, count) = (at + S::HEAD, self.count);
        let block = number(at);
        let (mut from, mut to) = (0, 0);
        while from < n {
            let symbol = self.arena[start + from];
            let is_pair = symbol == rule.left
                && if from + 1 < n {
                    self.arena[start + from + 1] == rule.right
                } else if let Some((next, _)) = self.next(at).filter(|&(_, first)| first == rule.right) {
                    self.drop_first(next);
                    true
                } else {
                    false
                };
            if is_pair {
                if to > 0 {
                    beside(Side::Before, self.arena[start + to - 1], count, block);
                } else if let Some((previous, before)) = self.previous(at) {
                    beside(Side::Before, before, count, ((previous + self.base) / S::GRAIN) as u32);
                }
                from += 2;
                let after =
                    if from < n { Some(self.arena[start + from]) } else { self.next(at).map(|next| next.1) };
                if let Some(after) = after {
                    beside(Side::After, after, count, block);
                }
                self.arena[start + to] = rule.product;
            } else {
                self.arena[start + to] = symbol;
                from += 1;
            }
            to += 1;
        }
        self.set_len(at, to);
        n
    }
}
