//! The fingerprint of counted words, and how another thread finds it while a model is learned of them: sorting a
//! million words takes half a second, which nobody has to wait for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::word_counts::WordCounts;
use crate::definition::canonical::hex;
use crate::error::Result;
use crate::executor;
use crate::interrupt::{Ctl, Ticker};

/// Words sorted at a time: some ten milliseconds, between two looks at whether to stop.
const CHUNK: usize = 1 << 16;
/// Words from which on a thread is worth starting: below, sorting takes about a millisecond.
const MIN_WORDS: usize = 1 << 12;
/// How often who waits for the other thread looks at whether to stop.
const LOOK: Duration = Duration::from_millis(10);

impl WordCounts {
    /// Returns the SHA-256, hexadecimal, of all words in the order of their bytes: each one's length, bytes and
    /// count, numbers as eight little-endian bytes. The order in which they were met changes nothing.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`].
    ///
    /// # Complexity
    /// Linear in the bytes of words that are sorted already, as those from the disk are; else n log n.
    pub fn fingerprint(&self, ctl: &Ctl<'_>) -> Result<String> {
        let mut ticker = ctl.ticker();
        let mut digest = Sha256::new();
        let mut add = |word: &[u8], count: u64, ticker: &mut Ticker<'_>| {
            digest.update((word.len() as u64).to_le_bytes());
            digest.update(word);
            digest.update(count.to_le_bytes());
            ticker.tick(word.len() + 16)
        };
        if self.is_sorted(&mut ticker)? {
            for (word, count) in self.iter() {
                add(word, count, &mut ticker)?;
            }
        } else {
            self.for_each_sorted(&mut ticker, ctl, add)?;
        }
        Ok(hex(&digest.finalize()))
    }

    fn is_sorted(&self, ticker: &mut Ticker<'_>) -> Result<bool> {
        let mut before: &[u8] = &[];
        for (word, _) in self.iter() {
            ticker.tick(8)?;
            if word < before {
                return Ok(false);
            }
            before = word;
        }
        Ok(true)
    }

    /// Sorts chunks of the words, and merges these: one sort of all could not be stopped.
    fn for_each_sorted(
        &self,
        ticker: &mut Ticker<'_>,
        ctl: &Ctl<'_>,
        mut add: impl FnMut(&[u8], u64, &mut Ticker<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        for chunk in order.chunks_mut(CHUNK) {
            chunk.sort_unstable_by_key(|&index| self.word(index as usize));
            ctl.check()?;
        }
        let mut chunks: Vec<_> = order.chunks(CHUNK).map(|chunk| chunk.iter().copied()).collect();
        let first = |(at, chunk): (usize, &mut std::iter::Copied<std::slice::Iter<'_, u32>>)| {
            chunk.next().map(|index| Reverse((self.word(index as usize), index, at)))
        };
        let mut heads: BinaryHeap<_> = chunks.iter_mut().enumerate().filter_map(first).collect();
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((word, index, at)) = *head;
            add(word, self.count(index as usize), ticker)?;
            match chunks[at].next() {
                Some(index) => *head = Reverse((self.word(index as usize), index, at)),
                None => drop(PeekMut::pop(head)),
            }
        }
        Ok(())
    }
}

