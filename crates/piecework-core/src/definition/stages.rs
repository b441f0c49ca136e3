//! The stages around the model as data: normalizers, pre-tokenizers, post-processor, decoders.

use serde::{Deserialize, Serialize};

use crate::id::TokenId;

/// One normalizer. What each does to which character is its profile's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Normalizer {
    /// Canonical composition, with the reference's own Unicode data.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
    /// Lower case.
    Lowercase,
    /// Drops combining marks.
    StripAccents,
    /// Drops white space at the ends.
    Strip {
        /// At the beginning.
        left: bool,
        /// At the end.
        right: bool,
    },
    /// What BERT does before it cuts words.
    Bert {
        /// Drops control characters and turns white space into spaces.
        clean_text: bool,
        /// Puts spaces around CJK ideographs.
        handle_chinese_chars: bool,
        /// Drops combining marks; `None`: where it lower-cases.
        strip_accents: Option<bool>,
        /// Lower-cases.
        lowercase: bool,
    },
    /// Drops control characters and turns odd white space into spaces.
    Nmt,
    /// Replaces each match.
    Replace {
        /// What is looked for.
        pattern: Needle,
        /// What takes its place.
        content: String,
    },
    /// Puts a text in front of one that is not empty.
    Prepend(String),
    /// SentencePiece's rule table, as tokenizers applies it: grapheme by grapheme.
    Precompiled(Charsmap),
    /// Every byte becomes a character of the display alphabet.
    ByteLevel,
    /// Everything that SentencePiece does before its model, as sentencepiece does it.
    SentencePiece {
        /// The rule table; empty for none.
        charsmap: Charsmap,
        /// Puts a space in front.
        add_dummy_prefix: bool,
        /// Drops spaces at the ends, and makes one of several in a row.
        remove_extra_whitespaces: bool,
        /// Writes spaces as `▁`.
        escape_whitespaces: bool,
        /// The dummy space goes to the end.
        whitespace_as_suffix: bool,
    },
}

/// SentencePiece's `precompiled_charsmap`: a double array and the texts that it leads to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Charsmap(pub Vec<u8>);

/// What a replacement looks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Needle {
    /// This text.
    Text(String),
    /// Matches of this regular expression.
    Pattern(String),
}

/// One pre-tokenizer. Each splits every piece that the one before it made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreTokenizer {
    /// Splits by a regular expression.
    Split {
        /// The pattern as its source writes it.
        pattern: String,
        /// What becomes of the matches.
        behavior: Behavior,
        /// Whether matches and the text between them change roles.
        invert: bool,
    },
    /// Puts a space in front of a piece (of a section, the text between two added tokens, where it comes
    /// first) that does not begin with one.
    PrefixSpace,
    /// Splits off digits (characters of Unicode's N categories).
    Digits {
        /// Whether each digit stands alone, or a run of them together.
        individual: bool,
    },
    /// Writes each byte as a character of the display alphabet, for stages after it that see them so.
    ByteAlphabet,
    /// Writes spaces as `replacement`.
    Metaspace {
        /// What a space becomes.
        replacement: char,
        /// Where one is put in front.
        prepend: Prepend,
        /// Whether each replacement begins a new piece.
        split: bool,
    },
    /// Splits at white space, which is dropped, and splits off punctuation, as BERT does.
    Bert,
    /// Keeps runs of word characters and runs of what is neither that nor white space.
    Whitespace,
    /// Splits at white space, which is dropped.
    WhitespaceSplit,
    /// Splits by punctuation.
    Punctuation(Behavior),
    /// Splits at a character, which is dropped.
    CharDelimiter(char),
    /// Splits where the script changes.
    UnicodeScripts,
    /// Cuts after every so many characters.
    FixedLength(usize),
}

impl PreTokenizer {
    /// Returns whether it changes the text, and does not only cut it.
    pub fn rewrites(&self) -> bool {
        matches!(self, Self::PrefixSpace | Self::ByteAlphabet | Self::Metaspace { .. })
    }
}

/// Where a Metaspace pre-tokenizer puts its replacement in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Prepend {
    /// Of every piece that does not begin with one.
    Always,
    /// Of the piece that begins the text.
    First,
    /// Nowhere.
    Never,
}

/// What a splitting pre-tokenizer does with its matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Behavior {
    /// A match is dropped.
    Removed,
    /// A match is a piece of its own.
    Isolated,
    /// A match joins the piece before it.
    MergedWithPrevious,
    /// A match joins the piece after it.
    MergedWithNext,
    /// Adjacent matches are one piece.
    Contiguous,
}

/// What is put around the ids when the caller asks for `add_special_tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PostProcessor {
    /// The template for one text; empty means the text's ids alone.
    pub single: Vec<TemplateItem>,
    /// The template for a pair of texts; empty means the two one after the other.
    pub pair: Vec<TemplateItem>,
    /// Whether character spans leave out white space at a token's ends.
    pub trim_offsets: bool,
    /// Whether `trim_offsets` leaves a prefix space that the pre-tokenizer put in alone.
    pub add_prefix_space: bool,
}

