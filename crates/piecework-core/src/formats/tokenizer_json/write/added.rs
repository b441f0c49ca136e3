//! Added tokens, and the ids that a reader will give them.

use std::borrow::Cow;

use super::json::{Json, object};
use super::refuse;
use crate::byte_alphabet;
use crate::definition::Definition;
use crate::error::Result;
use crate::vocab::{Entry, Vocab};

/// Returns the added tokens.
pub fn write(definition: &Definition) -> Json<'_> {
    let tokens = definition.added.iter().map(|token| {
        object([
            ("id", token.id.0.into()),
            ("content", token.content.as_str().into()),
            ("single_word", token.single_word.into()),
            ("lstrip", token.lstrip.into()),
            ("rstrip", token.rstrip.into()),
            ("normalized", token.normalized.into()),
            ("special", token.special.into()),
        ])
    });
    Json::List(tokens.collect())
}

/// Returns the definition with added tokens that a reader gives their own ids. It takes a token's id from the
/// vocabulary, or else the next free one, and does not heed what the file says: where that would be another, the
/// added tokens stand in the vocabulary too, as in the files of models that have holes.
///
/// # Errors
/// [`crate::error::Error::Format`] where a learned token has an added one's text.
pub fn with_fitting_ids(definition: Cow<'_, Definition>) -> Result<Cow<'_, Definition>> {
    if ids_fit(&definition) {
        return Ok(definition);
    }
    let is_byte_level = definition.model.is_byte_level();
    let more: Vec<_> = definition
        .added
        .iter()
        .filter(|token| !definition.vocab.contains(token.id))
        .map(|token| {
            let spelled = is_byte_level.then(|| byte_alphabet::parse(&token.content));
            match spelled {
                Some(Some(bytes)) => (token.id, bytes, true),
                Some(None) => (token.id, token.content.clone().into_bytes(), false),
                None => (token.id, token.content.clone().into_bytes(), true),
            }
        })
        .collect();
    let own = more.iter().map(|(id, bytes, indexed)| Entry { id: *id, bytes, indexed: *indexed });
    let vocab = Vocab::new(definition.vocab.iter().chain(own)).map_err(|error| {
        refuse("added_tokens", format!("they need ids that only the vocabulary can give them, but {error}"))
    })?;
    let definition = Definition { vocab, ..definition.into_owned() };
    let controls = definition.controls.clone();
    Ok(Cow::Owned(definition.with_controls(controls)?))
}

fn ids_fit(definition: &Definition) -> bool {
    let mut free = definition.vocab.n_tokens();
    definition.added.iter().all(|token| {
        let fits = definition.vocab.contains(token.id) || token.id.index() == free;
        free = free.max(token.id.index() + 1);
        fits
    })
}
