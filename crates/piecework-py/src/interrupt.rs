//! Running the engine: without the interpreter's lock where the work is worth it, and with an ear for
//! Ctrl-C.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use piecework_core::batch::Failed;
use piecework_core::error::Error;
use piecework_core::interrupt::Ctl;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors;

/// Below this much text, giving the lock away costs more than the work.
const MIN_DETACHED_BYTES: usize = 2048;
/// How often to ask for signals: well within the 200 ms in which Ctrl-C is to be answered.
const LOOK: Duration = Duration::from_millis(30);
/// How often to tell of progress, unless the caller says otherwise.
const TELL: Duration = Duration::from_millis(100);

/// Items of a loop that holds the interpreter's lock between two looks at the clock.
const LOOK_ITEMS: u32 = 1 << 10;

/// The ear of a loop that holds the interpreter's lock, as one that makes Python objects must.
pub struct Listener<'py> {
    py: Python<'py>,
    n_items: u32,
    next: Instant,
}

impl<'py> Listener<'py> {
    /// Starts to listen.
    pub fn new(py: Python<'py>) -> Self {
        Self { py, n_items: 0, next: Instant::now() + LOOK }
    }

    /// Counts an item; now and then asks for signals, and lets other threads run.
    ///
    /// # Errors
    /// The exception of a signal handler.
    #[inline]
    pub fn tick(&mut self) -> PyResult<()> {
        self.n_items += 1;
        if self.n_items < LOOK_ITEMS { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> PyResult<()> {
        self.n_items = 0;
        let now = Instant::now();
        if now < self.next {
            return Ok(());
        }
        self.next = now + LOOK;
        self.py.detach(|| {});
        self.py.check_signals()
    }
}

/// Runs `work` on about `n_bytes` of text.
///
/// # Errors
/// The engine's error as a Python exception, or the exception of a signal handler.
pub fn run<T: Send>(
    py: Python<'_>,
    n_bytes: usize,
    work: impl FnOnce(&Ctl<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    run_batch(py, n_bytes, |ctl| work(ctl).map_err(Failed::from))
}

/// Runs `work` on texts of about `n_bytes` together.
///
/// # Errors
/// As [`run`]; an error of one of the texts names its index.
pub fn run_batch<T: Send>(
    py: Python<'_>,
    n_bytes: usize,
    work: impl FnOnce(&Ctl<'_>) -> Result<T, Failed> + Send,
) -> PyResult<T> {
    run_told(py, n_bytes, Told::new(None, None), work)
}

/// Who is told of progress, and how often.
#[derive(Clone, Copy)]
pub struct Told<'a, 'py> {
    progress: Option<&'a Bound<'py, PyAny>>,
    every: Duration,
}

impl<'a, 'py> Told<'a, 'py> {
    /// Somebody, or nobody, to be told so often; within 100 ms where it is not said.
    pub fn new(progress: Option<&'a Bound<'py, PyAny>>, every: Option<Duration>) -> Self {
        Self { progress, every: every.unwrap_or(TELL) }
    }
}

/// Runs `work` and calls who is told, if anybody, with the steps so far, now and then and on this thread.
///
/// # Errors
/// As [`run`]; what `progress` raises.
pub fn run_told<T: Send>(
    py: Python<'_>,
    n_bytes: usize,
    told: Told<'_, '_>,
    work: impl FnOnce(&Ctl<'_>) -> Result<T, Failed> + Send,
) -> PyResult<T> {
    if n_bytes < MIN_DETACHED_BYTES {
        return work(&Ctl::new()).map_err(|failed| raised(py, failed));
    }
    let signal: Mutex<Option<PyErr>> = Mutex::new(None);
    let caller = std::thread::current().id();
    let started = Instant::now();
    let (look, every) = (LOOK.min(told.every).as_millis() as u64, told.every.as_millis() as u64);
    let next = AtomicU64::new(look);
    let (steps, next_word) = (AtomicU64::new(0), AtomicU64::new(every));
    let progress = told.progress.map(|progress| progress.clone().unbind());
    let tell = |py: Python<'_>, now: u64| -> PyResult<()> {
        let Some(progress) = progress.as_ref().filter(|_| now >= next_word.load(Ordering::Relaxed)) else {
            return Ok(());
        };
        next_word.store(now + every, Ordering::Relaxed);
        progress.call1(py, (steps.load(Ordering::Relaxed),)).map(drop)
    };
    let poll = || {
        let now = started.elapsed().as_millis() as u64;
        if std::thread::current().id() != caller || now < next.load(Ordering::Relaxed) {
            return false;
        }
        next.store(now + look, Ordering::Relaxed);
        match Python::attach(|py| py.check_signals().and_then(|()| tell(py, now))) {
            Ok(()) => false,
            Err(error) => {
                if let Ok(mut signal) = signal.lock() {
                    *signal = Some(error);
                }
                true
            }
        }
    };
    let result = py.detach(|| work(&Ctl::with_poll(&poll).with_steps(&steps)));
    result.map_err(|failed| match (&failed.error, signal.into_inner()) {
        (Error::Interrupted, Ok(Some(signal))) => signal,
        _ => raised(py, failed),
    })
}

/// Runs `work`, which nothing can stop halfway, on a thread of its own. Where a signal handler raises meanwhile, that
/// thread is left to itself and what it makes is dropped.
///
/// # Errors
/// The engine's error as a Python exception, the exception of a signal handler, or that no thread can be had.
pub fn run_aside<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        // Nobody is there to receive after an interruption.
        let _ = sender.send(work());
    })?;
    loop {
        let answer;
        (receiver, answer) = py.detach(move || {
            let answer = receiver.recv_timeout(LOOK);
            (receiver, answer)
        });
        match answer {
            Ok(result) => return result.map_err(|error| errors::raised(py, error)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the work ended without a result"));
            }
        }
    }
}

fn raised(py: Python<'_>, failed: Failed) -> PyErr {
    let error = errors::raised(py, failed.error);
    match failed.text {
        Some(at) => errors::in_batch(py, error, at),
        None => error,
    }
}
