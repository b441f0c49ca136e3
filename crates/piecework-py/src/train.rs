//! Training: counted words, and what is learned of them. The arguments are checked by the caller.

use std::time::Duration;

use piecework_core::batch::Failed;
use piecework_core::train::curve::{self, Applied, CurveModel};
use piecework_core::train::fingerprint;
use piecework_core::train::{self, Base, BpeOptions, Layout, Score, Step, Ties, Trained};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::interrupt::{self, Told};

/// Distinct words and how often each occurs.
#[pyclass(frozen, module = "piecework._core")]
pub struct WordCounts {
    pub counts: train::WordCounts,
}

#[pymethods]
impl WordCounts {
    /// Counts of words that somebody else made; a word given twice counts twice.
    #[staticmethod]
    fn of(words: Vec<(Vec<u8>, u64)>) -> Self {
        let mut counts = train::WordCounts::default();
        for (word, n) in words {
            counts.add(&word, n);
        }
        Self { counts }
    }

    fn __len__(&self) -> usize {
        self.counts.len()
    }

    #[getter]
    fn n_words(&self) -> u64 {
        self.counts.n_words()
    }

    #[getter]
    fn n_bytes(&self) -> u64 {
        self.counts.n_bytes()
    }

    /// Distinct words that were too rare to be kept.
    #[getter]
    fn n_left_out_words(&self) -> u64 {
        self.counts.left_out().n_words
    }

    /// How often these occur, together.
    #[getter]
    fn n_left_out(&self) -> u64 {
        self.counts.left_out().n
    }

    /// Every word and its count, in the order of first appearance.
    fn items<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, u64)> {
        self.counts.iter().map(|(word, n)| (PyBytes::new(py, word), n)).collect()
    }

    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        interrupt::run(py, usize::MAX, |ctl| self.counts.fingerprint(ctl))
    }
}

fn options_of(options: &Bound<'_, PyDict>) -> PyResult<BpeOptions> {
    let item = |name: &str| options.as_any().get_item(name);
    let number = |name: &str| Ok::<_, PyErr>(item(name)?.extract::<Option<usize>>()?.unwrap_or(usize::MAX));
    Ok(BpeOptions {
        base: if item("base")?.extract::<String>()? == "bytes" { Base::Bytes } else { Base::Characters },
        score: match item("score")?.extract::<String>()?.as_str() {
            "wordpiece" => Score::WordPiece,
            _ => Score::Count,
        },
        ties: match item("ties")?.extract::<String>()?.as_str() {
            "first-seen" => Ties::FirstSeen,
            "lexicographic" => Ties::Lexicographic,
            "smallest-ids" => Ties::SmallestIds,
            _ => Ties::Hf,
        },
        layout: if item("id_layout")?.extract::<String>()? == "bytes" { Layout::Bytes } else { Layout::Hf },
        vocab_size: number("vocab_size")?,
        n_merges: number("n_merges")?,
        min_frequency: item("min_frequency")?.extract()?,
        special_tokens: item("special_tokens")?.extract()?,
        initial_alphabet: item("initial_alphabet")?.extract()?,
        limit_alphabet: item("limit_alphabet")?.extract()?,
        max_token_length: item("max_token_length")?.extract()?,
        continuing_subword_prefix: item("continuing_subword_prefix")?.extract()?,
        end_of_word_suffix: item("end_of_word_suffix")?.extract()?,
        end_of_word: item("end_of_word")?.extract()?,
        steps: item("steps")?.extract()?,
    })
}

/// Memory, in bytes, that learning from distinct words of so many symbols takes at its peak, the words included.
#[pyfunction]
pub fn learning_bytes(n_words: u64, n_symbols: u64) -> u64 {
    train::memory::needed(n_words, n_symbols)
}

/// What a BPE trainer learns of counted words, and their fingerprint. `progress` is called with the merges so far, now
/// and then.
#[pyfunction]
#[pyo3(signature = (counts, options, progress=None, *, n_threads=None, tell_every_s=None))]
pub fn train_bpe<'py>(
    py: Python<'py>,
    counts: &WordCounts,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
    n_threads: Option<usize>,
    tell_every_s: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options_of(options)?;
    // Words that few bytes spell may still be merged long.
    let every = tell_every_s.map(Duration::try_from_secs_f64).transpose();
    let every = every.map_err(|error| PyValueError::new_err(format!("tell_every_s: {error}")))?;
    let told = Told::new(progress, every);
    let (trained, fingerprint) = interrupt::run_told(py, usize::MAX, told, |ctl| {
        let learn = || train::bpe::train(&counts.counts, &options, ctl);
        fingerprint::beside(&counts.counts, n_threads, ctl, learn).map_err(Failed::from)
    })?;
    let out = dict(py, trained)?;
    out.set_item("fingerprint", fingerprint)?;
    Ok(out)
}

fn dict(py: Python<'_>, trained: Trained) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("tokens", trained.tokens)?;
    let merges = trained.merges.iter().map(|merge| (merge.left, merge.right, merge.product, merge.count));
    out.set_item("merges", merges.collect::<Vec<_>>())?;
    out.set_item("n_alphabet", trained.n_alphabet)?;
    out.set_item("dropped", trained.dropped)?;
    out.set_item("n_symbols", trained.n_symbols)?;
    let steps = trained.steps.into_iter().map(step);
    out.set_item("steps", steps.collect::<Vec<_>>())?;
    Ok(out)
}

type Scores = Vec<((u32, u32), (u64, u128))>;
type StepParts = ((u32, u32, u32, u64), Vec<((u32, u32), u64)>, Scores, Vec<Vec<u32>>, u64);

fn step(step: Step) -> StepParts {
    let merge = (step.merge.left, step.merge.right, step.merge.product, step.merge.count);
    (merge, step.counts, step.scores, step.corpus, step.n_symbols)
}

/// How often each merge of a model applies to counted words: symbols before any, characters, and that.
#[pyfunction]
pub fn train_curve(
    py: Python<'_>,
    counts: &WordCounts,
    model: &Bound<'_, PyDict>,
) -> PyResult<(u64, u64, Vec<u64>)> {
    let item = |name: &str| model.as_any().get_item(name);
    let model = CurveModel {
        base: if item("base")?.extract::<String>()? == "bytes" { Base::Bytes } else { Base::Characters },
        alphabet: item("alphabet")?.extract()?,
        merges: item("merges")?.extract()?,
        prefix: item("prefix")?.extract()?,
        suffix: item("suffix")?.extract()?,
        end_of_word: item("end_of_word")?.extract()?,
        unk: item("unk")?.extract()?,
    };
    let applied = interrupt::run(py, usize::MAX, |ctl| curve::applied(&counts.counts, &model, ctl))?;
    let Applied { n_symbols, n_chars, n_applied } = applied;
    Ok((n_symbols, n_chars, n_applied))
}
