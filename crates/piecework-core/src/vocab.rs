//! id ↔ bytes. All token bytes lie in one arena in id order; an open-addressed table of small
//! `(tag, id)` words finds the id of a byte string. Before it stands a Bloom filter of eight bits a token: the
//! merge loop asks three times out of four about strings that are no token, and the filter is small enough to be
//! near where the table is not (measured on 40 languages: a tenth faster).

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::error::{Error, Result};
use crate::id::TokenId;

/// Ids at or above this are refused: no published vocabulary comes near, and a 1 kB file must not
/// make us reserve gigabytes.
pub const MAX_IDS: usize = (1 << TAG_SHIFT) - 1;

/// A slot's upper eight bits are the tag.
const TAG_SHIFT: u32 = 24;

/// The filter's bits are taken from the middle of a hash: the table's place is its low end, the tag its high.
const FILTER_SHIFT: u32 = 20;

/// How many tokens are entered into the table at a time.
const INDEX_BLOCK: usize = 32;

/// One entry to build a [`Vocab`] from.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The token's id.
    pub id: TokenId,
    /// The bytes that the token stands for.
    pub bytes: &'a [u8],
    /// Whether [`Vocab::get`] finds it. Tokens that no text can spell (their form has characters
    /// outside the byte alphabet) have bytes to decode to, but are never found.
    pub indexed: bool,
}

/// An immutable vocabulary: a one-to-one map between ids and the bytes they stand for. Ids may have
/// holes.
#[derive(Clone)]
pub struct Vocab {
    arena: Vec<u8>,
    /// `ends[i]` is where token `i` ends in the arena; it starts where `i - 1` ends.
    ends: Vec<u32>,
    /// One bit an id: set where the id is a hole.
    holes: Vec<u64>,
    /// One bit an id: set where the id is not found by its bytes.
    unindexed: Vec<u64>,
    /// `tag << TAG_SHIFT | id + 1`, 0 where empty. At most half full.
    slots: Vec<u32>,
    /// The filter: one bit for each token's hash.
    filter: Vec<u64>,
    seed: u64,
    n_tokens: usize,
}

impl std::fmt::Debug for Vocab {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocab")
            .field("n_tokens", &self.n_tokens)
            .field("n_ids", &self.n_ids())
            .finish_non_exhaustive()
    }
}

