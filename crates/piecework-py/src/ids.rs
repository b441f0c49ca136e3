//! Ids as callers give them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::buffer::Ids;
use crate::errors::unknown_id;
use crate::interrupt::Listener;

/// Takes ids from Python: `Ids` as they are, anything else as a sequence of numbers.
///
/// # Errors
/// `UnknownIdError` for a number that no id can be, `TypeError` for what is no number.
pub fn ids_of(object: &Bound<'_, PyAny>, vocab_size: usize) -> PyResult<Vec<u32>> {
    if let Ok(ids) = object.cast::<Ids>() {
        return Ok(ids.get().as_slice().to_vec());
    }
    let mut ids = Vec::new();
    let mut listener = Listener::new(object.py());
    for (position, item) in object.try_iter()?.enumerate() {
        listener.tick()?;
        ids.push(id_of(&item?, Some(position), vocab_size)?);
    }
    Ok(ids)
}

/// Takes one id: an `int`, or another library's integer.
///
/// # Errors
/// As [`ids_of`].
pub fn id_of(item: &Bound<'_, PyAny>, position: Option<usize>, vocab_size: usize) -> PyResult<u32> {
    if let Ok(id) = item.extract::<u32>() {
        return Ok(id);
    }
    if item.is_instance_of::<PyInt>() {
        return Err(unknown_id(item, position, vocab_size));
    }
    if !item.hasattr("__index__")? {
        return Err(PyTypeError::new_err(format!("an id is an int, not {}", item.get_type().name()?)));
    }
    // Another library's integer; what its conversion raises is for the caller to see.
    let number = item.py().import("operator")?.call_method1("index", (item,))?;
    number.extract::<u32>().map_err(|_| unknown_id(&number, position, vocab_size))
}
