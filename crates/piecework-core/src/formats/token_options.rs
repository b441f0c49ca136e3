//! What a `tokenizer_config.json` says to the formats that say little themselves: vocabularies as plain
//! lists. Fields that are missing or null have their class's defaults.

use serde_json::{Map, Value, json};

use super::json::{Node, as_text, syntax_error};
use crate::error::Result;

/// The names under which a configuration has special tokens, in the order in which transformers adds them.
const SPECIAL: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/// The options, an object.
#[derive(Debug)]
pub struct TokenOptions(Value);

impl TokenOptions {
    /// Reads options; nothing at all stands for none.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for what is no JSON object.
    pub fn read(json: &str) -> Result<Self> {
        if json.trim().is_empty() {
            return Ok(Self(Value::Object(Map::new())));
        }
        let value: Value =
            serde_json::from_str(as_text(json.as_bytes())?).map_err(|error| syntax_error(&error))?;
        Node::new(&value, "options").object()?;
        Ok(Self(value))
    }

    fn find(&self, name: &str) -> Result<Option<Node<'_>>> {
        Ok(Node::new(&self.0, "options").find(name)?.filter(|node| !node.is_null()))
    }

    /// Returns a switch.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] where it is none.
    pub fn flag(&self, name: &str) -> Result<Option<bool>> {
        self.find(name)?.map(|node| node.flag()).transpose()
    }

    /// Returns a text.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] where it is none.
    pub fn text(&self, name: &str) -> Result<Option<&str>> {
        self.find(name)?.map(|node| node.text()).transpose()
    }

    /// Returns the tokenizer's class, without what marks its quick twin.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] where it is no text.
    pub fn class(&self) -> Result<Option<&str>> {
        Ok(self.text("tokenizer_class")?.map(|name| name.strip_suffix("Fast").unwrap_or(name)))
    }

    /// Returns the text of a special token: a text, or an object with one in its field `content`.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for any other shape.
    pub fn special(&self, name: &str) -> Result<Option<String>> {
        Ok(self.find(name)?.map(|node| content(&node)).transpose()?.filter(|text| !text.is_empty()))
    }

    /// Returns the special tokens as a tokenizer.json lists them, each once. `default` tells the text of a
    /// name that the options lack; one that neither has is left out, and so is a default that has no id.
    /// What the options name and the vocabulary lacks gets the next free id.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for a token of the wrong shape.
    pub fn added_tokens(
        &self,
        default: impl Fn(&str) -> Option<&'static str>,
        id_of: impl Fn(&str) -> Option<u64>,
        n_tokens: usize,
    ) -> Result<Vec<Value>> {
        let mut out: Vec<Value> = Vec::new();
        let mut free = n_tokens as u64..;
        for name in SPECIAL {
            let node = self.find(name)?;
            let text = match &node {
                Some(node) => Some(content(node)?),
                None => default(name).filter(|text| id_of(text).is_some()).map(str::to_owned),
            };
            let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
            if out.iter().any(|token| token["content"] == text.as_str()) {
                continue;
            }
            let flag = |name: &str| match &node {
                Some(node) if node.value().is_object() => {
                    node.find(name)?.filter(|node| !node.is_null()).map_or(Ok(false), |node| node.flag())
                }
                _ => Ok(false),
            };
            out.push(json!({
                "id": id_of(&text).or_else(|| free.next()),
                "content": text,
                "special": true,
                "normalized": flag("normalized")?,
                "single_word": flag("single_word")?,
                "lstrip": flag("lstrip")?,
                "rstrip": flag("rstrip")?,
            }));
        }
        Ok(out)
    }
}

fn content(node: &Node<'_>) -> Result<String> {
    let node = if node.value().is_object() { node.field("content")? } else { node.clone() };
    node.text().map(str::to_owned)
}
