//! Counted words on their way out of a counter: its tables and its runs, added up.

use std::sync::{Arc, PoisonError};

use super::count::Counter;
use super::memory::{Cap, Weights};
use super::merge::{Merge, Source};
use super::sorted::Sorted;
use super::word_counts::WordCounts;
use crate::error::Result;
use crate::interrupt::Ctl;

impl Counter {
    /// Returns the counts of words that occur at least `min` times. In the order of first appearance where one
    /// thread did the work and nothing went to disk; sorted by bytes where something did.
    ///
    /// # Errors
    /// [`crate::error::Error::MemoryCap`] where learning from them would take more than `cap`; [`crate::error::Error::Unwritable`],
    /// [`crate::error::Error::Unreadable`], [`crate::error::Error::Checksum`], [`crate::error::Error::Format`]; [`crate::error::Error::Interrupted`].
    pub fn finish(self, min: u64, cap: Option<Cap>, ctl: &Ctl<'_>) -> Result<WordCounts> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let held: usize = idle.iter().map(|worker| worker.table.held_bytes()).sum();
        let fits = idle.len() <= 1 || held <= self.max_table_bytes / 2;
        drop(idle);
        if self.runs.is_empty() && fits {
            return self.finish_tables(min, cap, ctl);
        }
        self.spill(ctl)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let (mut ticker, mut weights, mut size) = (ctl.ticker(), Weights::default(), (0, 0));
        if let Some(cap) = cap {
            let mut merge = Merge::<&Sorted>::new(self.runs.sources(ctl)?)?;
            while let Some((word, count)) = merge.next(&mut ticker)? {
                weights.add(word, count);
                if is_kept(count, min) {
                    size = (size.0 + 1, size.1 + word.len());
                }
            }
            weights.check(min, cap)?;
        }
        let mut counts = WordCounts::default();
        counts.reserve(size.0, size.1);
        let mut merge = Merge::<&Sorted>::new(self.runs.sources(ctl)?)?;
        while let Some((word, count)) = merge.next(&mut ticker)? {
            if is_kept(count, min) {
                counts.append(word, count);
            } else {
                counts.leave_out(count);
            }
        }
        counts.seal();
        Ok(counts)
    }

    fn finish_tables(self, min: u64, cap: Option<Cap>, ctl: &Ctl<'_>) -> Result<WordCounts> {
        let workers = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all = workers.into_iter().map(|worker| worker.table);
        let mut counts = all.next().unwrap_or_default();
        let mut ticker = ctl.ticker();
        for mut other in all {
            other.seal();
            for (word, count) in other.iter() {
                ticker.tick(word.len() + 8)?;
                counts.add(word, count);
            }
        }
        if let Some(cap) = cap {
            let mut weights = Weights::default();
            for (word, count) in counts.iter() {
                ticker.tick(8)?;
                weights.add(word, count);
            }
            weights.check(min, cap)?;
        }
        if min > 1 {
            counts.keep_from(min);
        }
        counts.seal();
        Ok(counts)
    }

    /// Returns every word and its count, sorted by bytes.
    ///
    /// # Errors
    /// [`crate::error::Error::Unreadable`], [`crate::error::Error::Format`]; [`crate::error::Error::Unwritable`] where there are many runs;
    /// [`crate::error::Error::Interrupted`].
    pub fn batches(self, ctl: &Ctl<'_>) -> Result<Batches> {
        let mut sources = self.runs.sources(ctl)?;
        for worker in self.idle.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let table = Arc::new(Sorted::new(worker.table, ctl).map_err(|kept| kept.1)?);
            sources.extend(Source::of_table(&table));
        }
        Ok(Batches { merge: Merge::new(sources)? })
    }
}

/// Whether a word that occurs `count` times is kept; one that never does has characters all the same.
fn is_kept(count: u64, min: u64) -> bool {
    min <= 1 || count >= min
}

/// Counted words on their way out, sorted by bytes.
#[derive(Debug)]
pub struct Batches {
    merge: Merge<Arc<Sorted>>,
}

impl Batches {
    /// Returns the next words and their counts, `n` at most; none at the end.
    ///
    /// # Errors
    /// [`crate::error::Error::Unreadable`], [`crate::error::Error::Checksum`], [`crate::error::Error::Format`]; [`crate::error::Error::Interrupted`].
    pub fn next(&mut self, n: usize, ctl: &Ctl<'_>) -> Result<WordCounts> {
        let mut ticker = ctl.ticker();
        let mut counts = WordCounts::default();
        while counts.len() < n
            && let Some((word, count)) = self.merge.next(&mut ticker)?
        {
            counts.append(word, count);
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::Place;
    use super::*;
    use crate::error::Error;
    use crate::formats::tokenizer_json;

    const CAP: Cap = Cap { max_bytes: 1 << 40, n_entries: 1000 };

    fn counter(max_table_bytes: usize) -> Counter {
        let file = br#"{"version": "1.0", "pre_tokenizer": {"type": "WhitespaceSplit"},
            "model": {"type": "BPE", "vocab": {}, "merges": []}}"#;
        let counter = Counter::new(&tokenizer_json::read(file).unwrap(), false).unwrap();
        let counter = counter.within(Some(max_table_bytes), Place::default());
        let words: Vec<String> =
            (0..100_000_u32).map(|i| format!("{:08x}", i.wrapping_mul(0x9e37_79b1))).collect();
        counter.feed(&[&words.join(" ")], 1, Some(1), &Ctl::new()).unwrap();
        counter
    }

    #[test]
    fn every_way_out_can_be_stopped() {
        type Out = fn(Counter, &Ctl<'_>) -> Result<usize>;
        let drained: Out = |counter, ctl| {
            let (mut batches, mut n) = (counter.batches(ctl)?, 0);
            loop {
                match batches.next(1 << 20, ctl)?.len() {
                    0 => return Ok(n),
                    more => n += more,
                }
            }
        };
        let ways: [Out; 4] = [
            |counter, ctl| Ok(counter.finish(1, None, ctl)?.len()),
            |counter, ctl| Ok(counter.finish(1, Some(CAP), ctl)?.len()),
            |counter, ctl| counter.spill(ctl).map(|_| 100_000),
            drained,
        ];
        // What lies on disk, then what one table holds, which only goes to disk when it is told to.
        for (max_table_bytes, ways) in [(200_000, &ways[..]), (usize::MAX, &ways[2..])] {
            for way in ways {
                let n_looks = AtomicUsize::new(0);
                let poll = || n_looks.fetch_add(1, Ordering::Relaxed) > usize::MAX / 2;
                assert_eq!(way(counter(max_table_bytes), &Ctl::with_poll(&poll)), Ok(100_000));
                let n_all = n_looks.into_inner();
                assert!(n_all >= 1, "{n_all}");
                for at in [0, n_all / 2, n_all - 1] {
                    let n_looks = AtomicUsize::new(0);
                    let poll = || n_looks.fetch_add(1, Ordering::Relaxed) == at;
                    assert_eq!(
                        way(counter(max_table_bytes), &Ctl::with_poll(&poll)),
                        Err(Error::Interrupted)
                    );
                }
            }
        }
    }

    #[test]
    fn looks_grow_with_the_words() {
        let n_looks = AtomicUsize::new(0);
        let poll = || n_looks.fetch_add(1, Ordering::Relaxed) == usize::MAX;
        counter(200_000).finish(1, None, &Ctl::with_poll(&poll)).unwrap();
        // A word is 16 units of work here, and a look comes every 32,768.
        assert!(n_looks.into_inner() >= 100_000 * 16 / (1 << 15));
    }
}
