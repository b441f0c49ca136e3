//! Half-open ranges into a text. Bytes are the unit inside the engine; characters, UTF-16 units and
//! graphemes are derived from them on demand.

use serde::{Deserialize, Serialize};

/// The half-open byte range `start..end` of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the number of bytes covered.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the span covers nothing.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns the span as a range, to slice with.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}
