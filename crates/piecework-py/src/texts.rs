//! Many texts: a sequence of `str` and `bytes`, or Arrow's strings.

use piecework_core::input::Input;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::arrow::Strings;
use crate::errors::in_batch;
use crate::interrupt::Listener;
use crate::text::{Places, Text, of_bytes, replaces};

/// Texts borrowed from Python objects.
pub enum Texts<'py> {
    /// Each an object of its own.
    Objects(Vec<Text<'py>>),
    /// Strings in Arrow's memory, and those that took the place of some, by their index.
    Arrow(Strings, Vec<(usize, Input<'static>)>),
}

impl<'py> Texts<'py> {
    /// Takes the texts.
    ///
    /// # Errors
    /// `TypeError` for one text, and for what is no text; else as [`Text::new`]. Each names the text's index.
    pub fn new(texts: &Bound<'py, PyAny>, errors: &str) -> PyResult<Self> {
        if texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("texts is a sequence of texts, not one text"));
        }
        let py = texts.py();
        if let Some(strings) = Strings::of(texts)? {
            let replaced = replaced(py, &strings, replaces(errors)?)?;
            return Ok(Self::Arrow(strings, replaced));
        }
        let mut objects = Vec::with_capacity(texts.len().unwrap_or(0));
        let mut listener = Listener::new(py);
        for (at, text) in texts.try_iter()?.enumerate() {
            listener.tick()?;
            objects.push(Text::without_places(&text?, errors).map_err(|error| in_batch(py, error, at))?);
        }
        Ok(Self::Objects(objects))
    }

    /// Returns the texts.
    ///
    /// # Errors
    /// The exception of a signal handler.
    pub fn as_strs(&self, py: Python<'_>) -> PyResult<Vec<&str>> {
        let mut listener = Listener::new(py);
        match self {
            Self::Objects(texts) => {
                texts.iter().map(|text| listener.tick().map(|()| text.as_str())).collect()
            }
            Self::Arrow(strings, replaced) => {
                let mut replaced = replaced.iter().peekable();
                let mut texts = Vec::with_capacity(strings.len());
                for (at, bytes) in strings.iter().enumerate() {
                    listener.tick()?;
                    texts.push(match replaced.next_if(|(index, _)| *index == at) {
                        Some((_, input)) => &*input.text,
                        None => std::str::from_utf8(bytes?.unwrap_or(&[])).unwrap_or(""),
                    });
                }
                Ok(texts)
            }
        }
    }
}

fn replaced(py: Python<'_>, strings: &Strings, replace: bool) -> PyResult<Vec<(usize, Input<'static>)>> {
    let mut replaced = Vec::new();
    let mut listener = Listener::new(py);
    for (at, bytes) in strings.iter().enumerate() {
        listener.tick()?;
        let null = || PyTypeError::new_err("a null is no text");
        let input = bytes.and_then(|bytes| of_bytes(py, bytes.ok_or_else(null)?, replace, Places::Dropped));
        if let Some(input) = input.map_err(|error| in_batch(py, error, at))? {
            replaced.push((at, input));
        }
    }
    Ok(replaced)
}
