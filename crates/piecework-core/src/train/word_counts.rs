//! Distinct words and how often each occurs, in the order in which they were met: one arena, one table. A table may be
//! held to a number of bytes: it then says when a word finds no room.

use std::hash::{BuildHasher, RandomState};

/// Slots that a table begins with.
const MIN_SLOTS: usize = 16;

/// Distinct words and their counts.
#[derive(Debug, Clone)]
pub struct WordCounts {
    arena: Vec<u8>,
    /// Where each word ends in the arena.
    ends: Vec<usize>,
    counts: Vec<u64>,
    /// One more than the index of a word, and bits of its hash; 0 where the slot is empty. No slots at all once the
    /// words are only read.
    slots: Vec<(u32, u32)>,
    seed: u64,
    left_out: LeftOut,
}

/// Words that were too rare to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Distinct words.
    pub n_words: u64,
    /// How often they occur, together.
    pub n: u64,
}

impl Default for WordCounts {
    fn default() -> Self {
        let seed = RandomState::new().hash_one(0x776f_7264_u64);
        let (arena, ends, counts, slots) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { arena, ends, counts, slots, seed, left_out: LeftOut::default() }
    }
}

impl WordCounts {
    /// Returns the number of distinct words.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of words, each as often as it occurs; at most the largest 64-bit number.
    pub fn n_words(&self) -> u64 {
        self.counts.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Returns the bytes of all words, each as often as it occurs; at most the largest 64-bit number.
    pub fn n_bytes(&self) -> u64 {
        self.iter().fold(0, |sum, (word, count)| sum.saturating_add(count.saturating_mul(word.len() as u64)))
    }

    /// Returns every word and its count, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let spans = starts.zip(&self.ends).zip(&self.counts);
        spans.map(|((&start, &end), &count)| (self.arena.get(start..end).unwrap_or_default(), count))
    }

    /// Returns what was too rare to be kept.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Counts `word` `n` times more. Complexity: O(`word.len()`).
    #[inline]
    pub fn add(&mut self, word: &[u8], n: u64) {
        self.add_within(usize::MAX, word, n);
    }

    /// Counts `word` `n` times more, or returns false and counts nothing where it is new and would make the table
    /// take more than `max_bytes`, also for the moment in which it grows.
    #[inline]
    pub fn add_within(&mut self, max_bytes: usize, word: &[u8], n: u64) -> bool {
        let hash = hash(word, self.seed);
        let tag = (hash >> 32) as u32;
        if !self.slots.is_empty() {
            let mask = self.slots.len() - 1;
            let mut at = hash as usize & mask;
            loop {
                let (number, other) = self.slots[at];
                if number == 0 {
                    break;
                }
                let index = number as usize - 1;
                if other == tag && self.word(index) == word {
                    self.counts[index] = self.counts[index].saturating_add(n);
                    return true;
                }
                at = (at + 1) & mask;
            }
        }
        self.push(word, n, hash, max_bytes)
    }

    #[inline]
    pub(super) fn word(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.arena[start..self.ends[index]]
    }

    pub(super) fn count(&self, index: usize) -> u64 {
        self.counts[index]
    }

    /// Returns the bytes that the words and their table take.
    pub fn held_bytes(&self) -> usize {
        self.arena.capacity()
            + size_of::<usize>() * self.ends.capacity()
            + size_of::<u64>() * self.counts.capacity()
            + size_of::<(u32, u32)>() * self.slots.capacity()
    }

    #[cold]
    fn push(&mut self, word: &[u8], n: u64, hash: u64, max_bytes: usize) -> bool {
        if self.slots.is_empty() && !self.counts.is_empty() {
            self.index(slots_for(self.counts.len()));
            return self.add_within(max_bytes, word, n);
        }
        if !self.make_room(word.len(), max_bytes) {
            return false;
        }
        self.append(word, n);
        let at = self.free_slot(hash);
        self.slots[at] = (self.counts.len() as u32, (hash >> 32) as u32);
        true
    }

