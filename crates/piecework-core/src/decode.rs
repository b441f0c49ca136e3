//! From ids back to bytes. Byte-level tokens stand for their bytes; the text is what the bytes spell.

use std::fmt::Write;

use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ctl;

/// Returns the bytes of `ids`, one token after the other. `skip_special` leaves out added tokens that the
/// file marks `special`.
///
/// # Errors
/// [`Error::UnknownId`] for an id that is no token, with its position; [`Error::Interrupted`]. Complexity: O(bytes).
pub fn bytes(definition: &Definition, ids: &[u32], skip_special: bool, ctl: &Ctl<'_>) -> Result<Vec<u8>> {
    let mut ticker = ctl.ticker();
    let mut bytes = Vec::with_capacity(ids.len() * 4);
    for (position, &id) in ids.iter().enumerate() {
        ticker.tick(1)?;
        let token = TokenId(id);
        let Some(piece) = definition.bytes(token) else {
            return Err(Error::UnknownId { id, position, vocab_size: definition.vocab_size() });
        };
        if skip_special && definition.added_token(token).is_some_and(|token| token.special) {
            continue;
        }
        bytes.extend_from_slice(piece);
    }
    Ok(bytes)
}

/// Returns the text that `bytes` spell.
///
/// # Errors
/// [`Error::IncompleteText`] where they are not UTF-8.
pub fn strict(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| Error::IncompleteText { valid_up_to: error.utf8_error().valid_up_to() })
}

/// Returns the text that `bytes` spell, with U+FFFD for each maximal part that is not UTF-8.
pub fn replaced(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns a token's bytes as a person reads them: text where they are UTF-8, `\xNN` for each byte
/// that is not part of a whole character.
pub fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}
