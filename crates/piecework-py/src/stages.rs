//! The dictionary that `Tokenizer.stages` returns.

use piecework_core::byte_alphabet::display;
use piecework_core::observe::Source;
use piecework_core::span::Span;
use piecework_core::stages::{Pretoken, Section};
use piecework_core::tokenizer::Tokenizer;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::tokenizer::{readable_piece, vocab_piece};

/// Returns the stages of `text` as a dictionary of plain values.
pub fn dict<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    text: &str,
    sections: Vec<Section>,
) -> PyResult<Bound<'py, PyDict>> {
    let list = PyList::empty(py);
    for section in sections {
        list.append(match section {
            Section::Added { id, span } => {
                let out = PyDict::new(py);
                out.set_item("kind", "added")?;
                out.set_item("byte_span", (span.start, span.end))?;
                out.set_item("text", &text[span.range()])?;
                out.set_item("id", id.0)?;
                out.set_item("content", vocab_piece(tokenizer, id.0))?;
                out
            }
            Section::Text { normalized, source, pretokens } => {
                section_dict(py, tokenizer, text, &normalized, &source, pretokens)?
            }
        })?;
    }
    let out = PyDict::new(py);
    out.set_item("input", text)?;
    out.set_item("sections", list)?;
    Ok(out)
}

fn section_dict<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    text: &str,
    normalized: &str,
    source: &Source,
    pretokens: Vec<Pretoken>,
) -> PyResult<Bound<'py, PyDict>> {
    let span = source.to_input(Span::new(0, normalized.len()));
    let out = PyDict::new(py);
    out.set_item("kind", "text")?;
    out.set_item("byte_span", (span.start, span.end))?;
    out.set_item("text", &text[span.range()])?;
    out.set_item("normalized", normalized)?;
    let changed: Vec<_> = source
        .changes(normalized.len())
        .map(|(normal, original)| ((normal.start, normal.end), (original.start, original.end)))
        .collect();
    out.set_item("changed", changed)?;
    let list = PyList::empty(py);
    for Pretoken { span, ids } in pretokens {
        let pretoken = PyDict::new(py);
        let piece = &normalized[span.range()];
        pretoken.set_item("byte_span", (span.start, span.end))?;
        pretoken.set_item("text", piece)?;
        pretoken.set_item("display", display(piece.as_bytes()))?;
        pretoken
            .set_item("pieces", ids.iter().map(|&id| readable_piece(tokenizer, id)).collect::<Vec<_>>())?;
        pretoken.set_item("ids", ids)?;
        list.append(pretoken)?;
    }
    out.set_item("pretokens", list)?;
    Ok(out)
}
