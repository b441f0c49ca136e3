//! Packs: the bundled tokenizers, compact and quick to read. Tokens stand in the order of their bytes,
//! each as what it adds to the one before; a pack may build on another one's tokens, which then stands
//! before it. `tools/pack_format.py` writes packs and gives the layout byte by byte. A second layout holds a
//! whole definition: see [`whole`].

mod columns;
mod learned;
mod whole;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::PACK_MAGIC;
use crate::definition::canonical::hex;
use crate::definition::{
    AddedToken, Behavior, Bpe, Decoder, Definition, Model, Normalizer, PostProcessor, PreTokenizer, Profile,
    control,
};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::merges::Merges;
use learned::Learned;

/// The version of the layout that this module reads.
const VERSION: u8 = 1;
/// Magic and version; the sizes of the sections follow.
const N_HEAD: usize = 16;
/// A SHA-256.
const N_DIGEST: usize = 32;
/// No published tokenizer comes near; a few hostile bytes must not make us reserve gigabytes.
const MAX_UNPACKED: usize = 1 << 26;
/// The single bytes come first and no merge makes them.
const N_BYTES: u32 = 256;

/// The metadata of a pack: its JSON, less what only people read (sources, licenses).
#[derive(Debug, Deserialize)]
struct Meta {
    name: String,
    n_vocab: usize,
    profile: ProfileName,
    normalizer: Option<NormalizerName>,
    pattern: String,
    vocab: VocabMeta,
    merges: MergesName,
    whole_pieces: bool,
    added: Vec<AddedMeta>,
}

#[derive(Debug, Deserialize)]
struct VocabMeta {
    /// The pack whose tokens come first; without one, the single bytes do.
    base: Option<String>,
    /// Ids of the base's tokens that are left out, ascending.
    skip: Vec<u32>,
    first_id: u32,
    n_own: usize,
}

