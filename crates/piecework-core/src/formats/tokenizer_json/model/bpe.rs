//! Byte-pair encoding: options, vocabulary and merges.

use std::borrow::Cow;

use super::super::raw::{RawMerges, RawVocab};
use super::Tokens;
use super::others::is_set;
use crate::byte_alphabet;
use crate::definition::{Bpe, Characters, Model};
use crate::error::{Error, Result};
use crate::formats::json::Node;
use crate::merges::{Merges, Pair};

/// Reads the model. `spells_bytes` tells that it gets bytes in the display alphabet.
///
/// # Errors
/// [`Error::Format`]; see [`super::super::read`].
pub fn read<'a>(
    options: &Node<'_>,
    vocab: Option<RawVocab<'a>>,
    merges: Option<RawMerges<'a>>,
    spells_bytes: bool,
) -> Result<(Tokens<'a>, Model)> {
    let Some(RawVocab::Ids(ids)) = vocab else {
        return Err(options.refuse("the vocab is missing, or is not an object of tokens and ids"));
    };
    let merges = merges.ok_or_else(|| options.refuse("the merges are missing"))?;
    let affixes = (text(options, "continuing_subword_prefix")?, text(options, "end_of_word_suffix")?);
    let unk = text(options, "unk_token")?;
    let (fuse_unk, byte_fallback) = (is_set(options, "fuse_unk")?, is_set(options, "byte_fallback")?);
    // What happens to unknown characters is of no account where there are none: in a vocabulary with every
    // byte that UTF-8 has.
    let may_lack = !unk.is_empty() || fuse_unk || byte_fallback;
    let as_bytes =
        spells_bytes && affixes.0.is_empty() && affixes.1.is_empty() && !(may_lack && lacks_a_byte(&ids));
    let tokens = if as_bytes { Tokens::bytes(ids)? } else { Tokens::texts(&ids)? };
    let pairs = read_merges(&tokens, &merges, affixes.0)?;
    let characters = Characters {
        unk: if as_bytes { None } else { unk_id(options, &tokens, unk)? },
        fuse_unk,
        byte_fallback,
        continuing_subword_prefix: affixes.0.to_owned(),
        end_of_word_suffix: affixes.1.to_owned(),
        ..Characters::default()
    };
    let merges = if characters.is_plain() {
        Merges::from_pairs(pairs, &tokens.vocab)?
    } else {
        Merges::listed(pairs)?
    };
    let bpe = Bpe {
        characters: (!as_bytes).then_some(characters),
        dropout_millionths: dropout(options)?,
        ..Bpe::bytes(merges, is_set(options, "ignore_merges")?)
    };
    Ok((tokens, Model::Bpe(bpe)))
}

/// Returns a text option; empty where it is missing or null.
fn text<'v>(options: &Node<'v>, name: &str) -> Result<&'v str> {
    match options.find(name)? {
        Some(node) if !node.is_null() => node.text(),
        _ => Ok(""),
    }
}

fn unk_id(options: &Node<'_>, tokens: &Tokens<'_>, unk: &str) -> Result<Option<crate::id::TokenId>> {
    if unk.is_empty() {
        return Ok(None);
    }
    match tokens.id(unk) {
        Some(id) => Ok(Some(id)),
        None => {
            Err(options.field("unk_token")?.refuse(format!("the vocabulary lacks the unknown token {unk:?}")))
        }
    }
}

/// Returns the probability of leaving out a merge, in millionths.
fn dropout(options: &Node<'_>) -> Result<u32> {
    let Some(node) = options.find("dropout")?.filter(|node| !node.is_null()) else { return Ok(0) };
    match node.value().as_f64() {
        Some(share) if (0.0..=1.0).contains(&share) => Ok((share * 1e6).round() as u32),
        _ => Err(node.refuse("expected a number from 0 to 1")),
    }
}

fn lacks_a_byte(ids: &[(Cow<'_, str>, u32)]) -> bool {
    let mut has = [false; 256];
    for (spelling, _) in ids {
        let mut characters = spelling.chars();
        if let (Some(c), None) = (characters.next(), characters.next())
            && let Some(byte) = byte_alphabet::char_to_byte(c)
        {
            has[usize::from(byte)] = true;
        }
    }
    (0..=u8::MAX).zip(has).any(|(byte, has)| is_in_utf8(byte) && !has)
}

/// Returns whether `byte` can stand in UTF-8 text.
fn is_in_utf8(byte: u8) -> bool {
    !matches!(byte, 0xc0 | 0xc1 | 0xf5..)
}

fn read_merges(tokens: &Tokens<'_>, merges: &RawMerges<'_>, prefix: &str) -> Result<Vec<Pair>> {
    let mut reader = MergeReader { tokens, prefix, scratch: Vec::new() };
    match merges {
        RawMerges::Pairs(pairs) => {
            pairs.iter().enumerate().map(|(at, (left, right))| reader.read(at, left, right)).collect()
        }
        RawMerges::Lines(lines) => lines
            .iter()
            .enumerate()
            // The reference reads the array like a merges.txt, whose first line names the version.
            .filter(|(_, line)| !line.starts_with("#version"))
            .map(|(at, line)| {
                let mut parts = line.split(' ');
                let (Some(left), Some(right), None) = (parts.next(), parts.next(), parts.next()) else {
                    let place = format!("model.merges[{at}]");
                    return Err(Error::format(
                        place,
                        format!("merge {at} is {line:?}; expected two tokens with one space between them"),
                    ));
                };
                reader.read(at, left, right)
            })
            .collect(),
    }
}

/// Finds the three tokens of each merge.
struct MergeReader<'t, 'a> {
    tokens: &'t Tokens<'a>,
    /// What a right part loses when it is joined.
    prefix: &'t str,
    /// Saves an allocation for each of the half a million merges of a large file.
    scratch: Vec<u8>,
}

impl MergeReader<'_, '_> {
    fn read(&mut self, at: usize, left: &str, right: &str) -> Result<Pair> {
        if let Some(pair) = self.quick(left, right) {
            return Ok(pair);
        }
        let find = |spelling: &str| {
            self.tokens.id(spelling).ok_or_else(|| {
                Error::format(
                    format!("model.merges[{at}]"),
                    format!(
                        "merge {at} joins {left:?} and {right:?}, but the vocabulary lacks the token {spelling:?}"
                    ),
                )
            })
        };
        let (left_id, right_id) = (find(left)?, find(right)?);
        let joined = format!("{left}{}", right.strip_prefix(self.prefix).unwrap_or(right));
        Ok(Pair { left: left_id, right: right_id, product: find(&joined)? })
    }

    fn quick(&mut self, left: &str, right: &str) -> Option<Pair> {
        if !self.tokens.is_byte_level {
            return None;
        }
        self.scratch.clear();
        let spelled = byte_alphabet::parse_into(left, &mut self.scratch);
        let middle = self.scratch.len();
        if !spelled || !byte_alphabet::parse_into(right, &mut self.scratch) {
            return None;
        }
        let (first, second) = self.scratch.split_at(middle);
        let vocab = &self.tokens.vocab;
        Some(Pair { left: vocab.get(first)?, right: vocab.get(second)?, product: vocab.get(&self.scratch)? })
    }
}
