//! Unigram, WordPiece and `WordLevel`.

use super::super::raw::RawVocab;
use super::Tokens;
use crate::definition::{Model, Precision, Unigram, WordLevel, WordPiece};
use crate::error::{Error, Result};
use crate::formats::json::Node;
use crate::id::TokenId;

/// Reads Unigram: pieces with scores, whose places are their ids.
///
/// # Errors
/// [`Error::Format`] for a vocabulary of another kind, a score that is no finite number, an unknown token
/// that is no piece.
pub fn unigram<'a>(options: &Node<'_>, vocab: Option<RawVocab<'a>>) -> Result<(Tokens<'a>, Model)> {
    let Some(RawVocab::Scores(pieces)) = vocab else {
        return Err(options.refuse("the vocab is missing, or is not an array of pieces and scores"));
    };
    let tokens = Tokens::pieces(&pieces)?;
    if let Some(at) = pieces.iter().position(|(_, score)| !score.is_finite()) {
        return Err(Error::format(format!("model.vocab[{at}]"), "a score must be a finite number"));
    }
    let unk = match options.find("unk_id")? {
        Some(node) if !node.is_null() => {
            let id = node.number()?;
            if id as usize >= pieces.len() {
                return Err(node.refuse(format!("there are {} pieces, and none has this id", pieces.len())));
            }
            Some(TokenId(id))
        }
        _ => None,
    };
    let model = Model::Unigram(Unigram {
        score_bits: pieces.iter().map(|(_, score)| score.to_bits()).collect(),
        unk,
        byte_fallback: is_set(options, "byte_fallback")?,
        precision: Precision::F64,
        user_defined: Vec::new(),
        unused: Vec::new(),
    });
    Ok((tokens, model))
}

/// Reads WordPiece.
///
/// # Errors
/// [`Error::Format`] for a vocabulary of another kind or without the unknown token.
pub fn word_piece<'a>(options: &Node<'_>, vocab: Option<RawVocab<'a>>) -> Result<(Tokens<'a>, Model)> {
    let tokens = texts(options, vocab)?;
    let unk = options.field("unk_token")?;
    let Some(id) = tokens.id(unk.text()?) else {
        return Err(unk.refuse(format!("the vocabulary lacks the unknown token {:?}", unk.text()?)));
    };
    let model = Model::WordPiece(WordPiece {
        unk: id,
        continuing_subword_prefix: options.field("continuing_subword_prefix")?.text()?.to_owned(),
        max_input_chars_per_word: options.field("max_input_chars_per_word")?.number()? as usize,
    });
    Ok((tokens, model))
}

/// Reads `WordLevel`. A vocabulary without the unknown token has none: what it lacks is an error then.
///
/// # Errors
/// [`Error::Format`] for a vocabulary of another kind.
pub fn word_level<'a>(options: &Node<'_>, vocab: Option<RawVocab<'a>>) -> Result<(Tokens<'a>, Model)> {
    let tokens = texts(options, vocab)?;
    let unk = tokens.id(options.field("unk_token")?.text()?);
    Ok((tokens, Model::WordLevel(WordLevel { unk, ..WordLevel::default() })))
}

fn texts<'a>(options: &Node<'_>, vocab: Option<RawVocab<'a>>) -> Result<Tokens<'a>> {
    match vocab {
        Some(RawVocab::Ids(ids)) => Tokens::texts(&ids),
        _ => Err(options.refuse("the vocab is missing, or is not an object of tokens and ids")),
    }
}

/// Returns a switch that may be missing or null.
pub fn is_set(options: &Node<'_>, name: &str) -> Result<bool> {
    match options.find(name)? {
        Some(node) if !node.is_null() => node.flag(),
        _ => Ok(false),
    }
}
