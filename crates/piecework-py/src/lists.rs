//! Long lists, made with an ear for Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::interrupt::Listener;

/// Items that are freed between two looks for signals: a fraction of a millisecond.
const PART: usize = 1 << 12;

/// Lists that were left half made. Freeing ten million items takes most of a second, in which nobody hears the
/// Ctrl-C that was the reason, so the next call into the module does it, in parts.
static ABANDONED: Mutex<Vec<Py<PyList>>> = Mutex::new(Vec::new());
static ANY_ABANDONED: AtomicBool = AtomicBool::new(false);

/// Returns the items as a list.
///
/// # Errors
/// The first error of an item; the exception of a signal handler.
pub fn list<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<Item = PyResult<T>>,
) -> PyResult<Bound<'py, PyList>> {
    sweep(py)?;
    let list = PyList::empty(py);
    match fill(&list, items) {
        Ok(()) => Ok(list),
        Err(error) => {
            abandon(list);
            Err(error)
        }
    }
}

fn fill<'py, T: IntoPyObject<'py>>(
    list: &Bound<'py, PyList>,
    items: impl IntoIterator<Item = PyResult<T>>,
) -> PyResult<()> {
    let mut listener = Listener::new(list.py());
    for item in items {
        listener.tick()?;
        list.append(item?)?;
    }
    Ok(())
}

fn abandon(list: Bound<'_, PyList>) {
    if list.len() > PART {
        ABANDONED.lock().unwrap_or_else(PoisonError::into_inner).push(list.unbind());
        ANY_ABANDONED.store(true, Ordering::Release);
    }
}

/// Frees lists that were left half made.
///
/// # Errors
/// The exception of a signal handler; what is left is freed at the next call.
fn sweep(py: Python<'_>) -> PyResult<()> {
    if !ANY_ABANDONED.swap(false, Ordering::Acquire) {
        return Ok(());
    }
    // Not held while items are freed: that may run anything.
    let mut lists = std::mem::take(&mut *ABANDONED.lock().unwrap_or_else(PoisonError::into_inner));
    while let Some(list) = lists.pop() {
        let list = list.into_bound(py);
        while !list.is_empty() {
            let n = list.len();
            list.del_slice(n.saturating_sub(PART), n)?;
            if let Err(error) = py.check_signals() {
                abandon(list);
                for rest in lists {
                    abandon(rest.into_bound(py));
                }
                return Err(error);
            }
        }
    }
    Ok(())
}
