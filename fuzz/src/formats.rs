//! One target a file format: the file is refused with its place, or read, and what was read runs.

use miniz_oxide::deflate::compress_to_vec;
use piecework_core::definition::Definition;
use piecework_core::error::{Error, Result};
use piecework_core::formats::{
    PACK_MAGIC, gguf, pack, sentencepiece, tekken, tiktoken, tokenizer_json, vocab_merges, wordpiece,
};
use sha2::{Digest, Sha256};

use crate::holds;

/// Stands between the files of one input, where a format has several.
pub const BETWEEN: u8 = 0;

fn read(result: Result<Definition>) {
    if let Some(definition) = refused_or(result) {
        holds::all(definition);
    }
}

/// Returns what was read; fails for a refusal without a place.
fn refused_or(result: Result<Definition>) -> Option<Definition> {
    match result {
        Ok(definition) => return Some(definition),
        Err(Error::Format { place, reason }) => {
            assert!(!place.is_empty() && !reason.is_empty(), "{place:?}: {reason:?}");
            assert!(place.len() + reason.len() < 2000, "a refusal is read by people: {place}: {reason}");
        }
        Err(Error::Checksum { .. }) => {}
        Err(other) => panic!("a file is refused with its place, and not so: {other:?}"),
    }
    None
}

/// A file's parts; those that are missing are empty.
fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = data.splitn(N, |&byte| byte == BETWEEN);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// `tokenizer.json`.
pub fn tokenizer_json(data: &[u8]) {
    read(tokenizer_json::read(data));
}

/// `.tiktoken`: the ranks, the pattern, and a control token with its id.
pub fn tiktoken(data: &[u8]) {
    let [ranks, pattern, special] = parts(data);
    let [pattern, special] = [pattern, special].map(String::from_utf8_lossy);
    let pattern = if pattern.is_empty() { r"\w+|\W" } else { &pattern };
    let special =
        special.split_once(' ').map(|(content, id)| (content.to_owned(), id.parse().unwrap_or(1000)));
    read(tiktoken::definition(ranks, pattern, special.as_slice()));
}

/// Packs: one as it is, one whose checksum is made to match, and one made of metadata, columns and ranks, each but
/// the last after its length in two bytes.
pub fn pack(data: &[u8]) {
    for pack in [data.to_vec(), [data, &Sha256::digest(data)[..]].concat(), packed(data)] {
        // Splits are not looked up, for speed: one that names no two tokens is never asked for.
        if let Some(definition) = refused_or(pack::read(&pack)) {
            holds::runs(definition, &holds::TEXTS);
        }
    }
}

fn counted(data: &[u8]) -> (&[u8], &[u8]) {
    let (n, rest) = data.split_first_chunk().map_or((0, data), |(n, rest)| (u16::from_le_bytes(*n), rest));
    rest.split_at(usize::from(n).min(rest.len()))
}

fn packed(data: &[u8]) -> Vec<u8> {
    let (meta, rest) = counted(data);
    let (columns, ranks) = counted(rest);
    let (packed_meta, packed_columns) = (compress_to_vec(meta, 1), compress_to_vec(columns, 1));
    let sizes = [packed_meta.len(), meta.len(), packed_columns.len(), columns.len(), ranks.len()];
    let sizes: Vec<u8> = sizes.into_iter().flat_map(|n| (n as u32).to_le_bytes()).collect();
    let body = [PACK_MAGIC, &[1], &sizes, &packed_meta, &packed_columns, ranks].concat();
    let digest = Sha256::digest(&body);
    [&body[..], &digest[..]].concat()
}

/// The canonical form of a definition.
pub fn definition(data: &[u8]) {
    read(Definition::from_bytes(data));
}

/// SentencePiece's `.model`.
pub fn sentencepiece(data: &[u8]) {
    read(sentencepiece::read(data, sentencepiece::Options::default()));
}

/// `tekken.json`.
pub fn tekken(data: &[u8]) {
    read(tekken::read(data));
}

/// GGUF.
pub fn gguf(data: &[u8]) {
    read(gguf::read(data).map(|contents| contents.definition));
}

/// `vocab.txt` and the JSON of `tokenizer_config.json`.
pub fn wordpiece(data: &[u8]) {
    let [vocab, options] = parts(data);
    let options = String::from_utf8_lossy(options);
    read(wordpiece::read(vocab, &options).map(|(definition, _)| definition));
}

/// `vocab.json`, `merges.txt` and the JSON of `tokenizer_config.json`.
pub fn vocab_merges(data: &[u8]) {
    let [vocab, merges, options] = parts(data);
    let options = String::from_utf8_lossy(options);
    read(vocab_merges::read(vocab, merges, &options).map(|(definition, _)| definition));
}

/// Telling formats apart.
pub fn detect(data: &[u8]) {
    let kind = piecework_core::formats::detect(data);
    assert!(!kind.name().is_empty() && !kind.phrase().is_empty());
}
