//! Pre-tokenizers, each as the file names it. A `ByteLevel` stands for up to three stages, which are found again.

use super::json::{Json, component, object, sequence};
use super::refuse;
use super::stages::metaspace;
use crate::definition::{Behavior, Definition, PreTokenizer};
use crate::error::Result;
use crate::formats::tokenizer_json::BYTE_LEVEL_PATTERN;

/// Returns the pre-tokenizers.
///
/// # Errors
/// [`crate::error::Error::Format`] for a prefix space that no `ByteLevel` puts in.
pub fn write(definition: &Definition) -> Result<Json<'_>> {
    let mut stages: Vec<&PreTokenizer> = definition.pre_tokenizers.iter().collect();
    if definition.model.is_byte_level() {
        // The vocabulary is held as the bytes that this stage would spell.
        stages.push(&PreTokenizer::ByteAlphabet);
    }
    let mut rest = stages.as_slice();
    let mut written = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        if let Some((byte_level, after)) = as_byte_level(rest) {
            written.push(byte_level);
            rest = after;
        } else {
            written.push(one(first)?);
            rest = after;
        }
    }
    Ok(sequence("pretokenizers", written))
}

/// Returns the `ByteLevel` that stands for the first stages, and those after it.
fn as_byte_level<'s, 'd>(stages: &'s [&'d PreTokenizer]) -> Option<(Json<'d>, &'s [&'d PreTokenizer])> {
    let (add_prefix_space, rest) = match stages.split_first() {
        Some((PreTokenizer::PrefixSpace, rest)) => (true, rest),
        _ => (false, stages),
    };
    let (use_regex, rest) = match rest.split_first() {
        Some((stage, rest)) if is_byte_level_split(stage) => (true, rest),
        _ => (false, rest),
    };
    let (PreTokenizer::ByteAlphabet, rest) = rest.split_first()? else { return None };
    let fields = [
        ("add_prefix_space", add_prefix_space.into()),
        ("trim_offsets", true.into()),
        ("use_regex", use_regex.into()),
    ];
    Some((component("ByteLevel", fields), rest))
}

fn is_byte_level_split(stage: &PreTokenizer) -> bool {
    matches!(stage, PreTokenizer::Split { pattern, behavior: Behavior::Isolated, invert: false }
        if pattern == BYTE_LEVEL_PATTERN)
}

fn one(stage: &PreTokenizer) -> Result<Json<'_>> {
    Ok(match stage {
        PreTokenizer::Split { pattern, behavior, invert } => component(
            "Split",
            [
                ("pattern", object([("Regex", pattern.as_str().into())])),
                ("behavior", behavior_name(*behavior).into()),
                ("invert", (*invert).into()),
            ],
        ),
        PreTokenizer::Digits { individual } => {
            component("Digits", [("individual_digits", (*individual).into())])
        }
        PreTokenizer::Metaspace { replacement, prepend, split } => metaspace(*replacement, *prepend, *split),
        PreTokenizer::Bert => component("BertPreTokenizer", []),
        PreTokenizer::Whitespace => component("Whitespace", []),
        PreTokenizer::WhitespaceSplit => component("WhitespaceSplit", []),
        PreTokenizer::UnicodeScripts => component("UnicodeScripts", []),
        PreTokenizer::Punctuation(behavior) => {
            component("Punctuation", [("behavior", behavior_name(*behavior).into())])
        }
        PreTokenizer::CharDelimiter(delimiter) => {
            component("CharDelimiterSplit", [("delimiter", (*delimiter).into())])
        }
        PreTokenizer::FixedLength(length) => component("FixedLength", [("length", (*length).into())]),
        PreTokenizer::PrefixSpace | PreTokenizer::ByteAlphabet => {
            let reason = "a tokenizer.json puts in a prefix space only together with the byte alphabet";
            return Err(refuse("pre_tokenizer", reason.to_owned()));
        }
    })
}

fn behavior_name(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Removed => "Removed",
        Behavior::Isolated => "Isolated",
        Behavior::MergedWithPrevious => "MergedWithPrevious",
        Behavior::MergedWithNext => "MergedWithNext",
        Behavior::Contiguous => "Contiguous",
    }
}
