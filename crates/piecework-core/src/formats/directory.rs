//! What the files of a model directory add to the tokenizer in it: tokens that only they name, tokens
//! that steer the model, and what is put around a text. The files themselves are read by the caller.

use crate::byte_alphabet;
use crate::definition::control::resolve_with;
use crate::definition::{AddedToken, Control, ControlReason, Definition, PostProcessor, TemplateItem};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::vocab::MAX_IDS;

/// What a directory adds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Additions {
    /// Added tokens, in the order in which they are added; each takes the id that its content has, else
    /// the next free one: the ids given here count for nothing, as in the reference.
    pub added: Vec<AddedToken>,
    /// Contents of added tokens that steer the model, and why. What is no added token counts for nothing.
    pub controls: Vec<(String, ControlReason)>,
    /// The ids put before and after a text, in place of what the file says; `None` leaves that alone.
    pub around: Option<(Vec<TokenId>, Vec<TokenId>)>,
}

/// Returns `definition` with what its directory adds.
///
/// # Errors
/// [`Error::Format`] for a new token whose id is taken or over the limit, and for an id around a text that
/// no token has.
///
/// Complexity: O(added tokens), and a lookup for each token that is added.
/// Source: transformers 5.24, asked case by case.
pub fn with_additions(mut definition: Definition, additions: &Additions) -> Result<Definition> {
    for token in &additions.added {
        add(&mut definition, token)?;
    }
    definition.added.sort_by_key(|token| token.id);
    let by_content = |content: &str| definition.added.iter().find(|token| token.content == content);
    let more: Vec<Control> = additions
        .controls
        .iter()
        .filter_map(|(content, reason)| Some(Control { id: by_content(content)?.id, reason: *reason }))
        .chain(definition.controls.iter().copied())
        .collect();
    let controls = resolve_with(&definition.added, &more);
    let mut definition = definition.with_controls(controls)?;
    if let Some((before, after)) = &additions.around {
        definition.post_processor = around(&definition, before, after)?;
    }
    Ok(definition)
}

/// Adds one token, or gives the added token with its content the new options.
fn add(definition: &mut Definition, token: &AddedToken) -> Result<()> {
    if token.content.is_empty() {
        return Ok(());
    }
    if let Some(known) = definition.added.iter_mut().find(|known| known.content == token.content) {
        *known = AddedToken { id: known.id, ..token.clone() };
        return Ok(());
    }
    let id = match learned(definition, &token.content) {
        Some(id) => id,
        None => free(definition, &token.content)?,
    };
    definition.added.push(AddedToken { id, ..token.clone() });
    Ok(())
}

/// Returns the id of the learned token whose form in the vocabulary is `content`.
fn learned(definition: &Definition, content: &str) -> Option<TokenId> {
    let is_byte_level = definition.model.is_byte_level();
    let spelled = is_byte_level
        .then(|| byte_alphabet::parse(content))
        .flatten()
        .and_then(|bytes| definition.vocab.get(&bytes));
    let unmade = || {
        // A piece that is never made from text, as SentencePiece's unknown one, has its id all the same.
        let mut entries = definition.vocab.iter();
        entries.find(|entry| !entry.indexed && entry.bytes == content.as_bytes()).map(|entry| entry.id)
    };
    spelled.or_else(|| definition.vocab.get(content.as_bytes())).or_else(unmade)
}

fn free(definition: &Definition, content: &str) -> Result<TokenId> {
    let after_added = definition.added.iter().map(|token| token.id.index() + 1).max().unwrap_or(0);
    let free = definition.vocab.n_tokens().max(after_added);
    let refuse =
        |why: &str| Error::format("added tokens", format!("{content:?} would get the id {free}, {why}"));
    let id = TokenId(u32::try_from(free).unwrap_or(u32::MAX));
    if id.index() >= MAX_IDS {
        return Err(refuse(&format!("over the limit of {MAX_IDS} ids")));
    }
    if definition.vocab.contains(id) {
        return Err(refuse("which is another token's: the vocabulary's ids have holes"));
    }
    Ok(id)
}

fn around(definition: &Definition, before: &[TokenId], after: &[TokenId]) -> Result<PostProcessor> {
    if let Some(id) = before.iter().chain(after).find(|id| definition.bytes(**id).is_none()) {
        return Err(Error::format("begin and end tokens", format!("no token has the id {}", id.0)));
    }
    let one = |index: u8| {
        let type_id = u32::from(index);
        let special =
            |ids: &[TokenId]| (!ids.is_empty()).then(|| TemplateItem::Special { ids: ids.to_vec(), type_id });
        let text = TemplateItem::Sequence { index, type_id };
        special(before).into_iter().chain([text]).chain(special(after)).collect::<Vec<_>>()
    };
    Ok(PostProcessor { single: one(0), pair: [one(0), one(1)].concat(), ..definition.post_processor.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tokenizer_json;

    const FILE: &str = r#"{
        "version": "1.0",
        "added_tokens": [{"id": 3, "content": "<s>", "special": true, "normalized": false,
            "single_word": false, "lstrip": false, "rstrip": false},
            {"id": 4, "content": "[INST]", "special": false, "normalized": true,
            "single_word": false, "lstrip": false, "rstrip": false}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
        "model": {"type": "BPE", "vocab": {"l": 0, "o": 1, "lo": 2}, "merges": ["l o"]}
    }"#;

    fn token(content: &str) -> AddedToken {
        AddedToken::verbatim(TokenId(0), content, true)
    }

    fn file() -> Definition {
        tokenizer_json::read(FILE.as_bytes()).unwrap()
    }

    #[test]
    fn a_token_takes_its_contents_id_or_the_next_free_one() {
        let added = ["lo", "<pad>", "[INST]", ""].map(token).to_vec();
        let amended = with_additions(file(), &Additions { added, ..Additions::default() }).unwrap();
        let found: Vec<_> =
            amended.added.iter().map(|token| (token.id.0, token.content.as_str(), token.special)).collect();
        assert_eq!(found, [(2, "lo", true), (3, "<s>", true), (4, "[INST]", true), (5, "<pad>", true)]);
        assert_eq!(amended.controls.len(), 4);
        assert_eq!(amended.n_base(), 2);
    }

    #[test]
    fn controls_are_added_tokens_only() {
        let controls =
            ["[INST]", "l", "<s>"].map(|content| (content.to_owned(), ControlReason::ChatTemplate)).to_vec();
        let amended = with_additions(file(), &Additions { controls, ..Additions::default() }).unwrap();
        let found: Vec<_> =
            amended.controls.iter().map(|control| (control.id.0, control.reason.name())).collect();
        assert_eq!(found, [(3, "special"), (4, "chat_template")]);
        assert_eq!(with_additions(amended.clone(), &Additions::default()).unwrap(), amended);
    }

    #[test]
    fn what_is_put_around_a_text_must_be_tokens() {
        let with = |before: u32| {
            let around = Some((vec![TokenId(before)], vec![TokenId(2)]));
            with_additions(file(), &Additions { around, ..Additions::default() })
        };
        let special = |id, type_id| TemplateItem::Special { ids: vec![TokenId(id)], type_id };
        let text = |index| TemplateItem::Sequence { index, type_id: u32::from(index) };
        let post = with(3).unwrap().post_processor;
        assert_eq!(post.single, [special(3, 0), text(0), special(2, 0)]);
        assert_eq!(post.pair, [special(3, 0), text(0), special(2, 0), special(3, 1), text(1), special(2, 1)]);
        assert!(with(9).unwrap_err().to_string().contains("no token has the id 9"));
    }
}
