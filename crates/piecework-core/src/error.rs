//! Every way in which the engine can refuse, once. Each error has a stable kebab-case code, which
//! the command line and the HTTP service show; the Python exception tree maps one to one onto it.

use crate::span::Span;

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, with the fields a caller needs to act on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tokenizer file does not hold what its format requires, or holds what is not supported.
    #[error("{place}: {reason}")]
    Format {
        /// Where in the file: a JSON path such as `model.merges[17]`, a line, or a byte offset.
        place: String,
        /// What is wrong there, and what would be right.
        reason: String,
    },
    /// Stored bytes do not match their checksum.
    #[error("checksum mismatch in {what}: expected {expected}, found {found}")]
    Checksum {
        /// What was being read.
        what: String,
        /// The recorded checksum, hexadecimal.
        expected: String,
        /// The checksum of what was read, hexadecimal.
        found: String,
    },
    /// The text holds a control token and the caller asked for an error in that case.
    #[error("the text holds the control token {token:?} at byte {}", span.start)]
    SpecialToken {
        /// The control token's content.
        token: String,
        /// Where it stands, in bytes of the input.
        span: Span,
    },
    /// The model has no token for a part of the text.
    #[error("no token for byte 0x{byte:02x} at byte {index}: the vocabulary lacks it")]
    Unencodable {
        /// The byte without a token.
        byte: u8,
        /// Where it stands, in bytes of the input.
        index: usize,
    },
    /// Input bytes are not UTF-8.
    #[error("the input is not UTF-8 at byte {index}")]
    NotUnicode {
        /// The first offending byte's index.
        index: usize,
    },
    /// An id that the vocabulary does not have.
    #[error("id {id} at position {position} {}", absence(*id, *vocab_size))]
    UnknownId {
        /// The id.
        id: u32,
        /// Its index in the sequence.
        position: usize,
        /// One more than the largest id of the vocabulary.
        vocab_size: usize,
    },
    /// Decoded bytes end or break inside a character.
    #[error("the decoded bytes are not UTF-8 from byte {valid_up_to} on")]
    IncompleteText {
        /// How many bytes are valid.
        valid_up_to: usize,
    },
    /// A foreign pattern went over the limits of its regex engine on this text.
    #[error("the pattern exceeds its engine's limit at byte {index}: {reason}")]
    PatternLimit {
        /// Where the search began, in bytes of the text given to the pre-tokenizer.
        index: usize,
        /// The engine's own words.
        reason: String,
    },
    /// One text is larger than the engine can address, or its rules make far more of it than any real ones do.
    #[error(
        "a text of {n_bytes} bytes, as given or as its normalizer makes it, is over the limit of {max_bytes} bytes \
         for one call"
    )]
    TooLong {
        /// The text's size in bytes.
        n_bytes: usize,
        /// The limit in bytes.
        max_bytes: usize,
    },
    /// The caller's limit leaves no room for what must be there.
    #[error("a limit of {max_tokens} tokens is smaller than the {needed} that are always there")]
    LimitTooSmall {
        /// The limit.
        max_tokens: usize,
        /// The number of tokens that the post-processor adds.
        needed: usize,
    },
    /// A row is longer than the width that rows are to be padded to.
    #[error("row {row} has {n_tokens} tokens, more than the width of {width}; a limit would cut it")]
    RowTooLong {
        /// The row's index.
        row: usize,
        /// How many tokens it has.
        n_tokens: usize,
        /// The width.
        width: usize,
    },
    /// A result would be larger than any that is meant.
    #[error("{n} {what} are over the limit of {max}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many.
        n: usize,
        /// The limit.
        max: usize,
    },
    /// Overflowing rows would repeat all that they hold.
    #[error("a stride of {stride} tokens leaves nothing new in rows with room for {room} tokens of text")]
    StrideTooLong {
        /// The stride.
        stride: usize,
        /// How many tokens of the text a row holds.
        room: usize,
    },
    /// Overflowing rows would hold nothing of the text that is cut.
    #[error(
        "the limit leaves no room for tokens of the text that is cut, so no row could take up what overflows"
    )]
    NoRoomForOverflow {
        /// How many tokens of the text a row must hold: one more than the stride.
        needed: usize,
    },
    /// What was counted cannot be learned from in the memory that the caller allows.
    #[error(
        "learning from {n_words} distinct words of {n_bytes} bytes takes about {needed} bytes of memory, more than the \
         {cap} that are allowed"
    )]
    MemoryCap {
        /// The memory that is needed, in bytes.
        needed: u64,
        /// The memory that is allowed, in bytes.
        cap: u64,
        /// Distinct words.
        n_words: u64,
        /// Their bytes.
        n_bytes: u64,
        /// The smallest count such that the words that occur as often, or more often, can be learned from.
        fits: Option<u64>,
    },
    /// A file cannot be written; nothing half-written is left under its name.
    #[error("{path}: {reason}")]
    Unwritable {
        /// The file, or the folder of one without a name.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file cannot be read.
    #[error("{path}: {reason}")]
    Unreadable {
        /// The file, or the folder of one without a name.
        path: String,
        /// Why.
        reason: String,
    },
    /// The caller's [`crate::interrupt::Ctl`] said to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Says why `id` is no token: it lies in a hole, or beyond the last id.
pub fn absence(id: u32, vocab_size: usize) -> String {
    if usize::try_from(id).is_ok_and(|id| id < vocab_size) {
        "is a hole of the vocabulary: no token has it".to_owned()
    } else {
        format!("is not in the vocabulary of {vocab_size} ids")
    }
}

impl Error {
    /// Returns the error's stable kebab-case code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Format { .. } => "format",
            Self::Checksum { .. } => "checksum",
            Self::SpecialToken { .. } => "special-token",
            Self::Unencodable { .. } => "unencodable",
            Self::NotUnicode { .. } => "not-unicode",
            Self::UnknownId { .. } => "unknown-id",
            Self::IncompleteText { .. } => "incomplete-text",
            Self::PatternLimit { .. } => "pattern-limit",
            Self::TooLong { .. } => "too-long",
            Self::LimitTooSmall { .. }
            | Self::RowTooLong { .. }
            | Self::StrideTooLong { .. }
            | Self::NoRoomForOverflow { .. }
            | Self::TooMany { .. } => "limit-too-small",
            Self::MemoryCap { .. } => "memory-cap",
            Self::Unwritable { .. } => "output",
            Self::Unreadable { .. } => "input",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns the error with an index into a part of a text moved to one into the whole, where the part
    /// begins at byte `by`.
    #[must_use]
    pub fn moved(self, by: usize) -> Self {
        self.placed(|index| index + by)
    }

    /// Returns the error with an index into a text that was made of another turned into one into that.
    #[must_use]
    pub fn placed(self, place: impl FnOnce(usize) -> usize) -> Self {
        match self {
            Self::Unencodable { byte, index } => Self::Unencodable { byte, index: place(index) },
            Self::PatternLimit { index, reason } => Self::PatternLimit { index: place(index), reason },
            other => other,
        }
    }

    /// Returns the error with its place turned into a path in the file, where it begins with the first of a pair: the
    /// second stands for it.
    #[must_use]
    pub fn in_file(self, paths: &[(&str, &str)]) -> Self {
        match self {
            Self::Format { place, reason } => {
                let found = paths.iter().find(|(inner, _)| place.starts_with(inner));
                Self::Format { place: found.map_or(place, |&(_, path)| path.to_owned()), reason }
            }
            other => other,
        }
    }

    /// Returns a [`Error::Format`] for `place` with `reason`.
    pub fn format(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Format { place: place.into(), reason: reason.into() }
    }
}
