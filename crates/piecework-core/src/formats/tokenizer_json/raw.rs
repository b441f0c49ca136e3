//! The file as it stands: vocabulary and merges, which are nearly all of it, borrow their strings from
//! the text; the rest, which is small, is kept as JSON values for `Node` to walk.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A `tokenizer.json`. A field that the reference does not know stops it, and so it stops us.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawFile<'a> {
    #[serde(default)]
    pub version: Value,
    #[serde(default)]
    pub truncation: Value,
    #[serde(default)]
    pub padding: Value,
    #[serde(default)]
    pub added_tokens: Value,
    #[serde(default)]
    pub normalizer: Value,
    #[serde(default)]
    pub pre_tokenizer: Value,
    #[serde(default)]
    pub post_processor: Value,
    #[serde(default)]
    pub decoder: Value,
    #[serde(borrow)]
    pub model: RawModel<'a>,
}

/// The field `model`.
pub struct RawModel<'a> {
    pub vocab: Option<RawVocab<'a>>,
    pub merges: Option<RawMerges<'a>>,
    /// All other fields.
    pub options: Map<String, Value>,
}

/// The field `vocab`.
pub enum RawVocab<'a> {
    /// Spelling and id, in file order, doubles included.
    Ids(Vec<(Cow<'a, str>, u32)>),
    /// Piece and score, as Unigram has them.
    Scores(Vec<(Cow<'a, str>, f64)>),
}

/// The field `merges`, in one of the two forms that files have.
pub enum RawMerges<'a> {
    /// `"a b"`
    Lines(Vec<Cow<'a, str>>),
    /// `["a", "b"]`
    Pairs(Vec<(Cow<'a, str>, Cow<'a, str>)>),
}

/// A string that borrows from the text where it has no escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for RawModel<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ModelVisitor)
    }
}

struct ModelVisitor;

impl<'de> Visitor<'de> for ModelVisitor {
    type Value = RawModel<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object in the field model")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut model = RawModel { vocab: None, merges: None, options: Map::new() };
        while let Some(Text(name)) = map.next_key()? {
            let is_new = match &*name {
                "vocab" => model.vocab.replace(map.next_value()?).is_none(),
                "merges" => model.merges.replace(map.next_value()?).is_none(),
                _ => model.options.insert(name.clone().into_owned(), map.next_value()?).is_none(),
            };
            if !is_new {
                return Err(A::Error::custom(format!("model: the field {name:?} is given twice")));
            }
        }
        Ok(model)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawVocab<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VocabVisitor)
    }
}

struct VocabVisitor;

impl<'de> Visitor<'de> for VocabVisitor {
    type Value = RawVocab<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tokens and ids, or an array of pieces and scores, in model.vocab")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut ids = Vec::new();
        while let Some(Text(spelling)) = map.next_key()? {
            // The parser takes the position from the end of the message, so it survives the prefix.
            let id = map
                .next_value()
                .map_err(|error| A::Error::custom(format!("model.vocab[{spelling:?}]: {error}")))?;
            ids.push((spelling, id));
        }
        Ok(RawVocab::Ids(ids))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut scores = Vec::new();
        loop {
            let at = scores.len();
            let next = seq.next_element::<(Text<'de>, f64)>();
            match next.map_err(|error| A::Error::custom(format!("model.vocab[{at}]: {error}")))? {
                Some((Text(piece), score)) => scores.push((piece, score)),
                None => return Ok(RawVocab::Scores(scores)),
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawMerges<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(MergesVisitor)
    }
}

struct MergesVisitor;

impl<'de> Visitor<'de> for MergesVisitor {
    type Value = RawMerges<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of merges in model.merges")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut lines = Vec::new();
        let mut pairs = Vec::new();
        loop {
            let at = lines.len() + pairs.len();
            let refuse = |why: String| A::Error::custom(format!("model.merges[{at}]: {why}"));
            match seq.next_element().map_err(|error| refuse(error.to_string()))? {
                None => break,
                Some(RawMerge::Line(line)) if pairs.is_empty() => lines.push(line),
                Some(RawMerge::Pair(left, right)) if lines.is_empty() => pairs.push((left, right)),
                Some(_) => {
                    return Err(refuse("merges are all strings or all pairs, not some of each".into()));
                }
            }
        }
        Ok(if pairs.is_empty() { RawMerges::Lines(lines) } else { RawMerges::Pairs(pairs) })
    }
}

enum RawMerge<'a> {
    Line(Cow<'a, str>),
    Pair(Cow<'a, str>, Cow<'a, str>),
}

impl<'de: 'a, 'a> Deserialize<'de> for RawMerge<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MergeVisitor)
    }
}

struct MergeVisitor;

impl<'de> Visitor<'de> for MergeVisitor {
    type Value = RawMerge<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a merge: \"a b\" or [\"a\", \"b\"]")
    }

    fn visit_borrowed_str<E>(self, line: &'de str) -> Result<Self::Value, E> {
        Ok(RawMerge::Line(Cow::Borrowed(line)))
    }

    fn visit_str<E>(self, line: &str) -> Result<Self::Value, E> {
        Ok(RawMerge::Line(Cow::Owned(line.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut part = || seq.next_element::<Text<'de>>();
        match (part()?, part()?, part()?) {
            (Some(Text(left)), Some(Text(right)), None) => Ok(RawMerge::Pair(left, right)),
            _ => Err(A::Error::custom("a pair has two parts")),
        }
    }
}
