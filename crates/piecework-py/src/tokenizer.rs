//! `Tokenizer`: each method takes its text, runs the engine, and wraps the result.

#![allow(
    clippy::needless_pass_by_value,
    reason = "extracted arguments are handed over, whether they are used up or not"
)]

use std::borrow::Cow;
use std::sync::Arc;

use piecework_core::batch::Failed;
use piecework_core::decode;
use piecework_core::definition::Definition;
use piecework_core::error::Error;
use piecework_core::formats;
use piecework_core::formats::tokenizer_json::Note;
use piecework_core::id::TokenId;
use piecework_core::interrupt::Ctl;
use piecework_core::tokenizer::{Options, Tokenizer as Engine};
use piecework_core::truncate::Side;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString, PyTuple};

use crate::arguments::{ErrorsWord, SpecialWord, pattern_of, special_tokens_of};
use crate::batch::Batch;
use crate::buffer::{Counts, Ids};
use crate::encoding::{Control, Encoding, controls};
use crate::errors::unknown_id;
use crate::ids::{id_of, ids_of};
use crate::stream::{DecodeStream, EncodeStream, is_strict};
use crate::text::{Text, options};
use crate::texts::Texts;
use crate::{info, interrupt, reasons, stages};

/// A loaded tokenizer; immutable and safe from many threads.
#[pyclass(frozen, module = "piecework._core", weakref)]
pub struct Tokenizer {
    engine: Arc<Engine>,
    /// What is odd about the file it was read from.
    notes: Vec<String>,
}

type Trusted = Option<Vec<(usize, usize)>>;

fn built(
    py: Python<'_>,
    n_bytes: usize,
    read: impl FnOnce() -> Result<Definition, Error> + Send,
) -> PyResult<Tokenizer> {
    noted(py, n_bytes, || Ok((read()?, Vec::new())), |error| error)
}

/// As [`built`], of a reader that says what is odd; `in_file` says where in the file stands what compiling refuses.
fn noted(
    py: Python<'_>,
    n_bytes: usize,
    read: impl FnOnce() -> Result<(Definition, Vec<Note>), Error> + Send,
    in_file: impl FnOnce(Error) -> Error + Send,
) -> PyResult<Tokenizer> {
    let (engine, notes) = interrupt::run(py, n_bytes, |_| {
        let (definition, notes) = read()?;
        Ok((Engine::new(definition).map_err(in_file)?, notes))
    })?;
    let notes = notes.iter().map(ToString::to_string).collect();
    Ok(Tokenizer { engine: Arc::new(engine), notes })
}

/// Returns the bytes that an id stands for in the middle of a text; none for an id that is no token.
pub fn piece_bytes(engine: &Engine, id: u32) -> Cow<'_, [u8]> {
    decode::piece_bytes(engine.definition(), TokenId(id)).unwrap_or_default()
}

/// Returns an id's text as a person reads it.
pub fn readable_piece(engine: &Engine, id: u32) -> String {
    decode::readable(&piece_bytes(engine, id))
}

/// Returns an id's text as the vocabulary holds it.
pub fn vocab_piece(engine: &Engine, id: u32) -> String {
    decode::spelling(engine.definition(), TokenId(id)).unwrap_or_default().into_owned()
}

