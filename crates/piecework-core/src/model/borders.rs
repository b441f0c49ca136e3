//! Where a text falls into parts that no merge can join, so that a text without a pre-tokenizer is merged word by
//! word.
//!
//! Proof. Let every symbol at every time be a token whose text is what it covers, or one that never joins. A merge
//! across the border between two adjacent characters `a` and `b` makes a token whose text has `b` right after `a`.
//! Where no token that a merge makes has that pair, no merge crosses. Merges on one side neither see nor change
//! pairs on the other, so the order in which the one queue of the whole text takes them, restricted to one side, is
//! the order in which that side alone takes them.

use std::hash::{BuildHasher, RandomState};

/// The space of SentencePiece vocabularies.
const SPACE: char = '\u{2581}';

/// Words up to this many bytes are not cut further: the memory of words finds them whole.
const WORD_BYTES: usize = 24;

/// The pairs of adjacent characters that some token has.
#[derive(Debug)]
pub struct Borders {
    /// `left << 32 | right`, and one more so that 0 is empty.
    slots: Vec<u64>,
    seed: u64,
    space: memchr::memmem::Finder<'static>,
}

impl Borders {
    /// Builds the set from the texts of all tokens that a merge makes, or that are matched as a whole. Complexity:
    /// O(n log n)
    /// for n characters.
    pub fn new<'a>(tokens: impl IntoIterator<Item = &'a str>) -> Self {
        let mut pairs: Vec<u64> = tokens
            .into_iter()
            .flat_map(|token| token.chars().zip(token.chars().skip(1)))
            .map(|(left, right)| key(left, right))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut borders = Self {
            slots: vec![0; (pairs.len() * 3).next_power_of_two().max(2)],
            seed: RandomState::new().hash_one(0x626f_7264_u64),
            space: memchr::memmem::Finder::new("\u{2581}").into_owned(),
        };
        for pair in pairs {
            let at = borders.find(pair);
            if let Some(slot) = borders.slots.get_mut(at) {
                *slot = pair;
            }
        }
        borders
    }

    /// Returns whether a merge may join what ends with `left` to what begins with `right`.
    #[inline]
    pub fn bridges(&self, left: char, right: char) -> bool {
        let key = key(left, right);
        self.slots.get(self.find(key)) == Some(&key)
    }

    /// Iterates over the parts of `text`, where each begins and ends. Complexity: O(`text.len()`) in all.
    pub fn parts<'b>(&'b self, text: &'b str) -> impl Iterator<Item = (usize, usize)> + 'b {
        let (mut start, mut word) = (0, 0);
        std::iter::from_fn(move || {
            if start == text.len() {
                return None;
            }
            if start == word {
                word = self.word_end(text, start);
            }
            let part = (start, self.part_end(text, start, word));
            start = part.1;
            Some(part)
        })
    }

    /// Returns the end of the part that begins at `start` in a word that ends at `word`.
    fn part_end(&self, text: &str, start: usize, word: usize) -> usize {
        if word - start <= WORD_BYTES {
            return word;
        }
        let mut characters = text.get(start..word).unwrap_or("").char_indices();
        let Some((_, mut left)) = characters.next() else {
            return word;
        };
        for (at, right) in characters {
            if !self.bridges(left, right) {
                return start + at;
            }
            left = right;
        }
        word
    }

    /// Returns where the next space stands that nothing joins to what is before it, or the text's end.
    fn word_end(&self, text: &str, start: usize) -> usize {
        let mut from = start;
        while let Some(found) = text.as_bytes().get(from..).and_then(|rest| self.space.find(rest)) {
            let at = from + found;
            let left = text.get(start..at).and_then(|before| before.chars().next_back());
            if left.is_some_and(|left| !self.bridges(left, SPACE)) {
                return at;
            }
            from = at + SPACE.len_utf8();
        }
        text.len()
    }

    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = ((key ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots.get(at).is_some_and(|&slot| slot != 0 && slot != key) {
            at = (at + 1) & mask;
        }
        at
    }
}

#[inline]
fn key(left: char, right: char) -> u64 {
    (u64::from(u32::from(left)) << 32 | u64::from(u32::from(right))) + 1
}
