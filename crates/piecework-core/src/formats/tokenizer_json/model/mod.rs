//! The field `model`: which of the four it is, its vocabulary and its options.

pub mod bpe;
mod others;
mod vocab;

use super::raw::{RawModel, RawVocab};
use crate::definition::{Model, Normalizer, PreTokenizer};
use crate::error::Result;
use crate::formats::json::Node;
use serde_json::Value;
pub use vocab::Tokens;

/// Reads the model, given the stages before it, which decide whether its vocabulary is held as bytes.
///
/// # Errors
/// [`crate::error::Error::Format`]; see [`super::read`].
pub fn read<'a>(
    model: RawModel<'a>,
    normalizers: &[Normalizer],
    pre_tokenizers: &[PreTokenizer],
) -> Result<(Tokens<'a>, Model)> {
    let RawModel { vocab, merges, options } = model;
    let options = Value::Object(options);
    let options = Node::new(&options, "model");
    let kind = match options.find("type")? {
        Some(node) => node.text()?,
        None => guess(&options, vocab.as_ref(), merges.is_some())?,
    };
    match kind {
        "BPE" => bpe::read(&options, vocab, merges, spells_bytes(normalizers, pre_tokenizers)),
        "Unigram" => others::unigram(&options, vocab),
        "WordPiece" => others::word_piece(&options, vocab),
        "WordLevel" => others::word_level(&options, vocab),
        other => Err(options.unsupported(other, "BPE, Unigram, WordPiece and WordLevel")),
    }
}

/// Returns the model whose fields there are: the reference tries BPE, WordPiece, `WordLevel` and Unigram in turn.
fn guess(options: &Node<'_>, vocab: Option<&RawVocab<'_>>, has_merges: bool) -> Result<&'static str> {
    let has = |name: &str| Ok(options.find(name)?.is_some());
    match vocab {
        Some(RawVocab::Ids(_)) if has_merges => Ok("BPE"),
        Some(RawVocab::Ids(_)) if has("continuing_subword_prefix")? && has("max_input_chars_per_word")? => {
            Ok("WordPiece")
        }
        Some(RawVocab::Ids(_)) if has("unk_token")? => Ok("WordLevel"),
        Some(RawVocab::Scores(_)) => Ok("Unigram"),
        _ => Err(options.refuse("the type is missing, and it has not the vocab and the merges of BPE")),
    }
}

/// Returns whether what the model gets is bytes in the display alphabet, because the last stage before it
/// writes them so and no stage sees them so: then the vocabulary can be held as the bytes themselves.
fn spells_bytes(normalizers: &[Normalizer], pre_tokenizers: &[PreTokenizer]) -> bool {
    let n = pre_tokenizers.iter().filter(|stage| **stage == PreTokenizer::ByteAlphabet).count();
    n == 1
        && pre_tokenizers.last() == Some(&PreTokenizer::ByteAlphabet)
        && !normalizers.contains(&Normalizer::ByteLevel)
}
