//! Segmentations other than the best one.

use piecework_core::sample::Sampling;
use pyo3::prelude::*;

use crate::buffer::Ids;
use crate::interrupt;
use crate::text::Text;
use crate::tokenizer::Tokenizer;

/// A random segmentation. The arguments are checked by the caller.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "a call of the Python layer, which names them")]
pub fn sample(
    tokenizer: &Bound<'_, Tokenizer>,
    text: &Bound<'_, PyAny>,
    special: &str,
    add_special_tokens: bool,
    errors: &str,
    seed: u64,
    alpha: f64,
    dropout: Option<f64>,
    nbest_size: Option<usize>,
) -> PyResult<Ids> {
    let text = Text::without_places(text, errors)?;
    let options = text.options(special, add_special_tokens, None)?;
    let engine = tokenizer.get().engine();
    let sampling = Sampling { seed, alpha, dropout, nbest_size };
    let string = text.as_str();
    interrupt::run(text.py(), string.len(), |ctl| engine.sample(string, &options, &sampling, ctl))
        .map(Ids::new)
}

/// The best segmentations, each with its score.
#[pyfunction]
pub fn nbest(
    tokenizer: &Bound<'_, Tokenizer>,
    text: &Bound<'_, PyAny>,
    n: usize,
    special: &str,
    add_special_tokens: bool,
    errors: &str,
) -> PyResult<Vec<(Ids, f64)>> {
    let text = Text::without_places(text, errors)?;
    let options = text.options(special, add_special_tokens, None)?;
    let engine = tokenizer.get().engine();
    let string = text.as_str();
    let found = interrupt::run(text.py(), string.len(), |ctl| engine.nbest(string, n, &options, ctl))?;
    Ok(found.into_iter().map(|(ids, score)| (Ids::new(ids), score)).collect())
}
