//! Arguments that Python's own conversions would refuse without a word of what is right.

use std::ops::Deref;

use piecework_core::error::Error;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::errors::raised;

macro_rules! word {
    ($(#[$doc:meta])* $name:ident, $argument:literal, $choices:literal) => {
        $(#[$doc])*
        pub struct $name(String);

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<'a, 'py> FromPyObject<'a, 'py> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                if let Ok(word) = object.extract::<String>() {
                    return Ok(Self(word));
                }
                let message = format!("{} is {}, not {}", $argument, $choices, object.repr()?);
                Err(PyTypeError::new_err(message))
            }
        }
    };
}

word!(
    /// The argument `special`.
    SpecialWord, "special", "\"text\", \"parse\" or \"raise\""
);
word!(
    /// The argument `errors`.
    ErrorsWord, "errors", "\"strict\" or \"replace\""
);

/// Returns a pattern.
///
/// # Errors
/// `FormatError` for a lone surrogate, `TypeError` for what is no `str`.
pub fn pattern_of(pattern: &Bound<'_, PyAny>) -> PyResult<String> {
    text_of(pattern, "pattern")
}

/// Returns special tokens, content and id.
///
/// # Errors
/// `FormatError` for a content with a lone surrogate and for a number that no id can be; `TypeError` for what is no
/// `str` or no `int`.
pub fn special_tokens_of(tokens: &Bound<'_, PyMapping>) -> PyResult<Vec<(String, u32)>> {
    let mut out = Vec::new();
    for item in tokens.items()?.iter() {
        let (content, id): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let place = format!("special_tokens[{}]", content.repr()?);
        let number = item.py().import("operator")?.call_method1("index", (&id,))?;
        let Ok(id) = number.extract::<u32>() else {
            let reason = format!("{number} is no id: ids are whole numbers from 0 to {}", u32::MAX);
            return Err(raised(item.py(), Error::format(place, reason)));
        };
        out.push((text_of(&content, &place)?, id));
    }
    out.sort();
    Ok(out)
}

fn text_of(object: &Bound<'_, PyAny>, place: &str) -> PyResult<String> {
    let Ok(string) = object.cast::<PyString>() else {
        let kind = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{place} is a str, not {kind}")));
    };
    let reason = "it holds a lone surrogate, which no text has";
    string.to_str().map(str::to_owned).map_err(|_| raised(object.py(), Error::format(place, reason)))
}
