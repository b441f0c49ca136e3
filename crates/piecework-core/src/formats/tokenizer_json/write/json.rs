//! JSON whose fields stand in the order in which they are given: that of the reference.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};

/// A value.
#[derive(Debug)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Int(u64),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// Returns a component: its type, then its fields.
pub fn component<'a>(kind: &'static str, fields: impl IntoIterator<Item = Field<'a>>) -> Json<'a> {
    let kind = (Cow::Borrowed("type"), kind.into());
    let fields = fields.into_iter().map(|(name, value)| (Cow::Borrowed(name), value));
    Json::Object(std::iter::once(kind).chain(fields).collect())
}

/// Returns an object of these fields.
pub fn object<'a>(fields: impl IntoIterator<Item = Field<'a>>) -> Json<'a> {
    Json::Object(fields.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect())
}

/// Returns the components of a stage as the file has them: null for none, one alone, more as a sequence in the
/// field `list`.
pub fn sequence<'a>(list: &'static str, mut components: Vec<Json<'a>>) -> Json<'a> {
    match (components.len(), components.pop()) {
        (_, None) => Json::Null,
        (1, Some(only)) => only,
        (_, Some(end)) => {
            components.push(end);
            component("Sequence", [(list, Json::List(components))])
        }
    }
}

/// A field by name.
pub type Field<'a> = (&'static str, Json<'a>);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_u64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'a> From<&'a str> for Json<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Json<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl From<char> for Json<'_> {
    fn from(value: char) -> Self {
        value.to_string().into()
    }
}

impl From<bool> for Json<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u32> for Json<'_> {
    fn from(value: u32) -> Self {
        Self::Int(u64::from(value))
    }
}

impl From<usize> for Json<'_> {
    fn from(value: usize) -> Self {
        Self::Int(value as u64)
    }
}

impl From<Option<bool>> for Json<'_> {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Null, Self::Bool)
    }
}
