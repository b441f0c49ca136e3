//! One token by itself: as its vocabulary spells it, and as a person reads it.

use std::borrow::Cow;

use super::bytes::byte_of;
use super::sentencepiece::{self, Kind};
use crate::byte_alphabet;
use crate::definition::{DecodeStep, Decoder, Definition, Needle};
use crate::id::TokenId;

/// Returns the token of `bytes` as its vocabulary spells it: an added token and a text as they are, bytes in the
/// display alphabet.
pub(super) fn spelled<'d>(definition: &Definition, id: TokenId, bytes: &'d [u8]) -> Cow<'d, str> {
    let is_bytes = definition.model.is_byte_level()
        && definition.vocab.is_indexed(id)
        && definition.added_token(id).is_none();
    if is_bytes { Cow::Owned(byte_alphabet::display(bytes)) } else { String::from_utf8_lossy(bytes) }
}

/// Returns a token as its vocabulary spells it (`Ġthe`, `▁the`, `##ing`, `<0x0A>`), or `None` where `id` is none.
pub fn spelling(definition: &Definition, id: TokenId) -> Option<Cow<'_, str>> {
    let bytes = definition.bytes(id)?;
    Some(spelled(definition, id, bytes))
}

/// Returns the bytes that a token stands for in the middle of a text (` the`, `ing`, a byte), or `None` where `id`
/// is none. Spaces that a decoder puts between words are of neither word. An added token stands for its content.
pub fn piece_bytes(definition: &Definition, id: TokenId) -> Option<Cow<'_, [u8]>> {
    let bytes = definition.bytes(id)?;
    if definition.added_token(id).is_some() || definition.model.is_byte_level() {
        return Some(Cow::Borrowed(bytes));
    }
    Some(match &definition.decoder {
        Decoder::Bytes => Cow::Borrowed(bytes),
        Decoder::SentencePiece { .. } => match sentencepiece::kind(definition, id) {
            Kind::Byte(byte) => Cow::Owned(vec![byte]),
            _ => text_of(bytes, |text| text.replace('▁', " ")),
        },
        Decoder::Steps(steps) => steps.iter().fold(Cow::Borrowed(bytes), stepped),
    })
}

fn stepped<'d>(bytes: Cow<'d, [u8]>, step: &DecodeStep) -> Cow<'d, [u8]> {
    let text = |change: &dyn Fn(&str) -> String| Cow::Owned(text_of(&bytes, change).into_owned());
    match step {
        DecodeStep::ByteLevel => {
            let parsed = std::str::from_utf8(&bytes).ok().and_then(byte_alphabet::parse);
            parsed.map_or_else(|| bytes.clone(), Cow::Owned)
        }
        DecodeStep::ByteFallback => byte_of(&bytes).map_or_else(|| bytes.clone(), |byte| vec![byte].into()),
        DecodeStep::WordPiece { prefix, .. } => {
            text(&|text| text.strip_prefix(prefix.as_str()).unwrap_or(text).to_owned())
        }
        DecodeStep::Bpe { suffix } if !suffix.is_empty() => text(&|text| text.replace(suffix.as_str(), "")),
        DecodeStep::Metaspace { replacement, .. } => text(&|text| text.replace(*replacement, " ")),
        DecodeStep::Replace { pattern: Needle::Text(needle), content } if !needle.is_empty() => {
            text(&|text| text.replace(needle.as_str(), content))
        }
        _ => bytes,
    }
}

fn text_of(bytes: &[u8], change: impl Fn(&str) -> String) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Owned(change(text).into_bytes()),
        Err(_) => Cow::Borrowed(bytes),
    }
}
