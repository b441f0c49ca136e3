//! Added tokens. The reference does not take an added token's id from the file: one whose text is in
//! the vocabulary has that id, any other the next free one, in file order. Files that it wrote itself
//! agree; where one does not, the ids that models were fed are the reference's.

use std::collections::HashMap;

use super::Note;
use super::model::Tokens;
use crate::definition::AddedToken;
use crate::error::Result;
use crate::formats::json::Node;
use crate::id::TokenId;
use crate::vocab::MAX_IDS;

/// Reads the added tokens, in id order.
///
/// # Errors
/// [`crate::error::Error::Format`] for a token of the wrong shape, one given twice with different
/// options, or one that would get another token's id.
pub fn read(node: &Node<'_>, tokens: &Tokens<'_>, notes: &mut Vec<Note>) -> Result<Vec<AddedToken>> {
    if node.is_null() {
        return Ok(Vec::new());
    }
    let mut remark_on = |item: &Node<'_>, remark: String| {
        notes.push(Note { place: item.path().to_owned(), remark });
    };
    let mut added: Vec<AddedToken> = Vec::new();
    let mut places = HashMap::new();
    // The number of tokens, holes not counted, or past the largest id of an added one.
    let mut free = tokens.vocab.n_tokens();
    for item in node.items()? {
        let mut token = read_one(&item)?;
        if token.content.is_empty() {
            remark_on(&item, "the token is empty and counts for nothing".to_owned());
            continue;
        }
        if let Some(earlier) = places.get(&token.content).and_then(|&at: &usize| added.get(at)) {
            if (AddedToken { id: earlier.id, ..token.clone() }) != *earlier {
                return Err(item.refuse(format!("{:?} is given before with other options", token.content)));
            }
            remark_on(&item, format!("{:?} is given before and counts once", token.content));
            continue;
        }
        let id = match tokens.id(&token.content) {
            Some(id) => id,
            None => check_free(&item, &token.content, tokens, free)?,
        };
        free = free.max(id.index() + 1);
        if id != token.id {
            let (content, given) = (&token.content, token.id.0);
            remark_on(&item, format!("{content:?} has the id {}, not {given} as the file says", id.0));
        }
        token.id = id;
        places.insert(token.content.clone(), added.len());
        added.push(token);
    }
    added.sort_by_key(|token| token.id);
    Ok(added)
}

fn read_one(item: &Node<'_>) -> Result<AddedToken> {
    let flag = |name: &str| item.field(name)?.flag();
    Ok(AddedToken {
        id: TokenId(item.field("id")?.number()?),
        content: item.field("content")?.text()?.to_owned(),
        special: flag("special")?,
        normalized: flag("normalized")?,
        single_word: flag("single_word")?,
        lstrip: flag("lstrip")?,
        rstrip: flag("rstrip")?,
    })
}

/// Returns the id `free` if no token of the vocabulary has it.
fn check_free(item: &Node<'_>, content: &str, tokens: &Tokens<'_>, free: usize) -> Result<TokenId> {
    let id = TokenId(u32::try_from(free).unwrap_or(u32::MAX));
    if id.index() >= MAX_IDS {
        return Err(item.refuse(format!("its id would be {free}, over the limit of {MAX_IDS} ids")));
    }
    if tokens.vocab.contains(id) {
        return Err(item.refuse(format!(
            "{content:?} would get the id {free}, since that many tokens come before it, but that id is \
             another token's: the vocabulary's ids have holes"
        )));
    }
    Ok(id)
}