impl Vocab {
    /// Builds a vocabulary from entries in any order.
    ///
    /// # Errors
    /// [`Error::Format`] when an id is over [`MAX_IDS`], when two entries share an id, or when two
    /// indexed entries share their bytes. Complexity: O(bytes + largest id).
    pub fn new<'a>(entries: impl IntoIterator<Item = Entry<'a>>) -> Result<Self> {
        let mut entries: Vec<Entry<'a>> = entries.into_iter().collect();
        entries.sort_by_key(|entry| entry.id);
        let n_ids = entries.last().map_or(0, |entry| entry.id.index() + 1);
        if n_ids > MAX_IDS {
            return Err(Error::format(
                "vocab",
                format!("id {} is over the limit of {MAX_IDS} ids", n_ids - 1),
            ));
        }
        let mut vocab = Self::empty(n_ids, entries.len());
        vocab.arena.reserve(entries.iter().map(|entry| entry.bytes.len()).sum());
        for entry in entries {
            let next = vocab.ends.len();
            if entry.id.index() < next {
                return Err(Error::format("vocab", format!("id {} is given twice", entry.id.0)));
            }
            for hole in next..entry.id.index() {
                vocab.push(&[])?;
                vocab.holes[hole / 64] |= 1 << (hole % 64);
            }
            vocab.push(entry.bytes)?;
            vocab.n_tokens += 1;
            if !entry.indexed {
                vocab.unindexed[entry.id.index() / 64] |= 1 << (entry.id.index() % 64);
            }
        }
        vocab.index()?;
        Ok(vocab)
    }

    /// Builds a vocabulary from an arena that already holds all tokens in id order: the quickest way.
    /// `ends[i]` is where token `i` ends, and `holes` are the ids that are no tokens.
    ///
    /// # Errors
    /// [`Error::Format`] when there are more than [`MAX_IDS`] ids, when `ends` descend or do not fit the
    /// arena, when a hole is no id, or when two tokens share their bytes. Complexity: O(bytes).
    pub fn from_arena(arena: Vec<u8>, ends: Vec<u32>, holes: &[u32]) -> Result<Self> {
        let fits = ends.is_sorted() && ends.last().map_or(0, |&end| end as usize) == arena.len();
        if ends.len() > MAX_IDS || !fits || holes.iter().any(|&hole| hole as usize >= ends.len()) {
            return Err(Error::format("vocab", "the tokens do not fit their arena, or are too many"));
        }
        let n_ids = ends.len();
        let mut vocab = Self { arena, ends, ..Self::empty(n_ids, n_ids) };
        for &hole in holes {
            vocab.holes[hole as usize / 64] |= 1 << (hole % 64);
        }
        vocab.n_tokens = n_ids - vocab.holes.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        vocab.index()?;
        Ok(vocab)
    }

    /// Builds a vocabulary whose ids are `0..tokens.len()`, each found by its bytes.
    ///
    /// # Errors
    /// As [`Vocab::new`].
    pub fn dense<'a>(tokens: impl IntoIterator<Item = &'a [u8]>) -> Result<Self> {
        let entries = tokens.into_iter().enumerate().map(|(id, bytes)| Entry {
            id: TokenId(u32::try_from(id).unwrap_or(u32::MAX)),
            bytes,
            indexed: true,
        });
        Self::new(entries)
    }

    /// Returns the same vocabulary in which `ids` are no longer found by their bytes: no model makes them.
    ///
    /// # Errors
    /// None that a vocabulary which exists can cause. Complexity: O(bytes).
    pub fn without_index(&self, ids: &[TokenId]) -> Result<Self> {
        let ids: HashSet<TokenId> = ids.iter().copied().collect();
        Self::new(
            self.iter().map(|entry| Entry { indexed: entry.indexed && !ids.contains(&entry.id), ..entry }),
        )
    }

    fn empty(n_ids: usize, n_tokens: usize) -> Self {
        let words = n_ids.div_ceil(64);
        Self {
            arena: Vec::new(),
            ends: Vec::with_capacity(n_ids),
            holes: vec![0; words],
            unindexed: vec![0; words],
            slots: vec![0; (n_tokens * 2).next_power_of_two().max(2)],
            filter: vec![0; (n_tokens * 8).next_power_of_two().div_ceil(64)],
            // A random seed: a hostile file cannot choose tokens that all collide.
            seed: RandomState::new().hash_one(0x7069_6563_u64),
            n_tokens: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.arena.extend_from_slice(bytes);
        let end = u32::try_from(self.arena.len())
            .map_err(|_| Error::format("vocab", "the tokens' bytes are over 4 GiB in all"))?;
        self.ends.push(end);
        Ok(())
    }

    /// Enters every indexed token into the table.
    fn index(&mut self) -> Result<()> {
        let mut block = Vec::with_capacity(INDEX_BLOCK);
        for id in (0..self.ends.len() as u32).map(TokenId) {
            if self.is_indexed(id) {
                block.push((id, hash(self.seed, self.slice(id))));
            }
            if block.len() == INDEX_BLOCK {
                self.enter(&block)?;
                block.clear();
            }
        }
        self.enter(&block)
    }

    /// Enters a block of tokens with their hashes. All slots are read before the first is written, so that
    /// their cache misses overlap: the table is larger than the caches near a core, and one by one the
    /// misses are most of the time it takes to load a vocabulary.
    fn enter(&mut self, block: &[(TokenId, u64)]) -> Result<()> {
        let mask = self.slots.len() - 1;
        std::hint::black_box(block.iter().fold(0, |sum, &(_, hash)| sum ^ self.slots[hash as usize & mask]));
        for &(id, hash) in block {
            let mut at = hash as usize & mask;
            while self.slots[at] != 0 {
                let other = holder(self.slots[at]);
                if self.slots[at] >> TAG_SHIFT == tag(hash) && self.slice(other) == self.slice(id) {
                    let shown = String::from_utf8_lossy(self.slice(id)).into_owned();
                    let reason = format!("ids {} and {} are both {shown:?}", other.0, id.0);
                    return Err(Error::format("vocab", reason));
                }
                at = (at + 1) & mask;
            }
            self.slots[at] = tag(hash) << TAG_SHIFT | (id.0 + 1);
            let (word, bit) = self.filter_bit(hash);
            self.filter[word] |= bit;
        }
        Ok(())
    }

    #[inline]
    fn filter_bit(&self, hash: u64) -> (usize, u64) {
        let bit = (hash >> FILTER_SHIFT) as usize & (self.filter.len() * 64 - 1);
        (bit / 64, 1 << (bit % 64))
    }

    /// Returns the id of exactly `bytes`, or `None` where no indexed token has them.
    #[inline]
    pub fn get(&self, bytes: &[u8]) -> Option<TokenId> {
        let mask = self.slots.len() - 1;
        let hash = hash(self.seed, bytes);
        let (word, bit) = self.filter_bit(hash);
        if self.filter[word] & bit == 0 {
            return None;
        }
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if slot >> TAG_SHIFT == tag(hash) && self.slice(holder(slot)) == bytes {
                return Some(holder(slot));
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn slice(&self, id: TokenId) -> &[u8] {
        let index = id.index();
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.arena[start..self.ends[index] as usize]
    }

    /// Returns the bytes of `id`, or `None` for a hole or an id past the end.
    #[inline]
    pub fn bytes(&self, id: TokenId) -> Option<&[u8]> {
        (self.contains(id)).then(|| self.slice(id))
    }

    /// Returns whether `id` is a token.
    #[inline]
    pub fn contains(&self, id: TokenId) -> bool {
        id.index() < self.ends.len() && self.holes[id.index() / 64] >> (id.index() % 64) & 1 == 0
    }

    /// Returns whether [`Vocab::get`] finds `id` by its bytes.
    pub fn is_indexed(&self, id: TokenId) -> bool {
        self.contains(id) && self.unindexed[id.index() / 64] >> (id.index() % 64) & 1 == 0
    }

    /// Returns one more than the largest id; 0 for an empty vocabulary.
    pub fn n_ids(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of tokens, holes not counted.
    pub fn n_tokens(&self) -> usize {
        self.n_tokens
    }

    /// Iterates over all ids with the number of bytes of each, 0 for a hole: what a look at every token costs least.
    pub fn lengths(&self) -> impl Iterator<Item = (TokenId, usize)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        (0..).map(TokenId).zip(starts.zip(&self.ends).map(|(start, end)| (end - start) as usize))
    }

    /// Iterates over the tokens in id order, holes left out.
    pub fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.ends.len() as u32).map(TokenId).filter(|&id| self.contains(id)).map(|id| Entry {
            id,
            bytes: self.slice(id),
            indexed: self.is_indexed(id),
        })
    }
}

