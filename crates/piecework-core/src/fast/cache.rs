//! A bounded memory of pretokens already encoded. Nine pretokens in ten of real text have been seen a
//! moment ago, so this, not the merge loop, decides the speed.
//!
//! Two tables of 64-byte lines, one line touched a look-up: pretokens of up to 15 bytes that made at
//! most 4 ids, two to a line; pretokens of 16 to 30 bytes that made at most 8 ids, one to a line. A
//! newcomer takes the place of an older one: nothing grows, and nobody waits for a lock, since each
//! cache has one owner at a time.
//!
//! Why not one table: a key of 31 bytes for every word doubles the memory that common words compete
//! for; why not more ways: the second line costs a cache miss, and misses here cost less than that.

use crate::sink::Sink;

/// Pretokens of more bytes than this are not remembered.
pub const MAX_KEY_BYTES: usize = 30;

const SHORT_BYTES: usize = 15;
const SHORT_IDS: usize = 4;
const LONG_IDS: usize = 8;
const LINE_WORDS: usize = 8;

/// Lines of each table: 4 MiB for short pretokens, 2 MiB for long ones.
const SHORT_LINES: usize = 1 << 16;
const LONG_LINES: usize = 1 << 15;

/// What a pretoken became: at most eight ids, two to a word as the cache holds them.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    words: [u64; LONG_IDS / 2],
    n: usize,
}

impl Entry {
    /// Gives the ids to `sink` and returns how many they are.
    #[inline]
    pub fn give<S: Sink>(&self, sink: &mut S) -> usize {
        if self.n == 1 {
            // Nine pretokens in ten.
            sink.push(self.words[0] as u32);
        } else {
            sink.extend(self.ids().get(..self.n).unwrap_or(&[]));
        }
        self.n
    }

    #[inline]
    fn ids(&self) -> [u32; LONG_IDS] {
        let mut ids = [0; LONG_IDS];
        for (pair, word) in ids.chunks_exact_mut(2).zip(self.words) {
            pair[0] = word as u32;
            pair[1] = (word >> 32) as u32;
        }
        ids
    }
}

/// A pretoken as a key of its own bytes: equal keys are equal pretokens, so a hit needs no second look.
#[derive(Debug, Clone, Copy)]
pub enum Key {
    /// 1 to 15 bytes, the length in the lowest half of the highest byte; and its place.
    Short([u64; 2], u64),
    /// 16 to 30 bytes, the length in the highest byte but one; and its place.
    Long([u64; 4], u64),
    /// Not remembered.
    None,
}

impl Key {
    /// Returns the key of `text[at..end]`. The bytes behind `end` are read where there are any, since one
    /// load of 16 bytes and a mask is cheaper than any copy of unknown length.
    #[inline]
    pub fn of(text: &[u8], at: usize, end: usize) -> Self {
        let n = end - at;
        if n == 0 {
            Self::None
        } else if n <= SHORT_BYTES {
            let word = masked(text, at, n) | (n as u128) << 120;
            let (low, high) = (word as u64, (word >> 64) as u64);
            Self::Short([low, high], hash(low, high))
        } else if n <= MAX_KEY_BYTES {
            let low = masked(text, at, 16);
            let high = masked(text, at + 16, n - 16) | (n as u128) << 112;
            let key = [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64];
            Self::Long(key, hash(hash(key[0], key[1]) ^ key[2], key[3]))
        } else {
            Self::None
        }
    }
}

/// Returns the `n` bytes (at most 16) at `at` as a little-endian number.
#[inline]
fn masked(text: &[u8], at: usize, n: usize) -> u128 {
    let word = match text.get(at..at + 16).and_then(|bytes| <[u8; 16]>::try_from(bytes).ok()) {
        Some(bytes) => u128::from_le_bytes(bytes),
        None => at_the_end(text, at),
    };
    if n >= 16 { word } else { word & ((1 << (8 * n)) - 1) }
}

/// The last 15 bytes of a text are copied.
#[cold]
fn at_the_end(text: &[u8], at: usize) -> u128 {
    let mut bytes = [0; 16];
    let tail = text.get(at..).unwrap_or(&[]);
    for (to, from) in bytes.iter_mut().zip(tail) {
        *to = *from;
    }
    u128::from_le_bytes(bytes)
}

/// The cache. Memory: 6 MiB of address space, of which only what is touched becomes real.
#[derive(Debug)]
pub struct Cache {
    short: Lines,
    long: Lines,
}

impl Default for Cache {
    fn default() -> Self {
        Self { short: Lines::new(SHORT_LINES), long: Lines::new(LONG_LINES) }
    }
}

