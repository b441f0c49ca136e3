//! What a caller asks of the BPE trainer, and what it gets.

/// What words are made of before the first merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Bytes, each written as its character of the display alphabet.
    Bytes,
    /// Characters.
    Characters,
}

/// Which of the pairs with the highest count is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The smaller left id, then the smaller right id, with the bookkeeping of tokenizers' `BpeTrainer`.
    Hf,
    /// The pair met first when the distinct words are read in order.
    FirstSeen,
    /// The smallest pair of texts, by code point.
    Lexicographic,
    /// The smaller left id, then the smaller right id.
    SmallestIds,
}

/// What makes a pair the one to merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// How often it stands side by side.
    Count,
    /// That, divided by how often its left symbol and its right symbol stand anywhere: the score that WordPiece is
    /// described with. Compared as the fractions that they are. All is counted anew after each merge.
    WordPiece,
}

/// How ids are given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Special tokens, the alphabet by code point, merges.
    Hf,
    /// The byte's value, merges from 256, special tokens.
    Bytes,
}

/// What a caller asks for. The names are those of tokenizers' `BpeTrainer` where it has the option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpeOptions {
    /// What words are made of.
    pub base: Base,
    /// What makes a pair the one to merge.
    pub score: Score,
    /// Which of equal pairs is merged.
    pub ties: Ties,
    /// How ids are given out.
    pub layout: Layout,
    /// Entries at most, special tokens and alphabet included (the alphabet is never cut to it).
    pub vocab_size: usize,
    /// Merges at most.
    pub n_merges: usize,
    /// Pairs that are rarer are not merged.
    pub min_frequency: u64,
    /// Entries that no merge needs to make, each once.
    pub special_tokens: Vec<String>,
    /// Characters (of the display alphabet, for bytes) that are entries in any case.
    pub initial_alphabet: Vec<char>,
    /// Characters kept at most: the most frequent; of equals those of smaller code points.
    pub limit_alphabet: Option<usize>,
    /// A pair of more than two characters is merged only if it is shorter than this, in characters.
    pub max_token_length: Option<usize>,
    /// Stands before every symbol but the first of a word.
    pub continuing_subword_prefix: Option<String>,
    /// Stands after the last symbol of a word.
    pub end_of_word_suffix: Option<String>,
    /// A symbol of its own after each word.
    pub end_of_word: Option<String>,
    /// Whether to return what was seen at every merge.
    pub steps: bool,
}

impl Default for BpeOptions {
    fn default() -> Self {
        Self {
            base: Base::Characters,
            score: Score::Count,
            ties: Ties::Hf,
            layout: Layout::Hf,
            vocab_size: usize::MAX,
            n_merges: usize::MAX,
            min_frequency: 0,
            special_tokens: Vec::new(),
            initial_alphabet: Vec::new(),
            limit_alphabet: None,
            max_token_length: None,
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            end_of_word: None,
            steps: false,
        }
    }
}

/// A merge that was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// The left token.
    pub left: u32,
    /// The right token.
    pub right: u32,
    /// What they become.
    pub product: u32,
    /// How often they stood side by side, as the trainer counted.
    pub count: u64,
}

/// One merge as a teacher shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The merge.
    pub merge: Merge,
    /// Every pair and its count before the merge: the most frequent first, of equals the one met first.
    pub counts: Vec<((u32, u32), u64)>,
    /// The same pairs with their scores as fractions, numerator and denominator: the highest first, of equals the one
    /// met first. Empty where the count is the score.
    pub scores: Vec<((u32, u32), (u64, u128))>,
    /// The distinct words after the merge.
    pub corpus: Vec<Vec<u32>>,
    /// Symbols in all words after the merge, each word as often as it occurs.
    pub n_symbols: u64,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trained {
    /// Every entry, by id; bytes in the display alphabet.
    pub tokens: Vec<String>,
    /// The merges in order. One that was made twice keeps its last place, as the reference has it.
    pub merges: Vec<Merge>,
    /// How many entries are the alphabet, with its prefixed and suffixed forms.
    pub n_alphabet: usize,
    /// Characters that `limit_alphabet` dropped, by code point.
    pub dropped: Vec<char>,
    /// Symbols of all words at the start, each word as often as it occurs.
    pub n_symbols: u64,
    /// The steps, where they were asked for.
    pub steps: Vec<Step>,
}
