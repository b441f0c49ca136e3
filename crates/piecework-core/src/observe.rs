//! Who watches an encoding. The engine calls an [`Observer`] at each event; for [`Nobody`] every call
//! and everything prepared for it is compiled away, so that watching costs nothing where nobody does.

use std::sync::Arc;

use crate::alignment::Alignment;
use crate::error::Result;
use crate::id::TokenId;
use crate::span::Span;

/// Receives the events of one encoding, in the order of the text.
pub trait Observer {
    /// Whether anybody watches; where `false`, no event is made.
    const ON: bool;

    /// An added token matched `span` of the input.
    fn added(&mut self, id: TokenId, span: Span) {
        let _ = (id, span);
    }

    /// What comes to the pre-tokenizer, before it: normalized, with its prefix space.
    fn normalized(&mut self, text: &str, source: &Source) {
        let _ = (text, source);
    }

    /// A section of text between added tokens begins. `text` is what the pre-tokenizer sees: normalized,
    /// with its prefix space; `source` leads from it back to the input.
    fn section(&mut self, text: &str, source: &Source) {
        let _ = (text, source);
    }

    /// The pre-tokenizer cut `span` of the section's text, and the model made `n_tokens` of it. `lengths` are
    /// the bytes of the section's text that each token covers, one after the other; `None` where those are the
    /// tokens' own bytes.
    fn pretoken(&mut self, span: Span, n_tokens: usize, lengths: Option<&[u32]>) {
        let _ = (span, n_tokens, lengths);
    }
}

/// Where a section's text comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// From the normalized text, of which the section is a part, to its original.
    pub alignment: Arc<Alignment>,
    /// Where the section begins in that normalized text.
    pub start: usize,
    /// Where that original begins in the input.
    pub origin: usize,
    /// How many bytes were put in front of the section.
    pub n_prefix: usize,
}

impl Source {
    /// Returns the span of the input that `span` of the section's text comes from. What was put in front
    /// comes from an empty span. Complexity: O(log changed clusters).
    pub fn to_input(&self, span: Span) -> Span {
        let shift = |at: usize| at.saturating_sub(self.n_prefix) + self.start;
        let span = self.alignment.to_original(Span::new(shift(span.start), shift(span.end)));
        Span::new(span.start + self.origin, span.end + self.origin)
    }

    /// Returns the source of a text of `n_bytes` that became a section's text by `rewriting`.
    ///
    /// # Errors
    /// [`crate::error::Error::TooLong`] where an offset needs more than 32 bits.
    pub fn of_rewritten(&self, rewriting: &Alignment, n_bytes: usize) -> Result<Self> {
        let origin = self.to_input(Span::new(0, 0)).start;
        let mut section = Alignment::identity();
        // What was dropped in front of the section is no part of it.
        for (span, original) in self.changes(n_bytes).filter(|(span, _)| *span != Span::new(0, 0)) {
            let inside = |at: usize| at.saturating_sub(origin);
            section.push(span, Span::new(inside(original.start), inside(original.end)))?;
        }
        Ok(Self { alignment: Arc::new(rewriting.after(&section)?), start: 0, origin, n_prefix: 0 })
    }

    /// Iterates over what differs between a section's text of `n_bytes` and the input: the bytes of each, in
    /// order. What was dropped in front of the text comes first, before what was put there.
    pub fn changes(&self, n_bytes: usize) -> impl Iterator<Item = (Span, Span)> {
        let in_input = |original: Span| Span::new(original.start + self.origin, original.end + self.origin);
        let dropped = self
            .alignment
            .changes()
            .take_while(|(normalized, _)| normalized.end == 0 && self.start == 0)
            .map(move |(_, original)| (Span::new(0, 0), in_input(original)));
        let prefix = Span::new(0, self.n_prefix);
        let prefix = (!prefix.is_empty()).then(|| (prefix, self.to_input(prefix)));
        // A cluster may reach into the section from what stands before it.
        let changes = self.alignment.changes().filter(|(normalized, _)| normalized.end > self.start);
        let changes = changes.filter_map(move |(normalized, original)| {
            let inside = |at: usize| at.max(self.start) - self.start + self.n_prefix;
            let span = Span::new(inside(normalized.start), inside(normalized.end));
            (span.end <= n_bytes).then(|| (span, in_input(original)))
        });
        dropped.chain(prefix).chain(changes)
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Observer for Nobody {
    const ON: bool = false;
}