/// One place of a post-processor's template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateItem {
    /// The ids of text A (0) or B (1).
    Sequence {
        /// 0 for the first text, 1 for the second.
        index: u8,
        /// The type id of its tokens.
        type_id: u32,
    },
    /// Fixed ids.
    Special {
        /// The ids.
        ids: Vec<TokenId>,
        /// Their type id.
        type_id: u32,
    },
}

/// How tokens become text again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decoder {
    /// The tokens' bytes, one after the other: byte-level vocabularies.
    Bytes,
    /// The tokens' texts through these steps, in order, then joined. (No steps: joined by spaces, as the reference
    /// does without a decoder.)
    Steps(Vec<DecodeStep>),
    /// As sentencepiece decodes: `<0xNN>` pieces are bytes, control tokens vanish, `▁` is a space, the dummy
    /// space is dropped, unknown tokens are ` ⁇ `.
    SentencePiece {
        /// Whether the text begins with a dummy space, which is dropped.
        add_dummy_prefix: bool,
        /// Whether white space was squeezed, so that a leading space is the dummy one in any case.
        remove_extra_whitespaces: bool,
        /// Whether the dummy space stands at the end.
        whitespace_as_suffix: bool,
        /// What an unknown token is written as.
        unk_surface: String,
    },
}

/// One step from tokens' texts to a text. Each works on the list of texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecodeStep {
    /// Characters of the display alphabet become bytes, over all tokens together.
    ByteLevel,
    /// Drops the prefix of continuing pieces, puts a space before the others, and tidies punctuation.
    WordPiece {
        /// Stands before continuing pieces.
        prefix: String,
        /// Whether spaces before punctuation and in contractions are dropped.
        cleanup: bool,
    },
    /// `replacement` becomes a space.
    Metaspace {
        /// What stands for a space.
        replacement: char,
        /// Whether one was put in front, which is dropped.
        prepend: Prepend,
    },
    /// The suffix of a word's last piece becomes a space.
    Bpe {
        /// The suffix.
        suffix: String,
    },
    /// Connectionist temporal classification: repetitions and padding are dropped.
    Ctc {
        /// Dropped.
        pad_token: String,
        /// Becomes a space.
        word_delimiter_token: String,
        /// Whether punctuation is tidied.
        cleanup: bool,
    },
    /// Replaces each match.
    Replace {
        /// What is looked for.
        pattern: Needle,
        /// What takes its place.
        content: String,
    },
    /// Joins all texts into one.
    Fuse,
    /// Drops up to so many of a character at the ends of each text.
    Strip {
        /// The character.
        content: char,
        /// At the beginning.
        start: usize,
        /// At the end.
        stop: usize,
    },
    /// `<0xNN>` tokens in a row become their bytes.
    ByteFallback,
}

impl Normalizer {
    /// Returns the name that `info` prints.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nfc => "NFC",
            Self::Nfd => "NFD",
            Self::Nfkc => "NFKC",
            Self::Nfkd => "NFKD",
            Self::Lowercase => "lowercase",
            Self::StripAccents => "strip-accents",
            Self::Strip { .. } => "strip",
            Self::Bert { .. } => "bert",
            Self::Nmt => "nmt",
            Self::Replace { .. } => "replace",
            Self::Prepend(_) => "prepend",
            Self::Precompiled(_) => "precompiled",
            Self::ByteLevel => "byte-level",
            Self::SentencePiece { .. } => "sentencepiece",
        }
    }
}

impl PreTokenizer {
    /// Returns the name that `info` prints.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Split { .. } => "split",
            Self::PrefixSpace => "prefix-space",
            Self::Digits { .. } => "digits",
            Self::ByteAlphabet => "byte-alphabet",
            Self::Metaspace { .. } => "metaspace",
            Self::Bert => "bert",
            Self::Whitespace => "whitespace",
            Self::WhitespaceSplit => "whitespace-split",
            Self::Punctuation(_) => "punctuation",
            Self::CharDelimiter(_) => "char-delimiter",
            Self::UnicodeScripts => "unicode-scripts",
            Self::FixedLength(_) => "fixed-length",
        }
    }
}

impl Prepend {
    /// Returns the name that files have.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::First => "first",
            Self::Never => "never",
        }
    }
}

impl Behavior {
    /// Returns the name that files have, in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Isolated => "isolated",
            Self::MergedWithPrevious => "merged_with_previous",
            Self::MergedWithNext => "merged_with_next",
            Self::Contiguous => "contiguous",
        }
    }
}

impl Decoder {
    /// Returns the name that `info` prints.
    pub fn name(&self) -> String {
        match self {
            Self::Bytes => "byte-level".to_owned(),
            Self::SentencePiece { .. } => "sentencepiece".to_owned(),
            Self::Steps(steps) if steps.is_empty() => "joined by spaces".to_owned(),
            Self::Steps(steps) => steps.iter().map(DecodeStep::name).collect::<Vec<_>>().join(", "),
        }
    }
}

impl DecodeStep {
    /// Returns the name that `info` prints.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ByteLevel => "byte-level",
            Self::WordPiece { .. } => "wordpiece",
            Self::Metaspace { .. } => "metaspace",
            Self::Bpe { .. } => "bpe",
            Self::Ctc { .. } => "ctc",
            Self::Replace { .. } => "replace",
            Self::Fuse => "fuse",
            Self::Strip { .. } => "strip",
            Self::ByteFallback => "byte-fallback",
        }
    }
}
