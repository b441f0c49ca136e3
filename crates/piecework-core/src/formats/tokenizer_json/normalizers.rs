//! Normalizers, each as the file names it.

use super::stages::{components, needle};
use crate::definition::{Charsmap, Normalizer};
use crate::error::Result;
use crate::formats::base64;
use crate::formats::json::Node;

/// The field of a table of texts and what they become.
pub const CHARSMAP: &str = "precompiled_charsmap";

/// Reads the normalizers.
///
/// # Errors
/// [`crate::error::Error::Format`] for one that the reference does not know either, and for a field of the
/// wrong shape.
pub fn read(node: &Node<'_>) -> Result<Vec<Normalizer>> {
    components(node, "normalizers")?.iter().map(read_one).collect()
}

fn read_one(part: &Node<'_>) -> Result<Normalizer> {
    let flag = |name: &str| part.field(name)?.flag();
    Ok(match part.component()? {
        "NFC" => Normalizer::Nfc,
        "NFD" => Normalizer::Nfd,
        "NFKC" => Normalizer::Nfkc,
        "NFKD" => Normalizer::Nfkd,
        "Lowercase" => Normalizer::Lowercase,
        "StripAccents" => Normalizer::StripAccents,
        "Nmt" => Normalizer::Nmt,
        "ByteLevel" => Normalizer::ByteLevel,
        "Strip" => Normalizer::Strip { left: flag("strip_left")?, right: flag("strip_right")? },
        "Prepend" => Normalizer::Prepend(part.field("prepend")?.text()?.to_owned()),
        "BertNormalizer" => Normalizer::Bert {
            clean_text: flag("clean_text")?,
            handle_chinese_chars: flag("handle_chinese_chars")?,
            strip_accents: match part.find("strip_accents")? {
                Some(node) if !node.is_null() => Some(node.flag()?),
                _ => None,
            },
            lowercase: flag("lowercase")?,
        },
        "Replace" => Normalizer::Replace {
            pattern: needle(&part.field("pattern")?)?,
            content: part.field("content")?.text()?.to_owned(),
        },
        "Precompiled" => {
            let map = part.field(CHARSMAP)?;
            let mut bytes = Vec::new();
            base64::decode_into(map.text()?.as_bytes(), &mut bytes).map_err(|reason| map.refuse(reason))?;
            Normalizer::Precompiled(Charsmap(bytes))
        }
        other => {
            return Err(part.unsupported(
                other,
                "NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, BertNormalizer, Nmt, Replace, Prepend, \
                 Precompiled, ByteLevel and sequences of them",
            ));
        }
    })
}
