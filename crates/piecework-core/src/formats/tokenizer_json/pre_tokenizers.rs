//! Pre-tokenizers, each as the file names it.

use super::stages::{behavior, character, components, needle};
use crate::definition::{Behavior, Needle, PreTokenizer, Prepend};
use crate::error::Result;
use crate::formats::json::Node;

/// The pattern of the pre-tokenizer `ByteLevel` with `use_regex`: GPT-2's.
pub const BYTE_LEVEL_PATTERN: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Reads the pre-tokenizers.
///
/// # Errors
/// [`crate::error::Error::Format`] for one that the reference does not know either, and for a field of the
/// wrong shape.
pub fn read(node: &Node<'_>) -> Result<Vec<PreTokenizer>> {
    let mut out = Vec::new();
    for part in components(node, "pretokenizers")? {
        read_one(&part, &mut out)?;
    }
    Ok(out)
}

/// Returns how many stages of the definition a component is.
///
/// # Errors
/// As [`read`].
pub fn n_stages(part: &Node<'_>) -> Result<usize> {
    let mut out = Vec::new();
    read_one(part, &mut out).map(|()| out.len())
}

fn read_one(part: &Node<'_>, out: &mut Vec<PreTokenizer>) -> Result<()> {
    out.push(match part.component()? {
        "ByteLevel" => return read_byte_level(part, out),
        "Split" => read_split(part)?,
        "Digits" => PreTokenizer::Digits { individual: part.field("individual_digits")?.flag()? },
        "Metaspace" => {
            let (replacement, prepend, split) = metaspace(part)?;
            PreTokenizer::Metaspace { replacement, prepend, split }
        }
        "BertPreTokenizer" => PreTokenizer::Bert,
        "Whitespace" => PreTokenizer::Whitespace,
        "WhitespaceSplit" => PreTokenizer::WhitespaceSplit,
        "UnicodeScripts" => PreTokenizer::UnicodeScripts,
        "Punctuation" => PreTokenizer::Punctuation(
            part.find("behavior")?.map_or(Ok(Behavior::Isolated), |node| behavior(&node))?,
        ),
        "CharDelimiterSplit" => PreTokenizer::CharDelimiter(character(&part.field("delimiter")?)?),
        "FixedLength" => {
            PreTokenizer::FixedLength(part.find("length")?.map_or(Ok(5), |length| length.number())? as usize)
        }
        other => {
            return Err(part.unsupported(
                other,
                "ByteLevel, Split, Digits, Metaspace, BertPreTokenizer, Whitespace, WhitespaceSplit, \
                 Punctuation, CharDelimiterSplit, UnicodeScripts, FixedLength and sequences of them",
            ));
        }
    });
    Ok(())
}

fn read_byte_level(part: &Node<'_>, out: &mut Vec<PreTokenizer>) -> Result<()> {
    if part.field("add_prefix_space")?.flag()? {
        out.push(PreTokenizer::PrefixSpace);
    }
    // Older files lack the switch, which came later.
    let use_regex = part.find("use_regex")?.map_or(Ok(true), |switch| switch.flag())?;
    if use_regex {
        out.push(PreTokenizer::Split {
            pattern: BYTE_LEVEL_PATTERN.to_owned(),
            behavior: Behavior::Isolated,
            invert: false,
        });
    }
    out.push(PreTokenizer::ByteAlphabet);
    Ok(())
}

fn read_split(part: &Node<'_>) -> Result<PreTokenizer> {
    let pattern = match needle(&part.field("pattern")?)? {
        Needle::Pattern(pattern) => pattern,
        Needle::Text(text) => regex_syntax::escape(&text),
    };
    Ok(PreTokenizer::Split {
        pattern,
        behavior: behavior(&part.field("behavior")?)?,
        invert: part.field("invert")?.flag()?,
    })
}

/// Reads the fields of a Metaspace: replacement, where one is put in front, whether it splits. Files from before
/// `prepend_scheme` have `add_prefix_space`, which where it is false must not speak against the other.
pub fn metaspace(part: &Node<'_>) -> Result<(char, Prepend, bool)> {
    let replacement = character(&part.field("replacement")?)?;
    let scheme = part.find("prepend_scheme")?;
    let mut prepend = match &scheme {
        None => Prepend::Always,
        Some(node) => match node.text()? {
            "always" => Prepend::Always,
            "first" => Prepend::First,
            "never" => Prepend::Never,
            other => return Err(node.refuse(format!("{other:?} is none of always, first, never"))),
        },
    };
    if let Some(prefix) = part.find("add_prefix_space")?
        && !prefix.flag()?
    {
        if scheme.is_some() && prepend != Prepend::Never {
            return Err(prefix.refuse("add_prefix_space is false, which speaks against prepend_scheme"));
        }
        prepend = Prepend::Never;
    }
    let split = part.find("split")?.map_or(Ok(true), |split| split.flag())?;
    Ok((replacement, prepend, split))
}
