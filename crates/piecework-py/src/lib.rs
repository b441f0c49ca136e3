//! The Python module `piecework._core`: one file a class, no logic. What it offers is written down in
//! `python/piecework/_core.pyi`.

mod arguments;
mod arrow;
mod batch;
mod buffer;
mod encoding;
mod errors;
mod ids;
mod info;
mod interrupt;
mod lists;
mod reasons;
mod rows;
mod sample;
mod stages;
mod stream;
mod text;
mod texts;
mod tokenizer;
mod train;
mod word_counter;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use super::{Bound, PyModule, PyResult};
    use pyo3::types::PyModuleMethods;

    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::buffer::{Counts, Ids};
    #[pymodule_export]
    use super::encoding::Encoding;
    #[pymodule_export]
    use super::rows::{Rows, rows};
    #[pymodule_export]
    use super::sample::{nbest, sample};
    #[pymodule_export]
    use super::stages::Pretokens;
    #[pymodule_export]
    use super::stream::{DecodeStream, EncodeStream};
    #[pymodule_export]
    use super::tokenizer::Tokenizer;
    #[pymodule_export]
    use super::train::{WordCounts, learning_bytes, train_bpe, train_curve};
    #[pymodule_export]
    use super::word_counter::{WordBatches, WordCounter};
    #[pymodule_export]
    use super::{
        byte_alphabet, debug_class, debug_normalize, debug_split, detect, gguf_beside, gguf_front,
        known_tiktoken, nfc, words,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("SEGMENTER", piecework_core::words::SEGMENTER)?;
        module.add("ENTRY_BYTES", piecework_core::train::memory::BYTES_PER_ENTRY)?;
        super::buffer::register(module)
    }
}

/// The 256 display characters of the byte alphabet, in byte order.
#[pyfunction]
fn byte_alphabet() -> Vec<String> {
    (0..=u8::MAX).map(|byte| piecework_core::byte_alphabet::byte_to_char(byte).to_string()).collect()
}

/// What a file is by its content: a short name, and what it looks like in words.
#[pyfunction]
fn detect(data: &[u8]) -> (&'static str, &'static str) {
    let kind = piecework_core::formats::detect(data);
    (kind.name(), kind.phrase())
}

/// How many bytes at the front of a GGUF file hold its tokenizer; `None` where more than `data` is needed.
#[pyfunction]
fn gguf_front(py: Python<'_>, data: &[u8]) -> PyResult<Option<usize>> {
    piecework_core::formats::gguf::n_front_bytes(data).map_err(|error| errors::raised(py, error))
}

/// What a GGUF file says beside its tokenizer: its chat template, the model's name, and what is odd.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple of what is written in the stub")]
fn gguf_beside(py: Python<'_>, data: &[u8]) -> PyResult<(Option<String>, Option<String>, Vec<String>)> {
    let contents = piecework_core::formats::gguf::read(data).map_err(|error| errors::raised(py, error))?;
    let notes = contents.notes.iter().map(ToString::to_string).collect();
    Ok((contents.chat_template, contents.name, notes))
}