/// Returns what `work` makes, and the fingerprint of `counts`, which another thread finds meanwhile; where `n_threads`
/// is one, this thread does so afterwards.
///
/// # Errors
/// What `work` returns; [`crate::error::Error::Interrupted`].
pub fn beside<T>(
    counts: &WordCounts,
    n_threads: Option<usize>,
    ctl: &Ctl<'_>,
    work: impl FnOnce() -> Result<T>,
) -> Result<(T, String)> {
    if counts.len() < MIN_WORDS || executor::n_threads(n_threads) == 1 {
        let made = work()?;
        return Ok((made, counts.fingerprint(ctl)?));
    }
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let find = move || {
            // Nobody is there to receive where the work has failed.
            let _ = sender.send(counts.fingerprint(ctl));
        };
        // Where no thread is to be had, the sender is dropped.
        let _ = std::thread::Builder::new().spawn_scoped(scope, find);
        let made = work().inspect_err(|_| ctl.cancel())?;
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(found) => return Ok((made, found?)),
                Err(RecvTimeoutError::Timeout) => ctl.check()?,
                Err(RecvTimeoutError::Disconnected) => return Ok((made, counts.fingerprint(ctl)?)),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;
    use crate::error::Error;

    fn words(n: u32) -> WordCounts {
        let mut counts = WordCounts::default();
        for i in 0..n {
            counts.add(format!("{:x}", i.wrapping_mul(0x9e37_79b1)).as_bytes(), u64::from(i));
        }
        counts
    }

    /// As the documentation says it, in one sort.
    fn by_hand(counts: &WordCounts) -> String {
        let mut all: Vec<_> = counts.iter().collect();
        all.sort_unstable();
        let mut digest = Sha256::new();
        for (word, count) in all {
            digest.update([&(word.len() as u64).to_le_bytes()[..], word, &count.to_le_bytes()].concat());
        }
        hex(&digest.finalize())
    }

    #[test]
    fn it_is_that_of_the_sorted_words() {
        for n in [0, 1, 2, 70_000, 200_000] {
            let counts = words(n);
            assert_eq!(counts.fingerprint(&Ctl::new()).unwrap(), by_hand(&counts), "{n}");
        }
        let mut sorted = WordCounts::default();
        for word in [&b""[..], b"a", b"ab", b"b"] {
            sorted.add(word, 7);
        }
        assert_eq!(sorted.fingerprint(&Ctl::new()).unwrap(), by_hand(&sorted));
    }

    #[test]
    fn one_thread_stays_alone_and_more_find_the_same() {
        let counts = words(70_000);
        let here = thread::current().id();
        for (n_threads, is_alone) in [(1, true), (2, false)] {
            let n_elsewhere = AtomicU64::new(0);
            let poll = || {
                n_elsewhere.fetch_add(u64::from(thread::current().id() != here), Ordering::Relaxed);
                false
            };
            let ctl = Ctl::with_poll(&poll);
            let found = beside(&counts, Some(n_threads), &ctl, || Ok(thread::current().id()));
            assert_eq!(found, Ok((here, by_hand(&counts))));
            assert_eq!(n_elsewhere.into_inner() == 0, is_alone);
        }
    }

    #[test]
    fn it_stops_when_it_is_told_and_where_the_work_fails() {
        let counts = words(200_000);
        for n_threads in [1, 2] {
            let ctl = Ctl::new();
            let found: Result<((), String)> =
                beside(&counts, Some(n_threads), &ctl, || Err(Error::Interrupted));
            assert_eq!(found, Err(Error::Interrupted));
            let ctl = Ctl::new();
            ctl.cancel();
            assert_eq!(beside(&counts, Some(n_threads), &ctl, || Ok(())), Err(Error::Interrupted));
        }
        // Within the sort, and within the merge of its chunks.
        let n_all = {
            let (n_looks, counts) = (AtomicU64::new(0), &counts);
            let poll = || n_looks.fetch_add(1, Ordering::Relaxed) == u64::MAX;
            counts.fingerprint(&Ctl::with_poll(&poll)).unwrap();
            n_looks.into_inner()
        };
        assert!(n_all > 100, "{n_all}");
        for last in [0, 2, n_all - 1] {
            let n_looks = AtomicU64::new(0);
            let poll = || n_looks.fetch_add(1, Ordering::Relaxed) == last;
            assert_eq!(counts.fingerprint(&Ctl::with_poll(&poll)), Err(Error::Interrupted));
            assert_eq!(n_looks.into_inner(), last + 1);
        }
    }
}
