//! What counts words, and counted words on their way out. The arguments are checked by the caller.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use piecework_core::batch::Failed;
use piecework_core::error::{Error, Result};
use piecework_core::formats::tokenizer_json;
use piecework_core::interrupt::Ctl;
use piecework_core::train::Place;
use piecework_core::train::count::{Counter, Progress};
use piecework_core::train::gather::Batches;
use piecework_core::train::memory::Cap;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};

use crate::interrupt;
use crate::texts::Texts;
use crate::train::WordCounts;

/// Counts the words of texts by the stages before the model of a `tokenizer.json`.
#[pyclass(frozen, module = "piecework._core")]
pub struct WordCounter {
    counter: Mutex<Option<Counter>>,
    progress: Arc<Progress>,
}

fn taken<T>(_: T) -> PyErr {
    PyRuntimeError::new_err("the counts are taken")
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl WordCounter {
    /// Runs `work` with the counter.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        n_bytes: usize,
        work: impl FnOnce(&Counter, &Ctl<'_>) -> std::result::Result<T, Failed> + Send,
    ) -> PyResult<T> {
        // A thread that waits for the counter holds no lock that the one that has it needs.
        let done = interrupt::run_batch(py, n_bytes.saturating_add(1 << 12), |ctl| {
            match self.counter.lock().as_deref() {
                Ok(Some(counter)) => work(counter, ctl).map(Some),
                _ => Ok(None),
            }
        });
        done?.ok_or_else(|| taken(()))
    }

    /// Runs `work` with the counter, which is gone then.
    fn take<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Counter, &Ctl<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let counter = py.detach(|| self.counter.lock().map_err(taken)?.take().ok_or_else(|| taken(())))?;
        interrupt::run(py, usize::MAX, |ctl| work(counter, ctl))
    }
}

#[pymethods]
impl WordCounter {
    #[new]
    #[pyo3(signature = (file, by_line, *, max_table_bytes=None, folder=None, is_named=false))]
    fn new(
        py: Python<'_>,
        file: &[u8],
        by_line: bool,
        max_table_bytes: Option<usize>,
        folder: Option<PathBuf>,
        is_named: bool,
    ) -> PyResult<Self> {
        let counter = interrupt::run(py, file.len(), |_| {
            let definition = tokenizer_json::read(file)?;
            let counter = Counter::new(&definition, by_line);
            let counter = counter.map_err(|error| tokenizer_json::in_file(file, error))?;
            Ok(counter.within(max_table_bytes, Place { folder, is_named }))
        })?;
        let progress = counter.progress();
        Ok(Self { counter: Mutex::new(Some(counter)), progress })
    }

    #[pyo3(signature = (texts, errors, n_threads, times=1))]
    fn feed(
        &self,
        texts: &Bound<'_, PyAny>,
        errors: &str,
        n_threads: Option<usize>,
        times: u64,
    ) -> PyResult<()> {
        let py = texts.py();
        let texts = Texts::new(texts, errors)?;
        let strs = texts.as_strs(py)?;
        let n_bytes = strs.iter().map(|text| text.len()).sum();
        self.run(py, n_bytes, |counter, ctl| counter.feed(&strs, times, n_threads, ctl))
    }

    /// Counts words that are counted already.
    #[allow(clippy::needless_pass_by_value, reason = "what is extracted is owned")]
    fn add(&self, py: Python<'_>, words: Vec<PyBackedBytes>, counts: Vec<u64>) -> PyResult<()> {
        if words.len() != counts.len() {
            let message = format!("{} words have {} counts", words.len(), counts.len());
            return Err(PyValueError::new_err(message));
        }
        let n_bytes = words.iter().map(|word| word.len() + 8).sum();
        let pairs = words.iter().zip(&counts).map(|(word, &n)| (&**word, n));
        self.run(py, n_bytes, |counter, ctl| Ok(counter.add(pairs, ctl)?))
    }

    /// Counts the words of whole lines of word, tab and count.
    fn add_tsv(&self, py: Python<'_>, block: &[u8], first_line: u64) -> PyResult<()> {
        self.run(py, block.len(), |counter, ctl| Ok(counter.add_tsv(block, first_line, ctl)?))
    }

    /// Writes all tables to disk; the names of all runs, where they have names.
    fn spill(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, usize::MAX, |counter, ctl| Ok(counter.spill(ctl)?))
    }

    /// Takes over runs that an earlier process left in the folder.
    #[allow(clippy::needless_pass_by_value, reason = "what is extracted is owned")]
    fn adopt(&self, py: Python<'_>, runs: Vec<String>) -> PyResult<()> {
        self.run(py, usize::MAX, |counter, ctl| Ok(counter.adopt(&runs, ctl)?))
    }

    #[getter]
    fn n_distinct_held(&self) -> u64 {
        read(&self.progress.n_distinct_held)
    }

    #[getter]
    fn n_words(&self) -> u64 {
        read(&self.progress.n_words)
    }

    #[getter]
    fn n_bytes(&self) -> u64 {
        read(&self.progress.n_bytes)
    }

    #[getter]
    fn n_runs(&self) -> u64 {
        read(&self.progress.n_runs)
    }

    #[getter]
    fn n_run_bytes(&self) -> u64 {
        read(&self.progress.n_run_bytes)
    }

    /// Takes the counts, sorted by bytes, in batches; nothing can be fed afterwards.
    fn batches(&self, py: Python<'_>, n_words: usize) -> PyResult<WordBatches> {
        let batches = self.take(py, Counter::batches)?;
        Ok(WordBatches { batches: Mutex::new(Some(batches)), n_words: n_words.max(1) })
    }

    /// Takes the counts; nothing can be fed afterwards.
    #[pyo3(signature = (*, min_word_count=1, max_bytes=None, n_entries=0))]
    fn finish(
        &self,
        py: Python<'_>,
        min_word_count: u64,
        max_bytes: Option<u64>,
        n_entries: u64,
    ) -> PyResult<WordCounts> {
        let cap = max_bytes.map(|max_bytes| Cap { max_bytes, n_entries });
        let counts = self.take(py, |counter, ctl| counter.finish(min_word_count, cap, ctl))?;
        Ok(WordCounts { counts })
    }
}

/// Counted words on their way out.
#[pyclass(frozen, module = "piecework._core")]
pub struct WordBatches {
    batches: Mutex<Option<Batches>>,
    n_words: usize,
}

type Batch<'py> = (Bound<'py, PyList>, Bound<'py, PyList>);

#[pymethods]
impl WordBatches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Batch<'py>>> {
        let counts = interrupt::run(py, usize::MAX, |ctl| {
            let Ok(mut batches) = self.batches.lock() else { return Err(Error::Interrupted) };
            batches.as_mut().map(|batches| batches.next(self.n_words, ctl)).transpose()
        })?;
        let Some(counts) = counts.filter(|counts| !counts.is_empty()) else {
            // The runs go as soon as they are read.
            let done = py.detach(|| self.batches.lock().ok().and_then(|mut batches| batches.take()));
            drop(done);
            return Ok(None);
        };
        let words =
            PyList::new(py, counts.iter().map(|(word, _)| PyBytes::new(py, word)).collect::<Vec<_>>())?;
        let numbers = PyList::new(py, counts.iter().map(|(_, n)| n).collect::<Vec<_>>())?;
        Ok(Some((words, numbers)))
    }
}
