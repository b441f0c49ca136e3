//! The model: options, vocabulary and merges of byte-level BPE.

use std::borrow::Cow;
use std::collections::HashMap;

use super::raw::{RawMerges, RawVocab};
use crate::definition::Bpe;
use crate::error::{Error, Result};
use crate::byte_alphabet;
use crate::formats::json::Node;
use crate::id::TokenId;
use crate::merges::{Merges, Pair};
use crate::vocab::{Entry, MAX_IDS, Vocab};

/// The vocabulary, with the way from a file's spelling to the id.
pub struct Tokens<'a> {
    pub vocab: Vocab,
    /// Tokens with a character outside the byte alphabet, which no text can spell.
    unspellable: HashMap<Cow<'a, str>, TokenId>,
}

impl Tokens<'_> {
    /// Returns the id of the token that the file spells so.
    pub fn id(&self, spelling: &str) -> Option<TokenId> {
        match byte_alphabet::parse(spelling) {
            Some(bytes) => self.vocab.get(&bytes),
            None => self.unspellable.get(spelling).copied(),
        }
    }
}

/// Checks that the model is BPE. A file without a type has the model whose fields it has, as in the
/// reference, which tries BPE first.
///
/// # Errors
/// [`Error::Format`] for any other.
pub fn check_type(
    options: &Node<'_>,
    vocab: Option<&RawVocab<'_>>,
    merges: Option<&RawMerges<'_>>,
) -> Result<()> {
    match options.find("type")? {
        Some(node) if node.text()? == "BPE" => Ok(()),
        Some(node) => Err(options.unsupported(node.text()?, "\"BPE\"")),
        None if matches!(vocab, Some(RawVocab::Ids(_))) && merges.is_some() => Ok(()),
        None => Err(options.refuse("the type is missing, and it has not the vocab and the merges of BPE")),
    }
}

/// Reads the model.
///
/// # Errors
/// [`Error::Format`]; see [`super::read`].
pub fn read<'a>(
    options: &Node<'_>,
    vocab: Option<RawVocab<'a>>,
    merges: Option<RawMerges<'a>>,
) -> Result<(Tokens<'a>, Bpe)> {
    let Some(RawVocab::Ids(ids)) = vocab else {
        return Err(options.refuse("the vocab is missing, or is not an object of tokens and ids"));
    };
    let merges = merges.ok_or_else(|| options.refuse("the merges are missing"))?;
    let whole_pieces = is_set(options, "ignore_merges")?;
    let tokens = read_vocab(ids)?;
    check_options(options, &tokens.vocab)?;
    let merges = Merges::from_pairs(read_merges(&tokens, &merges)?, &tokens.vocab)?;
    Ok((tokens, Bpe::bytes(merges, whole_pieces)))
}

