//! Decoders, each as the file names it.

use super::pre_tokenizers::metaspace;
use super::stages::{character, components, needle};
use crate::definition::{DecodeStep, Decoder};
use crate::error::Result;
use crate::formats::json::Node;

/// Reads the decoder. `is_byte_level` tells that the vocabulary is held as bytes: what the decoder `ByteLevel`
/// alone then gives are the tokens' bytes; so does a file without a decoder, where the reference would give the
/// display alphabet with spaces between.
///
/// # Errors
/// [`crate::error::Error::Format`] for one that the reference does not know either, and for a field of the
/// wrong shape.
pub fn read(node: &Node<'_>, is_byte_level: bool) -> Result<Decoder> {
    let steps = components(node, "decoders")?.iter().map(read_one).collect::<Result<Vec<_>>>()?;
    let plain = steps.is_empty() || steps == [DecodeStep::ByteLevel];
    Ok(if is_byte_level && plain { Decoder::Bytes } else { Decoder::Steps(steps) })
}

fn read_one(part: &Node<'_>) -> Result<DecodeStep> {
    let text = |name: &str| Ok(part.field(name)?.text()?.to_owned());
    let count = |name: &str| Ok(part.field(name)?.number()? as usize);
    let cleanup = || part.field("cleanup")?.flag();
    Ok(match part.component()? {
        "ByteLevel" => DecodeStep::ByteLevel,
        "Fuse" => DecodeStep::Fuse,
        "ByteFallback" => DecodeStep::ByteFallback,
        "WordPiece" => DecodeStep::WordPiece { prefix: text("prefix")?, cleanup: cleanup()? },
        "BPEDecoder" => DecodeStep::Bpe { suffix: text("suffix")? },
        "CTC" => DecodeStep::Ctc {
            pad_token: text("pad_token")?,
            word_delimiter_token: text("word_delimiter_token")?,
            cleanup: cleanup()?,
        },
        "Metaspace" => {
            let (replacement, prepend, _) = metaspace(part)?;
            DecodeStep::Metaspace { replacement, prepend }
        }
        "Strip" => DecodeStep::Strip {
            content: character(&part.field("content")?)?,
            start: count("start")?,
            stop: count("stop")?,
        },
        "Replace" => {
            DecodeStep::Replace { pattern: needle(&part.field("pattern")?)?, content: text("content")? }
        }
        other => {
            return Err(part.unsupported(
                other,
                "ByteLevel, WordPiece, Metaspace, BPEDecoder, CTC, Replace, Fuse, Strip, ByteFallback and \
                 sequences of them",
            ));
        }
    })
}
