//! The dictionary that `Tokenizer.stages` returns, and the pretokens in it.

use std::collections::HashMap;
use std::sync::Arc;

use piecework_core::byte_alphabet::display;
use piecework_core::definition::{Definition, PreTokenizer};
use piecework_core::observe::Source;
use piecework_core::span::Span;
use piecework_core::split::cuts::{Alternatives, CutBy};
use piecework_core::stages::{Pretoken, Section};
use piecework_core::tokenizer::Tokenizer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::encoding::Pair;
use crate::lists::list;
use crate::tokenizer::{readable_piece, vocab_piece};

/// A pretoken as Python has it: span, text, display form, ids, pieces.
type Row<'a, 'py> = (Pair, &'a str, String, Bound<'py, PyTuple>, Bound<'py, PyTuple>);

/// The pretokens of one section. Made into Python's values one by one when asked for: as such they take twenty
/// times the memory, and longer to free than Ctrl-C is to wait.
#[pyclass(frozen, module = "piecework._core", weakref)]
pub struct Pretokens {
    tokenizer: Arc<Tokenizer>,
    normalized: String,
    ids: Vec<u32>,
    cuts: Vec<Pretoken>,
}

#[pymethods]
impl Pretokens {
    fn __len__(&self) -> usize {
        self.cuts.len()
    }

    /// Span, text, display form, ids, pieces.
    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Row<'_, 'py>> {
        let Some(Pretoken { span, ids }) = self.cuts.get(index) else {
            return Err(PyIndexError::new_err(format!("pretoken {index} of {}", self.cuts.len())));
        };
        let text = self.normalized.get(span.range()).unwrap_or("");
        let ids = self.ids.get(ids.clone()).unwrap_or(&[]);
        let pieces = ids.iter().map(|&id| readable_piece(&self.tokenizer, id));
        let pieces = PyTuple::new(py, pieces.collect::<Vec<_>>())?;
        let is_byte_level = self.tokenizer.definition().model.is_byte_level();
        let shown = if is_byte_level { display(text.as_bytes()) } else { text.to_owned() };
        Ok(((span.start, span.end), text, shown, PyTuple::new(py, ids)?, pieces))
    }
}

/// Returns the stages of `text` as a dictionary of plain values.
pub fn dict<'py>(
    py: Python<'py>,
    tokenizer: &Arc<Tokenizer>,
    text: &str,
    sections: Vec<Section>,
) -> PyResult<Bound<'py, PyDict>> {
    let sections = sections.into_iter().map(|section| match section {
        Section::Added { id, span } => {
            let out = PyDict::new(py);
            out.set_item("kind", "added")?;
            out.set_item("byte_span", (span.start, span.end))?;
            out.set_item("text", text.get(span.range()).unwrap_or(""))?;
            out.set_item("id", id.0)?;
            out.set_item("content", vocab_piece(tokenizer, id.0))?;
            Ok(out)
        }
        Section::Text { normalized, source, ids, pretokens } => {
            let pretokens = Pretokens { tokenizer: Arc::clone(tokenizer), normalized, ids, cuts: pretokens };
            section_dict(py, text, &source, pretokens)
        }
    });
    let out = PyDict::new(py);
    out.set_item("input", text)?;
    out.set_item("sections", list(py, sections)?)?;
    Ok(out)
}

fn section_dict<'py>(
    py: Python<'py>,
    text: &str,
    source: &Source,
    pretokens: Pretokens,
) -> PyResult<Bound<'py, PyDict>> {
    let normalized = &pretokens.normalized;
    let span = source.to_input(Span::new(0, normalized.len()));
    let out = PyDict::new(py);
    out.set_item("kind", "text")?;
    out.set_item("byte_span", (span.start, span.end))?;
    out.set_item("text", text.get(span.range()).unwrap_or(""))?;
    out.set_item("normalized", normalized)?;
    let changed = source
        .changes(normalized.len())
        .map(|(normal, original)| Ok(((normal.start, normal.end), (original.start, original.end))));
    out.set_item("changed", list(py, changed)?)?;
    out.set_item("pretokens", pretokens)?;
    Ok(out)
}

/// Returns what cut each pretoken: the pre-tokenizer's index, its alternative's, and the rule in words.
pub fn cuts<'py>(
    py: Python<'py>,
    definition: &Definition,
    sections: &[Vec<CutBy>],
    alternatives: &Alternatives,
) -> PyResult<Bound<'py, PyList>> {
    // A rule is written out once, however many pretokens it cut.
    let mut rules: HashMap<CutBy, Bound<'py, PyString>> = HashMap::new();
    let mut row = |by: &CutBy| {
        let stage = by.pre_tokenizer.and_then(|index| definition.pre_tokenizers.get(index));
        let rule = rules.entry(*by).or_insert_with(|| {
            let rule = match (alternatives.text(*by), stage) {
                (Some(text), _) => text,
                (None, Some(PreTokenizer::Split { .. })) if !by.is_match => "between matches of the pattern",
                (None, Some(stage)) => stage.name(),
                (None, None) => "nothing: no pre-tokenizer cuts here",
            };
            PyString::new(py, rule)
        });
        Ok((by.pre_tokenizer, by.alternative, rule.clone()))
    };
    list(py, sections.iter().map(|section| list(py, section.iter().map(&mut row))))
}
