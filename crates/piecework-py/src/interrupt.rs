//! Running the engine: without the interpreter's lock where the work is worth it, and with an ear for
//! Ctrl-C.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use piecework_core::error::{Error, Result};
use piecework_core::interrupt::Ctl;
use pyo3::prelude::*;

use crate::errors;

/// Below this much text, giving the lock away costs more than the work.
const MIN_DETACHED_BYTES: usize = 2048;
/// How often to ask for signals: well within the 200 ms in which Ctrl-C is to be answered.
const LOOK: Duration = Duration::from_millis(30);

/// Runs `work` on about `n_bytes` of text.
///
/// # Errors
/// The engine's error as a Python exception, or the exception of a signal handler.
pub fn run<T: Send>(
    py: Python<'_>,
    n_bytes: usize,
    work: impl FnOnce(&Ctl<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    if n_bytes < MIN_DETACHED_BYTES {
        return work(&Ctl::new()).map_err(|error| errors::raised(py, error));
    }
    let raised: Mutex<Option<PyErr>> = Mutex::new(None);
    let caller = std::thread::current().id();
    let started = Instant::now();
    let next = AtomicU64::new(LOOK.as_millis() as u64);
    let poll = || {
        let now = started.elapsed().as_millis() as u64;
        if std::thread::current().id() != caller || now < next.load(Ordering::Relaxed) {
            return false;
        }
        next.store(now + LOOK.as_millis() as u64, Ordering::Relaxed);
        #[allow(
            clippy::redundant_closure_for_method_calls,
            reason = "the method itself is not general enough"
        )]
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => false,
            Err(error) => {
                if let Ok(mut raised) = raised.lock() {
                    *raised = Some(error);
                }
                true
            }
        }
    };
    let result = py.detach(|| work(&Ctl::with_poll(&poll)));
    result.map_err(|error| match (error, raised.into_inner()) {
        (Error::Interrupted, Ok(Some(signal))) => signal,
        (error, _) => errors::raised(py, error),
    })
}
