//! `Rows`: many texts or pairs of texts for a model that reads them at once.

use piecework_core::rows::{Limit, Padding, Strategy};
use piecework_core::truncate::Side;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffer::{Counts, Ids};
use crate::errors::raised;
use crate::interrupt;
use crate::text::options;
use crate::texts::Texts;
use crate::tokenizer::Tokenizer;

/// Rows, flat, or a rectangle where they are padded.
#[pyclass(frozen, module = "piecework._core", weakref)]
pub struct Rows {
    ids: Ids,
    type_ids: Ids,
    special: Py<PyBytes>,
    attention: Option<Py<PyBytes>>,
    offsets: Counts,
    texts: Counts,
    width: Option<usize>,
}

#[pymethods]
impl Rows {
    #[getter]
    fn ids(&self) -> Ids {
        self.ids.clone()
    }

    #[getter]
    fn type_ids(&self) -> Ids {
        self.type_ids.clone()
    }

    #[getter]
    fn special(&self, py: Python<'_>) -> Py<PyBytes> {
        self.special.clone_ref(py)
    }

    #[getter]
    fn attention(&self, py: Python<'_>) -> Option<Py<PyBytes>> {
        self.attention.as_ref().map(|mask| mask.clone_ref(py))
    }

    #[getter]
    fn offsets(&self) -> Counts {
        self.offsets.clone()
    }

    #[getter]
    fn texts(&self) -> Counts {
        self.texts.clone()
    }

    #[getter]
    fn width(&self) -> Option<usize> {
        self.width
    }
}

/// How rows are cut: the limit, the strategy, the side, and the stride of what overflows.
type LimitOf<'a> = (usize, &'a str, &'a str, Option<usize>);
/// How rows are padded: the width, its multiple, the side, the id, its type.
type PaddingOf<'a> = (Option<usize>, usize, &'a str, u32, u32);

/// Encodes texts or pairs of texts into rows.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "a call of the Python layer, which names them")]
pub fn rows(
    py: Python<'_>,
    tokenizer: &Bound<'_, Tokenizer>,
    texts: &Bound<'_, PyAny>,
    pairs: Option<&Bound<'_, PyAny>>,
    special: &str,
    add_special_tokens: bool,
    errors: &str,
    n_threads: Option<usize>,
    limit: Option<LimitOf<'_>>,
    padding: Option<PaddingOf<'_>>,
) -> PyResult<Rows> {
    let options = options(special, add_special_tokens, None)?;
    let limit = limit.map(limit_of).transpose()?;
    let padding = padding.map(padding_of).transpose()?;
    let texts = Texts::new(texts, errors)?;
    let pairs = pairs.map(|pairs| Texts::new(pairs, errors)).transpose()?;
    let (first, second) = (texts.as_strs(py)?, pairs.as_ref().map(|pairs| pairs.as_strs(py)).transpose()?);
    if let Some(second) = &second
        && second.len() != first.len()
    {
        return Err(PyValueError::new_err(format!("{} texts and {} pairs", first.len(), second.len())));
    }
    let n_bytes = first.iter().chain(second.iter().flatten()).map(|text| text.len()).sum();
    let engine = tokenizer.get().engine();
    let made = interrupt::run_batch(py, n_bytes, |ctl| {
        engine.rows(&first, second.as_deref(), &options, limit, n_threads, ctl)
    })?;
    let (offsets, texts) = (Counts::new(made.offsets.clone()), Counts::new(made.texts.clone()));
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes).unbind();
    let Some(padding) = padding else {
        return Ok(Rows {
            special: bytes(&made.special),
            ids: Ids::new(made.ids),
            type_ids: Ids::new(made.type_ids),
            attention: None,
            offsets,
            texts,
            width: None,
        });
    };
    let padded = py.detach(|| made.padded(&padding)).map_err(|error| raised(py, error))?;
    Ok(Rows {
        special: bytes(&padded.special),
        attention: Some(bytes(&padded.attention)),
        ids: Ids::new(padded.ids),
        type_ids: Ids::new(padded.type_ids),
        offsets,
        texts,
        width: Some(padded.width),
    })
}

fn side(name: &str) -> PyResult<Side> {
    match name {
        "left" => Ok(Side::Left),
        "right" => Ok(Side::Right),
        other => Err(PyValueError::new_err(format!("a side is \"left\" or \"right\", not {other:?}"))),
    }
}

fn limit_of((max_tokens, strategy, cut, overflow): LimitOf<'_>) -> PyResult<Limit> {
    let strategy = match strategy {
        "longest_first" => Strategy::LongestFirst,
        "only_first" => Strategy::OnlyFirst,
        "only_second" => Strategy::OnlySecond,
        other => {
            return Err(PyValueError::new_err(format!(
                "a strategy is \"longest_first\", \"only_first\" or \"only_second\", not {other:?}"
            )));
        }
    };
    Ok(Limit { max_tokens, strategy, side: side(cut)?, overflow })
}

fn padding_of((width, multiple, pad, id, type_id): PaddingOf<'_>) -> PyResult<Padding> {
    Ok(Padding { width, multiple, side: side(pad)?, id, type_id })
}
