//! llama.cpp's byte-pair encoding by listed merges: over the byte alphabet, or over characters with `▁`.

use std::collections::HashSet;

use super::pre::{self, Pre};
use super::tokens::{Kind, Tokens};
use super::{File, PRE, Stages};
use crate::byte_alphabet;
use crate::definition::{
    Behavior, Bpe, Characters, DecodeStep, Decoder, Model, Needle, Normalizer, PreTokenizer,
};
use crate::error::{Error, Result};
use crate::formats::tokenizer_json::Note;
use crate::merges::{Merges, Pair};
use crate::vocab::{Entry, Vocab};

const MERGES: &str = "tokenizer.ggml.merges";

/// Returns the stages of a byte-pair tokenizer.
///
/// # Errors
/// [`Error::Format`] for a way of cutting that is not known, and for merges that are missing, have a part
/// missing, or whose parts or product are no tokens.
pub fn bpe(file: &File<'_>, tokens: &Tokens<'_>, notes: &mut Vec<Note>) -> Result<Stages> {
    let pre = named(file, notes)?;
    let pairs = pairs(file, tokens, notes)?;
    let (vocab, model) =
        if pre.plain { plain(tokens, pairs)? } else { byte_level(tokens, pairs, &pre, notes)? };
    let mut defaults = [(pre.add_bos, Some(11).filter(|_| !pre.no_bos)), (false, Some(11))];
    if pre.plain {
        defaults = defaults.map(|(wanted, _)| (wanted, None));
    }
    let split = |pattern: &&str| PreTokenizer::Split {
        pattern: (*pattern).to_owned(),
        behavior: Behavior::Isolated,
        invert: false,
    };
    let (space, mark) = (Needle::Text(" ".to_owned()), "▁".to_owned());
    Ok(Stages {
        vocab,
        model: Model::Bpe(model),
        normalizers: if pre.plain {
            vec![Normalizer::Replace { pattern: space, content: mark.clone() }]
        } else {
            Vec::new()
        },
        pre_tokenizers: pre.patterns.iter().map(split).collect(),
        post_processor: file.around(tokens, defaults, notes)?,
        decoder: if pre.plain {
            Decoder::Steps(vec![
                DecodeStep::Replace { pattern: Needle::Text(mark), content: " ".to_owned() },
                DecodeStep::ByteFallback,
                DecodeStep::Fuse,
            ])
        } else {
            Decoder::Bytes
        },
    })
}

fn named(file: &File<'_>, notes: &mut Vec<Note>) -> Result<Pre> {
    let Some(name) = file.pre else {
        let remark =
            "it is missing; llama.cpp cuts by its default patterns, and warns that the model suffers";
        notes.push(Note { place: PRE.to_owned(), remark: remark.to_owned() });
        return Ok(pre::DEFAULT);
    };
    pre::pre(name).ok_or_else(|| {
        let reason = match pre::refusal(name) {
            Some(reason) => format!("{name:?}: {reason}"),
            None => format!("{name:?} is no way of cutting that llama.cpp knows"),
        };
        file.metadata.refuse(PRE, reason)
    })
}

/// Reads the merges. Of a pair that is given twice the first holds, as in llama.cpp.
fn pairs(file: &File<'_>, tokens: &Tokens<'_>, notes: &mut Vec<Note>) -> Result<Vec<Pair>> {
    let merges = match file.metadata.texts(MERGES)? {
        Some(merges) => merges,
        None if file.pre == Some("kimi-k2") => Vec::new(),
        None => {
            let why = "the merges are missing: a converter that does not know the tokenizer leaves them out; convert \
                       the model anew with a newer one";
            return Err(file.metadata.refuse(MERGES, why));
        }
    };
    let mut seen = HashSet::with_capacity(merges.len());
    let mut pairs = Vec::with_capacity(merges.len());
    for (at, merge) in merges.iter().enumerate() {
        let pair = read_merge(tokens, merge).map_err(|why| Error::format(format!("{MERGES}[{at}]"), why))?;
        if seen.insert((pair.left, pair.right)) {
            pairs.push(pair);
        } else {
            let remark = format!("{merge:?} is given before, where it counts");
            notes.push(Note { place: format!("{MERGES}[{at}]"), remark });
        }
    }
    Ok(pairs)
}

/// Finds the three tokens of a merge, whose parts the first space after its first byte parts.
fn read_merge(tokens: &Tokens<'_>, merge: &str) -> std::result::Result<Pair, String> {
    let space = merge.bytes().skip(1).position(|byte| byte == b' ').map(|at| at + 1);
    let parts = space.and_then(|at| Some((merge.get(..at)?, merge.get(at + 1..)?)));
    let Some((left, right)) = parts.filter(|(_, right)| !right.is_empty()) else {
        return Err(format!("the merge is {merge:?}; expected two tokens with a space between them"));
    };
    let find = |text: &str| {
        tokens
            .id(text)
            .ok_or_else(|| format!("the merge joins {left:?} and {right:?}, but the tokens lack {text:?}"))
    };
    Ok(Pair { left: find(left)?, right: find(right)?, product: find(&format!("{left}{right}"))? })
}

/// Returns a model over the byte alphabet.
fn byte_level(
    tokens: &Tokens<'_>,
    pairs: Vec<Pair>,
    pre: &Pre,
    notes: &mut Vec<Note>,
) -> Result<(Vocab, Bpe)> {
    let mut bytes = Vec::new();
    let mut spans = Vec::with_capacity(tokens.all.len());
    for token in &tokens.all {
        let start = bytes.len();
        let spelled = token.kind != Kind::Control && byte_alphabet::parse_into(&token.text, &mut bytes);
        if !spelled {
            bytes.extend_from_slice(token.text.as_bytes());
        }
        spans.push((start..bytes.len(), spelled));
    }
    let vocab = Vocab::new(spans.into_iter().enumerate().map(|(at, (span, spelled))| Entry {
        id: super::tokens::id(at),
        bytes: bytes.get(span).unwrap_or_default(),
        indexed: spelled,
    }))?;
    let lacking: Vec<String> = (0..=255_u8)
        .filter(|&byte| !matches!(byte, 0xc0 | 0xc1 | 0xf5..) && vocab.get(&[byte]).is_none())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if !lacking.is_empty() {
        let remark = format!(
            "the bytes {} have no token: llama.cpp leaves such text out without a word, here it is an error",
            lacking.join(" ")
        );
        notes.push(Note { place: "tokenizer.ggml.tokens".to_owned(), remark });
    }
    let merges = Merges::from_pairs(pairs, &vocab)?;
    Ok((vocab, Bpe::bytes(merges, pre.ignore_merges)))
}

/// Returns a model over characters, in which a character without a token becomes its bytes.
fn plain(tokens: &Tokens<'_>, pairs: Vec<Pair>) -> Result<(Vocab, Bpe)> {
    let vocab = Vocab::new(tokens.all.iter().enumerate().map(|(at, token)| Entry {
        id: super::tokens::id(at),
        bytes: token.text.as_bytes(),
        indexed: super::is_learned(token.kind),
    }))?;
    let model = Bpe {
        merges: Merges::listed(pairs)?,
        whole_pieces: false,
        characters: Some(Characters { byte_fallback: true, ..Characters::default() }),
        dropout_millionths: 0,
    };
    Ok((vocab, model))
}
