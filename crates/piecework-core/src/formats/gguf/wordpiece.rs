//! llama.cpp's twin of BERT's tokenizer ("bert"). Its file marks the beginning of a word with `▁` where
//! WordPiece marks what continues one with `##`; here they are as in WordPiece.

use super::tokens::{Tokens, id};
use super::{File, Stages};
use crate::definition::{
    Behavior, DecodeStep, Decoder, Model, Needle, Normalizer, PostProcessor, PreTokenizer, TemplateItem,
    WordPiece,
};
use crate::error::Result;
use crate::formats::tokenizer_json::Note;
use crate::id::TokenId;
use crate::vocab::{Entry, Vocab};

const PREFIX: &str = "##";

/// What llama.cpp drops: controls and formats that are no white space, and the replacement character.
const DROPPED: &str = r"(?!\s)[\p{Cc}\p{Cf}\p{Co}\x{FFFD}]";

/// What stands alone: punctuation, symbols of ASCII, and the ideographs of llama.cpp's own list.
const ALONE: &str = r"[\p{P}$+<=>\^`|~\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2B73F}\x{2B740}-\x{2B81F}\x{2B920}-\x{2CEAF}\x{F900}-\x{FAFF}\x{2F800}-\x{2FA1F}]";

/// The first syllable of Hangul, how many there are for each leading consonant, and the first of those.
const SYLLABLES: (u32, u32, u32) = (0xac00, 588, 0x1100);
const N_LEADING: u32 = 19;

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
    let remark = "llama.cpp takes a \u{2581} inside a word of the text for the beginning of a word; here it is a \
                  character like others";
    notes.push(Note { place: super::MODEL.to_owned(), remark: remark.to_owned() });
    Ok(Stages {
        vocab: vocab(tokens)?,
        model: Model::WordPiece(WordPiece {
            unk,
            continuing_subword_prefix: PREFIX.to_owned(),
            max_input_chars_per_word: usize::MAX,
        }),
        normalizers: normalizers(lowercase, strip_accents),
        pre_tokenizers: vec![
            PreTokenizer::WhitespaceSplit,
            PreTokenizer::Split { pattern: ALONE.to_owned(), behavior: Behavior::Isolated, invert: false },
        ],
        post_processor: around(bos, sep),
        decoder: Decoder::Steps(vec![DecodeStep::WordPiece { prefix: PREFIX.to_owned(), cleanup: true }]),
    })
}

/// Returns what llama.cpp does to each character. Of a decomposition it keeps the first character, and it
/// drops all marks; but for Hangul that is to decompose and drop the marks.
fn normalizers(lowercase: bool, strip_accents: bool) -> Vec<Normalizer> {
    let replace = |pattern: String, content: &str| Normalizer::Replace {
        pattern: Needle::Pattern(pattern),
        content: content.to_owned(),
    };
    let mut out = vec![replace(DROPPED.to_owned(), "")];
    if strip_accents {
        let (first, n, consonant) = SYLLABLES;
        for at in 0..N_LEADING {
            let from = first + at * n;
            let content = char::from_u32(consonant + at).map(String::from).unwrap_or_default();
            out.push(replace(format!(r"[\x{{{from:X}}}-\x{{{:X}}}]", from + n - 1), &content));
        }
        out.push(Normalizer::Nfd);
        out.push(replace(r"\p{M}+".to_owned(), ""));
    }
    if lowercase {
        // The one letter whose full lower case is two characters; llama.cpp has simple ones.
        out.push(replace("\u{130}".to_owned(), "i"));
        out.push(Normalizer::Lowercase);
    }
    out
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
