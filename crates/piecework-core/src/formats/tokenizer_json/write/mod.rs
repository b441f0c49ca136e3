//! Writes a `tokenizer.json`, field for field as tokenizers 0.23 writes one. What is written is read again
//! before it is handed out: a file that would not hold the whole tokenizer is refused, not written.

mod added;
mod equivalent;
mod json;
mod model;
mod post_processor;
mod pre_tokenizers;
mod stages;

use json::{Json, object};

pub(super) use equivalent::source_of;

use super::read_as_written;
use crate::definition::Definition;
use crate::error::{Error, Result};

/// Returns the tokenizer as the bytes of a `tokenizer.json`, and whether [`super::read`] gives it back, all but which
/// tokens only the files around a tokenizer make control tokens. One that tiktoken's files describe is written as the
/// pipeline of tokenizers that gives the same ids; where it is not told by its form, it comes back as that.
///
/// # Errors
/// [`Error::Format`] for what the format cannot say, with the part and the reason.
///
/// Complexity: O(size); a vocabulary without listed merges takes O(bytes · longest token) more.
pub fn write(definition: &Definition) -> Result<(Vec<u8>, bool)> {
    let said = equivalent::of(definition)?;
    let said = added::with_fitting_ids(said)?;
    let file = object([
        ("version", "1.0".into()),
        ("truncation", Json::Null),
        ("padding", Json::Null),
        ("added_tokens", added::write(&said)),
        ("normalizer", stages::normalizers(&said.normalizers)?),
        ("pre_tokenizer", pre_tokenizers::write(&said)?),
        ("post_processor", post_processor::write(&said)),
        ("decoder", stages::decoder(&said.decoder)?),
        ("model", model::write(&said)?),
    ]);
    let bytes = serde_json::to_vec_pretty(&file)
        .map_err(|error| refuse("the file", format!("it cannot be written: {error}")))?;
    let found = check(&bytes, &said)?;
    let is_same = source_of(found).with_controls(definition.controls.clone())? == *definition;
    Ok((bytes, is_same))
}

/// Returns what the file gives; refuses one that does not give `said` back.
fn check(bytes: &[u8], said: &Definition) -> Result<Definition> {
    let found = read_as_written(bytes)
        .map(|(found, _)| found)
        .and_then(|found| found.with_controls(said.controls.clone()))
        .map_err(|error| refuse("the file", format!("it would not be read again: {error}")))?;
    let parts = [
        ("vocab", found.vocab == said.vocab),
        ("model", found.model == said.model),
        ("normalizer", found.normalizers == said.normalizers),
        ("pre_tokenizer", found.pre_tokenizers == said.pre_tokenizers),
        ("added_tokens", found.added == said.added),
        ("post_processor", found.post_processor == said.post_processor),
        ("decoder", found.decoder == said.decoder),
    ];
    match parts.iter().find(|(_, is_same)| !is_same) {
        None => Ok(found),
        Some((part, _)) => Err(refuse(part, "a tokenizer.json cannot hold it as it is".to_owned())),
    }
}

/// Returns the error for a part that cannot be said.
fn refuse(part: &str, reason: String) -> Error {
    Error::format(part, reason)
}

#[cfg(test)]
mod tests;
