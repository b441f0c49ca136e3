//! How a pretoken becomes tokens: the four models as data.

use serde::{Deserialize, Serialize};

use crate::id::TokenId;
use crate::merges::Merges;

/// How a pretoken becomes tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Model {
    /// Byte-pair encoding, over bytes or over characters.
    Bpe(Bpe),
    /// The most probable segmentation.
    Unigram(Unigram),
    /// The longest piece first, word by word.
    WordPiece(WordPiece),
    /// Each pretoken is one token.
    WordLevel(WordLevel),
}

/// Byte-pair encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bpe {
    /// Which pairs join.
    pub merges: Merges,
    /// Whether a pretoken that is itself a token is taken whole, without asking the merges (tiktoken
    /// always; Hugging Face where the file says `ignore_merges`).
    pub whole_pieces: bool,
    /// What a pretoken is made of at the start; `None` for bytes.
    pub characters: Option<Characters>,
    /// The probability with which the source leaves out a merge, in millionths. It acts only where the
    /// caller asks for a sample.
    pub dropout_millionths: u32,
}

/// Byte-pair encoding that starts from characters: the vocabulary holds texts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Characters {
    /// The token of a character that has none.
    pub unk: Option<TokenId>,
    /// Whether unknown characters in a row are one token.
    pub fuse_unk: bool,
    /// Whether an unknown character becomes tokens `<0xNN>`, one for each of its bytes, where the vocabulary
    /// has all of them.
    pub byte_fallback: bool,
    /// Stands before every symbol but the first of a pretoken.
    pub continuing_subword_prefix: String,
    /// Stands after the last symbol of a pretoken.
    pub end_of_word_suffix: String,
    /// Tokens that no merge ever touches, matched in the text first, the longest of those that begin at one
    /// place (SentencePiece's user-defined pieces). In id order.
    pub user_defined: Vec<TokenId>,
    /// Tokens that are taken apart again at the end (SentencePiece's unused pieces). In id order.
    pub unused: Vec<TokenId>,
}

/// The unigram language model: the segmentation with the highest sum of scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unigram {
    /// The score (log probability) per id, as the bits of an `f64`: exact, comparable and hashable.
    pub score_bits: Vec<u64>,
    /// The token of a character that no piece covers.
    pub unk: Option<TokenId>,
    /// Whether an unknown character becomes tokens `<0xNN>`, one for each of its bytes.
    pub byte_fallback: bool,
    /// How scores are added up.
    pub precision: Precision,
    /// Tokens that always win over others (SentencePiece's user-defined pieces). In id order.
    pub user_defined: Vec<TokenId>,
    /// Tokens that are never chosen (SentencePiece's unused pieces). In id order.
    pub unused: Vec<TokenId>,
}

/// The float width of a sum of scores: two sources round differently, and so choose differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// As tokenizers adds them.
    F64,
    /// As sentencepiece adds them.
    F32,
}

/// Longest match first, from the left, a word at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordPiece {
    /// The token of a word that cannot be put together.
    pub unk: TokenId,
    /// Stands before every piece but the first of a word.
    pub continuing_subword_prefix: String,
    /// Longer words, in characters, are unknown unseen.
    pub max_input_chars_per_word: usize,
}

/// Each word is one token, or unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WordLevel {
    /// The token of a word that is not in the vocabulary.
    pub unk: Option<TokenId>,
    /// A pretoken is cut into words before each of these (SentencePiece's `▁`); `None`: it is one word.
    pub word_start: Option<char>,
    /// Whether unknown words in a row, of one pretoken, are one token.
    pub fuse_unk: bool,
    /// Whether an unknown word becomes tokens `<0xNN>`, one for each of its bytes, where the vocabulary has
    /// all of them.
    pub byte_fallback: bool,
    /// Tokens that no normalizer changes the text of (SentencePiece's user-defined pieces). In id order.
    pub user_defined: Vec<TokenId>,
}

impl Bpe {
    /// Returns the byte-level model with these merges.
    pub const fn bytes(merges: Merges, whole_pieces: bool) -> Self {
        Self { merges, whole_pieces, characters: None, dropout_millionths: 0 }
    }

    /// Joins nothing: stands in where a model is of another kind.
    pub const NONE: &'static Self = &Self::bytes(Merges::Concat, false);
}

impl Characters {
    /// Returns whether every symbol's text is what it stands for, without prefix or suffix.
    pub fn is_plain(&self) -> bool {
        self.continuing_subword_prefix.is_empty() && self.end_of_word_suffix.is_empty()
    }
}

impl Unigram {
    /// Returns the score of `id`; 0 for an id that is none.
    pub fn score(&self, id: TokenId) -> f64 {
        self.score_bits.get(id.index()).map_or(0.0, |&bits| f64::from_bits(bits))
    }
}

impl Model {
    /// Returns the byte-pair model, or `None` where it is another.
    pub fn bpe(&self) -> Option<&Bpe> {
        match self {
            Self::Bpe(bpe) => Some(bpe),
            _ => None,
        }
    }

    /// Returns the algorithm's name as `info` prints it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bpe(Bpe { characters: None, .. }) => "byte-level BPE",
            Self::Bpe(_) => "character-level BPE",
            Self::Unigram(_) => "Unigram",
            Self::WordPiece(_) => "WordPiece",
            Self::WordLevel(_) => "WordLevel",
        }
    }

    /// Returns whether the vocabulary holds bytes as they are, any of them, and not texts.
    pub fn is_byte_level(&self) -> bool {
        matches!(self, Self::Bpe(Bpe { characters: None, .. }))
    }
}
