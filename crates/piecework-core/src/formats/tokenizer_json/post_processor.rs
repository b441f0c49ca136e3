//! Post-processors: what is put around the ids, and whether spans are trimmed.

use super::Note;
use super::stages::components;
use crate::definition::{Definition, PostProcessor, TemplateItem};
use crate::error::Result;
use crate::formats::json::Node;
use crate::id::TokenId;

/// Reads the post-processors. In a sequence at most one has a template and at most one trims: the
/// reference's second one works on what the first has put around, which no template can say.
///
/// # Errors
/// [`crate::error::Error::Format`] for any that is not supported.
pub fn read(node: &Node<'_>) -> Result<PostProcessor> {
    let mut whole = PostProcessor::default();
    for part in components(node, "processors")? {
        let one = match part.component()? {
            "ByteLevel" => read_trim(&part)?,
            "RobertaProcessing" => read_roberta(&part)?,
            "BertProcessing" => read_bert(&part)?,
            "TemplateProcessing" => PostProcessor {
                single: read_template(&part, "single", 1)?,
                pair: read_template(&part, "pair", 2)?,
                ..PostProcessor::default()
            },
            other => {
                return Err(part.unsupported(
                    other,
                    "ByteLevel, TemplateProcessing, RobertaProcessing, BertProcessing and sequences of them",
                ));
            }
        };
        if !one.single.is_empty() {
            if !whole.single.is_empty() {
                return Err(part.refuse("a second template is not supported by this version"));
            }
            (whole.single, whole.pair) = (one.single, one.pair);
        }
        if one.trim_offsets && whole.trim_offsets {
            return Err(part.refuse("trimming offsets twice is not supported by this version"));
        }
        if !whole.trim_offsets {
            (whole.trim_offsets, whole.add_prefix_space) = (one.trim_offsets, one.add_prefix_space);
        }
    }
    Ok(whole)
}

fn read_trim(part: &Node<'_>) -> Result<PostProcessor> {
    Ok(PostProcessor {
        trim_offsets: part.field("trim_offsets")?.flag()?,
        add_prefix_space: part.field("add_prefix_space")?.flag()?,
        ..PostProcessor::default()
    })
}

/// `RobertaProcessing`: `<s> A </s>` and `<s> A </s> </s> B </s>`, all of type 0.
fn read_roberta(part: &Node<'_>) -> Result<PostProcessor> {
    let special = |id| TemplateItem::Special { ids: vec![id], type_id: 0 };
    let (cls, sep) = (special(fixed(part, "cls")?), special(fixed(part, "sep")?));
    let text = |index| TemplateItem::Sequence { index, type_id: 0 };
    Ok(PostProcessor {
        single: vec![cls.clone(), text(0), sep.clone()],
        pair: vec![cls, text(0), sep.clone(), sep.clone(), text(1), sep],
        ..read_trim(part)?
    })
}

/// `BertProcessing`: `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`, the second text and its end of type 1.
fn read_bert(part: &Node<'_>) -> Result<PostProcessor> {
    let (cls, sep) = (fixed(part, "cls")?, fixed(part, "sep")?);
    let special = |id, type_id| TemplateItem::Special { ids: vec![id], type_id };
    let text = |index| TemplateItem::Sequence { index, type_id: u32::from(index) };
    let single = vec![special(cls, 0), text(0), special(sep, 0)];
    let pair = [&single[..], &[text(1), special(sep, 1)]].concat();
    Ok(PostProcessor { single, pair, ..PostProcessor::default() })
}

/// Reads a token with its id, such as `["[CLS]", 101]`.
fn fixed(part: &Node<'_>, name: &str) -> Result<TokenId> {
    let token = part.field(name)?;
    let fields: Vec<_> = token.items()?.collect();
    let [content, id] = &fields[..] else {
        return Err(token.refuse("expected a token and its id"));
    };
    content.text()?;
    Ok(TokenId(id.number()?))
}

/// Reads the template `name` of a part, which is for `n_texts` texts.
fn read_template(part: &Node<'_>, name: &str, n_texts: u8) -> Result<Vec<TemplateItem>> {
    let node = part.field(name)?;
    let special_tokens = part.field("special_tokens")?;
    let items =
        node.items()?.map(|item| read_item(&item, &special_tokens, n_texts)).collect::<Result<Vec<_>>>()?;
    if items.is_empty() {
        return Err(node.refuse("the template is empty, so that it drops the text"));
    }
    let n_sequences = items.iter().filter(|item| matches!(item, TemplateItem::Sequence { .. })).count();
    if n_texts == 1 && n_sequences != 1 {
        return Err(node.refuse("a template that does not hold each text once is not supported"));
    }
    Ok(items)
}

fn read_item(item: &Node<'_>, special_tokens: &Node<'_>, n_texts: u8) -> Result<TemplateItem> {
    match (item.find("Sequence")?, item.find("SpecialToken")?) {
        (Some(text), None) => {
            let type_id = text.field("type_id")?.number()?;
            let id = text.field("id")?;
            match id.text()? {
                "A" => Ok(TemplateItem::Sequence { index: 0, type_id }),
                "B" if n_texts == 2 => Ok(TemplateItem::Sequence { index: 1, type_id }),
                other => Err(id.refuse(format!("there is no text {other:?} here"))),
            }
        }
        (None, Some(token)) => {
            let type_id = token.field("type_id")?.number()?;
            let ids = special_tokens.field(token.field("id")?.text()?)?.field("ids")?;
            let ids = ids.items()?.map(|id| id.number().map(TokenId)).collect::<Result<_>>()?;
            Ok(TemplateItem::Special { ids, type_id })
        }
        _ => Err(item.refuse("expected one of {\"Sequence\": …} and {\"SpecialToken\": …}")),
    }
}

/// Notes the ids of the templates that are no tokens. The reference puts them in all the same.
pub fn note_unknown_ids(node: &Node<'_>, definition: &Definition, notes: &mut Vec<Note>) {
    let templates = definition.post_processor.single.iter().chain(&definition.post_processor.pair);
    let mut unknown: Vec<TokenId> = templates
        .filter_map(|item| match item {
            TemplateItem::Special { ids, .. } => Some(ids),
            TemplateItem::Sequence { .. } => None,
        })
        .flatten()
        .copied()
        .filter(|&id| definition.bytes(id).is_none())
        .collect();
    unknown.sort_unstable();
    unknown.dedup();
    notes.extend(unknown.into_iter().map(|TokenId(id)| Note {
        place: node.path().to_owned(),
        remark: format!("the template puts in the id {id}, which is no token"),
    }));
}
