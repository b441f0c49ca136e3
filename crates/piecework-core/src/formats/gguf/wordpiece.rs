//! llama.cpp's twin of BERT's tokenizer ("bert"). Its file marks the beginning of a word with `▁` where
//! WordPiece marks what continues one with `##`; here they are as in WordPiece.

use super::tokens::{Tokens, id};
use super::{File, Stages};
use crate::definition::{
    DecodeStep, Decoder, Model, Normalizer, PostProcessor, PreTokenizer, TemplateItem, WordPiece,
};
use crate::error::Result;
use crate::formats::tokenizer_json::Note;
use crate::id::TokenId;
use crate::vocab::{Entry, Vocab};

const PREFIX: &str = "##";

/// Returns the stages of a "bert" tokenizer.
///
/// # Errors
/// [`crate::error::Error::Format`] for a value of the wrong type, and for an unknown token, a begin token or
/// a separator that is no token.
pub fn wpm(file: &File<'_>, tokens: &Tokens<'_>, notes: &mut Vec<Note>) -> Result<Stages> {
    let lowercase = file.flag("normalizer.lowercase", true)?;
    let strip_accents = file.flag("normalizer.strip_accents", lowercase)?;
    let mut required = |name: &str, default| {
        file.special(name, Some(default), tokens, notes)?
            .ok_or_else(|| file.metadata.refuse(&format!("tokenizer.ggml.{name}"), "it is no token"))
    };
    let unk = required("unknown_token_id", 100)?;
    let bos = required("bos_token_id", 101)?;
    let sep = required("seperator_token_id", 102)?;
    let remark = "llama.cpp has its own character tables: it drops all marks (the reference only those without \
                  width) and keeps of a decomposed character the first, so of Korean the leading consonants; \
                  here BERT's own rules run";
    notes.push(Note { place: super::MODEL.to_owned(), remark: remark.to_owned() });
    Ok(Stages {
        vocab: vocab(tokens)?,
        model: Model::WordPiece(WordPiece {
            unk,
            continuing_subword_prefix: PREFIX.to_owned(),
            max_input_chars_per_word: usize::MAX,
        }),
        normalizers: vec![Normalizer::Bert {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: Some(strip_accents),
            lowercase,
        }],
        pre_tokenizers: vec![PreTokenizer::Bert],
        post_processor: around(bos, sep),
        decoder: Decoder::Steps(vec![DecodeStep::WordPiece { prefix: PREFIX.to_owned(), cleanup: true }]),
    })
}

/// Returns the vocabulary in WordPiece's spelling.
fn vocab(tokens: &Tokens<'_>) -> Result<Vocab> {
    let mut bytes = Vec::new();
    let mut spans = Vec::with_capacity(tokens.all.len());
    let mut taken = std::collections::HashSet::new();
    for token in &tokens.all {
        let start = bytes.len();
        let found = match token.text.strip_prefix('▁') {
            _ if token.kind.is_added() => {
                bytes.extend_from_slice(token.text.as_bytes());
                false
            }
            Some(word) => {
                bytes.extend_from_slice(word.as_bytes());
                // Punctuation stands alone, so that no word begins with the prefix.
                !word.is_empty() && !word.starts_with(PREFIX)
            }
            None => {
                bytes.extend_from_slice(PREFIX.as_bytes());
                bytes.extend_from_slice(token.text.as_bytes());
                true
            }
        };
        let found = found && taken.insert(bytes.get(start..).unwrap_or_default().to_vec());
        spans.push((start..bytes.len(), found));
    }
    Vocab::new(spans.into_iter().enumerate().map(|(at, (span, indexed))| Entry {
        id: id(at),
        bytes: bytes.get(span).unwrap_or_default(),
        indexed,
    }))
}

/// Returns the post-processor of BERT: begin, text, separator, and a second text with a separator.
pub(in crate::formats) fn around(bos: TokenId, sep: TokenId) -> PostProcessor {
    let special = |id, type_id| TemplateItem::Special { ids: vec![id], type_id };
    let text = |index: u8| TemplateItem::Sequence { index, type_id: u32::from(index) };
    let single = vec![special(bos, 0), text(0), special(sep, 0)];
    let pair = single.iter().cloned().chain([text(1), special(sep, 1)]).collect();
    PostProcessor { single, pair, ..PostProcessor::default() }
}
