//! A table's words in the order of their bytes. They are sorted in chunks, so that an interrupt is answered between
//! two, and the chunks are merged by who reads them; the places of the words lie where the table's slots were, so
//! that sorting takes no memory.

use super::word_counts::WordCounts;
use crate::error::Error;
use crate::interrupt::Ctl;

/// Words sorted at a time: some ten milliseconds.
const CHUNK: usize = 1 << 16;

/// Words and the order of their bytes, by chunks.
#[derive(Debug)]
pub(super) struct Sorted {
    words: WordCounts,
    /// For each word what its bytes begin with, and its index.
    order: Vec<(u32, u32)>,
}

impl Sorted {
    /// Sorts the words of a table.
    ///
    /// # Errors
    /// [`Error::Interrupted`], with the table as it was.
    pub fn new(mut words: WordCounts, ctl: &Ctl<'_>) -> Result<Self, Box<(WordCounts, Error)>> {
        let mut order = words.take_slots();
        order.clear();
        order.extend((0..words.len()).map(|index| (beginning(words.word(index)), index as u32)));
        let mut ticker = ctl.ticker();
        for chunk in order.chunks_mut(CHUNK) {
            chunk.sort_unstable_by(|a, b| {
                a.0.cmp(&b.0).then_with(|| words.word(a.1 as usize).cmp(words.word(b.1 as usize)))
            });
            if let Err(error) = ticker.tick(chunk.len()).and_then(|()| ctl.check()) {
                return Err(Box::new((words, error)));
            }
        }
        Ok(Self { words, order })
    }

    /// Returns the places of each chunk.
    pub fn chunks(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let n = self.order.len();
        (0..n).step_by(CHUNK).map(move |start| start..(start + CHUNK).min(n))
    }

    /// Returns the word at a place.
    #[inline]
    pub fn word(&self, place: usize) -> &[u8] {
        self.words.word(self.order[place].1 as usize)
    }

    /// Returns the count of the word at a place.
    #[inline]
    pub fn count(&self, place: usize) -> u64 {
        self.words.count(self.order[place].1 as usize)
    }

    /// Returns the table as it was.
    pub fn into_table(self) -> WordCounts {
        self.words
    }

    /// Returns the table without its words.
    pub fn into_empty(self) -> WordCounts {
        let Self { mut words, order } = self;
        words.clear(order);
        words
    }
}

/// Returns a number that rises with the bytes of a word, as far as it knows them. Most words begin with a space, which
/// takes two bits.
fn beginning(word: &[u8]) -> u32 {
    let four = |bytes: &[u8]| {
        let mut four = [0; 4];
        let n = bytes.len().min(4);
        four[..n].copy_from_slice(&bytes[..n]);
        u32::from_be_bytes(four)
    };
    match word.first() {
        Some(b' ') => 1 << 30 | four(&word[1..]) >> 2,
        Some(b'!'..) => 1 << 31 | four(word) >> 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_rise_with_the_words() {
        let mut words: Vec<Vec<u8>> = vec![vec![]];
        for a in [0, 0x1f, b' ', b'!', b'a', 0x7f, 0x80, 0xff] {
            words.push(vec![a]);
            for b in [0, 0x1f, b' ', b'!', b'a', 0xff] {
                words.push(vec![a, b]);
                words.extend([0, 3, 4, 0xff].map(|c| vec![a, b, b'x', b'y', c]));
            }
        }
        words.sort();
        for pair in words.windows(2) {
            assert!(beginning(&pair[0]) <= beginning(&pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn a_table_comes_back_as_it_was_or_empty() {
        let mut words = WordCounts::default();
        for i in 0..100_000_u32 {
            words.add(format!("{:x}", i.wrapping_mul(0x9e37_79b1)).as_bytes(), u64::from(i));
        }
        let (held, print) = (words.held_bytes(), words.fingerprint(&Ctl::new()));
        let sorted = Sorted::new(words, &Ctl::new()).unwrap();
        let chunks: Vec<_> = sorted.chunks().collect();
        assert_eq!(chunks, [0..1 << 16, 1 << 16..100_000]);
        for chunk in chunks {
            assert!(chunk.clone().skip(1).all(|place| sorted.word(place - 1) < sorted.word(place)));
        }
        let mut words = sorted.into_table();
        words.add(b"0", 0);
        assert_eq!((words.len(), words.held_bytes(), words.fingerprint(&Ctl::new())), (100_000, held, print));
        let ctl = Ctl::new();
        ctl.cancel();
        let (words, error) = *Sorted::new(words, &ctl).unwrap_err();
        assert_eq!((words.len(), error), (100_000, Error::Interrupted));
        let mut words = words;
        words.add(b"0", 1);
        let words = Sorted::new(words, &Ctl::new()).unwrap().into_empty();
        assert_eq!((words.len(), words.held_bytes()), (0, held));
    }
}
