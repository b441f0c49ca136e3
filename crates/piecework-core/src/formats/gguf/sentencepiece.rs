//! llama.cpp's twins of SentencePiece: byte pairs by score ("llama") and unigrams ("t5").

use std::collections::HashMap;

use super::tokens::{Kind, Tokens, id};
use super::{File, Stages};
use crate::definition::{Bpe, Characters, Charsmap, Decoder, Model, Normalizer, Precision, Unigram};
use crate::error::Result;
use crate::formats::tokenizer_json::Note;
use crate::merges::{Merges, NO_RANK};
use crate::vocab::{Entry, Vocab};

/// Returns the stages of a "llama" tokenizer.
///
/// # Errors
/// [`crate::error::Error::Format`] for a value of the wrong type.
pub fn spm(file: &File<'_>, tokens: &Tokens<'_>, notes: &mut Vec<Note>) -> Result<Stages> {
    let add_space_prefix = file.flag("add_space_prefix", true)?;
    note_spelled_controls(tokens, notes);
    let characters = Characters { byte_fallback: true, ..Characters::default() };
    Ok(Stages {
        vocab: vocab(tokens, super::is_learned)?,
        model: Model::Bpe(Bpe {
            merges: Merges::Ranked(ranks(tokens)),
            whole_pieces: false,
            characters: Some(characters),
            dropout_millionths: 0,
        }),
        normalizers: vec![Normalizer::SentencePiece {
            charsmap: Charsmap::default(),
            add_dummy_prefix: add_space_prefix,
            remove_extra_whitespaces: false,
            escape_whitespaces: true,
            whitespace_as_suffix: false,
        }],
        pre_tokenizers: Vec::new(),
        post_processor: file.around(tokens, [(true, Some(1)), (false, Some(2))], notes)?,
        decoder: decoder(file, tokens, add_space_prefix, notes)?,
    })
}

/// Returns the stages of a "t5" tokenizer.
///
/// # Errors
/// [`crate::error::Error::Format`] for a value of the wrong type.
pub fn ugm(file: &File<'_>, tokens: &Tokens<'_>, notes: &mut Vec<Note>) -> Result<Stages> {
    let add_space_prefix = file.flag("add_space_prefix", false)?;
    let remove_extra_whitespaces = file.flag("remove_extra_whitespaces", false)?;
    if add_space_prefix && !remove_extra_whitespaces {
        let remark = "llama.cpp puts no space before a text that is nothing but spaces; here it gets one";
        notes.push(Note {
            place: "tokenizer.ggml.remove_extra_whitespaces".to_owned(),
            remark: remark.to_owned(),
        });
    }
    let charsmap = file.metadata.bytes("tokenizer.ggml.precompiled_charsmap")?.unwrap_or_default().to_vec();
    let is_matched = |kind| matches!(kind, Kind::Normal | Kind::UserDefined | Kind::Unused);
    Ok(Stages {
        vocab: vocab(tokens, is_matched)?,
        model: Model::Unigram(Unigram {
            score_bits: tokens.all.iter().map(|token| f64::from(token.score).to_bits()).collect(),
            unk: file.special("unknown_token_id", Some(2), tokens, notes)?,
            byte_fallback: false,
            // llama.cpp adds in 64 bits, as tokenizers does.
            precision: Precision::F64,
            user_defined: Vec::new(),
            unused: Vec::new(),
        }),
        normalizers: vec![Normalizer::SentencePiece {
            charsmap: Charsmap(charsmap),
            // Where spaces are squeezed, one begins the text, asked for or not.
            add_dummy_prefix: add_space_prefix || remove_extra_whitespaces,
            remove_extra_whitespaces,
            escape_whitespaces: true,
            whitespace_as_suffix: false,
        }],
        pre_tokenizers: Vec::new(),
        post_processor: file.around(tokens, [(false, None), (true, Some(1))], notes)?,
        decoder: decoder(file, tokens, add_space_prefix, notes)?,
    })
}

fn decoder(
    file: &File<'_>,
    tokens: &Tokens<'_>,
    add_dummy_prefix: bool,
    notes: &mut Vec<Note>,
) -> Result<Decoder> {
    let unk = file.special("unknown_token_id", Some(0), tokens, notes)?;
    let unk = unk.and_then(|id| tokens.all.get(id.index()));
    Ok(Decoder::SentencePiece {
        add_dummy_prefix,
        remove_extra_whitespaces: false,
        whitespace_as_suffix: false,
        unk_surface: unk.map_or_else(String::new, |token| token.text.clone().into_owned()),
    })
}

fn vocab(tokens: &Tokens<'_>, is_found: impl Fn(Kind) -> bool) -> Result<Vocab> {
    Vocab::new(tokens.all.iter().enumerate().map(|(at, token)| Entry {
        id: id(at),
        bytes: token.text.as_bytes(),
        indexed: is_found(token.kind),
    }))
}

/// Returns the rank of each token that a merge can make: the higher its score the earlier.
fn ranks(tokens: &Tokens<'_>) -> Vec<u32> {
    // Both zeros are one score.
    let bits = |score: f32| (score + 0.0).to_bits();
    let mut scores: Vec<f32> = tokens.all.iter().map(|token| token.score + 0.0).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.dedup();
    let ranks: HashMap<u32, u32> = scores.iter().map(|&score| bits(score)).zip(0..).collect();
    let rank = |score| ranks.get(&bits(score)).copied().unwrap_or(NO_RANK);
    let all = tokens.all.iter();
    all.map(|token| if super::is_learned(token.kind) { rank(token.score) } else { NO_RANK }).collect()
}

/// Says which control tokens llama.cpp can make from ordinary text: those whose text two tokens spell.
fn note_spelled_controls(tokens: &Tokens<'_>, notes: &mut Vec<Note>) {
    for (at, token) in tokens.all.iter().enumerate().filter(|(_, token)| token.kind == Kind::Control) {
        let text = token.text.as_ref();
        let is_spelled = text.char_indices().skip(1).any(|(cut, _)| {
            let (left, right) = text.split_at(cut);
            let is_symbol = |part: &str| tokens.id(part).is_some() || part.chars().count() == 1;
            is_symbol(left) && is_symbol(right)
        });
        if is_spelled {
            let remark = format!(
                "llama.cpp can make the control token {text:?} from ordinary text; here none is made unless \
                 asked for"
            );
            notes.push(Note { place: format!("tokenizer.ggml.tokens[{at}]"), remark });
        }
    }
}