impl Tokenizer {
    fn run<T: Send>(
        &self,
        text: &Text<'_>,
        options: &Options,
        work: impl FnOnce(&Engine, &str, &Options, &Ctl<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let (engine, string) = (&self.engine, text.as_str());
        interrupt::run(text.py(), string.len(), |ctl| work(engine, string, options, ctl))
    }

    fn batch<T: Send>(
        &self,
        texts: &Bound<'_, PyAny>,
        errors: &str,
        work: impl FnOnce(&Engine, &[&str], &Ctl<'_>) -> Result<T, Failed> + Send,
    ) -> PyResult<T> {
        let py = texts.py();
        let texts = Texts::new(texts, errors)?;
        let strs = texts.as_strs(py)?;
        let n_bytes = strs.iter().map(|text| text.len()).sum();
        let engine = &self.engine;
        interrupt::run_batch(py, n_bytes, |ctl| work(engine, &strs, ctl))
    }

    fn written<T: Send + 'static>(
        &self,
        py: Python<'_>,
        write: fn(&Definition) -> Result<T, Error>,
    ) -> PyResult<T> {
        let engine = Arc::clone(&self.engine);
        interrupt::run_aside(py, move || write(engine.definition()))
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    fn vocab_size_(&self) -> usize {
        self.engine.definition().vocab_size()
    }

    fn known(&self, id: &Bound<'_, PyAny>) -> PyResult<u32> {
        let number = id_of(id, None, self.vocab_size_())?;
        match self.engine.definition().bytes(TokenId(number)) {
            Some(_) => Ok(number),
            None => Err(unknown_id(id, None, self.vocab_size_())),
        }
    }
}

#[pymethods]
impl Tokenizer {
    #[staticmethod]
    fn from_pack(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        built(py, data.len(), || formats::pack::read(data))
    }

    #[staticmethod]
    #[pyo3(signature = (data, *, pattern=None, special_tokens=None))]
    fn from_tiktoken(
        py: Python<'_>,
        data: &[u8],
        pattern: Option<&Bound<'_, PyAny>>,
        special_tokens: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<Self> {
        let Some(pattern) = pattern else {
            return Err(PyValueError::new_err("a .tiktoken file holds no pattern: give pattern="));
        };
        let pattern = pattern_of(pattern)?;
        let special = special_tokens.map(special_tokens_of).transpose()?.unwrap_or_default();
        let read = || Ok((formats::tiktoken::definition(data, &pattern, &special)?, Vec::new()));
        noted(py, data.len(), read, |error| error.in_file(&[("pre_tokenizers[0].pattern", "pattern")]))
    }

    #[staticmethod]
    fn from_tokenizer_json(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let read = || Ok((formats::tokenizer_json::read(data)?, Vec::new()));
        noted(py, data.len(), read, |error| formats::tokenizer_json::in_file(data, error))
    }

    #[staticmethod]
    #[pyo3(signature = (data, *, add_bos=None, add_eos=None))]
    #[allow(clippy::similar_names, reason = "the names that files have")]
    fn from_sentencepiece(
        py: Python<'_>,
        data: &[u8],
        add_bos: Option<bool>,
        add_eos: Option<bool>,
    ) -> PyResult<Self> {
        let options = formats::sentencepiece::Options { add_bos, add_eos };
        let read = || formats::sentencepiece::read_with_notes(data, options);
        noted(py, data.len(), read, |error| {
            error.in_file(&[("normalizers[0]", "normalizer_spec.precompiled_charsmap")])
        })
    }

    #[staticmethod]
    fn from_tekken(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let read = || Ok((formats::tekken::read(data)?, Vec::new()));
        noted(py, data.len(), read, |error| error.in_file(&[("pre_tokenizers[0].pattern", "config.pattern")]))
    }

    #[staticmethod]
    fn from_gguf(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let read = || formats::gguf::read(data).map(|contents| (contents.definition, contents.notes));
        noted(py, data.len(), read, |error| {
            error.in_file(&[("normalizers[0]", "tokenizer.ggml.precompiled_charsmap")])
        })
    }

    #[staticmethod]
    #[pyo3(signature = (vocab, options_json=""))]
    fn from_wordpiece(py: Python<'_>, vocab: &[u8], options_json: &str) -> PyResult<Self> {
        noted(py, vocab.len(), || formats::wordpiece::read(vocab, options_json), |error| error)
    }

    #[staticmethod]
    #[pyo3(signature = (vocab, merges, options_json=""))]
    fn from_vocab_merges(py: Python<'_>, vocab: &[u8], merges: &[u8], options_json: &str) -> PyResult<Self> {
        let n_bytes = vocab.len() + merges.len();
        noted(py, n_bytes, || formats::vocab_merges::read(vocab, merges, options_json), |error| error)
    }

    #[staticmethod]
    fn from_definition(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        built(py, data.len(), || Definition::from_bytes(data))
    }

    /// The tokenizer with what its directory adds; the arguments are those of `directory::Additions`.
    #[pyo3(signature = (*, added, controls, around))]
    fn with_additions(
        &self,
        py: Python<'_>,
        added: Vec<Bound<'_, PyDict>>,
        controls: Vec<(String, String)>,
        around: Option<(Vec<u32>, Vec<u32>)>,
    ) -> PyResult<Self> {
        let additions = info::additions(&added, controls, around)?;
        let engine = &self.engine;
        built(py, usize::MAX, || formats::directory::with_additions(engine.definition().clone(), &additions))
    }

    /// What is odd about the file that the tokenizer was read from, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn definition<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.engine.definition().to_bytes())
    }

    /// The tokenizer as a tokenizer.json, and whether that gives it back.
    fn to_tokenizer_json<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, bool)> {
        let (bytes, is_same) = self.written(py, formats::tokenizer_json::write)?;
        Ok((PyBytes::new(py, &bytes), is_same))
    }

    /// The ranks as a .tiktoken file.
    fn to_tiktoken<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let text = self.written(py, formats::tiktoken::write_definition)?;
        Ok(PyBytes::new(py, text.as_bytes()))
    }

