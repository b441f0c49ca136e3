//! From the engine's errors to Python's: one class for each, found in `piecework.errors`.

use piecework_core::error::{Error, absence};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
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
        Error::RowTooLong { n_tokens, width, .. } => {
            fields.set_item("max_tokens", width)?;
            fields.set_item("needed", n_tokens)?;
            "LimitTooSmallError"
        }
        Error::TooMany { n, max, .. } => {
            fields.set_item("max_tokens", max)?;
            fields.set_item("needed", n)?;
            "LimitTooSmallError"
        }
        Error::StrideTooLong { stride, room } => {
            fields.set_item("max_tokens", room)?;
            fields.set_item("needed", stride + 1)?;
            "LimitTooSmallError"
        }
        Error::NoRoomForOverflow { needed } => {
            fields.set_item("max_tokens", 0)?;
            fields.set_item("needed", needed)?;
            "LimitTooSmallError"
        }
        Error::LimitTooSmall { max_tokens, needed } => {
            fields.set_item("max_tokens", max_tokens)?;
            fields.set_item("needed", needed)?;
            "LimitTooSmallError"
        }
        Error::MemoryCap { needed, cap, fits, .. } => {
            fields.set_item("needed", needed)?;
            fields.set_item("cap", cap)?;
            let hint = match fits {
                Some(fits) => {
                    format!("min_word_count={fits} leaves out enough rare words to fit; or allow more memory")
                }
                None => "no min_word_count leaves little enough: allow more memory".to_owned(),
            };
            fields.set_item("hint", hint)?;
            "MemoryCapError"
        }
        Error::Unwritable { path, reason } => {
            fields.set_item("path", path)?;
            fields.set_item("reason", reason)?;
            "OutputError"
        }
        Error::Unreadable { path, reason } => {
            fields.set_item("path", path)?;
            fields.set_item("reason", reason)?;
            "InputError"
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
    let why = if id.lt(0).unwrap_or(false) {
        "is negative, and no id is".to_owned()
    } else {
        // A number that no machine word holds lies beyond every vocabulary.
        absence(id.extract().unwrap_or(u32::MAX), vocab_size)
    };
    let message = format!("id {id}{place} {why}");
    let fields = PyDict::new(py);
    let set = || -> PyResult<PyErr> {
        fields.set_item("id", id)?;
        fields.set_item("position", position)?;
        fields.set_item("vocab_size", vocab_size)?;
        named(py, "UnknownIdError", &message, &fields)
    };
    set().unwrap_or_else(|problem| problem)
}

/// Returns the exception for a `str` with a surrogate at a character that no other completes.
pub fn surrogate(py: Python<'_>, index: usize) -> PyErr {
    let message = format!("the text has a lone surrogate at character {index}");
    let fields = PyDict::new(py);
    let raise = || -> PyResult<PyErr> {
        fields.set_item("index", index)?;
        named(py, "NotUnicodeError", &message, &fields)
    };
    raise().unwrap_or_else(|problem| problem)
}

/// Returns an error of the text at index `at` of a batch, with that index before its message.
pub fn in_batch(py: Python<'_>, error: PyErr, at: usize) -> PyErr {
    let value = error.value(py);
    if error.is_instance_of::<PyTypeError>(py) {
        return PyTypeError::new_err(format!("text {at}: {value}"));
    }
    let Ok(message) = value.getattr("message") else { return error };
    let again = || -> PyResult<PyErr> {
        let fields = value.call_method0("fields")?.cast_into::<PyDict>()?;
        fields.set_item("hint", value.getattr("hint")?)?;
        named(py, &value.get_type().name()?.to_string(), &format!("text {at}: {message}"), &fields)
    };
    again().unwrap_or_else(|problem| problem)
}
