//! The dictionary that `Tokenizer.info` returns.

use piecework_core::definition::ControlReason;
use piecework_core::definition::{AddedToken, Model, Normalizer, PreTokenizer, Precision, TemplateItem};
use piecework_core::formats::directory::Additions;
use piecework_core::id::TokenId;
use piecework_core::merges::Merges;
use piecework_core::tokenizer::Tokenizer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::tokenizer::vocab_piece;

/// Returns an added token's fields.
pub fn added<'py>(py: Python<'py>, token: &AddedToken) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("id", token.id.0)?;
    out.set_item("content", &token.content)?;
    out.set_item("special", token.special)?;
    out.set_item("normalized", token.normalized)?;
    out.set_item("single_word", token.single_word)?;
    out.set_item("lstrip", token.lstrip)?;
    out.set_item("rstrip", token.rstrip)?;
    Ok(out)
}

/// Returns what a directory adds, from added tokens as [`added`] gives them (their `id` left out), contents of
/// control tokens with the name of the reason, and the ids around a text.
pub fn additions(
    tokens: &[Bound<'_, PyDict>],
    controls: Vec<(String, String)>,
    around: Option<(Vec<u32>, Vec<u32>)>,
) -> PyResult<Additions> {
    let token = |fields: &Bound<'_, PyDict>| {
        let flag = |name: &str| fields.as_any().get_item(name)?.extract::<bool>();
        Ok(AddedToken {
            id: TokenId(0),
            content: fields.as_any().get_item("content")?.extract()?,
            special: flag("special")?,
            normalized: flag("normalized")?,
            single_word: flag("single_word")?,
            lstrip: flag("lstrip")?,
            rstrip: flag("rstrip")?,
        })
    };
    let control = |(content, reason): (String, String)| match ControlReason::named(&reason) {
        Some(reason) => Ok((content, reason)),
        None => Err(PyValueError::new_err(format!("{reason:?} is no reason for a control token"))),
    };
    let ids = |ids: Vec<u32>| ids.into_iter().map(TokenId).collect::<Vec<_>>();
    Ok(Additions {
        added: tokens.iter().map(token).collect::<PyResult<_>>()?,
        controls: controls.into_iter().map(control).collect::<PyResult<_>>()?,
        around: around.map(|(before, after)| (ids(before), ids(after))),
    })
}

/// Returns what the stages are.
pub fn dict<'py>(py: Python<'py>, tokenizer: &Tokenizer) -> PyResult<Bound<'py, PyDict>> {
    let definition = tokenizer.definition();
    let out = PyDict::new(py);
    let normalizers = definition.normalizers.iter().map(Normalizer::name);
    out.set_item("normalizers", normalizers.collect::<Vec<_>>())?;
    let stages = definition.pre_tokenizers.iter().map(|stage| pre_tokenizer(py, stage));
    out.set_item("pre_tokenizers", stages.collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("model", model(py, &definition.model)?)?;
    let post = PyDict::new(py);
    post.set_item("single", items(tokenizer, &definition.post_processor.single))?;
    post.set_item("pair", items(tokenizer, &definition.post_processor.pair))?;
    post.set_item("trim_offsets", definition.post_processor.trim_offsets)?;
    out.set_item("post_processor", post)?;
    out.set_item("decoder", definition.decoder.name())?;
    out.set_item("profile", definition.profile.name())?;
    let plan = PyDict::new(py);
    for (stage, how) in tokenizer.plan().describe() {
        plan.set_item(stage, how)?;
    }
    out.set_item("plan", plan)?;
    out.set_item("holes", holes(tokenizer))?;
    Ok(out)
}

