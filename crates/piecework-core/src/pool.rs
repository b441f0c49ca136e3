//! Values lent from call to call, so that a worker's buffers and memories live on without a lock held
//! across calls. Nobody ever waits here: where the pool is just in use elsewhere (or was at the moment
//! of a fork, and so for ever in the child), the caller makes a new value.

use std::sync::Mutex;

/// Values kept at most: more callers at once than this is rare, and each idle worker holds memory.
const MAX_KEPT: usize = 64;

/// A pool of idle values.
#[derive(Debug)]
pub struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { idle: Mutex::new(Vec::new()) }
    }
}

impl<T> Pool<T> {
    /// Takes a value that was given back before, or `None`.
    pub fn take(&self) -> Option<T> {
        self.idle.try_lock().ok().and_then(|mut idle| idle.pop())
    }

    /// Gives a value back. It is dropped where the pool is in use or full.
    pub fn give(&self, value: T) {
        if let Ok(mut idle) = self.idle.try_lock()
            && idle.len() < MAX_KEPT
        {
            idle.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;

    #[test]
    fn a_busy_pool_keeps_nobody_waiting() {
        let pool = Pool::default();
        pool.give(1);
        let held = pool.idle.lock();
        assert_eq!(pool.take(), None);
        pool.give(2);
        drop(held);
        assert_eq!((pool.take(), pool.take()), (Some(1), None));
    }
}
