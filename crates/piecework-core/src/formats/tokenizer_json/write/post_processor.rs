//! The post-processor: a template for what is put around the ids, and whether spans are trimmed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::json::{Json, component, object, sequence};
use crate::definition::{Definition, TemplateItem};
use crate::id::TokenId;

/// Returns the post-processor. What a file said with `BertProcessing` or `RobertaProcessing` is written as the
/// template that it stands for.
pub fn write(definition: &Definition) -> Json<'_> {
    let whole = &definition.post_processor;
    let mut parts = Vec::new();
    if whole.trim_offsets || whole.add_prefix_space {
        parts.push(component(
            "ByteLevel",
            [
                ("add_prefix_space", whole.add_prefix_space.into()),
                ("trim_offsets", whole.trim_offsets.into()),
                ("use_regex", true.into()),
            ],
        ));
    }
    if !(whole.single.is_empty() && whole.pair.is_empty()) {
        parts.push(template(definition));
    }
    sequence("processors", parts)
}

fn template(definition: &Definition) -> Json<'_> {
    let text = |index: u8| TemplateItem::Sequence { index, type_id: u32::from(index) };
    let whole = &definition.post_processor;
    // Of no template a file can say only what it does.
    let single = if whole.single.is_empty() { vec![text(0)] } else { whole.single.clone() };
    let pair = if whole.pair.is_empty() { vec![text(0), text(1)] } else { whole.pair.clone() };
    let mut special = BTreeMap::new();
    for item in single.iter().chain(&pair) {
        if let TemplateItem::Special { ids, .. } = item {
            special.insert(name(definition, ids), ids.clone());
        }
    }
    let special = special.into_iter().map(|(name, ids)| {
        let tokens = ids.iter().map(|id| content(definition, *id).into()).collect();
        let ids = ids.iter().map(|id| id.0.into()).collect();
        let fields = [("id", name.clone().into()), ("ids", Json::List(ids)), ("tokens", Json::List(tokens))];
        (Cow::Owned(name), object(fields))
    });
    component(
        "TemplateProcessing",
        [
            ("single", items(definition, &single)),
            ("pair", items(definition, &pair)),
            ("special_tokens", Json::Object(special.collect())),
        ],
    )
}

fn items<'a>(definition: &Definition, template: &[TemplateItem]) -> Json<'a> {
    let item = |item: &TemplateItem| match item {
        TemplateItem::Sequence { index, type_id } => {
            let id = if *index == 0 { "A" } else { "B" };
            object([("Sequence", object([("id", id.into()), ("type_id", (*type_id).into())]))])
        }
        TemplateItem::Special { ids, type_id } => {
            let fields = [("id", name(definition, ids).into()), ("type_id", (*type_id).into())];
            object([("SpecialToken", object(fields))])
        }
    };
    Json::List(template.iter().map(item).collect())
}

/// Returns the name that stands for ids in a template: the texts of their tokens.
fn name(definition: &Definition, ids: &[TokenId]) -> String {
    ids.iter().map(|id| content(definition, *id)).collect()
}

fn content(definition: &Definition, id: TokenId) -> String {
    let token = definition.added_token(id).map(|token| token.content.clone());
    token.unwrap_or_else(|| format!("id {}", id.0))
}
