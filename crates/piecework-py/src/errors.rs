//! From the engine's errors to Python's: one class for each, found in `piecework.errors`.

use piecework_core::error::Error;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the Python exception for `error`.
pub fn raised(py: Python<'_>, error: Error) -> PyErr {
    build(py, error).unwrap_or_else(|problem| problem)
}

fn build(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let message = error.to_string();
    let fields = PyDict::new(py);
    let class = match error {
        Error::Format { place, reason } => {
            fields.set_item("place", place)?;
            fields.set_item("reason", reason)?;
            "FormatError"
        }
        Error::Checksum { what, expected, found } => {
            fields.set_item("what", what)?;
            fields.set_item("expected", expected)?;
            fields.set_item("found", found)?;
            "ChecksumError"
        }
        Error::SpecialToken { token, span } => {
            fields.set_item("token", token)?;
            fields.set_item("byte_span", (span.start, span.end))?;
            "SpecialTokenError"
        }
        Error::Unencodable { byte, index } => {
            fields.set_item("byte", byte)?;
            fields.set_item("index", index)?;
            "UnencodableError"
        }
        Error::NotUnicode { index } => {
            fields.set_item("index", index)?;
            "NotUnicodeError"
        }
        Error::UnknownId { id, position, vocab_size } => {
            fields.set_item("id", id)?;
            fields.set_item("position", position)?;
            fields.set_item("vocab_size", vocab_size)?;
            "UnknownIdError"
        }
        Error::IncompleteText { valid_up_to } => {
            fields.set_item("valid_up_to", valid_up_to)?;
            "IncompleteTextError"
        }
        Error::PatternLimit { index, reason } => {
            fields.set_item("index", index)?;
            fields.set_item("reason", reason)?;
            "PatternLimitError"
        }
        Error::TooLong { n_bytes, max_bytes } => {
            fields.set_item("n_bytes", n_bytes)?;
            fields.set_item("max_bytes", max_bytes)?;
            "TooLongError"
        }
        Error::LimitTooSmall { max_tokens, needed } => {
            fields.set_item("max_tokens", max_tokens)?;
            fields.set_item("needed", needed)?;
            "LimitTooSmallError"
        }
        Error::Interrupted => return Ok(PyKeyboardInterrupt::new_err(())),
        _ => "PieceworkError",
    };
    named(py, class, &message, &fields)
}

/// Returns an exception of a class of `piecework.errors`.
pub fn named(py: Python<'_>, class: &str, message: &str, fields: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let exception = py.import("piecework.errors")?.getattr(class)?.call((message,), Some(fields))?;
    Ok(PyErr::from_value(exception))
}

/// Returns the exception for an id that the vocabulary cannot have.
pub fn unknown_id(id: &Bound<'_, PyAny>, position: Option<usize>, vocab_size: usize) -> PyErr {
    let py = id.py();
    let place = position.map_or_else(String::new, |position| format!(" at position {position}"));
    let message = format!("id {id}{place} is not in the vocabulary of {vocab_size} ids");
    let fields = PyDict::new(py);
    let set = || -> PyResult<PyErr> {
        fields.set_item("id", id)?;
        fields.set_item("position", position)?;
        fields.set_item("vocab_size", vocab_size)?;
        named(py, "UnknownIdError", &message, &fields)
    };
    set().unwrap_or_else(|problem| problem)
}
