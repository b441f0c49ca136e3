//! How a file spells a learned token: bytes in the display alphabet, texts as they are.

use std::borrow::Cow;

use crate::byte_alphabet;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::id::TokenId;

/// Returns the spelling of the learned token `id`.
///
/// # Errors
/// [`Error::Format`] for an id that is no learned token, or one of bytes that are no text where texts are needed.
pub fn of(definition: &Definition, id: TokenId) -> Result<Cow<'_, str>> {
    let refuse = |reason: &str| Error::format(format!("token {}", id.0), reason);
    let bytes = definition.vocab.bytes(id).ok_or_else(|| refuse("it is not in the vocabulary"))?;
    if definition.model.is_byte_level() && definition.vocab.is_indexed(id) {
        return Ok(Cow::Owned(byte_alphabet::display(bytes)));
    }
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| refuse("its bytes are no text"))
}
