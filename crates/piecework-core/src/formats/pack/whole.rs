//! The second layout of a pack: the whole definition in its canonical form, for tokenizers that share their
//! tokens with no other. `tools/pack_whole.py` writes them and gives the layout byte by byte.

use serde::Deserialize;

use super::{checked_body, inflate, parse_meta, sizes};
use crate::definition::Definition;
use crate::error::{Error, Result};

/// The version of this layout.
pub(super) const VERSION: u8 = 2;

/// The metadata, less what only people read.
#[derive(Debug, Deserialize)]
struct Meta {
    name: String,
    n_vocab: usize,
}

/// Reads a pack of this layout, whose magic and version were looked at.
///
/// # Errors
/// As [`super::read`].
pub(super) fn read(data: &[u8]) -> Result<Definition> {
    let refuse = |reason: String| Error::format("byte 0", reason);
    let ([n_meta, n_meta_unpacked, n_definition, n_definition_unpacked], n_header) =
        sizes(data).map_err(refuse)?;
    let (body, rest) = checked_body(data, n_header + n_meta + n_definition, 0)?;
    if !rest.is_empty() {
        return Err(refuse("there are bytes after the end of the pack".to_owned()));
    }
    let (meta, definition) = body.split_at(n_header).1.split_at(n_meta);
    let meta: Meta = parse_meta(meta, n_meta_unpacked).map_err(refuse)?;
    let definition = inflate(definition, n_definition_unpacked).map_err(refuse)?;
    let definition = Definition::from_bytes(&definition).map_err(|error| match error {
        Error::Format { place, reason } => Error::format(format!("pack {}: {place}", meta.name), reason),
        other => other,
    })?;
    if definition.vocab_size() == meta.n_vocab {
        return Ok(definition);
    }
    let reason = format!("it has {} ids instead of {}", definition.vocab_size(), meta.n_vocab);
    Err(Error::format(format!("pack {}", meta.name), reason))
}
