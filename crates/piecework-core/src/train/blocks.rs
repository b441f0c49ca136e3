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
/// Bytes of a line of memory.
const LINE_BYTES: usize = 64;
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
        for (word, count) in words {
            corpus.push(word.into_iter(), count);
        }
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

    /// Asks for a block before it is needed: for its two first lines, where most blocks end.
    #[inline]
    pub fn prefetch(&self, block: u32) {
        let at = block as usize * S::GRAIN;
        let next = (at + LINE_BYTES / size_of::<S>()).min(self.arena.len());
        fast::prefetch(self.arena[at..].as_ptr().cast());
        fast::prefetch(self.arena[next..].as_ptr().cast());
    }

    /// Merges in one block, from the left, and tells `beside` of each symbol that stood beside the pair: before it
    /// (then the pair of it and the left one is gone, that of it and the product is new) or after it (that of the
    /// right one and it is gone, that of the product and it is new), with the word's count and the block where the
    /// new pair stands. Returns how many symbols were looked at.
    #[inline]
    pub fn merge(&mut self, block: u32, rule: Rule<S>, beside: &mut impl FnMut(Side, S, i64, u32)) -> usize {
        let at = block as usize * S::GRAIN;
        let head = S::head(&self.arena[at..]);
        let count = if head.count < WIDE {
            i64::from(head.count)
        } else {
            let (count, row) = wide(&self.wide, head.count);
            if let Some(places) = row {
                let step = size::<S>(head.room);
                return Row { arena: &mut self.arena, places, step, count }.merge(at, rule, beside);
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

/// A long word, which is a row of blocks.
struct Row<'r, S> {
    arena: &'r mut [S],
    places: Range<usize>,
    /// Places from one block to the next.
    step: usize,
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

    /// Returns the first symbol of the next block that has one, and that block.
    fn next(&self, at: usize) -> Option<(S, usize)> {
        let mut blocks = (at + self.step..self.places.end).step_by(self.step);
        blocks.find_map(|at| Some((*self.symbols(at).first()?, at)))
    }

    /// Returns the last symbol of the block before this one that has one, and that block.
    fn previous(&self, at: usize) -> Option<(S, usize)> {
        let mut blocks = (self.places.start..at).step_by(self.step).rev();
        blocks.find_map(|at| Some((*self.symbols(at).last()?, at)))
    }

    /// Takes the first symbol of the next block that has one, if it is `symbol`.
    fn take_next(&mut self, at: usize, symbol: S) -> bool {
        let Some((_, next)) = self.next(at).filter(|&(first, _)| first == symbol) else { return false };
        let len = self.symbols(next).len();
        self.arena[next + S::HEAD..][..len].rotate_left(1);
        self.set_len(next, len - 1);
        true
    }

    /// As [`Blocks::merge`]. The right one of a pair may stand in the next block; the product stays in this one.
    fn merge(&mut self, at: usize, rule: Rule<S>, beside: &mut impl FnMut(Side, S, i64, u32)) -> usize {
        let (start, n) = (at + S::HEAD, self.symbols(at).len());
        let block = |at: usize| (at / S::GRAIN) as u32;
        let (mut from, mut to) = (0, 0);
        while from < n {
            let symbol = self.arena[start + from];
            let is_pair = symbol == rule.left
                && match self.arena[start..start + n].get(from + 1) {
                    Some(&next) => next == rule.right,
                    None => self.take_next(at, rule.right),
                };
            self.arena[start + to] = if is_pair { rule.product } else { symbol };
            from += if is_pair { 2 } else { 1 };
            if is_pair {
                let before = match to {
                    0 => self.previous(at),
                    _ => Some((self.arena[start + to - 1], at)),
                };
                if let Some((before, at)) = before {
                    beside(Side::Before, before, self.count, block(at));
                }
                let after =
                    if from < n { Some(self.arena[start + from]) } else { self.next(at).map(|next| next.0) };
                if let Some(after) = after {
                    beside(Side::After, after, self.count, block(at));
                }
            }
            to += 1;
        }
        self.set_len(at, to);
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::Ctl;

    /// What a merge tells of: side, symbol, count.
    type Told = Vec<(Side, u32, i64)>;

    /// Merges in all blocks, and returns what that tells, and the word.
    fn merged(blocks: &mut Blocks<u16>, (left, right, product): (u16, u16, u16)) -> (Told, Vec<u32>) {
        let mut all = Vec::new();
        blocks
            .for_each(|block, _, _, _| {
                all.push(block);
                Ok::<_, Error>(())
            })
            .unwrap();
        let (mut told, mut last) = (Vec::new(), 0);
        for block in all {
            blocks.merge(block, Rule { left, right, product }, &mut |side, symbol, count, place| {
                assert!(place <= block && place >= last);
                last = place;
                told.push((side, symbol.id(), count));
            });
        }
        (told, blocks.corpus(|symbol| symbol).word(0).0.to_vec())
    }

    #[test]
    fn neighbors_are_those_of_the_reference() {
        // tokenizers' own test of a word: h e l l o with l l → 4.
        let mut blocks: Blocks<u16> = Blocks::new(1, 5, 8);
        blocks.push(&[0, 1, 2, 2, 3], 7, |id| id).unwrap();
        let (told, word) = merged(&mut blocks, (2, 2, 4));
        assert_eq!(word, [0, 1, 4, 3]);
        // (1, 2) and (2, 3) stand once less, (1, 4) and (4, 3) once more.
        assert_eq!(told, [(Side::Before, 1, 7), (Side::After, 3, 7)]);
    }

    #[test]
    fn a_row_of_blocks_is_merged_as_one_block_is() {
        let mut state = 7_u32;
        let mut random = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        for _ in 0..400 {
            let n_letters = 1 + random(3);
            let word: Vec<u32> = (0..random(60)).map(|_| random(n_letters)).collect();
            let (mut one, mut row): (Blocks<u16>, Blocks<u16>) =
                (Blocks::new(1, 60, 60), Blocks::new(1, 60, 3));
            one.push(&word, 5, |id| id).unwrap();
            row.push(&word, 5, |id| id).unwrap();
            assert_eq!(row.has_rows(), word.len() > 3);
            for product in 3..12 {
                let rule = (random(product) as u16, random(product) as u16, product as u16);
                assert_eq!(merged(&mut one, rule), merged(&mut row, rule), "{word:?} {rule:?}");
                let pairs = |blocks: &Blocks<u16>| {
                    let (mut all, ctl) = (Vec::new(), Ctl::new());
                    blocks.pairs(&mut ctl.ticker(), |left, right, n, _| all.push((left, right, n))).unwrap();
                    all
                };
                assert_eq!(pairs(&one), pairs(&row));
            }
        }
    }

    #[test]
    fn large_counts_stand_beside_the_blocks() {
        let mut blocks: Blocks<u16> = Blocks::new(3, 9, 2);
        blocks.push(&[1, 2], i64::from(WIDE), |id| id).unwrap();
        blocks.push(&[1, 2, 1, 2, 9], 3, |id| id + 1).unwrap();
        blocks.push(&[1, 2], i64::from(WIDE) - 1, |id| id).unwrap();
        let corpus = blocks.corpus(|symbol| symbol);
        let words: Vec<_> = corpus.iter().collect();
        let large = i64::from(WIDE);
        assert_eq!(words, [(&[1, 2][..], large), (&[2, 3, 2, 3, 10], 3), (&[1, 2], large - 1)]);
        // The second word has three blocks of five places in six, after one of as many.
        assert_eq!(blocks.whole_words(&[0, 6]), [0, 3, 6, 9]);
    }
}
