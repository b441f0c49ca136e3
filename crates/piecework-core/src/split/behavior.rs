//! What becomes of a pattern's matches and of the text between them.
//!
//! The text arrives as segments in order, each a match or not; at most one segment back is remembered.

use crate::definition::Behavior;
use crate::span::Span;

/// Turns segments into pieces, as tokenizers' `SplitDelimiterBehavior` does.
#[derive(Debug)]
pub struct Pieces {
    behavior: Behavior,
    /// The piece that the next segment may still join.
    pending: Option<Span>,
    /// Whether the last segment was a match; the reference begins with "no", which lets a first match
    /// stand alone.
    after_match: bool,
}

impl Pieces {
    /// Returns an empty builder.
    pub fn new(behavior: Behavior) -> Self {
        Self { behavior, pending: None, after_match: false }
    }

    /// Takes the next segment and returns the piece that it completes, if any. Pieces can be empty where
    /// matches are.
    pub fn push(&mut self, segment: Span, is_match: bool) -> Option<Span> {
        let joins = match self.behavior {
            Behavior::Removed | Behavior::Isolated => false,
            Behavior::Contiguous => is_match == self.after_match,
            // Of several matches in a row only the first joins what stands before it ...
            Behavior::MergedWithPrevious => is_match && !self.after_match,
            // ... and only the last joins what stands after it: a match never joins, so where the last
            // segment was a match, `pending` is that match alone.
            Behavior::MergedWithNext => !is_match && self.after_match,
        };
        self.after_match = is_match;
        if joins && let Some(pending) = &mut self.pending {
            pending.end = segment.end;
            return None;
        }
        let dropped = is_match && self.behavior == Behavior::Removed;
        std::mem::replace(&mut self.pending, (!dropped).then_some(segment))
    }

    /// Returns the last piece, if there is one left.
    pub fn finish(&mut self) -> Option<Span> {
        self.pending.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "The-final--countdown", split at each dash: the example of tokenizers' own documentation.
    fn pieces(behavior: Behavior) -> Vec<&'static str> {
        let text = "The-final--countdown";
        let segments = [(0, 3), (3, 4), (4, 9), (9, 10), (10, 11), (11, 20)];
        let mut builder = Pieces::new(behavior);
        let mut pieces = Vec::new();
        for (start, end) in segments {
            pieces.extend(builder.push(Span::new(start, end), &text[start..end] == "-"));
        }
        pieces.extend(builder.finish());
        pieces.into_iter().map(|span| &text[span.range()]).collect()
    }

    #[test]
    fn the_five_behaviors() {
        assert_eq!(pieces(Behavior::Removed), ["The", "final", "countdown"]);
        assert_eq!(pieces(Behavior::Isolated), ["The", "-", "final", "-", "-", "countdown"]);
        assert_eq!(pieces(Behavior::MergedWithPrevious), ["The-", "final-", "-", "countdown"]);
        assert_eq!(pieces(Behavior::MergedWithNext), ["The", "-final", "-", "-countdown"]);
        assert_eq!(pieces(Behavior::Contiguous), ["The", "-", "final", "--", "countdown"]);
    }
}
