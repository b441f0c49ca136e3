//! `tokenizer.json` of Hugging Face tokenizers 0.23. A file is read as the reference reads it, and what
//! is not known is refused with its path in the file: no component is ever approximated or passed over.

mod added;
mod decoders;
mod model;
mod normalizers;
mod places;
mod post_processor;
mod pre_tokenizers;
mod raw;
mod stages;
mod write;

use raw::RawFile;
use serde_json::Value;

pub use places::in_file;
pub use pre_tokenizers::BYTE_LEVEL_PATTERN;
pub use write::write;

use super::json::{Node, as_text, syntax_error};
use crate::definition::{Definition, Profile, control};
use crate::error::{Error, Result};

/// Something in a file that is read as the reference reads it, and that its author may not have meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where it stands.
    pub place: String,
    /// What is said there, and what holds instead.
    pub remark: String,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.remark)
    }
}

/// Reads a `tokenizer.json`. A file's own truncation and padding are checked and left out.
///
/// # Errors
/// [`Error::Format`] with a line and column for what is no JSON or has the wrong shape,
/// and with a JSON path for a component or an option that is not supported, a merge whose parts or
/// product are no tokens, a token or an id given twice, an id over the limit.
///
/// # Examples
/// ```
/// let file = r#"{
///   "version": "1.0",
///   "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
///   "model": {"type": "BPE", "vocab": {"l": 0, "o": 1, "lo": 2}, "merges": ["l o"]}
/// }"#;
/// let definition = piecework_core::formats::tokenizer_json::read(file.as_bytes())?;
/// assert_eq!(definition.n_base(), 3);
/// # Ok::<(), piecework_core::error::Error>(())
/// ```
///
/// Complexity: O(file). Source: the reader of tokenizers 0.23.3, asked case by case.
pub fn read(data: &[u8]) -> Result<Definition> {
    read_with_notes(data).map(|(definition, _)| definition)
}

/// Reads a `tokenizer.json` and says what is odd about it. One that [`write()`] made of ranks is read as the ranks.
///
/// # Errors
/// As [`read`].
pub fn read_with_notes(data: &[u8]) -> Result<(Definition, Vec<Note>)> {
    let (definition, notes) = read_as_written(data)?;
    Ok((write::source_of(definition), notes))
}

/// Reads a `tokenizer.json` as the pipeline that it says.
fn read_as_written(data: &[u8]) -> Result<(Definition, Vec<Note>)> {
    let text = as_text(data)?;
    // The derived reader would take an array for the fields in order.
    if !text.trim_start().starts_with('{') {
        return Err(Error::format("line 1 column 1", "expected a tokenizer.json, which is a JSON object"));
    }
    let file: RawFile<'_> = serde_json::from_str(text).map_err(|error| syntax_error(&error))?;
    check_version(&Node::new(&file.version, "version"))?;
    stages::check_truncation(&Node::new(&file.truncation, "truncation"))?;
    stages::check_padding(&Node::new(&file.padding, "padding"))?;
    let normalizers = normalizers::read(&Node::new(&file.normalizer, "normalizer"))?;
    let mut pre_tokenizers = pre_tokenizers::read(&Node::new(&file.pre_tokenizer, "pre_tokenizer"))?;
    let (tokens, model) = model::read(file.model, &normalizers, &pre_tokenizers)?;
    if tokens.is_byte_level {
        // The vocabulary is held as the bytes that the last stage would spell.
        pre_tokenizers.pop();
    }
    let decoder = decoders::read(&Node::new(&file.decoder, "decoder"), tokens.is_byte_level)?;
    let mut notes = Vec::new();
    let added = added::read(&Node::new(&file.added_tokens, "added_tokens"), &tokens, &mut notes)?;
    let node = Node::new(&file.post_processor, "post_processor");
    let post_processor = post_processor::read(&node)?;
    let controls = control::resolve(&added);
    let definition = Definition {
        vocab: tokens.vocab,
        model,
        normalizers,
        pre_tokenizers,
        added,
        controls: Vec::new(),
        post_processor,
        decoder,
        profile: Profile::Tokenizers,
    }
    .with_controls(controls)?;
    post_processor::note_unknown_ids(&node, &definition, &mut notes);
    Ok((definition, notes))
}

fn check_version(version: &Node<'_>) -> Result<()> {
    match version.value() {
        Value::Null => Ok(()),
        Value::String(text) if text == "1.0" => Ok(()),
        other => Err(version.refuse(format!("expected \"1.0\", found {other}"))),
    }
}

#[cfg(test)]
mod tests;
