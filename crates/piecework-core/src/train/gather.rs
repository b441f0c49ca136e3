//! Counted words on their way out of a counter: its tables and its runs, added up.

use std::sync::{Arc, PoisonError};

use super::count::Counter;
use super::memory::Weights;
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
    /// [`crate::error::Error::MemoryCap`] where learning from them would take more than `max_bytes`; [`crate::error::Error::Unwritable`],
    /// [`crate::error::Error::Unreadable`], [`crate::error::Error::Checksum`], [`crate::error::Error::Format`]; [`crate::error::Error::Interrupted`].
    pub fn finish(self, min: u64, max_bytes: Option<u64>, ctl: &Ctl<'_>) -> Result<WordCounts> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let held: usize = idle.iter().map(|worker| worker.table.held_bytes()).sum();
        let fits = idle.len() <= 1 || held <= self.max_table_bytes / 2;
        drop(idle);
        if self.runs.is_empty() && fits {
            return self.finish_tables(min, max_bytes, ctl);
        }
        self.spill(ctl)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let (mut ticker, mut weights, mut size) = (ctl.ticker(), Weights::default(), (0, 0));
        if let Some(cap) = max_bytes {
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

    fn finish_tables(self, min: u64, max_bytes: Option<u64>, ctl: &Ctl<'_>) -> Result<WordCounts> {
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
        if let Some(cap) = max_bytes {
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
            let table = Arc::new(Sorted::new(worker.table, ctl).map_err(|(_, error)| error)?);
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
