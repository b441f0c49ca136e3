//! Normalizers, pre-tokenizers and the decoder; and the file's own truncation and padding, which are
//! checked and left out.

use crate::definition::{Behavior, Normalizer, PreTokenizer};
use crate::error::Result;
use crate::formats::json::Node;

/// The pattern of the pre-tokenizer `ByteLevel` with `use_regex`: GPT-2's.
pub const BYTE_LEVEL_PATTERN: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Appends the components of `node` to `out`: itself, or if it is a sequence, those in its `list`.
fn flatten<'v>(node: &Node<'v>, list: &str, out: &mut Vec<Node<'v>>) -> Result<()> {
    if node.component()? != "Sequence" {
        out.push(node.clone());
        return Ok(());
    }
    // Depth is bounded by the parser's own limit.
    node.field(list)?.items()?.try_for_each(|item| flatten(&item, list, out))
}

/// Returns the components of a stage, in order; none for null.
pub fn components<'v>(node: &Node<'v>, list: &str) -> Result<Vec<Node<'v>>> {
    let mut out = Vec::new();
    if !node.is_null() {
        flatten(node, list, &mut out)?;
    }
    Ok(out)
}

/// Reads the normalizers.
///
/// # Errors
/// [`crate::error::Error::Format`] for any but NFC.
pub fn normalizers(node: &Node<'_>) -> Result<Vec<Normalizer>> {
    components(node, "normalizers")?
        .iter()
        .map(|part| match part.component()? {
            "NFC" => Ok(Normalizer::Nfc),
            other => Err(part.unsupported(other, "\"NFC\" and sequences of it")),
        })
        .collect()
}

/// Reads the pre-tokenizers.
///
/// # Errors
/// [`crate::error::Error::Format`] for one that is not supported, where none is `ByteLevel`, and where
/// one comes after `ByteLevel`: it would see bytes spelled as characters.
pub fn pre_tokenizers(node: &Node<'_>) -> Result<Vec<PreTokenizer>> {
    let mut out = Vec::new();
    let mut is_byte_level = false;
    for part in components(node, "pretokenizers")? {
        if is_byte_level {
            return Err(part.refuse("a pre-tokenizer after ByteLevel is not supported by this version"));
        }
        match part.component()? {
            "ByteLevel" => {
                is_byte_level = true;
                read_byte_level(&part, &mut out)?;
            }
            "Split" => out.push(read_split(&part)?),
            "Digits" => {
                out.push(PreTokenizer::Digits { individual: part.field("individual_digits")?.flag()? });
            }
            other => {
                return Err(
                    part.unsupported(other, "\"ByteLevel\", \"Split\", \"Digits\" and sequences of them")
                );
            }
        }
    }
    if !is_byte_level {
        return Err(node.refuse(
            "there is no ByteLevel pre-tokenizer; BPE over characters is not supported by this version",
        ));
    }
    Ok(out)
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
    Ok(())
}

fn read_split(part: &Node<'_>) -> Result<PreTokenizer> {
    let pattern = part.field("pattern")?;
    let pattern = match (pattern.find("Regex")?, pattern.find("String")?) {
        (Some(regex), None) => regex.text()?.to_owned(),
        (None, Some(text)) => regex_syntax::escape(text.text()?),
        _ => return Err(pattern.refuse("expected one of {\"Regex\": …} and {\"String\": …}")),
    };
    let behavior = part.field("behavior")?;
    let behavior = match behavior.text()? {
        "Removed" => Behavior::Removed,
        "Isolated" => Behavior::Isolated,
        "MergedWithPrevious" => Behavior::MergedWithPrevious,
        "MergedWithNext" => Behavior::MergedWithNext,
        "Contiguous" => Behavior::Contiguous,
        other => return Err(behavior.refuse(format!("there is no behavior {other:?}"))),
    };
    Ok(PreTokenizer::Split { pattern, behavior, invert: part.field("invert")?.flag()? })
}

/// Checks that decoding is by bytes.
///
/// # Errors
/// [`crate::error::Error::Format`] for any decoder but `ByteLevel`, once or not at all.
pub fn check_decoder(node: &Node<'_>) -> Result<()> {
    let mut parts = components(node, "decoders")?.into_iter();
    if let Some(first) = parts.next() {
        let component = first.component()?;
        if component != "ByteLevel" {
            return Err(first.unsupported(component, "\"ByteLevel\""));
        }
    }
    parts.next().map_or(Ok(()), |second| {
        Err(second.refuse("a decoder after ByteLevel is not supported by this version"))
    })
}

/// Refuses a text that is none of `choices`.
fn check_choice(node: &Node<'_>, choices: &[&str]) -> Result<()> {
    let text = node.text()?;
    if choices.contains(&text) {
        return Ok(());
    }
    Err(node.refuse(format!("{text:?} is none of {}", choices.join(", "))))
}

const DIRECTIONS: [&str; 2] = ["Left", "Right"];

/// Checks the file's own truncation.
///
/// # Errors
/// [`crate::error::Error::Format`] where it has not the shape that the reference asks for.
pub fn check_truncation(node: &Node<'_>) -> Result<()> {
    if node.is_null() {
        return Ok(());
    }
    node.field("max_length")?.number()?;
    node.field("stride")?.number()?;
    check_choice(&node.field("strategy")?, &["LongestFirst", "OnlyFirst", "OnlySecond"])?;
    node.find("direction")?.map_or(Ok(()), |direction| check_choice(&direction, &DIRECTIONS))
}

/// Checks the file's own padding.
///
/// # Errors
/// [`crate::error::Error::Format`] where it has not the shape that the reference asks for.
pub fn check_padding(node: &Node<'_>) -> Result<()> {
    if node.is_null() {
        return Ok(());
    }
    let strategy = node.field("strategy")?;
    if strategy.value().is_object() {
        strategy.field("Fixed")?.number()?;
    } else {
        check_choice(&strategy, &["BatchLongest"])?;
    }
    check_choice(&node.field("direction")?, &DIRECTIONS)?;
    if let Some(multiple) = node.find("pad_to_multiple_of")?.filter(|multiple| !multiple.is_null()) {
        multiple.number()?;
    }
    node.field("pad_id")?.number()?;
    node.field("pad_type_id")?.number()?;
    node.field("pad_token")?.text().map(drop)
}
