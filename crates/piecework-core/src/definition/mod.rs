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

use crate::error::Result;
use crate::id::TokenId;
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

    /// Returns the definition with these control tokens. In a vocabulary of texts the model can no longer make
    /// them: a text that spells one must not become it. (Of bytes no merge makes one.)
    ///
    /// # Errors
    /// Those of [`Vocab::without_index`].
    pub fn with_controls(mut self, controls: Vec<Control>) -> Result<Self> {
        if !self.model.is_byte_level() {
            let ids: Vec<TokenId> = controls.iter().map(|control| control.id).collect();
            if ids.iter().any(|&id| self.vocab.is_indexed(id)) {
                self.vocab = self.vocab.without_index(&ids)?;
            }
        }
        self.controls = controls;
        Ok(self)
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