    /// A vocab.json and a merges.txt.
    fn to_vocab_merges<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (vocab, merges) = self.written(py, formats::vocab_merges::write)?;
        Ok((PyBytes::new(py, vocab.as_bytes()), PyBytes::new(py, merges.as_bytes())))
    }

    #[pyo3(signature = (text, special, add_special_tokens, errors, trusted=None))]
    fn ids(
        &self,
        text: &Bound<'_, PyAny>,
        special: SpecialWord,
        add_special_tokens: bool,
        errors: ErrorsWord,
        trusted: Trusted,
    ) -> PyResult<Ids> {
        let text =
            if trusted.is_some() { Text::new(text, &errors) } else { Text::without_places(text, &errors) }?;
        let options = text.options(&special, add_special_tokens, trusted)?;
        self.run(&text, &options, Engine::ids).map(Ids::new)
    }

    #[pyo3(signature = (text, special, add_special_tokens, errors, trusted=None))]
    fn count(
        &self,
        text: &Bound<'_, PyAny>,
        special: SpecialWord,
        add_special_tokens: bool,
        errors: ErrorsWord,
        trusted: Trusted,
    ) -> PyResult<usize> {
        let text =
            if trusted.is_some() { Text::new(text, &errors) } else { Text::without_places(text, &errors) }?;
        let options = text.options(&special, add_special_tokens, trusted)?;
        self.run(&text, &options, Engine::count)
    }

    fn count_up_to(
        &self,
        text: &Bound<'_, PyAny>,
        max_tokens: usize,
        special: SpecialWord,
        add_special_tokens: bool,
        errors: ErrorsWord,
    ) -> PyResult<Option<usize>> {
        let text = Text::without_places(text, &errors)?;
        let options = text.options(&special, add_special_tokens, None)?;
        self.run(&text, &options, |engine, text, options, ctl| {
            engine.count_up_to(text, max_tokens, options, ctl)
        })
    }

    fn truncate<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        max_tokens: usize,
        side: &str,
        special: SpecialWord,
        add_special_tokens: bool,
        errors: ErrorsWord,
    ) -> PyResult<Bound<'py, PyString>> {
        let side = match side {
            "left" => Side::Left,
            "right" => Side::Right,
            other => {
                return Err(PyValueError::new_err(format!("side is \"left\" or \"right\", not {other:?}")));
            }
        };
        let text = Text::without_places(text, &errors)?;
        let options = text.options(&special, add_special_tokens, None)?;
        let span = self.run(&text, &options, |engine, text, options, ctl| {
            engine.truncate(text, max_tokens, side, options, ctl)
        })?;
        Ok(PyString::new(text.py(), text.as_str().get(span.range()).unwrap_or("")))
    }

    #[pyo3(signature = (text, special, add_special_tokens, errors, trusted=None))]
    fn encode(
        &self,
        text: &Bound<'_, PyAny>,
        special: SpecialWord,
        add_special_tokens: bool,
        errors: ErrorsWord,
        trusted: Trusted,
    ) -> PyResult<Encoding> {
        let text = Text::new(text, &errors)?;
        let options = text.options(&special, add_special_tokens, trusted)?;
        let encoded = self.run(&text, &options, Engine::encoding)?;
        Ok(Encoding::new(Arc::clone(&self.engine), encoded, text))
    }

    fn encode_batch(
        &self,
        texts: &Bound<'_, PyAny>,
        special: SpecialWord,
        add_special_tokens: bool,
        errors: ErrorsWord,
        n_threads: Option<usize>,
    ) -> PyResult<Batch> {
        let options = options(&special, add_special_tokens, None)?;
        self.batch(texts, &errors, |engine, texts, ctl| engine.batch(texts, &options, n_threads, ctl))
            .map(Batch::new)
    }

    fn count_batch(
        &self,
        texts: &Bound<'_, PyAny>,
        special: SpecialWord,
        add_special_tokens: bool,
        errors: ErrorsWord,
        n_threads: Option<usize>,
    ) -> PyResult<Counts> {
        let options = options(&special, add_special_tokens, None)?;
        self.batch(texts, &errors, |engine, texts, ctl| engine.count_batch(texts, &options, n_threads, ctl))
            .map(Counts::new)
    }

    fn decode(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        errors: ErrorsWord,
        skip_special: bool,
    ) -> PyResult<String> {
        let ids = ids_of(ids, self.vocab_size_())?;
        let strict = is_strict(&errors)?;
        let engine = &self.engine;
        interrupt::run(py, ids.len() * 4, |ctl| engine.decoding().text(&ids, skip_special, strict, ctl))
    }

    fn decode_bytes<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        skip_special: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = ids.py();
        let ids = ids_of(ids, self.vocab_size_())?;
        let engine = &self.engine;
        let bytes =
            interrupt::run(py, ids.len() * 4, |ctl| engine.decoding().bytes(&ids, skip_special, ctl))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn decoder(&self, skip_special: bool, errors: &str, stop: Vec<String>) -> PyResult<DecodeStream> {
        DecodeStream::new(&self.engine, skip_special, errors, &stop)
    }

    fn encoder(&self, special: &str, add_special_tokens: bool, errors: &str) -> PyResult<EncodeStream> {
        EncodeStream::new(&self.engine, special, add_special_tokens, errors)
    }

    fn stages<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        special: SpecialWord,
        errors: ErrorsWord,
    ) -> PyResult<Bound<'py, PyDict>> {
        let text = Text::new(text, &errors)?;
        let options = text.options(&special, false, None)?;
        let sections = self.run(&text, &options, Engine::stages)?;
        stages::dict(text.py(), &self.engine, text.as_str(), sections)
    }

    /// (pretokens, distinct ones, ids, the first whose record ends with other ids than it has) of a text.
    fn replayed(
        &self,
        text: &Bound<'_, PyAny>,
        special: SpecialWord,
    ) -> PyResult<(usize, usize, usize, Option<String>)> {
        let text = Text::new(text, "strict")?;
        let options = text.options(&special, false, None)?;
        let found = self.run(&text, &options, Engine::replayed)?;
        Ok((found.n_pretokens, found.n_distinct, found.n_ids, found.different))
    }

    /// Why the model makes its tokens of one pretoken, given as the model sees it; of more steps the first `max_steps`.
    #[pyo3(signature = (piece, max_steps=None))]
    fn reasons<'py>(
        &self,
        py: Python<'py>,
        piece: &str,
        max_steps: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (engine, max_steps) = (&self.engine, max_steps.unwrap_or(usize::MAX));
        let found = interrupt::run(py, piece.len(), |ctl| engine.reasons(piece, max_steps, ctl))?;
        reasons::dict(py, engine.definition(), piece, max_steps, &found)
    }

    fn piece(&self, id: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(readable_piece(&self.engine, self.known(id)?))
    }

    fn vocab_piece(&self, id: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(vocab_piece(&self.engine, self.known(id)?))
    }

    fn piece_bytes<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(id.py(), &piece_bytes(&self.engine, self.known(id)?)))
    }

    /// The id of a piece: its bytes, its text, or its form in the vocabulary.
    fn id(&self, piece: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let definition = self.engine.definition();
        let added_as = |bytes: &[u8]| {
            definition.added.iter().find(|token| token.content.as_bytes() == bytes).map(|token| token.id)
        };
        if let Ok(bytes) = piece.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            return Ok(added_as(bytes).or_else(|| definition.vocab.get(bytes)).map(|id| id.0));
        }
        let text: String = piece.extract()?;
        let added = added_as(text.as_bytes());
        let learned = || definition.vocab.get(text.as_bytes());
        let spelled = || definition.vocab.get(&piecework_core::byte_alphabet::parse(&text)?);
        Ok(added.or_else(learned).or_else(spelled).map(|id| id.0))
    }

    #[getter]
    fn vocab_size(&self) -> usize {
        self.vocab_size_()
    }

    #[getter]
    fn n_tokens(&self) -> usize {
        self.engine.definition().n_tokens()
    }

    #[getter]
    fn n_base(&self) -> usize {
        self.engine.definition().n_base()
    }

    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> String {
        let engine = &self.engine;
        py.detach(|| engine.fingerprint().to_owned())
    }

    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for token in self.engine.definition().added.iter().filter(|token| token.special) {
            out.set_item(&token.content, token.id.0)?;
        }
        Ok(out)
    }

    #[getter]
    fn added_tokens<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.engine.definition().added.iter().map(|token| info::added(py, token)).collect()
    }

    #[getter]
    fn control_tokens(&self) -> Vec<(String, u32, &'static str)> {
        let controls = &self.engine.definition().controls;
        controls
            .iter()
            .map(|control| (vocab_piece(&self.engine, control.id.0), control.id.0, control.reason.name()))
            .collect()
    }

    fn find_controls(&self, text: &Bound<'_, PyAny>, errors: ErrorsWord) -> PyResult<Vec<Control>> {
        let text = Text::new(text, &errors)?;
        let found =
            self.run(&text, &Options::default(), |engine, text, _, ctl| engine.controls(text, ctl))?;
        Ok(controls(&self.engine, text.as_str(), text.replaced(), &found))
    }

    fn added_by_post_processor(&self) -> (Vec<u32>, Vec<u32>) {
        self.engine.added_around()
    }

    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        info::dict(py, &self.engine)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let definition = slf.get().definition(slf.py());
        Ok((slf.get_type().getattr("from_definition")?, PyTuple::new(slf.py(), [definition])?))
    }
}