fn pre_tokenizer<'py>(py: Python<'py>, stage: &PreTokenizer) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("kind", stage.name())?;
    match stage {
        PreTokenizer::Digits { individual } => out.set_item("individual", individual)?,
        PreTokenizer::Metaspace { replacement, prepend, split } => {
            out.set_item("replacement", replacement)?;
            out.set_item("prepend", prepend.name())?;
            out.set_item("split", split)?;
        }
        PreTokenizer::Punctuation(behavior) => out.set_item("behavior", behavior.name())?,
        PreTokenizer::CharDelimiter(delimiter) => out.set_item("delimiter", delimiter)?,
        PreTokenizer::FixedLength(length) => out.set_item("length", length)?,
        PreTokenizer::Split { pattern, behavior, invert } => {
            out.set_item("pattern", pattern)?;
            out.set_item("behavior", behavior.name())?;
            out.set_item("invert", invert)?;
        }
        PreTokenizer::PrefixSpace
        | PreTokenizer::ByteAlphabet
        | PreTokenizer::Bert
        | PreTokenizer::Whitespace
        | PreTokenizer::WhitespaceSplit
        | PreTokenizer::UnicodeScripts => {}
    }
    Ok(out)
}

fn model<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("algorithm", model.name())?;
    let id = |id: Option<TokenId>| id.map(|id| id.0);
    match model {
        Model::Bpe(model) => {
            out.set_item("kind", "bpe")?;
            out.set_item("whole_pieces", model.whole_pieces)?;
            let merges = match model.merges {
                Merges::Concat => "ranks",
                Merges::Ranked(_) => "scores",
                Merges::Single { .. } | Merges::Listed(_) => "listed",
            };
            out.set_item("merges", merges)?;
            out.set_item("n_merges", model.merges.n_listed())?;
            out.set_item("dropout", f64::from(model.dropout_millionths) / 1e6)?;
            if let Some(characters) = &model.characters {
                out.set_item("unk", id(characters.unk))?;
                out.set_item("fuse_unk", characters.fuse_unk)?;
                out.set_item("byte_fallback", characters.byte_fallback)?;
                out.set_item("continuing_subword_prefix", &characters.continuing_subword_prefix)?;
                out.set_item("end_of_word_suffix", &characters.end_of_word_suffix)?;
                out.set_item("n_user_defined", characters.user_defined.len())?;
            }
        }
        Model::Unigram(model) => {
            out.set_item("kind", "unigram")?;
            out.set_item("unk", id(model.unk))?;
            out.set_item("byte_fallback", model.byte_fallback)?;
            out.set_item("precision", if model.precision == Precision::F64 { "f64" } else { "f32" })?;
            out.set_item("n_user_defined", model.user_defined.len())?;
        }
        Model::WordPiece(model) => {
            out.set_item("kind", "word_piece")?;
            out.set_item("unk", model.unk.0)?;
            out.set_item("continuing_subword_prefix", &model.continuing_subword_prefix)?;
            out.set_item("max_input_chars_per_word", model.max_input_chars_per_word)?;
        }
        Model::WordLevel(model) => {
            out.set_item("kind", "word_level")?;
            out.set_item("unk", id(model.unk))?;
        }
    }
    Ok(out)
}

fn items(tokenizer: &Tokenizer, items: &[TemplateItem]) -> Vec<String> {
    let mut out = Vec::new();
    for item in items {
        match item {
            TemplateItem::Sequence { index: 0, .. } => out.push("$A".to_owned()),
            TemplateItem::Sequence { .. } => out.push("$B".to_owned()),
            TemplateItem::Special { ids, .. } => {
                out.extend(ids.iter().map(|id| vocab_piece(tokenizer, id.0)));
            }
        }
    }
    out
}

/// Returns the ranges of ids that are no token.
fn holes(tokenizer: &Tokenizer) -> Vec<(usize, usize)> {
    let definition = tokenizer.definition();
    let mut holes: Vec<(usize, usize)> = Vec::new();
    for id in 0..definition.vocab_size() {
        if definition.bytes(TokenId(id as u32)).is_some() {
            continue;
        }
        match holes.last_mut() {
            Some(last) if last.1 == id => last.1 = id + 1,
            _ => holes.push((id, id + 1)),
        }
    }
    holes
}
