//! Normalizers and decoders, each as the file names it.

use super::json::{Json, component, object, sequence};
use super::refuse;
use crate::definition::{DecodeStep, Decoder, Needle, Normalizer, Prepend};
use crate::error::Result;
use crate::formats::base64;

/// Returns the normalizers.
///
/// # Errors
/// [`crate::error::Error::Format`] for sentencepiece's own.
pub fn normalizers(all: &[Normalizer]) -> Result<Json<'_>> {
    Ok(sequence("normalizers", all.iter().map(normalizer).collect::<Result<_>>()?))
}

fn normalizer(one: &Normalizer) -> Result<Json<'_>> {
    Ok(match one {
        Normalizer::Nfc => component("NFC", []),
        Normalizer::Nfd => component("NFD", []),
        Normalizer::Nfkc => component("NFKC", []),
        Normalizer::Nfkd => component("NFKD", []),
        Normalizer::Lowercase => component("Lowercase", []),
        Normalizer::StripAccents => component("StripAccents", []),
        Normalizer::Nmt => component("Nmt", []),
        Normalizer::ByteLevel => component("ByteLevel", []),
        Normalizer::Strip { left, right } => {
            component("Strip", [("strip_left", (*left).into()), ("strip_right", (*right).into())])
        }
        Normalizer::Prepend(text) => component("Prepend", [("prepend", text.as_str().into())]),
        Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => component(
            "BertNormalizer",
            [
                ("clean_text", (*clean_text).into()),
                ("handle_chinese_chars", (*handle_chinese_chars).into()),
                ("strip_accents", (*strip_accents).into()),
                ("lowercase", (*lowercase).into()),
            ],
        ),
        Normalizer::Replace { pattern, content } => {
            component("Replace", [("pattern", needle(pattern)), ("content", content.as_str().into())])
        }
        Normalizer::Precompiled(charsmap) => {
            let mut text = String::new();
            base64::encode_into(&charsmap.0, &mut text);
            component("Precompiled", [("precompiled_charsmap", text.into())])
        }
        Normalizer::SentencePiece { .. } => {
            return Err(refuse("normalizer", "a tokenizer.json has no sentencepiece normalizer".to_owned()));
        }
    })
}

/// Returns the decoder.
///
/// # Errors
/// [`crate::error::Error::Format`] for sentencepiece's own.
pub fn decoder(decoder: &Decoder) -> Result<Json<'_>> {
    match decoder {
        Decoder::Bytes => Ok(byte_level()),
        Decoder::Steps(steps) => Ok(sequence("decoders", steps.iter().map(step).collect())),
        Decoder::SentencePiece { .. } => {
            Err(refuse("decoder", "a tokenizer.json has no sentencepiece decoder".to_owned()))
        }
    }
}

fn step(step: &DecodeStep) -> Json<'_> {
    match step {
        DecodeStep::ByteLevel => byte_level(),
        DecodeStep::Fuse => component("Fuse", []),
        DecodeStep::ByteFallback => component("ByteFallback", []),
        DecodeStep::WordPiece { prefix, cleanup } => {
            component("WordPiece", [("prefix", prefix.as_str().into()), ("cleanup", (*cleanup).into())])
        }
        DecodeStep::Bpe { suffix } => component("BPEDecoder", [("suffix", suffix.as_str().into())]),
        DecodeStep::Ctc { pad_token, word_delimiter_token, cleanup } => component(
            "CTC",
            [
                ("pad_token", pad_token.as_str().into()),
                ("word_delimiter_token", word_delimiter_token.as_str().into()),
                ("cleanup", (*cleanup).into()),
            ],
        ),
        DecodeStep::Metaspace { replacement, prepend } => metaspace(*replacement, *prepend, true),
        DecodeStep::Strip { content, start, stop } => component(
            "Strip",
            [("content", (*content).into()), ("start", (*start).into()), ("stop", (*stop).into())],
        ),
        DecodeStep::Replace { pattern, content } => {
            component("Replace", [("pattern", needle(pattern)), ("content", content.as_str().into())])
        }
    }
}

/// Returns a Metaspace, which is pre-tokenizer and decoder.
pub fn metaspace<'a>(replacement: char, prepend: Prepend, split: bool) -> Json<'a> {
    component(
        "Metaspace",
        [
            ("replacement", replacement.into()),
            ("prepend_scheme", prepend.name().into()),
            ("split", split.into()),
        ],
    )
}

/// The decoder: its switches mean nothing there, and stand as the reference's default has them.
fn byte_level<'a>() -> Json<'a> {
    component(
        "ByteLevel",
        [("add_prefix_space", true.into()), ("trim_offsets", true.into()), ("use_regex", true.into())],
    )
}

fn needle(needle: &Needle) -> Json<'_> {
    match needle {
        Needle::Text(text) => object([("String", text.as_str().into())]),
        Needle::Pattern(pattern) => object([("Regex", pattern.as_str().into())]),
    }
}
