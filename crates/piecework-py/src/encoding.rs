//! `Encoding`: one encoded text.

use std::sync::{Arc, OnceLock};

use piecework_core::encoding::Encoding as Encoded;
use piecework_core::id::TokenId;
use piecework_core::input::Input;
use piecework_core::span::Span;
use piecework_core::tokenizer::{ControlString, Tokenizer};
use piecework_core::units::{self, Unit};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};

use crate::buffer::Ids;
use crate::interrupt;
use crate::lists::list;
use crate::text::{Spans, Text};
use crate::tokenizer::{piece_bytes, readable_piece, vocab_piece};

/// A span as Python has it.
pub type Pair = (usize, usize);
/// A control token's string: content, id, bytes, characters.
pub type Control = (String, u32, Pair, Pair);

/// One encoded text: ids and where each token stands in it.
#[pyclass(frozen, module = "piecework._core", weakref)]
pub struct Encoding {
    tokenizer: Arc<Tokenizer>,
    encoded: Encoded,
    ids: Ids,
    source: Py<PyAny>,
    replaced: Option<Input<'static>>,
    char_spans: OnceLock<Vec<Pair>>,
    utf16_spans: OnceLock<Vec<Pair>>,
}

impl Encoding {
    /// Wraps the engine's encoding of `text`.
    pub fn new(tokenizer: Arc<Tokenizer>, mut encoded: Encoded, text: Text<'_>) -> Self {
        let ids = Ids::new(std::mem::take(&mut encoded.ids));
        let (source, replaced) = text.into_parts();
        Self {
            tokenizer,
            encoded,
            ids,
            source,
            replaced,
            char_spans: OnceLock::new(),
            utf16_spans: OnceLock::new(),
        }
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

    /// Returns each token's span as `of` has it.
    fn spans(&self, py: Python<'_>, of: impl Fn(Span) -> Pair + Sync) -> PyResult<Vec<Pair>> {
        let byte_spans = &self.encoded.byte_spans;
        interrupt::run(py, byte_spans.len() * BYTES_OF_A_SPAN, |ctl| {
            let mut ticker = ctl.ticker();
            let span = |&span: &Span| {
                ticker.tick(BYTES_OF_A_SPAN)?;
                Ok(of(span))
            };
            byte_spans.iter().map(span).collect()
        })
    }

    fn units(&self, py: Python<'_>, unit: Unit) -> PyResult<Vec<Pair>> {
        let spans = Spans::new(self.text(py), self.replaced.as_ref(), unit);
        Ok(self.trimmed(self.spans(py, |span| spans.units(span, unit))?))
    }

    /// Returns spans without the white space that the tokenizer leaves out of them.
    fn trimmed(&self, mut spans: Vec<Pair>) -> Vec<Pair> {
        if self.tokenizer.trims() {
            for (index, (span, &id)) in spans.iter_mut().zip(self.ids.as_slice()).enumerate() {
                let trimmed = self.tokenizer.trimmed(index, TokenId(id), Span::new(span.0, span.1));
                *span = (trimmed.start, trimmed.end);
            }
        }
        spans
    }

    fn chars(&self, py: Python<'_>) -> PyResult<&[Pair]> {
        self.kept(py, &self.char_spans, Unit::Char)
    }

    /// Returns spans that are found once, at the first call.
    fn kept<'a>(&self, py: Python<'_>, kept: &'a OnceLock<Vec<Pair>>, unit: Unit) -> PyResult<&'a [Pair]> {
        if let Some(spans) = kept.get() {
            return Ok(spans);
        }
        let spans = self.units(py, unit)?;
        Ok(kept.get_or_init(|| spans))
    }

    /// Returns a list of what `of` makes of each id.
    fn each_id<'py, T: IntoPyObject<'py>>(
        &self,
        py: Python<'py>,
        of: impl Fn(u32) -> T,
    ) -> PyResult<Bound<'py, PyList>> {
        list(py, self.ids.as_slice().iter().map(|&id| Ok(of(id))))
    }
}

/// Work of finding one token's place, as the engine counts it.
const BYTES_OF_A_SPAN: usize = 64;

