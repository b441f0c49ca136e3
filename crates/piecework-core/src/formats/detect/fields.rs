//! Which JSON an object is, by its first fields; a value is read only where more fields are needed.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Kind;

/// How many fields of a JSON object are looked at.
const MAX_FIELDS: usize = 64;

/// What a field of a JSON object holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Integer,
    Object,
    Array,
    Other,
}

/// Collects the fields of an object until they tell what it is.
#[derive(Default)]
struct Fields(Vec<(String, Shape)>);

impl Fields {
    fn has(&self, name: &str, shape: Shape) -> bool {
        self.0.iter().any(|(field, found)| field == name && *found == shape)
    }

    fn note(&mut self, shape: Shape) {
        if let Some(last) = self.0.last_mut() {
            last.1 = shape;
        }
    }

    /// Stops the parser with an error once the fields are enough.
    fn go_on<E: Error>(&self) -> Result<(), E> {
        let enough = self.0.len() >= MAX_FIELDS || self.verdict().is_some();
        if enough { Err(E::custom("enough")) } else { Ok(()) }
    }

    /// Returns what the fields so far leave no doubt about.
    fn verdict(&self) -> Option<Kind> {
        let named = |name: &str| self.0.iter().any(|(field, _)| field == name);
        if self.has("added_tokens", Shape::Array)
            || self.has("model", Shape::Object)
            || self.has("pre_tokenizer", Shape::Object)
        {
            return Some(Kind::TokenizerJson);
        }
        if self.has("config", Shape::Object) && self.has("vocab", Shape::Array) {
            return Some(Kind::Tekken);
        }
        if ["tokenizer_class", "added_tokens_decoder", "chat_template"].into_iter().any(named) {
            return Some(Kind::TokenizerConfig);
        }
        if ["architectures", "transformers_version", "weight_map", "bos_token", "eos_token", "unk_token"]
            .into_iter()
            .any(named)
        {
            return self.config_verdict();
        }
        let n_integers = self.0.iter().filter(|(_, shape)| *shape == Shape::Integer).count();
        (n_integers == self.0.len() && n_integers >= MAX_FIELDS).then_some(Kind::VocabJson)
    }

    /// Tells a model's other JSON files, once a field is a string, an object or an array: a vocabulary may
    /// have any of these names as a token.
    fn config_verdict(&self) -> Option<Kind> {
        let all_integers = self.0.iter().all(|(_, shape)| *shape == Shape::Integer);
        (!all_integers).then_some(Kind::ModelConfig)
    }
}

/// Returns what the JSON object `data` is.
pub fn by_fields(data: &[u8]) -> Kind {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let mut fields = Fields::default();
    let mut parser = serde_json::Deserializer::from_slice(data);
    // It stops with an error once the fields are enough, or where the file breaks.
    let whole = parser.deserialize_any(FieldVisitor(&mut fields)).is_ok();
    let all_integers = fields.0.iter().all(|(_, shape)| *shape == Shape::Integer);
    match fields.verdict() {
        Some(kind) => kind,
        None if whole && all_integers && !fields.0.is_empty() => Kind::VocabJson,
        None => Kind::Json,
    }
}

struct FieldVisitor<'f>(&'f mut Fields);

impl<'de> Visitor<'de> for FieldVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            self.0.0.push((name, Shape::Other));
            map.next_value_seed(ValueVisitor(self.0))?;
            self.0.go_on()?;
        }
        Ok(())
    }
}

/// Notes the shape of the last field's value, and reads the value only where more fields are needed.
struct ValueVisitor<'f>(&'f mut Fields);

impl<'de> DeserializeSeed<'de> for ValueVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.note(Shape::Object);
        self.0.go_on()?;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.note(Shape::Array);
        self.0.go_on()?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.0.note(Shape::Integer);
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