/// The encoding whose `.tiktoken` file `data` is.
#[pyfunction]
fn known_tiktoken(py: Python<'_>, data: &[u8]) -> PyResult<Option<&'static str>> {
    let vocab = piecework_core::formats::tiktoken::read(data).map_err(|error| errors::raised(py, error))?;
    Ok(piecework_core::formats::tiktoken::known_encoding(&vocab))
}

/// NFC as the reference has it.
#[pyfunction]
fn nfc(py: Python<'_>, text: &str) -> PyResult<String> {
    interrupt::run(py, text.len(), |ctl| {
        piecework_core::normalize::nfc(text, ctl).map(std::borrow::Cow::into_owned)
    })
}

/// The byte spans of the words of a text by the rules of Unicode.
#[pyfunction]
fn words(py: Python<'_>, text: &str) -> PyResult<Vec<(usize, usize)>> {
    let spans = interrupt::run(py, text.len(), |ctl| piecework_core::words::words(text, ctl))?;
    Ok(spans.into_iter().map(|span| (span.start, span.end)).collect())
}

/// The class bits of a code point, for tests against the references.
#[pyfunction]
#[pyo3(name = "_debug_class")]
fn debug_class(code: u32) -> u8 {
    piecework_core::unicode::class_of_code(code)
}

/// The byte spans that one `Split` pre-tokenizer makes of each text, by the general splitter, for tests against
/// the references.
#[pyfunction]
#[pyo3(name = "_debug_split")]
fn debug_split(
    py: Python<'_>,
    pattern: String,
    behavior: &str,
    invert: bool,
    profile: &str,
    texts: Vec<String>,
) -> PyResult<Vec<Vec<(usize, usize)>>> {
    use piecework_core::definition::{Behavior, PreTokenizer, Profile};
    let behavior = match behavior {
        "removed" => Behavior::Removed,
        "isolated" => Behavior::Isolated,
        "merged_with_previous" => Behavior::MergedWithPrevious,
        "merged_with_next" => Behavior::MergedWithNext,
        _ => Behavior::Contiguous,
    };
    let profile = if profile == "tiktoken" { Profile::Tiktoken } else { Profile::Tokenizers };
    let stages = [PreTokenizer::Split { pattern, behavior, invert }];
    let n_bytes = texts.iter().map(String::len).sum();
    let cuts = interrupt::run(py, n_bytes, |ctl| {
        let splitter = piecework_core::split::Splitter::new(&stages, profile)?;
        let (mut scratch, mut ticker) = (splitter.scratch(), ctl.ticker());
        texts
            .into_iter()
            .map(|text| {
                let mut spans = Vec::new();
                splitter.split(&text, &mut scratch, &mut spans, &mut ticker)?;
                Ok(spans)
            })
            .collect::<piecework_core::error::Result<Vec<_>>>()
    })?;
    let pairs = |spans: Vec<piecework_core::span::Span>| {
        spans.into_iter().map(|span| (span.start, span.end)).collect()
    };
    Ok(cuts.into_iter().map(pairs).collect())
}

/// Each text normalized, and the bytes of it that each character comes from, for tests against the references.
/// `normalizers` are JSON, as the definition has them; `user_defined` are SentencePiece's pieces of that kind.
#[pyfunction]
#[pyo3(name = "_debug_normalize")]
#[allow(
    clippy::type_complexity,
    clippy::needless_pass_by_value,
    reason = "what the stub says, out of Python's own objects"
)]
fn debug_normalize(
    py: Python<'_>,
    normalizers: &str,
    user_defined: Vec<String>,
    texts: Vec<String>,
) -> PyResult<Vec<(String, Vec<(usize, usize)>)>> {
    use piecework_core::definition::Profile;
    use piecework_core::normalize::Normalizers;
    use piecework_core::span::Span;
    let pieces: Vec<&[u8]> = user_defined.iter().map(String::as_bytes).collect();
    let n_bytes = texts.iter().map(String::len).sum();
    interrupt::run(py, n_bytes, |ctl| {
        let parsed: Vec<_> = serde_json::from_str(normalizers)
            .map_err(|error| piecework_core::error::Error::format("normalizers", error.to_string()))?;
        let compiled = Normalizers::new(&parsed, &pieces, Profile::Tokenizers)?;
        texts
            .iter()
            .map(|text| {
                let (normalized, alignment) = compiled.normalize_aligned(text, ctl)?;
                let plain = compiled.normalize(text, ctl)?;
                let spans = normalized.char_indices().map(|(at, c)| {
                    let source = alignment.to_original(Span::new(at, at + c.len_utf8()));
                    (source.start, source.end)
                });
                let spans = if plain == normalized { spans.collect() } else { Vec::new() };
                Ok((normalized.into_owned(), spans))
            })
            .collect()
    })
}