    /// Appends a word that is known to be new, without a look at the table.
    pub(super) fn append(&mut self, word: &[u8], n: u64) {
        self.arena.extend_from_slice(word);
        self.ends.push(self.arena.len());
        self.counts.push(n);
    }

    /// Makes room for words that [`Self::append`] brings.
    pub(super) fn reserve(&mut self, n_words: usize, n_bytes: usize) {
        self.arena.reserve_exact(n_bytes);
        self.ends.reserve_exact(n_words);
        self.counts.reserve_exact(n_words);
    }

    /// Makes room for a word more; false where there is none within `max_bytes`.
    fn make_room(&mut self, n_bytes: usize, max_bytes: usize) -> bool {
        let n = self.counts.len() + 1;
        if n >= u32::MAX as usize {
            return false;
        }
        if n * 2 > self.slots.len() {
            let n_slots = (self.slots.len() * 2).max(MIN_SLOTS);
            let others = self.held_bytes() - size_of::<(u32, u32)>() * self.slots.capacity();
            if size_of::<(u32, u32)>().saturating_mul(n_slots) <= max_bytes.saturating_sub(others) {
                self.index(n_slots);
            } else if n * 4 > self.slots.len() * 3 {
                return false;
            }
        }
        let held = self.held_bytes();
        if !grow(&mut self.arena, n_bytes, max_bytes.saturating_sub(held)) {
            return false;
        }
        let held = self.held_bytes();
        if !grow(&mut self.ends, 1, max_bytes.saturating_sub(held)) {
            return false;
        }
        let held = self.held_bytes();
        grow(&mut self.counts, 1, max_bytes.saturating_sub(held))
    }

    /// Makes the table anew. The old one goes first, so that the two never stand side by side.
    fn index(&mut self, n_slots: usize) {
        self.slots = Vec::new();
        self.slots = vec![(0, 0); n_slots];
        for index in 0..self.counts.len() {
            let hash = hash(self.word(index), self.seed);
            let at = self.free_slot(hash);
            self.slots[at] = (index as u32 + 1, (hash >> 32) as u32);
        }
    }

    #[inline]
    fn free_slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].0 != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    /// Takes the memory of the table, which a sort of the words fills. The table is made anew when a word is added.
    pub(super) fn take_slots(&mut self) -> Vec<(u32, u32)> {
        std::mem::take(&mut self.slots)
    }

    /// Forgets the words and keeps their memory; `slots` is what [`Self::take_slots`] gave.
    pub(super) fn clear(&mut self, mut slots: Vec<(u32, u32)>) {
        self.arena.clear();
        self.ends.clear();
        self.counts.clear();
        let n_slots = slots.capacity().checked_ilog2().map_or(0, |log| 1 << log);
        slots.clear();
        slots.resize(n_slots, (0, 0));
        self.slots = slots;
    }

    /// Gives back the memory that only adding words needs.
    pub(super) fn seal(&mut self) {
        self.slots = Vec::new();
        self.arena.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.counts.shrink_to_fit();
    }

    /// Leaves out words that occur less than `min` times, and counts them. Complexity: linear.
    pub(super) fn keep_from(&mut self, min: u64) {
        self.slots = Vec::new();
        let (mut n_kept, mut start, mut end_kept) = (0, 0, 0);
        for index in 0..self.counts.len() {
            let (end, count) = (self.ends[index], self.counts[index]);
            if count < min {
                self.leave_out(count);
            } else {
                self.arena.copy_within(start..end, end_kept);
                end_kept += end - start;
                (self.ends[n_kept], self.counts[n_kept]) = (end_kept, count);
                n_kept += 1;
            }
            start = end;
        }
        self.arena.truncate(end_kept);
        self.ends.truncate(n_kept);
        self.counts.truncate(n_kept);
    }

    /// Counts a word that is left out.
    pub(super) fn leave_out(&mut self, count: u64) {
        self.left_out.n_words += 1;
        self.left_out.n = self.left_out.n.saturating_add(count);
    }

    /// Counts all words of `other` too.
    pub fn merge(&mut self, other: &Self) {
        for (word, count) in other.iter() {
            self.add(word, count);
        }
    }
}