#[derive(Debug, Deserialize)]
struct AddedMeta {
    id: u32,
    content: String,
    flags: Vec<Flag>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Flag {
    Special,
    Normalized,
    SingleWord,
    Lstrip,
    Rstrip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProfileName {
    Tiktoken,
    Tokenizers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MergesName {
    Concat,
    Single,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum NormalizerName {
    Nfc,
}

/// One pack, checked and unpacked but for its ranks.
struct Pack<'a> {
    meta: Meta,
    columns: Vec<u8>,
    ranks: &'a [u8],
}

/// Reads one pack, or several of which each builds on the one before it; the last is the one meant.
///
/// # Errors
/// [`Error::Checksum`] where the bytes of a pack do not match their checksum; [`Error::Format`] for
/// what is no pack of this version, is cut short, lacks its base, or holds what no tokenizer can.
///
/// Complexity: O(bytes); o200k's 820 kB took 11 ms, of which the vocabulary's table was a third, its columns another.
pub fn read(data: &[u8]) -> Result<Definition> {
    if data.starts_with(PACK_MAGIC) && data.get(PACK_MAGIC.len()) == Some(&whole::VERSION) {
        return whole::read(data);
    }
    let mut rest = data;
    let mut before: Option<(String, Learned)> = None;
    loop {
        let (pack, after) = open(rest, data.len() - rest.len())?;
        let start = match (&pack.meta.vocab.base, before.take()) {
            (None, _) => Learned::bytes(),
            (Some(base), Some((name, tokens))) if *base == name => tokens.without(&pack.meta.vocab.skip)?,
            (Some(base), _) => {
                let reason = format!("the pack {} builds on {base}, which is not before it", pack.meta.name);
                return Err(Error::format("pack", reason));
            }
        };
        let (tokens, splits) = start.with_own(&pack)?;
        if after.is_empty() {
            return definition(pack.meta, tokens, splits);
        }
        before = Some((pack.meta.name, tokens));
        rest = after;
    }
}

/// Checks the pack at the start of `data` and unpacks it; returns it and what follows it.
fn open(data: &[u8], at: usize) -> Result<(Pack<'_>, &[u8])> {
    let refuse = |reason: String| Error::format(format!("byte {at}"), reason);
    let rest = data.strip_prefix(PACK_MAGIC).ok_or_else(|| refuse("this is no pack".to_owned()))?;
    match rest.first() {
        Some(&VERSION) => {}
        Some(version) => {
            let known = whole::VERSION;
            return Err(refuse(format!(
                "a pack of version {version}; this engine reads {VERSION} and {known}"
            )));
        }
        None => return Err(refuse("the pack is cut short".to_owned())),
    }
    let ([n_meta, n_meta_unpacked, n_columns, n_columns_unpacked, n_ranks], n_header) =
        sizes(data).map_err(&refuse)?;
    let (body, rest) = checked_body(data, n_header + n_meta + n_columns + n_ranks, at)?;
    let (_, sections) = body.split_at(n_header);
    let (meta, sections) = sections.split_at(n_meta);
    let (columns, ranks) = sections.split_at(n_columns);
    let meta = parse_meta(meta, n_meta_unpacked).map_err(&refuse)?;
    let columns = inflate(columns, n_columns_unpacked).map_err(&refuse)?;
    Ok((Pack { meta, columns, ranks }, rest))
}

/// Returns the sizes after magic and version, and how long the header is that ends with them.
fn sizes<const N: usize>(data: &[u8]) -> std::result::Result<([usize; N], usize), String> {
    let n_header = N_HEAD + 4 * N;
    let header = data.get(N_HEAD..n_header).ok_or("the pack is cut short")?;
    let mut sizes = [0; N];
    for (size, word) in sizes.iter_mut().zip(header.chunks_exact(4)) {
        *size = word.try_into().map_or(0, |word| u32::from_le_bytes(word) as usize);
    }
    Ok((sizes, n_header))
}

/// Returns the first `n_body` bytes, which must match the checksum that follows them, and what follows that.
fn checked_body(data: &[u8], n_body: usize, at: usize) -> Result<(&[u8], &[u8])> {
    let cut_short = || Error::format(format!("byte {at}"), "the pack is cut short");
    let (body, rest) = data.split_at_checked(n_body).ok_or_else(cut_short)?;
    let (digest, rest) = rest.split_at_checked(N_DIGEST).ok_or_else(cut_short)?;
    let found = Sha256::digest(body);
    if found[..] == *digest {
        return Ok((body, rest));
    }
    let what = format!("the pack at byte {at}");
    Err(Error::Checksum { what, expected: hex(digest), found: hex(&found) })
}

fn parse_meta<T: DeserializeOwned>(data: &[u8], n_unpacked: usize) -> std::result::Result<T, String> {
    let meta = inflate(data, n_unpacked)?;
    serde_json::from_slice(&meta).map_err(|error| format!("the metadata: {error}"))
}

fn inflate(data: &[u8], n_unpacked: usize) -> std::result::Result<Vec<u8>, String> {
    if n_unpacked > MAX_UNPACKED {
        return Err(format!("{n_unpacked} unpacked bytes are over the limit of {MAX_UNPACKED}"));
    }
    let unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(data, n_unpacked)
        .map_err(|error| format!("a section does not unpack: {error}"))?;
    if unpacked.len() == n_unpacked {
        Ok(unpacked)
    } else {
        Err(format!("a section unpacks to {} bytes instead of {n_unpacked}", unpacked.len()))
    }
}

fn definition(meta: Meta, tokens: Learned, splits: Vec<u8>) -> Result<Definition> {
    let refuse = |reason: String| Error::format(format!("pack {}", meta.name), reason);
    let merges = match meta.merges {
        MergesName::Concat if splits.is_empty() => Merges::Concat,
        MergesName::Single if splits.len() + N_BYTES as usize == tokens.n_ids() => {
            Merges::Single { first: TokenId(N_BYTES), splits }
        }
        _ => return Err(refuse(format!("{} merges do not fit its tokens", splits.len()))),
    };
    let added: Vec<AddedToken> = meta.added.into_iter().map(AddedMeta::token).collect();
    if added.windows(2).any(|pair| pair[0].id >= pair[1].id) {
        return Err(refuse("its added tokens are not in id order".to_owned()));
    }
    let (behavior, invert, profile) = match meta.profile {
        // tiktoken drops what its pattern does not match.
        ProfileName::Tiktoken => (Behavior::Removed, true, Profile::Tiktoken),
        ProfileName::Tokenizers => (Behavior::Isolated, false, Profile::Tokenizers),
    };
    let definition = Definition {
        vocab: tokens.vocab()?,
        model: Model::Bpe(Bpe::bytes(merges, meta.whole_pieces)),
        normalizers: meta.normalizer.iter().map(|NormalizerName::Nfc| Normalizer::Nfc).collect(),
        pre_tokenizers: vec![PreTokenizer::Split { pattern: meta.pattern, behavior, invert }],
        controls: control::resolve(&added),
        added,
        post_processor: PostProcessor::default(),
        decoder: Decoder::Bytes,
        profile,
    };
    if definition.vocab_size() == meta.n_vocab {
        Ok(definition)
    } else {
        let reason = format!("it has {} ids instead of {}", definition.vocab_size(), meta.n_vocab);
        Err(Error::format(format!("pack {}", meta.name), reason))
    }
}

impl AddedMeta {
    fn token(self) -> AddedToken {
        let has = |flag| self.flags.contains(&flag);
        AddedToken {
            id: TokenId(self.id),
            special: has(Flag::Special),
            normalized: has(Flag::Normalized),
            single_word: has(Flag::SingleWord),
            lstrip: has(Flag::Lstrip),
            rstrip: has(Flag::Rstrip),
            content: self.content,
        }
    }
}

#[cfg(test)]
mod tests;
