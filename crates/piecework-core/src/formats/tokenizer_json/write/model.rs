//! The field `model`: options, vocabulary and merges.

use super::json::{Json, component};
use super::refuse;
use crate::definition::{Bpe, Characters, Definition, Model, Precision, Unigram};
use crate::error::Result;
use crate::formats::spelling;
use crate::id::TokenId;

/// Returns the model.
///
/// # Errors
/// [`crate::error::Error::Format`] for what only sentencepiece has, and for a token that is no text.
pub fn write(definition: &Definition) -> Result<Json<'_>> {
    let spelled = |id: TokenId| spelling::of(definition, id).map(Json::Text);
    let vocab = || -> Result<Json<'_>> {
        let fields = definition.vocab.iter().map(|entry| {
            let spelled = spelling::of(definition, entry.id)?;
            Ok((spelled, entry.id.0.into()))
        });
        Ok(Json::Object(fields.collect::<Result<_>>()?))
    };
    Ok(match &definition.model {
        Model::Bpe(model) => bpe(definition, model, vocab()?)?,
        Model::Unigram(model) => unigram(definition, model)?,
        Model::WordPiece(model) => component(
            "WordPiece",
            [
                ("unk_token", spelled(model.unk)?),
                ("continuing_subword_prefix", model.continuing_subword_prefix.as_str().into()),
                ("max_input_chars_per_word", model.max_input_chars_per_word.into()),
                ("vocab", vocab()?),
            ],
        ),
        Model::WordLevel(model) => {
            if model.word_start.is_some() || model.fuse_unk || model.byte_fallback {
                let reason = "a model that cuts words itself is sentencepiece's alone";
                return Err(refuse("model", reason.to_owned()));
            }
            let unk = model.unk.map_or_else(|| Ok(no_token(definition).into()), spelled)?;
            component("WordLevel", [("vocab", vocab()?), ("unk_token", unk)])
        }
    })
}

fn bpe<'d>(definition: &'d Definition, model: &'d Bpe, vocab: Json<'d>) -> Result<Json<'d>> {
    let plain = Characters::default();
    let characters = model.characters.as_ref();
    let own = characters.unwrap_or(&plain);
    if !own.user_defined.is_empty() || !own.unused.is_empty() {
        return Err(refuse("model", "only sentencepiece has user-defined and unused pieces".to_owned()));
    }
    let Some(pairs) = model.merges.pairs(&definition.vocab) else {
        return Err(refuse("model.merges", "they are not a list of pairs".to_owned()));
    };
    let spelled = |id: TokenId| spelling::of(definition, id).map(Json::Text);
    let pairs = pairs
        .iter()
        .map(|pair| Ok(Json::List(vec![spelled(pair.left)?, spelled(pair.right)?])))
        .collect::<Result<_>>()?;
    let affix = |of: fn(&Characters) -> &String| {
        characters.map(of).filter(|text| !text.is_empty()).map_or(Json::Null, |text| text.as_str().into())
    };
    let dropout = f64::from(model.dropout_millionths) / 1e6;
    Ok(component(
        "BPE",
        [
            ("dropout", if dropout > 0.0 { Json::Float(dropout) } else { Json::Null }),
            ("unk_token", own.unk.map_or(Ok(Json::Null), spelled)?),
            ("continuing_subword_prefix", affix(|own| &own.continuing_subword_prefix)),
            ("end_of_word_suffix", affix(|own| &own.end_of_word_suffix)),
            ("fuse_unk", own.fuse_unk.into()),
            ("byte_fallback", own.byte_fallback.into()),
            ("ignore_merges", model.whole_pieces.into()),
            ("vocab", vocab),
            ("merges", Json::List(pairs)),
        ],
    ))
}

fn unigram<'d>(definition: &'d Definition, model: &Unigram) -> Result<Json<'d>> {
    if model.precision != Precision::F64 || !model.user_defined.is_empty() || !model.unused.is_empty() {
        let reason = "32-bit scores, user-defined and unused pieces are sentencepiece's alone";
        return Err(refuse("model", reason.to_owned()));
    }
    // A piece's place is its id.
    if definition.vocab.n_tokens() != definition.vocab.n_ids() {
        return Err(refuse("model.vocab", "an id without a piece cannot be written".to_owned()));
    }
    let pieces = definition.vocab.iter().map(|entry| {
        let piece = spelling::of(definition, entry.id).map(Json::Text)?;
        Ok(Json::List(vec![piece, Json::Float(model.score(entry.id))]))
    });
    let pieces = pieces.collect::<Result<_>>()?;
    Ok(component(
        "Unigram",
        [
            ("unk_id", model.unk.map_or(Json::Null, |id| id.0.into())),
            ("vocab", Json::List(pieces)),
            ("byte_fallback", model.byte_fallback.into()),
        ],
    ))
}

/// Returns a text that is no token: a reader asks for an unknown token, and takes one that is not there for none.
fn no_token(definition: &Definition) -> String {
    let mut text = "<unk>".to_owned();
    while definition.vocab.iter().any(|entry| entry.bytes == text.as_bytes()) {
        text.push('>');
    }
    text
}
