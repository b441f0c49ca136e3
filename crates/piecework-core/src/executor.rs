//! Many texts on many threads. Work is handed out in order, in blocks; the calling thread takes part and
//! is the only one that looks for Ctrl-C, so that an interrupt is answered while others work.
//!
//! Threads belong to the process that started them: after a fork the child finds another process id and
//! builds its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rayon::ThreadPool;

use crate::error::Error;
use crate::interrupt::Ctl;

/// Work smaller than this many bytes is done by the caller alone: waking a thread costs as much.
const MIN_PARALLEL_BYTES: usize = 1 << 15;
/// Bytes of one block: small enough to share out evenly, large enough that handing out costs nothing.
const BLOCK_BYTES: usize = 1 << 17;
/// How often a caller that has nothing left to do looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

type Pools = Mutex<HashMap<(u32, usize), Arc<ThreadPool>>>;

/// Returns this process's threads, or `None` where they cannot be had; the caller then works alone.
fn threads(n: usize) -> Option<Arc<ThreadPool>> {
    static POOLS: std::sync::LazyLock<Pools> = std::sync::LazyLock::new(Pools::default);
    let build = || rayon::ThreadPoolBuilder::new().num_threads(n).build().ok().map(Arc::new);
    // A lock that another thread held at the moment of a fork stays locked in the child for ever.
    let Ok(mut pools) = POOLS.try_lock() else { return build() };
    let key = (std::process::id(), n);
    if let Some(pool) = pools.get(&key) {
        return Some(Arc::clone(pool));
    }
    // Pools of a parent process have no threads here; dropping one would wait for them for ever.
    for (owner, pool) in std::mem::take(&mut *pools) {
        if owner.0 == key.0 {
            pools.insert(owner, pool);
        } else {
            std::mem::forget(pool);
        }
    }
    let pool = build()?;
    pools.insert(key, Arc::clone(&pool));
    Some(pool)
}

/// Returns how many threads `n_threads` means: itself, or all processors for `None`.
pub fn n_threads(n_threads: Option<usize>) -> usize {
    n_threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get)).max(1)
}

/// Splits `sizes` (bytes of each text) into blocks of about [`BLOCK_BYTES`], in order.
fn blocks(sizes: &[usize]) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (i, size) in sizes.iter().enumerate() {
        bytes += size + 64;
        if bytes >= BLOCK_BYTES {
            blocks.push(start..i + 1);
            (start, bytes) = (i + 1, 0);
        }
    }
    if start < sizes.len() {
        blocks.push(start..sizes.len());
    }
    blocks
}

/// Runs `work` on ranges of `0..sizes.len()` and returns the results in order.
///
/// # Errors
/// The error of the earliest range that failed (later ones are then given up);
/// [`crate::error::Error::Interrupted`].
pub fn run<T: Send, E: From<Error> + Send>(
    sizes: &[usize],
    threads_wanted: Option<usize>,
    ctl: &Ctl<'_>,
    work: impl Fn(std::ops::Range<usize>) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let blocks = blocks(sizes);
    let n = n_threads(threads_wanted).min(blocks.len());
    let small = sizes.iter().sum::<usize>() < MIN_PARALLEL_BYTES;
    // Tiny texts are over before they look at the switch themselves.
    let work = |block| {
        ctl.check()?;
        work(block)
    };
    match (n > 1 && !small).then(|| threads(n - 1)).flatten() {
        None => blocks.into_iter().map(work).collect(),
        Some(pool) => shared(&pool, n - 1, &blocks, ctl, &work),
    }
}

fn shared<T: Send, E: From<Error> + Send>(
    pool: &ThreadPool,
    n_helpers: usize,
    blocks: &[std::ops::Range<usize>],
    ctl: &Ctl<'_>,
    work: &(impl Fn(std::ops::Range<usize>) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<T, E>)>> = Mutex::new(Vec::with_capacity(blocks.len()));
    let idle = (Mutex::new(0), Condvar::new());
    let take_part = || {
        while let Some((i, block)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, blocks.get(i)?)))
        {
            let result = work(block.clone());
            if result.is_err() {
                // Blocks are handed out in order, so every earlier one is under way and will end.
                next.store(blocks.len(), Ordering::Relaxed);
            }
            results.lock().unwrap_or_else(PoisonError::into_inner).push((i, result));
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..n_helpers {
            scope.spawn(|_| {
                take_part();
                *idle.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                idle.1.notify_one();
            });
        }
        take_part();
        let mut n_idle = idle.0.lock().unwrap_or_else(PoisonError::into_inner);
        while *n_idle < n_helpers {
            let waited = idle.1.wait_timeout(n_idle, LOOK).unwrap_or_else(PoisonError::into_inner);
            n_idle = waited.0;
            // An interrupt sets the switch that the others see; its error is theirs to return.
            let _ = ctl.check();
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(i, _)| *i);
    ctl.check()?;
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_the_earliest_error_wins() {
        let sizes = vec![BLOCK_BYTES; 64];
        let ctl = Ctl::new();
        let all = run(&sizes, Some(4), &ctl, |range| Ok::<_, Error>(range.start)).unwrap();
        assert_eq!(all, (0..64).collect::<Vec<_>>());
        let failed = run(&sizes, Some(4), &ctl, |range| {
            if range.start >= 7 { Err(Error::NotUnicode { index: range.start }) } else { Ok(()) }
        });
        assert_eq!(failed, Err(Error::NotUnicode { index: 7 }));
    }

    #[test]
    fn an_interrupt_stops_all_threads() {
        let sizes = vec![BLOCK_BYTES; 64];
        let ctl = Ctl::new();
        let stopped = run(&sizes, Some(4), &ctl, |range| {
            if range.start == 3 {
                ctl.cancel();
            }
            ctl.check()
        });
        assert_eq!(stopped, Err(Error::Interrupted));
    }

    #[test]
    fn small_work_and_no_work() {
        let ctl = Ctl::new();
        assert_eq!(run(&[], None, &ctl, |_| Ok::<_, Error>(1)), Ok(vec![]));
        assert_eq!(run(&[5, 5], Some(8), &ctl, |range| Ok::<_, Error>(range.len())), Ok(vec![2]));
    }

    #[test]
    fn blocks_that_never_look_are_stopped_between() {
        for n_threads in [1, 4] {
            let ctl = Ctl::new();
            let n_done = AtomicUsize::new(0);
            let stopped = run(&vec![1; 1 << 20], Some(n_threads), &ctl, |_| {
                n_done.fetch_add(1, Ordering::Relaxed);
                ctl.cancel();
                Ok::<_, Error>(())
            });
            assert_eq!(stopped, Err(Error::Interrupted));
            assert!(n_done.into_inner() <= n_threads);
        }
    }
}
