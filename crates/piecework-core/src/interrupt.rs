//! How a caller stops long work and sees how far it is. Every loop over input holds a [`Ticker`] and
//! reports the units of work it does; tests count those units where growth matters, so that no test
//! needs a clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Units of work (about one byte looked at) between two looks at the shared state. At the engine's
/// slowest (some MB/s) this is a few milliseconds, far below the 200 ms a person notices.
const GRAIN: u32 = 1 << 15;

/// Asked now and then whether to stop: `true` stops.
pub type Poll<'a> = &'a (dyn Fn() -> bool + Sync);

/// The caller's hand on running work: a stop switch and a count of the work done. One `Ctl` is shared
/// by all threads of one call.
#[derive(Default)]
pub struct Ctl<'a> {
    poll: Option<Poll<'a>>,
    cancelled: AtomicBool,
    work: AtomicU64,
    steps: Option<&'a AtomicU64>,
}

impl<'a> Ctl<'a> {
    /// Returns a control that never stops the work by itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a control that asks `poll` now and then, from whichever thread works.
    pub fn with_poll(poll: Poll<'a>) -> Self {
        Self { poll: Some(poll), ..Self::default() }
    }

    /// Returns the control with a counter of steps, which the caller looks at while the work goes on.
    #[must_use]
    pub fn with_steps(self, steps: &'a AtomicU64) -> Self {
        Self { steps: Some(steps), ..self }
    }

    /// Counts a step of work that is told in steps, such as a merge that is learned.
    pub fn step(&self) {
        if let Some(steps) = self.steps {
            steps.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Stops the work: each loop ends with [`Error::Interrupted`] at its next look.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns how many units of work are reported so far. Exact once the work has ended.
    pub fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Looks at the stop switch and asks the poll.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when either says stop.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        if self.poll.is_some_and(|poll| poll()) {
            self.cancel();
            return Err(Error::Interrupted);
        }
        Ok(())
    }

    /// Returns a counter for one loop on one thread.
    pub fn ticker(&self) -> Ticker<'_> {
        Ticker { ctl: self, pending: 0, report: &self.work }
    }
}

/// One loop's own counter: cheap to add to, and looks at the shared state only once per grain.
pub struct Ticker<'c> {
    ctl: &'c Ctl<'c>,
    pending: u32,
    report: &'c AtomicU64,
}

impl Ticker<'_> {
    /// Adds `units` of work.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the caller has said stop.
    #[inline]
    pub fn tick(&mut self, units: usize) -> Result<()> {
        self.pending = self.pending.saturating_add(units as u32);
        if self.pending >= GRAIN { self.flush() } else { Ok(()) }
    }

    #[cold]
    fn flush(&mut self) -> Result<()> {
        self.report.fetch_add(u64::from(self.pending), Ordering::Relaxed);
        self.pending = 0;
        self.ctl.check()
    }
}

impl Drop for Ticker<'_> {
    fn drop(&mut self) {
        self.report.fetch_add(u64::from(self.pending), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancel_stops_at_the_next_look() {
        let ctl = Ctl::new();
        let mut ticker = ctl.ticker();
        assert_eq!(ticker.tick(GRAIN as usize), Ok(()));
        ctl.cancel();
        assert_eq!(ticker.tick(GRAIN as usize), Err(Error::Interrupted));
    }

    #[test]
    fn work_is_exact_once_the_ticker_is_gone() {
        let ctl = Ctl::new();
        {
            let mut ticker = ctl.ticker();
            for _ in 0..1000 {
                ticker.tick(77).unwrap();
            }
        }
        assert_eq!(ctl.work(), 77_000);
    }

    #[test]
    fn a_poll_that_says_stop_stops() {
        let poll = || true;
        let ctl = Ctl::with_poll(&poll);
        assert_eq!(ctl.check(), Err(Error::Interrupted));
    }
}
