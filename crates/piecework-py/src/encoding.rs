//! `Encoding`: one encoded text.

use std::sync::{Arc, OnceLock};

use piecework_core::encoding::Encoding as Encoded;
use piecework_core::input::Input;
use piecework_core::span::Span;
use piecework_core::tokenizer::{ControlString, Tokenizer};
use piecework_core::units::Unit;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::buffer::Ids;
use crate::text::{Spans, Text};
use crate::tokenizer::{piece_bytes, readable_piece, vocab_piece};

/// A span as Python has it.
pub type Pair = (usize, usize);
/// A control token's string: content, id, bytes, characters.
pub type Control = (String, u32, Pair, Pair);

/// One encoded text: ids and where each token stands in it.
#[pyclass(frozen, module = "piecework._core")]
pub struct Encoding {
    tokenizer: Arc<Tokenizer>,
    encoded: Encoded,
    ids: Ids,
    source: Py<PyAny>,
    replaced: Option<Input<'static>>,
    char_spans: OnceLock<Vec<Pair>>,
}

impl Encoding {
    /// Wraps the engine's encoding of `text`.
    pub fn new(tokenizer: Arc<Tokenizer>, mut encoded: Encoded, text: Text<'_>) -> Self {
        let ids = Ids::new(std::mem::take(&mut encoded.ids));
        let (source, replaced) = text.into_parts();
        Self { tokenizer, encoded, ids, source, replaced, char_spans: OnceLock::new() }
    }

    fn text<'a>(&'a self, py: Python<'a>) -> &'a str {
        if let Some(input) = &self.replaced {
            return &input.text;
        }
        let source = self.source.bind(py);
        if let Ok(string) = source.cast::<PyString>() {
            return string.to_str().unwrap_or("");
        }
        source.cast::<PyBytes>().map_or("", |bytes| std::str::from_utf8(bytes.as_bytes()).unwrap_or(""))
    }

    fn units(&self, py: Python<'_>, unit: Unit) -> Vec<Pair> {
        let spans = Spans::new(self.text(py), self.replaced.as_ref(), unit);
        self.encoded.byte_spans.iter().map(|&span| spans.units(span, unit)).collect()
    }

    fn chars(&self, py: Python<'_>) -> &[Pair] {
        self.char_spans.get_or_init(|| self.units(py, Unit::Char))
    }
}

#[pymethods]
impl Encoding {
    #[getter]
    fn ids(&self) -> Ids {
        self.ids.clone()
    }

    #[getter]
    fn pieces(&self) -> Vec<String> {
        self.ids.as_slice().iter().map(|&id| readable_piece(&self.tokenizer, id)).collect()
    }

    #[getter]
    fn vocab_pieces(&self) -> Vec<String> {
        self.ids.as_slice().iter().map(|&id| vocab_piece(&self.tokenizer, id)).collect()
    }

    #[getter]
    fn piece_bytes<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.ids.as_slice().iter().map(|&id| PyBytes::new(py, piece_bytes(&self.tokenizer, id))).collect()
    }

    #[getter]
    fn byte_spans(&self) -> Vec<Pair> {
        self.encoded.byte_spans.iter().map(|&span| Spans::bytes(self.replaced.as_ref(), span)).collect()
    }

    #[getter]
    fn char_spans(&self, py: Python<'_>) -> Vec<Pair> {
        self.chars(py).to_vec()
    }

    #[getter]
    fn utf16_spans(&self, py: Python<'_>) -> Vec<Pair> {
        self.units(py, Unit::Utf16)
    }

    #[getter]
    fn grapheme_spans(&self, py: Python<'_>) -> Vec<Pair> {
        let spans = self.encoded.grapheme_spans(self.text(py));
        spans.into_iter().map(|span| (span.start, span.end)).collect()
    }

    #[getter]
    fn word_ids(&self) -> Vec<Option<u32>> {
        self.encoded.word_ids.clone()
    }

    #[getter]
    fn forged(&self, py: Python<'_>) -> Vec<Control> {
        controls(&self.tokenizer, self.text(py), self.replaced.as_ref(), &self.encoded.forged)
    }

    /// The first token that touches the character, or `None`.
    fn char_to_token(&self, py: Python<'_>, char: usize) -> Option<usize> {
        let spans = self.chars(py);
        // Ends never go back, so the first span that ends behind the character is the one, if it has begun.
        let at = spans.partition_point(|&(_, end)| end <= char);
        spans.get(at).is_some_and(|&(start, _)| start <= char).then_some(at)
    }

    fn token_to_chars(&self, py: Python<'_>, token: usize) -> PyResult<Pair> {
        let spans = self.chars(py);
        let n = spans.len();
        spans.get(token).copied().ok_or_else(|| PyIndexError::new_err(format!("token {token} of {n}")))
    }

    fn __len__(&self) -> usize {
        self.ids.as_slice().len()
    }
}

/// Returns control strings as Python has them.
pub fn controls(
    tokenizer: &Tokenizer,
    text: &str,
    input: Option<&Input<'static>>,
    found: &[ControlString],
) -> Vec<Control> {
    let chars = Spans::new(text, input, Unit::Char);
    let control = |found: &ControlString| {
        let span: Span = found.span;
        (
            vocab_piece(tokenizer, found.id.0),
            found.id.0,
            Spans::bytes(input, span),
            chars.units(span, Unit::Char),
        )
    };
    found.iter().map(control).collect()
}
