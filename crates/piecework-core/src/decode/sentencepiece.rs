//! Decoding as sentencepiece does it.
//!
//! Source: `SentencePieceProcessor::Decode` of sentencepiece 0.2.3.

use super::bytes::byte_of;
use super::utf8::{Invalid, Part, Utf8};
use crate::definition::{Decoder, Definition, Model};
use crate::id::TokenId;

/// How a space is spelled.
const SPACE: &str = "▁";

/// What a definition says about its decoding.
#[derive(Debug, Clone)]
pub struct Surface {
    /// What an unknown token is written as.
    of_unknown: String,
    /// Whether a space at the beginning is the dummy one, and vanishes.
    drops_first_space: bool,
    /// Whether all spaces at the beginning do.
    drops_all_spaces: bool,
}

/// What kind of piece a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It steers the model, and vanishes.
    Control,
    /// It stands for what the vocabulary lacks.
    Unknown,
    /// It stands for a byte.
    Byte(u8),
    /// It stands for its text.
    Text,
}

/// Returns the kind of `id`.
pub fn kind(definition: &Definition, id: TokenId) -> Kind {
    let (unk, byte_fallback, user_defined) = match &definition.model {
        Model::Bpe(bpe) => bpe.characters.as_ref().map_or((None, false, &[][..]), |characters| {
            (characters.unk, characters.byte_fallback, &characters.user_defined)
        }),
        Model::Unigram(unigram) => (unigram.unk, unigram.byte_fallback, &unigram.user_defined[..]),
        Model::WordPiece(word_piece) => (Some(word_piece.unk), false, &[][..]),
        Model::WordLevel(word_level) => {
            (word_level.unk, word_level.byte_fallback, &word_level.user_defined[..])
        }
    };
    if unk == Some(id) {
        return Kind::Unknown;
    }
    if user_defined.binary_search(&id).is_ok() {
        return Kind::Text;
    }
    if definition.vocab.contains(id) && definition.added_token(id).is_some_and(|token| token.special) {
        return Kind::Control;
    }
    let byte = definition.vocab.bytes(id).filter(|_| byte_fallback).and_then(byte_of);
    byte.map_or(Kind::Text, Kind::Byte)
}

impl Surface {
    /// Returns what `decoder` says, or `None` where it is another one.
    pub fn new(decoder: &Decoder) -> Option<Self> {
        match decoder {
            Decoder::SentencePiece { add_dummy_prefix, remove_extra_whitespaces, unk_surface, .. } => {
                Some(Self {
                    of_unknown: unk_surface.clone(),
                    drops_first_space: *add_dummy_prefix || *remove_extra_whitespaces,
                    drops_all_spaces: *remove_extra_whitespaces,
                })
            }
            _ => None,
        }
    }
}

/// Pieces on their way to text.
#[derive(Debug)]
pub struct Pieces {
    surface: Surface,
    bytes: Utf8,
    /// Whether nothing has been written yet and no dummy space has been dropped.
    is_beginning: bool,
}

impl Pieces {
    /// Returns the beginning of a text.
    pub fn new(surface: &Surface, invalid: Invalid) -> Self {
        Self { surface: surface.clone(), bytes: Utf8::new(invalid, Part::Byte), is_beginning: true }
    }

    /// Takes one piece and writes what is known.
    pub fn piece(&mut self, kind: Kind, text: &str, out: &mut Vec<u8>) {
        if let Kind::Byte(byte) = kind {
            self.is_beginning = false;
            return self.bytes.push(&[byte], |text| out.extend_from_slice(text));
        }
        self.bytes.finish(|text| out.extend_from_slice(text));
        match kind {
            Kind::Unknown => self.write(&self.surface.of_unknown.clone(), out),
            Kind::Text => {
                let rest = text.strip_prefix(SPACE).filter(|_| self.is_beginning);
                match rest.filter(|_| self.surface.drops_first_space) {
                    Some(rest) => {
                        self.is_beginning = self.surface.drops_all_spaces;
                        self.write(&rest.replace(SPACE, " "), out);
                    }
                    None => self.write(&text.replace(SPACE, " "), out),
                }
            }
            Kind::Control | Kind::Byte(_) => {}
        }
    }

    fn write(&mut self, text: &str, out: &mut Vec<u8>) {
        self.is_beginning &= text.is_empty();
        out.extend_from_slice(text.as_bytes());
    }

    /// Text comes that is no piece's: what is before it is no beginning any more.
    pub fn literal(&mut self, out: &mut Vec<u8>) {
        self.bytes.finish(|text| out.extend_from_slice(text));
        self.is_beginning = false;
    }

    /// Ends the text. Returns whether it did not break off inside a character.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> bool {
        self.bytes.finish(|text| out.extend_from_slice(text))
    }
}
