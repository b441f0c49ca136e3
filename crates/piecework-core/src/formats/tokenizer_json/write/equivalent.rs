//! What a tokenizer of another source is in terms of tokenizers: the same ids by other means, or a refusal. And back:
//! what is written so is told by its form, which no conversion of others has, and is read as what it was.

use std::borrow::Cow;

use super::refuse;
use crate::definition::{Behavior, Bpe, Decoder, Definition, Model, PreTokenizer, Profile};
use crate::error::Result;
use crate::formats::tokenizer_json::BYTE_LEVEL_PATTERN;
use crate::merges::Merges;
use crate::split::pattern::Pattern;
use crate::vocab::Vocab;

/// Patterns of tiktoken that Oniguruma reads otherwise, and how they are written for it. A possessive repeat
/// stands nowhere where giving back would help, so a plain one is the same; `$` is the end of the text here and
/// of a line there. White space at the end of the text stays together in `cl100k_base`, which published
/// conversions lack.
pub const PATTERNS: [(&str, &str); 2] = [
    (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s", BYTE_LEVEL_PATTERN),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        CL100K,
    ),
];

/// `cl100k_base` in Oniguruma's dialect.
pub const CL100K: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Returns the definition that tokenizers runs to the same ids.
///
/// # Errors
/// [`crate::error::Error::Format`] where there is none that is proven to.
pub fn of(definition: &Definition) -> Result<Cow<'_, Definition>> {
    match definition.profile {
        Profile::Tokenizers => Ok(Cow::Borrowed(definition)),
        Profile::Tiktoken => of_tiktoken(definition).map(Cow::Owned),
        Profile::SentencePiece => Err(refuse(
            "profile",
            "sentencepiece normalizes by its own rules and adds scores as 32-bit floats; no tokenizer.json does \
             the same for every text"
                .to_owned(),
        )),
        Profile::LlamaCpp => Err(refuse(
            "profile",
            "llama.cpp cuts by its own patterns and tables; no tokenizer.json does the same for every text"
                .to_owned(),
        )),
    }
}

fn of_tiktoken(definition: &Definition) -> Result<Definition> {
    let pre_tokenizers = definition.pre_tokenizers.iter().map(with_pattern).collect::<Result<_>>()?;
    let model = match &definition.model {
        Model::Bpe(bpe) if matches!(bpe.merges, Merges::Concat) => {
            let merges = Merges::from_pairs(Merges::all_pairs(&definition.vocab), &definition.vocab)?;
            Model::Bpe(Bpe { merges, ..bpe.clone() })
        }
        other => other.clone(),
    };
    Ok(Definition { model, pre_tokenizers, profile: Profile::Tokenizers, ..definition.clone() })
}

/// Returns the definition that [`of`] makes `said` of, or `said` itself where it is none that [`of`] makes: one pattern
/// of tiktoken's whose matches alone are kept, tokens taken whole, and of merges all that any neighbors have whose join
/// is a token. (Added tokens may stand in the vocabulary for their ids' sake.) Of two patterns that are written alike,
/// it is tiktoken's own.
///
/// Complexity: O(1) for nearly all files; of the others O(bytes · longest token) where all merges are listed.
pub fn source_of(said: Definition) -> Definition {
    source(&said).unwrap_or(said)
}

fn source(said: &Definition) -> Option<Definition> {
    let [PreTokenizer::Split { pattern, behavior: Behavior::Removed, invert: true }] =
        &said.pre_tokenizers[..]
    else {
        return None;
    };
    let Model::Bpe(bpe) = &said.model else { return None };
    let is_ranks = said.normalizers.is_empty()
        && said.decoder == Decoder::Bytes
        && *bpe == (Bpe { merges: bpe.merges.clone(), ..Bpe::bytes(Merges::Concat, true) });
    if !is_ranks || bpe.merges.n_listed().is_none() {
        return None;
    }
    let known = PATTERNS.iter().find(|(_, written)| written == pattern).map(|&(source, _)| source);
    let pattern = known.or_else(|| Pattern::is_shared(pattern).then_some(pattern))?;
    let learned = said.vocab.iter().filter(|entry| said.added_token(entry.id).is_none());
    let vocab = Vocab::new(learned).ok()?;
    bpe.merges.are_all_pairs(&said.vocab, &vocab).then(|| Definition {
        vocab,
        model: Model::Bpe(Bpe::bytes(Merges::Concat, true)),
        pre_tokenizers: vec![PreTokenizer::Split {
            pattern: pattern.to_owned(),
            behavior: Behavior::Removed,
            invert: true,
        }],
        profile: Profile::Tiktoken,
        ..said.clone()
    })
}

fn with_pattern(stage: &PreTokenizer) -> Result<PreTokenizer> {
    let PreTokenizer::Split { pattern, behavior, invert } = stage else { return Ok(stage.clone()) };
    let known = PATTERNS.iter().find(|(source, _)| source == pattern).map(|&(_, written)| written);
    let written = match known {
        Some(written) => written,
        None if Pattern::is_shared(pattern) => pattern,
        None => {
            let reason = format!(
                "the pattern {pattern:?} is written for tiktoken's regex engine, and is not proven to mean the \
                 same to the one of tokenizers"
            );
            return Err(refuse("pre_tokenizer", reason));
        }
    };
    Ok(PreTokenizer::Split { pattern: written.to_owned(), behavior: *behavior, invert: *invert })
}
