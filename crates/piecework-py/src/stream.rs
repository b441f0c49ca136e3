//! `DecodeStream` and `EncodeStream`: each method takes its part, runs the engine, and wraps the result. A lock
//! guards each: a stream is one sequence, whoever feeds it.

use std::sync::{Arc, Mutex, PoisonError};

use piecework_core::error::Result;
use piecework_core::interrupt::Ctl;
use piecework_core::stream::{Decoder, Encoder};
use piecework_core::tokenizer::Tokenizer as Engine;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyInt};

use crate::buffer::Ids;
use crate::ids::id_of;
use crate::interrupt;
use crate::text::{Text, options};

/// Ids, or bytes, on their way to text.
#[pyclass(frozen, module = "piecework._core")]
pub struct DecodeStream {
    decoder: Mutex<Decoder>,
    engine: Arc<Engine>,
}

/// Text on its way to ids.
#[pyclass(frozen, module = "piecework._core")]
pub struct EncodeStream {
    encoder: Mutex<Encoder>,
    errors: String,
}

impl DecodeStream {
    /// Returns a stream at its beginning.
    ///
    /// # Errors
    /// `ValueError` for an `errors` that is none.
    pub fn new(engine: &Arc<Engine>, skip_special: bool, errors: &str, stop: &[String]) -> PyResult<Self> {
        let strict = is_strict(errors)?;
        let decoder = Decoder::new(Arc::clone(engine), skip_special, strict, stop);
        Ok(Self { decoder: Mutex::new(decoder), engine: Arc::clone(engine) })
    }

    fn run<T: Send>(
        &self,
        py: Python<'_>,
        n_bytes: usize,
        work: impl FnOnce(&mut Decoder, &Ctl<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        run(py, &self.decoder, n_bytes, work)
    }

    /// Takes one id, or many.
    fn ids(&self, item: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let first = self.run(item.py(), 0, |decoder, _| Ok(decoder.n_ids()))?;
        let vocab_size = self.engine.definition().vocab_size();
        if item.is_instance_of::<PyInt>() || (item.hasattr("__index__")? && !item.hasattr("__len__")?) {
            return Ok(vec![id_of(item, Some(first), vocab_size)?]);
        }
        if let Ok(ids) = item.cast::<Ids>() {
            return Ok(ids.get().as_slice().to_vec());
        }
        let id = |(at, id): (usize, PyResult<_>)| id_of(&id?, Some(first + at), vocab_size);
        item.try_iter()?.enumerate().map(id).collect()
    }
}

/// Runs `work` on a stream. Whoever waits for another thread's turn gives the interpreter's lock away, so that the
/// two never wait for each other.
fn run<S: Send, T: Send>(
    py: Python<'_>,
    stream: &Mutex<S>,
    n_bytes: usize,
    work: impl FnOnce(&mut S, &Ctl<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let mut guard = stream.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
    let stream: &mut S = &mut guard;
    interrupt::run(py, n_bytes, |ctl| work(stream, ctl))
}

impl EncodeStream {
    /// Returns a stream at its beginning.
    ///
    /// # Errors
    /// `ValueError` for a `special` that is none.
    pub fn new(
        engine: &Arc<Engine>,
        special: &str,
        add_special_tokens: bool,
        errors: &str,
    ) -> PyResult<Self> {
        let options = options(special, add_special_tokens, None)?;
        let encoder = Encoder::new(Arc::clone(engine), options);
        Ok(Self { encoder: Mutex::new(encoder), errors: errors.to_owned() })
    }
}

/// Returns whether broken text is an error.
///
/// # Errors
/// `ValueError` for an `errors` that is none.
pub fn is_strict(errors: &str) -> PyResult<bool> {
    match errors {
        "strict" => Ok(true),
        "replace" => Ok(false),
        other => Err(PyValueError::new_err(format!("errors is \"strict\" or \"replace\", not {other:?}"))),
    }
}

#[pymethods]
impl DecodeStream {
    /// The text that is known once an id, ids or bytes have come.
    fn feed(&self, item: &Bound<'_, PyAny>) -> PyResult<String> {
        let py = item.py();
        if let Ok(bytes) = item.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            return self.run(py, bytes.len(), |decoder, ctl| decoder.feed_bytes(bytes, ctl));
        }
        let ids = self.ids(item)?;
        self.run(py, ids.len() * 4, |decoder, ctl| decoder.feed(&ids, ctl))
    }

    /// What is left of the text, and whether the ids did not break off inside a character.
    fn finish(&self, py: Python<'_>) -> PyResult<(String, bool)> {
        let end = self.run(py, usize::MAX, Decoder::finish)?;
        Ok((end.text, end.complete))
    }

    #[getter]
    fn stopped(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.run(py, 0, |decoder, _| Ok(decoder.stopped().map(str::to_owned)))
    }

    #[getter]
    fn streams(&self) -> bool {
        self.engine.decoding().streams()
    }
}

#[pymethods]
impl EncodeStream {
    /// The ids that are known once a text has come.
    fn feed(&self, text: &Bound<'_, PyAny>) -> PyResult<Ids> {
        let (py, text) = (text.py(), Text::without_places(text, &self.errors)?);
        let string = text.as_str();
        run(py, &self.encoder, string.len(), |encoder, ctl| encoder.feed(string, ctl)).map(Ids::new)
    }

    /// The last ids, once the last of the text has come.
    fn finish(&self, text: &Bound<'_, PyAny>) -> PyResult<Ids> {
        let (py, text) = (text.py(), Text::without_places(text, &self.errors)?);
        let string = text.as_str();
        let ids = run(py, &self.encoder, usize::MAX, |encoder, ctl| {
            let mut ids = encoder.feed(string, ctl)?;
            ids.extend(encoder.finish(ctl)?);
            Ok(ids)
        })?;
        Ok(Ids::new(ids))
    }

    #[getter]
    fn streams(&self, py: Python<'_>) -> PyResult<bool> {
        run(py, &self.encoder, 0, |encoder, _| Ok(encoder.streams()))
    }

    #[getter]
    fn n_pending_bytes(&self, py: Python<'_>) -> PyResult<usize> {
        run(py, &self.encoder, 0, |encoder, _| Ok(encoder.n_pending_bytes()))
    }
}