/// Returns the number of slots that `n` words ask for.
fn slots_for(n: usize) -> usize {
    (n * 2).next_power_of_two().max(MIN_SLOTS)
}

/// Makes room for `n` items more where old and new together fit in `free` bytes beside what is there.
fn grow<T>(items: &mut Vec<T>, n: usize, free: usize) -> bool {
    let needed = items.len().saturating_add(n);
    if needed <= items.capacity() {
        return true;
    }
    let capacity = needed.max(items.capacity().saturating_mul(2)).min(free / size_of::<T>());
    // Steps that gain next to nothing would move everything again and again.
    if capacity < needed || capacity < items.capacity() + items.capacity() / 8 {
        return false;
    }
    items.reserve_exact(capacity - items.len());
    true
}

/// Eight bytes a step, folded; the seed keeps a text from choosing its collisions.
#[inline]
fn hash(word: &[u8], seed: u64) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let mut state = seed ^ word.len() as u64;
    let mut chunks = word.chunks_exact(8);
    for chunk in &mut chunks {
        let chunk = chunk.try_into().map_or(0, u64::from_le_bytes);
        state = fold(state ^ chunk, 0x9e37_79b9_7f4a_7c15);
    }
    let rest = chunks.remainder().iter().fold(0, |rest, &byte| rest << 8 | u64::from(byte));
    fold(state ^ rest, 0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::Ctl;

    #[test]
    fn words_keep_their_order_and_their_counts() {
        let mut counts = WordCounts::default();
        for i in 0..10_000_u32 {
            counts.add(format!("word number {}", i % 700).as_bytes(), 2);
        }
        counts.add(b"", 1);
        assert_eq!((counts.len(), counts.n_words()), (701, 20_001));
        let words: Vec<_> = counts.iter().collect();
        assert_eq!(words[0], (&b"word number 0"[..], 30));
        assert_eq!(words[699], (&b"word number 699"[..], 28));
        let mut twice = counts.clone();
        twice.merge(&counts);
        assert_eq!(twice.len(), 701);
        assert_eq!(twice.n_words(), 40_002);
        let mut reversed = WordCounts::default();
        for (word, count) in words.iter().rev() {
            reversed.add(word, *count);
        }
        let ctl = Ctl::new();
        assert_eq!(reversed.fingerprint(&ctl), counts.fingerprint(&ctl));
        assert_ne!(twice.fingerprint(&ctl), counts.fingerprint(&ctl));
    }

    #[test]
    fn a_table_never_holds_more_than_it_may() {
        for max_bytes in [0, 200, 1000, 10_000, 100_000, 1_000_000] {
            let (mut counts, mut n) = (WordCounts::default(), 0_u32);
            while counts.add_within(max_bytes, format!("{n:x}").as_bytes(), 1) {
                n += 1;
                assert!(counts.held_bytes() <= max_bytes);
            }
            // It is full only when it is: words take some 40 bytes, and what grows stands there twice.
            assert!(counts.len() * 150 >= max_bytes.saturating_sub(1000), "{} of {max_bytes}", counts.len());
            if n > 0 {
                assert!(counts.add_within(max_bytes, b"0", 1));
            }
            assert_eq!((counts.len(), counts.n_words()), (n as usize, u64::from(n + n.min(1))));
        }
    }

    #[test]
    fn rare_words_are_left_out_and_counted() {
        let mut counts = WordCounts::default();
        for (word, n) in [(&b"a"[..], 5), (b"bcd", 1), (b"", 2), (b"e", 1), (b"fg", 3)] {
            counts.add(word, n);
        }
        counts.keep_from(2);
        counts.seal();
        assert_eq!(counts.iter().collect::<Vec<_>>(), [(&b"a"[..], 5), (b"", 2), (b"fg", 3)]);
        assert_eq!(counts.left_out(), LeftOut { n_words: 2, n: 2 });
        counts.add(b"fg", 1);
        counts.add(b"new", 1);
        assert_eq!(counts.iter().collect::<Vec<_>>(), [(&b"a"[..], 5), (b"", 2), (b"fg", 4), (b"new", 1)]);
    }
}
