//! Everything that a tokenizer *is*, whatever file it came from: the stages as data, no algorithm. A
//! file format is read into this and written from it; `plan` decides how to run it.

pub mod canonical;
pub mod control;
mod model;
mod stages;

use serde::{Deserialize, Serialize};

pub use control::{Control, ControlReason};
pub use model::{Bpe, Characters, Model, Precision, Unigram, WordLevel, WordPiece};
pub use stages::{
    Behavior, Charsmap, DecodeStep, Decoder, Needle, Normalizer, PostProcessor, PreTokenizer, Prepend,
    TemplateItem,
};

use std::collections::HashSet;

use crate::error::Result;
use crate::id::TokenId;
use crate::merges::{Merges, Pair};
use crate::vocab::Vocab;

/// A whole tokenizer as data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The learned tokens; added tokens that are not learned stand only in `added`.
    pub vocab: Vocab,
    /// How a pretoken becomes tokens.
    pub model: Model,
    /// Applied in order to the text between added tokens.
    pub normalizers: Vec<Normalizer>,
    /// Applied in order to the normalized text.
    pub pre_tokenizers: Vec<PreTokenizer>,
    /// Tokens matched before the model, in id order.
    pub added: Vec<AddedToken>,
    /// Which of `added` steer the model, and why we think so. In id order.
    pub controls: Vec<Control>,
    /// What is put around the ids on request.
    pub post_processor: PostProcessor,
    /// How ids become text again.
    pub decoder: Decoder,
    /// Whose behavior is followed where references differ.
    pub profile: Profile,
}

/// A token that is matched in the text before the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the five flags of the file format, each by itself")]
pub struct AddedToken {
    /// Its id.
    pub id: TokenId,
    /// Its text.
    pub content: String,
    /// Whether decoding with `skip_special` drops it.
    pub special: bool,
    /// Whether it is matched after normalization (with normalized content) and not on the raw text.
    pub normalized: bool,
    /// Whether it matches only where no word character touches it.
    pub single_word: bool,
    /// Whether it swallows white space to its left.
    pub lstrip: bool,
    /// Whether it swallows white space to its right.
    pub rstrip: bool,
}

impl AddedToken {
    /// Returns the token that is matched as it stands in the raw text, wherever that is.
    pub fn verbatim(id: TokenId, content: impl Into<String>, special: bool) -> Self {
        Self {
            id,
            content: content.into(),
            special,
            normalized: false,
            single_word: false,
            lstrip: false,
            rstrip: false,
        }
    }
}

/// Whose behavior is followed where the references differ: regex dialect, Unicode data, what happens
/// to text that no pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Profile {
    /// tiktoken 0.14: fancy-regex, Unicode 16.0.
    Tiktoken,
    /// Hugging Face tokenizers 0.23: Oniguruma, Unicode 16.0; its own older normalization data.
    Tokenizers,
    /// sentencepiece 0.2.3: one rule table, scores as 32-bit floats.
    SentencePiece,
    /// llama.cpp, as llama-cpp-python 0.3.36 has it: its own patterns and tables.
    LlamaCpp,
}

impl Profile {
    /// Returns the profile's name as `info` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiktoken => "tiktoken-0.14 (Unicode 16.0)",
            Self::Tokenizers => "tokenizers-0.23 (Unicode 16.0)",
            Self::SentencePiece => "sentencepiece-0.2.3",
            Self::LlamaCpp => "llama.cpp (llama-cpp-python 0.3.36)",
        }
    }
}

impl Definition {
    /// Returns the definition of a model alone: no stage before it, no added tokens, its tokens' bytes as the text.
    pub fn new(vocab: Vocab, model: Model) -> Self {
        Self {
            vocab,
            model,
            normalizers: Vec::new(),
            pre_tokenizers: Vec::new(),
            added: Vec::new(),
            controls: Vec::new(),
            post_processor: PostProcessor::default(),
            decoder: Decoder::Bytes,
            profile: Profile::Tokenizers,
        }
    }

    /// Returns one more than the largest id, learned or added: the number of rows that an embedding
    /// needs.
    pub fn vocab_size(&self) -> usize {
        let added = self.added.iter().map(|token| token.id.index() + 1).max().unwrap_or(0);
        self.vocab.n_ids().max(added)
    }

    /// Returns the number of ids that are tokens, learned or added, holes left out.
    pub fn n_tokens(&self) -> usize {
        self.n_base() + self.added.len()
    }

    /// Returns the number of learned tokens: those of the vocabulary that are not added tokens.
    pub fn n_base(&self) -> usize {
        self.vocab.n_tokens() - self.added.iter().filter(|token| self.vocab.contains(token.id)).count()
    }

    /// Returns the definition with these control tokens.
    ///
    /// # Errors
    /// Those of [`Self::without_control_merges`].
    pub fn with_controls(mut self, controls: Vec<Control>) -> Result<Self> {
        self.controls = controls;
        self.without_control_merges()
    }

    /// Returns the definition in which the model cannot make a control token: a text that spells one must not
    /// become it. A control token that is a single symbol (CLIP's padding is `!`) stays what its text becomes:
    /// without it the text would have no ids.
    ///
    /// # Errors
    /// Those of [`Vocab::without_index`] and [`Merges::from_pairs`]. Complexity: O(listed merges).
    pub fn without_control_merges(mut self) -> Result<Self> {
        let is_bpe = self.model.bpe().is_some();
        let barred: HashSet<TokenId> = self
            .controls
            .iter()
            .map(|control| control.id)
            .filter(|&id| !is_bpe || !self.is_symbol(id))
            .collect();
        let is_found = barred.iter().any(|&id| self.vocab.is_indexed(id));
        let makes = |pair: &Pair| [pair.left, pair.right, pair.product].iter().any(|id| barred.contains(id));
        if let Model::Bpe(bpe) = &mut self.model {
            let is_made = match &bpe.merges {
                Merges::Listed(table) => !barred.is_empty() && table.pairs().iter().any(makes),
                // The others find what they make by its bytes.
                _ => is_found,
            };
            if let (true, Some(pairs)) = (is_made, bpe.merges.pairs(&self.vocab)) {
                let kept: Vec<Pair> = pairs.into_iter().filter(|pair| !makes(pair)).collect();
                let plain = bpe.characters.as_ref().is_none_or(Characters::is_plain);
                bpe.merges =
                    if plain { Merges::from_pairs(kept, &self.vocab)? } else { Merges::listed(kept)? };
            }
        }
        if is_found {
            let barred: Vec<TokenId> = barred.into_iter().collect();
            self.vocab = self.vocab.without_index(&barred)?;
        }
        Ok(self)
    }

    /// Returns whether the model begins with this token: a byte, or a character.
    fn is_symbol(&self, id: TokenId) -> bool {
        let bytes = self.vocab.bytes(id).unwrap_or_default();
        if self.model.is_byte_level() {
            return bytes.len() == 1;
        }
        std::str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1)
    }

    /// Returns the bytes that `id` stands for, or `None` where it is no token.
    pub fn bytes(&self, id: TokenId) -> Option<&[u8]> {
        self.added_token(id).map(|token| token.content.as_bytes()).or_else(|| self.vocab.bytes(id))
    }

    /// Returns the added token with `id`.
    pub fn added_token(&self, id: TokenId) -> Option<&AddedToken> {
        self.added.binary_search_by_key(&id, |token| token.id).ok().and_then(|at| self.added.get(at))
    }
}
