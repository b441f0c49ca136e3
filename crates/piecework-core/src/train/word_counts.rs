//! Distinct words and how often each occurs, in the order in which they were met: one arena, one table.

use std::hash::{BuildHasher, RandomState};

use sha2::{Digest, Sha256};

use crate::definition::canonical::hex;

/// Distinct words and their counts.
#[derive(Debug, Clone)]
pub struct WordCounts {
    arena: Vec<u8>,
    /// Where each word ends in the arena.
    ends: Vec<usize>,
    counts: Vec<u64>,
    /// One more than the index of a word, and bits of its hash; 0 where the slot is empty.
    slots: Vec<(u32, u32)>,
    seed: u64,
}

impl Default for WordCounts {
    fn default() -> Self {
        let seed = RandomState::new().hash_one(0x776f_7264_u64);
        Self { arena: Vec::new(), ends: Vec::new(), counts: Vec::new(), slots: vec![(0, 0); 16], seed }
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

    /// Counts `word` `n` times more. Complexity: O(`word.len()`).
    #[inline]
    pub fn add(&mut self, word: &[u8], n: u64) {
        let hash = hash(word, self.seed);
        let (tag, mask) = ((hash >> 32) as u32, self.slots.len() - 1);
        let mut at = hash as usize & mask;
        loop {
            let (number, other) = self.slots[at];
            if number == 0 {
                break;
            }
            let index = number as usize - 1;
            if other == tag && self.word(index) == word {
                self.counts[index] = self.counts[index].saturating_add(n);
                return;
            }
            at = (at + 1) & mask;
        }
        self.push(word, n, at, tag);
    }

    #[inline]
    fn word(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.arena[start..self.ends[index]]
    }

    #[cold]
    fn push(&mut self, word: &[u8], n: u64, at: usize, tag: u32) {
        self.arena.extend_from_slice(word);
        self.ends.push(self.arena.len());
        self.counts.push(n);
        self.slots[at] = (self.counts.len() as u32, tag);
        if self.counts.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![(0, 0); mask + 1];
        for index in 0..self.counts.len() {
            let hash = hash(self.word(index), self.seed);
            let mut at = hash as usize & mask;
            while slots[at].0 != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = (index as u32 + 1, (hash >> 32) as u32);
        }
        self.slots = slots;
    }

    /// Counts all words of `other` too.
    pub fn merge(&mut self, other: &Self) {
        for (word, count) in other.iter() {
            self.add(word, count);
        }
    }

    /// Returns the SHA-256, hexadecimal, of all words in the order of their bytes: each one's length, bytes and
    /// count, numbers as eight little-endian bytes. The order in which they were met changes nothing.
    pub fn fingerprint(&self) -> String {
        let mut all: Vec<_> = self.iter().collect();
        all.sort_unstable();
        let mut digest = Sha256::new();
        for (word, count) in all {
            digest.update((word.len() as u64).to_le_bytes());
            digest.update(word);
            digest.update(count.to_le_bytes());
        }
        hex(&digest.finalize())
    }
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
        assert_eq!(reversed.fingerprint(), counts.fingerprint());
        assert_ne!(twice.fingerprint(), counts.fingerprint());
    }
}