/// Two vocabularies are equal when they hold the same entries.
impl PartialEq for Vocab {
    fn eq(&self, other: &Self) -> bool {
        self.arena == other.arena
            && self.ends == other.ends
            && self.holes == other.holes
            && self.unindexed == other.unindexed
    }
}

impl Eq for Vocab {}

/// Returns the tag of a hash.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 56) as u32
}

/// Returns the token of a slot that is not empty.
#[inline]
fn holder(slot: u32) -> TokenId {
    TokenId((slot & ((1 << TAG_SHIFT) - 1)) - 1)
}

/// Multiplies to 128 bits and folds the halves: one multiplication mixes eight bytes well.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    wide as u64 ^ (wide >> 64) as u64
}

/// Returns a seeded hash of `bytes`. Short strings, which nearly all are, cost two multiplications.
#[inline]
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let n = bytes.len();
    let (low, high) = match n {
        0..4 => {
            let first = bytes.first().copied().unwrap_or(0);
            let middle = bytes.get(n / 2).copied().unwrap_or(0);
            let last = bytes.last().copied().unwrap_or(0);
            (u64::from(first) << 16 | u64::from(middle) << 8 | u64::from(last), 0)
        }
        4..8 => (word32(bytes, 0), word32(bytes, n - 4)),
        _ => (word64(bytes, 0), word64(bytes, n - 8)),
    };
    let mut state = seed ^ (n as u64).wrapping_mul(K);
    if n > 16 {
        for at in (8..n - 16).step_by(8).chain([n - 16]) {
            state = fold(state ^ word64(bytes, at), K);
        }
    }
    fold(fold(low ^ state, K) ^ high, state | 1)
}

