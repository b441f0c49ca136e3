//! The dictionary that `Tokenizer.stages` returns, and the pretokens in it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use piecework_core::byte_alphabet::display;
use piecework_core::definition::{Definition, PreTokenizer};
use piecework_core::error::Error;
use piecework_core::interrupt::Ctl;
use piecework_core::observe::Source;
use piecework_core::span::Span;
use piecework_core::split::cuts::{Alternatives, CutBy};
use piecework_core::stages::{Pretoken, Section};
use piecework_core::tokenizer::Tokenizer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::encoding::Pair;
use crate::interrupt;
use crate::lists::list;
use crate::tokenizer::{readable_piece, vocab_piece};

/// A pretoken as Python has it: span, text, display form, ids, pieces.
type Row<'a, 'py> = (Pair, &'a str, String, Bound<'py, PyTuple>, Bound<'py, PyTuple>);

/// What was cut and changed in one section. Made into Python's values one by one when asked for: as such they take
/// twenty times the memory, and longer to free than Ctrl-C is to wait.
#[pyclass(frozen, module = "piecework._core", weakref)]
pub struct Pretokens {
    tokenizer: Arc<Tokenizer>,
    normalized: String,
    source: Source,
    before: Option<(String, Source)>,
    ids: Vec<u32>,
    cuts: Vec<Pretoken>,
    changes: Vec<[u32; 4]>,
}

impl Pretokens {
    fn text(&self, index: usize) -> &str {
        self.cuts.get(index).and_then(|pretoken| self.normalized.get(pretoken.span.range())).unwrap_or("")
    }
}

/// Returns the section and the place in it of each text where it stands first, at most `limit` of them.
fn firsts<'a>(
    sections: &[&'a Pretokens],
    limit: usize,
    is_meant: impl Fn(&str) -> bool,
    ctl: &Ctl<'_>,
) -> Result<Vec<(usize, usize)>, Error> {
    let mut ticker = ctl.ticker();
    let mut seen: HashSet<&'a str> = HashSet::new();
    let mut found = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        for index in 0..section.cuts.len() {
            if found.len() >= limit {
                return Ok(found);
            }
            ticker.tick(1)?;
            let text = section.text(index);
            if is_meant(text) && seen.insert(text) {
                found.push((at, index));
            }
        }
    }
    Ok(found)
}

#[allow(clippy::needless_pass_by_value, reason = "lists come out of Python as vectors")]
#[pymethods]
impl Pretokens {
    fn __len__(&self) -> usize {
        self.cuts.len()
    }

    #[getter]
    fn n_ids(&self) -> usize {
        self.ids.len()
    }