#[pymethods]
impl Encoding {
    #[getter]
    fn ids(&self) -> Ids {
        self.ids.clone()
    }

    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each_id(py, |id| readable_piece(&self.tokenizer, id))
    }

    #[getter]
    fn vocab_pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each_id(py, |id| vocab_piece(&self.tokenizer, id))
    }

    #[getter]
    fn piece_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each_id(py, |id| PyBytes::new(py, &piece_bytes(&self.tokenizer, id)))
    }

    #[getter]
    fn byte_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pairs(py, &self.spans(py, |span| Spans::bytes(self.replaced.as_ref(), span))?)
    }

    #[getter]
    fn char_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pairs(py, self.chars(py)?)
    }

    #[getter]
    fn utf16_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pairs(py, self.kept(py, &self.utf16_spans, Unit::Utf16)?)
    }

    #[getter]
    fn grapheme_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let text = self.text(py);
        let starts = interrupt::run(py, text.len(), |ctl| units::graphemes(text, ctl))?;
        let of = |span| {
            let span = units::cover(&starts, span);
            (span.start, span.end)
        };
        pairs(py, &self.trimmed(self.spans(py, of)?))
    }

    #[getter]
    fn word_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, self.encoded.word_ids.iter().map(|&word| Ok(word)))
    }

    /// A part of a column, the tokens `start..stop` of it: whole columns of a long text are a hundred times its size.
    fn part<'py>(
        &self,
        py: Python<'py>,
        column: &str,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let stop = stop.min(self.__len__());
        let places = start.min(stop)..stop;
        let ids = self.ids.as_slice().get(places.clone()).unwrap_or(&[]);
        let bytes = |&span| Spans::bytes(self.replaced.as_ref(), span);
        match column {
            "ids" => list(py, ids.iter().map(Ok)),
            "pieces" => list(py, ids.iter().map(|&id| Ok(readable_piece(&self.tokenizer, id)))),
            "piece_bytes" => {
                list(py, ids.iter().map(|&id| Ok(PyBytes::new(py, &piece_bytes(&self.tokenizer, id)))))
            }
            "byte_spans" => {
                let spans = self.encoded.byte_spans.get(places).unwrap_or(&[]);
                pairs(py, &spans.iter().map(bytes).collect::<Vec<_>>())
            }
            "char_spans" => pairs(py, self.chars(py)?.get(places).unwrap_or(&[])),
            "utf16_spans" => {
                pairs(py, self.kept(py, &self.utf16_spans, Unit::Utf16)?.get(places).unwrap_or(&[]))
            }
            "word_ids" => list(py, self.encoded.word_ids.get(places).unwrap_or(&[]).iter().map(Ok)),
            _ => Err(PyValueError::new_err(format!("an encoding has no column {column}"))),
        }
    }

    #[getter]
    fn forged(&self, py: Python<'_>) -> Vec<Control> {
        controls(&self.tokenizer, self.text(py), self.replaced.as_ref(), &self.encoded.forged)
    }

    /// The first token that touches the character, or `None`.
    fn char_to_token(&self, py: Python<'_>, char: usize) -> PyResult<Option<usize>> {
        let spans = self.chars(py)?;
        // Ends never go back, so the first span that ends behind the character is the one, if it has begun.
        let at = spans.partition_point(|&(_, end)| end <= char);
        Ok(spans.get(at).is_some_and(|&(start, _)| start <= char).then_some(at))
    }

    fn token_to_chars(&self, py: Python<'_>, token: usize) -> PyResult<Pair> {
        let spans = self.chars(py)?;
        let n = spans.len();
        spans.get(token).copied().ok_or_else(|| PyIndexError::new_err(format!("token {token} of {n}")))
    }

    fn __len__(&self) -> usize {
        self.ids.as_slice().len()
    }
}

/// Returns spans as a list of pairs.
fn pairs<'py>(py: Python<'py>, spans: &[Pair]) -> PyResult<Bound<'py, PyList>> {
    // Most spans begin where the last one ended: one number for both is a third less to make and to keep.
    let mut last = (0, 0_usize.into_pyobject(py)?);
    let mut number = |n: usize| -> PyResult<Bound<'py, PyInt>> {
        if last.0 != n {
            last = (n, n.into_pyobject(py)?);
        }
        Ok(last.1.clone())
    };
    list(py, spans.iter().map(|&(start, end)| PyTuple::new(py, [number(start)?, number(end)?])))
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