#[inline]
fn word64(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|slice| slice.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[inline]
fn word32(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 4)
        .and_then(|slice| slice.try_into().ok())
        .map_or(0, |word| u64::from(u32::from_le_bytes(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_bytes_are_one_to_one_with_holes() {
        let entries = [(7, "abc"), (0, "a"), (3, "")];
        let vocab = Vocab::new(entries.map(|(id, text)| Entry {
            id: TokenId(id),
            bytes: text.as_bytes(),
            indexed: id != 0,
        }))
        .unwrap();
        assert_eq!((vocab.n_ids(), vocab.n_tokens()), (8, 3));
        assert_eq!(vocab.get(b"abc"), Some(TokenId(7)));
        assert_eq!(vocab.get(b""), Some(TokenId(3)));
        assert_eq!(vocab.get(b"a"), None, "not indexed");
        assert_eq!(vocab.bytes(TokenId(0)), Some(&b"a"[..]));
        assert_eq!(vocab.bytes(TokenId(1)), None);
        assert_eq!(vocab.bytes(TokenId(8)), None);
        assert_eq!(vocab.iter().map(|entry| entry.id.0).collect::<Vec<_>>(), [0, 3, 7]);
    }

    #[test]
    fn every_length_is_found_and_its_neighbors_are_not() {
        let tokens: Vec<Vec<u8>> =
            (0..200_usize).map(|n| (0..n).map(|i| (i * 7 + n) as u8).collect()).collect();
        let vocab = Vocab::dense(tokens.iter().map(Vec::as_slice)).unwrap();
        for (id, token) in tokens.iter().enumerate() {
            assert_eq!(vocab.get(token), Some(TokenId(id as u32)));
            for at in 0..token.len() {
                let mut other = token.clone();
                other[at] ^= 0x55;
                assert_eq!(vocab.get(&other).filter(|found| tokens[found.index()] != other), None);
            }
        }
    }

    #[test]
    fn an_arena_gives_the_same_vocabulary() {
        let entries = [(0, "a"), (1, "bc"), (3, "d")].map(|(id, text)| Entry {
            id: TokenId(id),
            bytes: text.as_bytes(),
            indexed: true,
        });
        let vocab = Vocab::from_arena(b"abcd".to_vec(), vec![1, 3, 3, 4], &[2]).unwrap();
        assert_eq!(vocab, Vocab::new(entries).unwrap());
        assert_eq!((vocab.n_ids(), vocab.n_tokens(), vocab.get(b"d")), (4, 3, Some(TokenId(3))));
        assert_eq!(vocab.get(b""), None, "a hole is no token");
        for (ends, holes) in
            [(vec![1, 3], &[][..]), (vec![3, 1, 4], &[]), (vec![1, 5], &[]), (vec![1, 4], &[2])]
        {
            assert!(Vocab::from_arena(b"abcd".to_vec(), ends, holes).is_err());
        }
        assert!(Vocab::from_arena(b"aa".to_vec(), vec![1, 2], &[]).is_err(), "two tokens, one spelling");
    }

    #[test]
    fn duplicates_and_huge_ids_are_refused() {
        let twice = [
            Entry { id: TokenId(1), bytes: b"x", indexed: true },
            Entry { id: TokenId(1), bytes: b"y", indexed: true },
        ];
        assert!(Vocab::new(twice).unwrap_err().to_string().contains("id 1 is given twice"));
        let same = [
            Entry { id: TokenId(1), bytes: b"x", indexed: true },
            Entry { id: TokenId(2), bytes: b"x", indexed: true },
        ];
        assert!(Vocab::new(same).unwrap_err().to_string().contains("both \"x\""));
        let far = [Entry { id: TokenId(u32::MAX - 1), bytes: b"x", indexed: true }];
        assert!(Vocab::new(far).is_err());
    }
}