fn read_vocab(ids: Vec<(Cow<'_, str>, u32)>) -> Result<Tokens<'_>> {
    let mut bytes = Vec::new();
    let mut entries = Vec::with_capacity(ids.len());
    let mut unspellable = HashMap::new();
    for (spelling, id) in ids {
        let place = || format!("model.vocab[{spelling:?}]");
        if id as usize >= MAX_IDS {
            return Err(Error::format(place(), format!("the id {id} is over the limit of {MAX_IDS} ids")));
        }
        let start = bytes.len();
        let indexed = byte_alphabet::parse_into(&spelling, &mut bytes);
        if !indexed {
            bytes.extend_from_slice(spelling.as_bytes());
            if let Some(other) = unspellable.get(&spelling) {
                let TokenId(other) = other;
                return Err(Error::format(place(), format!("the token has two ids, {other} and {id}")));
            }
            unspellable.insert(spelling, TokenId(id));
        }
        entries.push((TokenId(id), start..bytes.len(), indexed));
    }
    let entries = entries.into_iter().map(|(id, range, indexed)| Entry {
        id,
        bytes: bytes.get(range).unwrap_or_default(),
        indexed,
    });
    let vocab = Vocab::new(entries).map_err(|error| match error {
        Error::Format { reason, .. } => Error::format("model.vocab", reason),
        other => other,
    })?;
    Ok(Tokens { vocab, unspellable })
}

/// Returns a switch that may be missing or null.
fn is_set(options: &Node<'_>, name: &str) -> Result<bool> {
    match options.find(name)? {
        Some(node) if !node.is_null() => node.flag(),
        _ => Ok(false),
    }
}

/// Refuses options that would change what the model does. What happens to unknown characters is of no
/// account where there are none: in a vocabulary with every byte that UTF-8 has.
fn check_options(options: &Node<'_>, vocab: &Vocab) -> Result<()> {
    if let Some(dropout) = options.find("dropout")?
        && !(dropout.is_null() || dropout.value().as_f64() == Some(0.0))
    {
        return Err(dropout.refuse("dropout is not supported by this version; here it reads null or 0.0"));
    }
    for name in ["continuing_subword_prefix", "end_of_word_suffix"] {
        if let Some(affix) = text_of(options, name)? {
            return Err(
                affix.refuse("a prefix or suffix is not supported by this version; here it reads null")
            );
        }
    }
    let unknown = text_of(options, "unk_token")?.is_some()
        || is_set(options, "byte_fallback")?
        || is_set(options, "fuse_unk")?;
    let lacking = (0..=255_u8).find(|&byte| is_in_utf8(byte) && vocab.get(&[byte]).is_none());
    if let (true, Some(byte)) = (unknown, lacking) {
        let spelling = byte_alphabet::byte_to_char(byte);
        return Err(options.refuse(format!(
            "unk_token, fuse_unk and byte_fallback are not supported by this version where the vocabulary \
             lacks a byte; this one lacks {spelling:?} (0x{byte:02x})"
        )));
    }
    Ok(())
}

/// Returns whether `byte` can stand in UTF-8 text.
fn is_in_utf8(byte: u8) -> bool {
    !matches!(byte, 0xc0 | 0xc1 | 0xf5..)
}

/// Returns a text option that is neither missing nor null nor empty.
fn text_of<'v>(options: &Node<'v>, name: &str) -> Result<Option<Node<'v>>> {
    match options.find(name)? {
        Some(node) if !node.is_null() && !node.text()?.is_empty() => Ok(Some(node)),
        _ => Ok(None),
    }
}

fn read_merges(tokens: &Tokens<'_>, merges: &RawMerges<'_>) -> Result<Vec<Pair>> {
    let mut scratch = Vec::new();
    match merges {
        RawMerges::Pairs(pairs) => pairs
            .iter()
            .enumerate()
            .map(|(at, (left, right))| read_merge(tokens, at, left, right, &mut scratch))
            .collect(),
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
                read_merge(tokens, at, left, right, &mut scratch)
            })
            .collect(),
    }
}

/// Finds the three tokens of a merge. `scratch` saves an allocation for each of the half a million
/// merges of a large file.
fn read_merge(
    tokens: &Tokens<'_>,
    at: usize,
    left: &str,
    right: &str,
    scratch: &mut Vec<u8>,
) -> Result<Pair> {
    scratch.clear();
    let spelled = byte_alphabet::parse_into(left, scratch);
    let middle = scratch.len();
    if spelled && byte_alphabet::parse_into(right, scratch) {
        let (first, second) = scratch.split_at(middle);
        let vocab = &tokens.vocab;
        if let (Some(left), Some(right), Some(product)) =
            (vocab.get(first), vocab.get(second), vocab.get(scratch))
        {
            return Ok(Pair { left, right, product });
        }
    }
    let find = |spelling: &str| {
        tokens.id(spelling).ok_or_else(|| {
            Error::format(
                format!("model.merges[{at}]"),
                format!(
                    "merge {at} joins {left:?} and {right:?}, but the vocabulary lacks the token {spelling:?}"
                ),
            )
        })
    };
    let (left_id, right_id) = (find(left)?, find(right)?);
    Ok(Pair { left: left_id, right: right_id, product: find(&format!("{left}{right}"))? })
}
