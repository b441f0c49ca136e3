//! Sorted words of many sources as one sorted stream: each word once, its counts added up.

use std::ops::{Deref, Range};

use super::run_file::Reader;
use super::sorted::Sorted;
use crate::error::Result;
use crate::interrupt::Ticker;

/// Words in the order of their bytes.
#[derive(Debug)]
pub(super) enum Source<T> {
    /// Of a run on disk.
    Run(Box<Reader>),
    /// Of a chunk of a table: the places that are left.
    Table(T, Range<usize>),
}

impl<T: Deref<Target = Sorted> + Clone> Source<T> {
    /// Returns the sources that a table is.
    pub fn of_table(table: &T) -> impl Iterator<Item = Self> {
        // The first step of a source leads to its first word.
        table.chunks().map(|chunk| Self::Table(table.clone(), chunk.start.wrapping_sub(1)..chunk.end))
    }

    /// Goes to the next word; false where there is none.
    fn step(&mut self) -> Result<bool> {
        match self {
            Self::Run(reader) => reader.step(),
            Self::Table(_, left) => {
                left.start = left.start.wrapping_add(1);
                Ok(left.start < left.end)
            }
        }
    }

    #[inline]
    fn word(&self) -> &[u8] {
        match self {
            Self::Run(reader) => reader.word(),
            Self::Table(table, left) => table.word(left.start),
        }
    }

    #[inline]
    fn count(&self) -> u64 {
        match self {
            Self::Run(reader) => reader.count(),
            Self::Table(table, left) => table.count(left.start),
        }
    }
}

/// A merge of sources: a heap of them, the one with the smallest word on top.
#[derive(Debug)]
pub(super) struct Merge<T> {
    sources: Vec<Source<T>>,
    /// What the word of a source begins with, and the index of the source.
    heap: Vec<(u64, u32)>,
    word: Vec<u8>,
}

impl<T: Deref<Target = Sorted> + Clone> Merge<T> {
    /// Goes to the first word of each source.
    ///
    /// # Errors
    /// Those of [`Reader::step`].
    pub fn new(mut sources: Vec<Source<T>>) -> Result<Self> {
        let mut heap = Vec::with_capacity(sources.len());
        for (at, source) in sources.iter_mut().enumerate() {
            if source.step()? {
                heap.push((beginning(source.word()), at as u32));
            }
        }
        let mut merge = Self { sources, heap, word: Vec::new() };
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift(at);
        }
        Ok(merge)
    }

    /// Returns the next word and its count; sums are at most the largest 64-bit number.
    ///
    /// # Errors
    /// Those of [`Reader::step`]; [`crate::error::Error::Interrupted`].
    ///
    /// # Complexity
    /// The logarithm of the number of sources, for each of them that holds the word.
    pub fn next(&mut self, ticker: &mut Ticker<'_>) -> Result<Option<(&[u8], u64)>> {
        let Some(&(start, top)) = self.heap.first() else { return Ok(None) };
        let source = &self.sources[top as usize];
        let mut count = source.count();
        self.word.clear();
        self.word.extend_from_slice(source.word());
        self.step()?;
        ticker.tick(self.word.len() + 8)?;
        while let Some(&(other, top)) = self.heap.first() {
            let source = &self.sources[top as usize];
            if other != start || source.word() != self.word {
                break;
            }
            count = count.saturating_add(source.count());
            ticker.tick(self.word.len() + 8)?;
            self.step()?;
        }
        Ok(Some((&self.word, count)))
    }

    /// Takes the source on top to its next word.
    fn step(&mut self) -> Result<()> {
        let top = self.heap[0].1;
        let source = &mut self.sources[top as usize];
        if source.step()? {
            self.heap[0].0 = beginning(source.word());
        } else {
            self.heap.swap_remove(0);
        }
        self.sift(0);
        Ok(())
    }

    fn is_before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.heap[a], self.heap[b]);
        let words = || self.sources[a.1 as usize].word() < self.sources[b.1 as usize].word();
        a.0 < b.0 || (a.0 == b.0 && words())
    }

    fn sift(&mut self, mut at: usize) {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.heap.len() {
                return;
            }
            let least = if right < self.heap.len() && self.is_before(right, left) { right } else { left };
            if !self.is_before(least, at) {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }
}

/// Returns the first eight bytes of a word as a number; it rises with the words.
fn beginning(word: &[u8]) -> u64 {
    let mut eight = [0; 8];
    let n = word.len().min(8);
    eight[..n].copy_from_slice(&word[..n]);
    u64::from_be_bytes(eight)
}