impl Cache {
    /// Asks for the line where `key` would be, so that it is near when looked at a little later: the tables are
    /// larger than the second-level cache, and waiting for each line would take half of all time.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        let line = match key {
            Key::Short(_, place) => self.short.line(*place),
            Key::Long(_, place) => self.long.line(*place),
            Key::None => None,
        };
        if let Some(line) = line {
            super::prefetch(line.as_ptr());
        }
    }

    /// Returns what the pretoken with `key` became, if it is remembered.
    #[inline]
    pub fn get(&self, key: &Key) -> Option<Entry> {
        match key {
            Key::Short(key, place) => self.get_short(*key, *place),
            Key::Long(key, place) => self.get_long(*key, *place),
            Key::None => None,
        }
    }

    #[inline]
    fn get_short(&self, [low, high]: [u64; 2], place: u64) -> Option<Entry> {
        let line = self.short.line(place)?;
        let slot = if line[0] == low && line[1] & !COUNT_BITS == high {
            &line[..4]
        } else if line[4] == low && line[5] & !COUNT_BITS == high {
            &line[4..]
        } else {
            return None;
        };
        Some(Entry { words: [slot[2], slot[3], 0, 0], n: (slot[1] >> 60) as usize })
    }

    #[inline]
    fn get_long(&self, key: [u64; 4], place: u64) -> Option<Entry> {
        let line = self.long.line(place)?;
        if line[..3] != key[..3] || line[3] & !COUNT_BITS != key[3] {
            return None;
        }
        Some(Entry { words: [line[4], line[5], line[6], line[7]], n: (line[3] >> 60) as usize })
    }

    /// Remembers that the pretoken with `key` became `ids`, unless there are too many or none.
    pub fn insert(&mut self, key: &Key, ids: &[u32]) {
        let word = |i: usize| {
            let id = |i: usize| u64::from(ids.get(i).copied().unwrap_or(0));
            id(2 * i) | id(2 * i + 1) << 32
        };
        let n = ids.len() as u64;
        match *key {
            Key::Short([low, high], place) if (1..=SHORT_IDS).contains(&ids.len()) => {
                let Some(line) = self.short.line_mut(place) else { return };
                // The older of the two moves to the second place, and the oldest is forgotten.
                line.copy_within(..4, 4);
                line[..4].copy_from_slice(&[low, high | n << 60, word(0), word(1)]);
            }
            Key::Long(key, place) if (1..=LONG_IDS).contains(&ids.len()) => {
                let Some(line) = self.long.line_mut(place) else { return };
                line[..3].copy_from_slice(&key[..3]);
                line[3] = key[3] | n << 60;
                for (i, to) in line[4..].iter_mut().enumerate() {
                    *to = word(i);
                }
            }
            _ => {}
        }
    }
}

/// Where the number of ids stands in a key's last word: a length needs four bits of that byte, or none.
const COUNT_BITS: u64 = 0xf << 60;

#[inline]
fn hash(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd6e8_feb8_6659_fd93);
    wide as u64 ^ (wide >> 64) as u64
}

/// A power of two of 64-byte lines, aligned to the processor's.
#[derive(Debug)]
struct Lines {
    words: Vec<u64>,
    first: usize,
    mask: usize,
}

impl Lines {
    fn new(n: usize) -> Self {
        // One line more than needed, so that the first can begin at a multiple of 64.
        let words = vec![0_u64; (n + 1) * LINE_WORDS];
        let first = words.as_ptr().align_offset(64).min(LINE_WORDS);
        Self { words, first, mask: n - 1 }
    }

    #[inline]
    fn line(&self, hash: u64) -> Option<&[u64; LINE_WORDS]> {
        let start = self.first + (hash as usize & self.mask) * LINE_WORDS;
        self.words.get(start..)?.first_chunk()
    }

    #[inline]
    fn line_mut(&mut self, hash: u64) -> Option<&mut [u64; LINE_WORDS]> {
        let start = self.first + (hash as usize & self.mask) * LINE_WORDS;
        self.words.get_mut(start..)?.first_chunk_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        Key::of(text.as_bytes(), 0, text.len())
    }

    fn ids_of(entry: Entry) -> Vec<u32> {
        let mut ids = Vec::new();
        assert_eq!(entry.give(&mut ids), ids.len());
        ids
    }

    #[test]
    fn what_was_put_in_comes_out_at_every_length() {
        let text = "abcdefghijklmnopqrstuvwxyz0123456789";
        let mut cache = Cache::default();
        for n in 1..=MAX_KEY_BYTES {
            let ids: Vec<u32> = (0..n as u32).map(|i| i * 1000 + 1).collect();
            cache.insert(&Key::of(text.as_bytes(), 0, n), &ids);
            let max = if n <= SHORT_BYTES { SHORT_IDS } else { LONG_IDS };
            let found = cache.get(&key(&text[..n]));
            assert_eq!(found.map(ids_of), (n <= max).then_some(ids), "{n}");
        }
        let two = [7, u32::MAX];
        for n in 1..=MAX_KEY_BYTES {
            cache.insert(&Key::of(text.as_bytes(), 2, 2 + n), &two);
            assert_eq!(cache.get(&key(&text[2..2 + n])).map(ids_of), Some(two.to_vec()));
        }
        assert!(matches!(key(&text[..=MAX_KEY_BYTES]), Key::None));
    }

    #[test]
    fn zero_bytes_and_prefixes_are_different_keys() {
        let mut cache = Cache::default();
        cache.insert(&key("a"), &[1]);
        for other in ["a\0", "\0a", "", "b", "aa"] {
            assert!(cache.get(&key(other)).is_none(), "{other:?}");
        }
        cache.insert(&key("0123456789abcdef"), &[2]);
        assert!(cache.get(&key("0123456789abcdef\0")).is_none());
    }

    #[test]
    fn a_full_line_forgets_the_oldest() {
        let mut cache = Cache { short: Lines::new(1), long: Lines::new(1) };
        for text in ["a", "b", "c"] {
            cache.insert(&key(text), &[1]);
        }
        let known = ["a", "b", "c"].map(|text| cache.get(&key(text)).is_some());
        assert_eq!(known, [false, true, true]);
    }
}
