//! Where a component stands in the file. What only compiling it finds, such as a pattern that is none, is placed by
//! the definition's lists, which are flat and may hold several stages for one component of the file.

use super::raw::RawFile;
use super::stages::components;
use super::{normalizers, pre_tokenizers};
use crate::error::{Error, Result};
use crate::formats::json::Node;

/// Returns the error of compiling what [`super::read`] made of `data`, with its place in the definition turned into
/// the path in the file, such as `pre_tokenizer.pretokenizers[1].pattern.Regex`. Any other error comes back as it is.
/// Complexity: O(file), and only where something is wrong.
pub fn in_file(data: &[u8], error: Error) -> Error {
    match error {
        Error::Format { place, reason } => {
            let found = path(data, &place);
            Error::format(found.unwrap_or(place), reason)
        }
        other => other,
    }
}

/// Returns the path in the file of a place in the definition; `None` where it is of none of the three lists.
fn path(data: &[u8], place: &str) -> Option<String> {
    let (list, rest) = place.split_once('[')?;
    let (index, field) = rest.split_once(']')?;
    let index: usize = index.parse().ok()?;
    let file: RawFile<'_> = serde_json::from_slice(data).ok()?;
    let (value, name, parts, n_stages): (_, _, _, fn(&Node<'_>) -> Result<usize>) = match list {
        "normalizers" => (&file.normalizer, "normalizer", "normalizers", |_| Ok(1)),
        "pre_tokenizers" => (&file.pre_tokenizer, "pre_tokenizer", "pretokenizers", pre_tokenizers::n_stages),
        "decoder.steps" => (&file.decoder, "decoder", "decoders", |_| Ok(1)),
        _ => return None,
    };
    let mut n_before = 0;
    for part in components(&Node::new(value, name), parts).ok()? {
        n_before += n_stages(&part).ok()?;
        if index < n_before {
            return Some(value_in(&part, field.trim_start_matches('.')));
        }
    }
    None
}

/// Returns the path of what is wrong in a component: the pattern's own text, a field, or the table that has no other.
fn value_in(part: &Node<'_>, field: &str) -> String {
    let field = if field.is_empty() { normalizers::CHARSMAP } else { field };
    let Ok(Some(node)) = part.find(field) else {
        return part.path().to_owned();
    };
    match node.find("Regex") {
        Ok(Some(regex)) => regex.path().to_owned(),
        _ => node.path().to_owned(),
    }
}