    /// The ids from one place to another.
    fn ids<'py>(&self, py: Python<'py>, start: usize, end: usize) -> PyResult<Bound<'py, PyList>> {
        let end = end.min(self.ids.len());
        list(py, self.ids.get(start..end).unwrap_or(&[]).iter().map(Ok))
    }

    #[getter]
    fn n_changes(&self) -> usize {
        self.changes.len()
    }

    /// A place where the normalizers changed the text: bytes of the normalized text, bytes of the input.
    fn change(&self, index: usize) -> PyResult<(Pair, Pair)> {
        let Some(&[start, end, from, to]) = self.changes.get(index) else {
            return Err(PyIndexError::new_err(format!("change {index} of {}", self.changes.len())));
        };
        Ok(((start as usize, end as usize), (from as usize, to as usize)))
    }

    /// The section and the place in it of each pretoken where it stands first, at most so many.
    #[staticmethod]
    #[pyo3(signature = (sections, limit=None))]
    fn distinct(
        py: Python<'_>,
        sections: Vec<Bound<'_, Self>>,
        limit: Option<usize>,
    ) -> PyResult<Vec<(usize, usize)>> {
        let sections: Vec<&Self> = sections.iter().map(Bound::get).collect();
        interrupt::run(py, n_bytes(&sections), |ctl| {
            firsts(&sections, limit.unwrap_or(usize::MAX), |_| true, ctl)
        })
    }

    /// The same of the pretokens that are `word`, with or without a space around it.
    #[staticmethod]
    fn places(py: Python<'_>, sections: Vec<Bound<'_, Self>>, word: &str) -> PyResult<Vec<(usize, usize)>> {
        let sections: Vec<&Self> = sections.iter().map(Bound::get).collect();
        let is_meant = |text: &str| text == word || text.trim_matches([' ', '\u{2581}']) == word;
        interrupt::run(py, n_bytes(&sections), |ctl| firsts(&sections, usize::MAX, is_meant, ctl))
    }

    /// What cut the pretokens at the places named of each section, ascending: the pre-tokenizer's index, its alternative's,
    /// and the rule in words.
    #[staticmethod]
    fn what_cut<'py>(
        py: Python<'py>,
        sections: Vec<Bound<'py, Self>>,
        places: Vec<Vec<usize>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let sections: Vec<&Self> = sections.iter().map(Bound::get).collect();
        let Some(tokenizer) = sections.first().map(|section| &section.tokenizer) else {
            return Ok(PyList::empty(py));
        };
        let given = sections.iter().zip(&places).map(|(section, places)| {
            let own = (&section.normalized, &section.source);
            let (text, source) = section.before.as_ref().map_or(own, |(text, source)| (text, source));
            (text.as_str(), source, places.as_slice())
        });
        let (found, alternatives) = interrupt::run(py, n_bytes(&sections), |ctl| tokenizer.cuts(given, ctl))?;
        cuts(py, tokenizer.definition(), &found, &alternatives)
    }

    /// Span, text, display form, ids, pieces.
    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Row<'_, 'py>> {
        let Some(Pretoken { span, ids }) = self.cuts.get(index) else {
            return Err(PyIndexError::new_err(format!("pretoken {index} of {}", self.cuts.len())));
        };
        let text = self.text(index);
        let ids = self.ids.get(ids.clone()).unwrap_or(&[]);
        let pieces = ids.iter().map(|&id| readable_piece(&self.tokenizer, id));
        let pieces = PyTuple::new(py, pieces.collect::<Vec<_>>())?;
        let is_byte_level = self.tokenizer.definition().model.is_byte_level();
        let shown = if is_byte_level { display(text.as_bytes()) } else { text.to_owned() };
        Ok(((span.start, span.end), text, shown, PyTuple::new(py, ids)?, pieces))
    }
}

fn n_bytes(sections: &[&Pretokens]) -> usize {
    sections.iter().map(|section| section.normalized.len()).sum()
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
        Section::Text { normalized, source, before, ids, pretokens: cuts } => {
            let changes = source
                .changes(normalized.len())
                .map(|(made, from)| [made.start, made.end, from.start, from.end].map(|at| at as u32))
                .collect();
            let tokenizer = Arc::clone(tokenizer);
            section_dict(py, text, Pretokens { tokenizer, normalized, source, before, ids, cuts, changes })
        }
    });
    let out = PyDict::new(py);
    out.set_item("input", text)?;
    out.set_item("sections", list(py, sections)?)?;
    Ok(out)
}

fn section_dict<'py>(py: Python<'py>, text: &str, pretokens: Pretokens) -> PyResult<Bound<'py, PyDict>> {
    let normalized = &pretokens.normalized;
    let span = pretokens.source.to_input(Span::new(0, normalized.len()));
    let out = PyDict::new(py);
    out.set_item("kind", "text")?;
    out.set_item("byte_span", (span.start, span.end))?;
    out.set_item("text", text.get(span.range()).unwrap_or(""))?;
    out.set_item("normalized", normalized)?;
    out.set_item("pretokens", pretokens)?;
    Ok(out)
}

/// Returns what cut each pretoken: the pre-tokenizer's index, its alternative's, and the rule in words.
fn cuts<'py>(
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
