//! Where the bytes of a normalized text come from.
//!
//! Only changed clusters are recorded: between two of them, text is the same and only shifted. An
//! unchanged text has no record at all.

use crate::error::{Error, Result};
use crate::span::Span;

/// One changed cluster. Offsets are 32 bits wide: a decomposed Korean text has one edit for every
/// nine bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edit {
    normalized_start: u32,
    normalized_end: u32,
    original_start: u32,
    original_end: u32,
}

/// Returns how long a text of `n_bytes` may become through all that is done to it before the model. The longest that
/// Unicode makes of a character is 11 times as long (U+FDFA), and real rules add little to that; a chain of hostile
/// ones doubles a text at every link.
pub fn max_made_bytes(n_bytes: usize) -> usize {
    n_bytes.saturating_mul(32).saturating_add(1 << 20).min(u32::MAX as usize)
}

/// Maps byte spans of a normalized text to byte spans of the original.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    edits: Vec<Edit>,
}

impl Alignment {
    /// Returns the alignment of a text with itself.
    pub fn identity() -> Self {
        Self::default()
    }

    /// Returns whether the two texts are the same.
    pub fn is_identity(&self) -> bool {
        self.edits.is_empty()
    }

    /// Iterates over the changed clusters, in order: their bytes normalized and original.
    pub fn changes(&self) -> impl Iterator<Item = (Span, Span)> {
        self.edits.iter().map(|edit| {
            (
                Span::new(edit.normalized_start as usize, edit.normalized_end as usize),
                Span::new(edit.original_start as usize, edit.original_end as usize),
            )
        })
    }

    /// Returns how many changed clusters are recorded.
    pub fn n_edits(&self) -> usize {
        self.edits.len()
    }

    /// Records that `original` became `normalized`. Edits come in the order of the text.
    ///
    /// # Errors
    /// [`Error::TooLong`] where an offset needs more than 32 bits.
    pub fn push(&mut self, normalized: Span, original: Span) -> Result<()> {
        let narrow = |offset: usize| {
            u32::try_from(offset)
                .map_err(|_| Error::TooLong { n_bytes: offset, max_bytes: u32::MAX as usize })
        };
        self.edits.push(Edit {
            normalized_start: narrow(normalized.start)?,
            normalized_end: narrow(normalized.end)?,
            original_start: narrow(original.start)?,
            original_end: narrow(original.end)?,
        });
        Ok(())
    }

    /// Returns the source of the bytes `span` of the normalized text.
    ///
    /// Unchanged characters map to their own bytes; a span that touches a changed cluster covers all
    /// of the cluster's source. An empty span maps to an empty one: to its own place, or to the start
    /// of the cluster that it stands in.
    ///
    /// O(log n) in the number of changed clusters.
    pub fn to_original(&self, span: Span) -> Span {
        let start = self.original_start(span.start);
        if span.start >= span.end {
            return Span { start, end: start };
        }
        Span { start, end: self.original_end(span.end) }
    }

    /// Returns where the source of the byte at `offset` begins.
    fn original_start(&self, offset: usize) -> usize {
        let passed = self.edits.partition_point(|edit| edit.normalized_end as usize <= offset);
        match self.edits.get(passed) {
            Some(edit) if edit.normalized_start as usize <= offset => edit.original_start as usize,
            _ => shifted(self.edits.get(passed.wrapping_sub(1)), offset),
        }
    }

    /// Returns where the source of the byte before `offset` ends.
    fn original_end(&self, offset: usize) -> usize {
        let begun = self.edits.partition_point(|edit| (edit.normalized_start as usize) < offset);
        match self.edits.get(begun.wrapping_sub(1)) {
            Some(edit) if offset <= edit.normalized_end as usize => edit.original_end as usize,
            last => shifted(last, offset),
        }
    }

    /// Returns the alignment of this one's normalized text with the original of `earlier`, whose normalized
    /// text is this one's original. Clusters of the two that overlap become one. Complexity: O(edits).
    ///
    /// # Errors
    /// [`Error::TooLong`] where an offset needs more than 32 bits.
    pub fn after(&self, earlier: &Self) -> Result<Self> {
        if earlier.is_identity() {
            return Ok(self.clone());
        }
        if self.is_identity() {
            return Ok(earlier.clone());
        }
        let mut whole = Self { edits: Vec::with_capacity(self.edits.len() + earlier.edits.len()) };
        // Both lists as what they cover of the text between the two alignments.
        let mut late =
            self.edits.iter().map(|edit| (edit.original_start, edit.original_end, edit)).peekable();
        let mut early =
            earlier.edits.iter().map(|edit| (edit.normalized_start, edit.normalized_end, edit)).peekable();
        let (mut last_late, mut last_early) = (None, None);
        loop {
            let next = [late.peek(), early.peek()].map(|next| next.map(|&(start, end, _)| (start, end)));
            // Of two at one place, one that is empty there stands before one that is not.
            let Some((start, mut end)) = next.into_iter().flatten().min() else { return Ok(whole) };
            let before = (last_late, last_early);
            if next[0] == Some((start, end)) {
                last_late = late.next().map(|(.., edit)| edit);
            } else {
                last_early = early.next().map(|(.., edit)| edit);
            }
            loop {
                if let Some((_, to, edit)) = late.next_if(|&(from, ..)| from < end) {
                    (end, last_late) = (end.max(to), Some(edit));
                } else if let Some((_, to, edit)) = early.next_if(|&(from, ..)| from < end) {
                    (end, last_early) = (end.max(to), Some(edit));
                } else {
                    break;
                }
            }
            let (start, end) = (start as usize, end as usize);
            whole.push(
                Span::new(unshifted(before.0, start), unshifted(last_late, end)),
                Span::new(shifted(before.1, start), shifted(last_early, end)),
            )?;
        }
    }
}

/// Returns where an unchanged place of the original stands in the normalized text, `edit` being the last edit
/// before it.
fn unshifted(edit: Option<&Edit>, offset: usize) -> usize {
    edit.map_or(offset, |edit| edit.normalized_end as usize + (offset - edit.original_end as usize))
}

/// Returns the source of an unchanged place that has `edit` as the last edit before it.
fn shifted(edit: Option<&Edit>, offset: usize) -> usize {
    edit.map_or(offset, |edit| edit.original_end as usize + (offset - edit.normalized_end as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    fn mapped(alignment: &Alignment, start: usize, end: usize) -> (usize, usize) {
        let original = alignment.to_original(span(start, end));
        (original.start, original.end)
    }

    /// `ab` + a cluster of 9 bytes that became 3 + one of 3 that became 2 + `cd`.
    fn example() -> Alignment {
        let mut alignment = Alignment::identity();
        alignment.push(span(2, 5), span(2, 11)).unwrap();
        alignment.push(span(5, 7), span(11, 14)).unwrap();
        alignment
    }

    #[test]
    fn identity_maps_every_span_to_itself() {
        let alignment = Alignment::identity();
        assert!(alignment.is_identity());
        assert_eq!(mapped(&alignment, 0, 7), (0, 7));
        assert_eq!(mapped(&alignment, 3, 3), (3, 3));
    }

    #[test]
    fn unchanged_characters_map_to_their_bytes() {
        let alignment = example();
        assert_eq!(mapped(&alignment, 0, 1), (0, 1));
        assert_eq!(mapped(&alignment, 0, 2), (0, 2));
        assert_eq!(mapped(&alignment, 7, 8), (14, 15));
        assert_eq!(mapped(&alignment, 8, 9), (15, 16));
    }

    #[test]
    fn part_of_a_cluster_maps_to_all_of_its_source() {
        let alignment = example();
        for (start, end) in [(2, 3), (3, 4), (4, 5), (2, 5)] {
            assert_eq!(mapped(&alignment, start, end), (2, 11));
        }
        assert_eq!(mapped(&alignment, 6, 7), (11, 14));
        assert_eq!(mapped(&alignment, 4, 6), (2, 14));
        assert_eq!(mapped(&alignment, 1, 8), (1, 15));
    }

    #[test]
    fn an_empty_span_stays_empty() {
        let alignment = example();
        for (at, original) in [(0, 0), (2, 2), (3, 2), (5, 11), (6, 11), (7, 14), (9, 16)] {
            assert_eq!(mapped(&alignment, at, at), (original, original));
        }
    }

    #[test]
    fn source_that_became_nothing_belongs_to_no_span() {
        let mut alignment = Alignment::identity();
        alignment.push(span(3, 3), span(3, 5)).unwrap();
        assert_eq!(mapped(&alignment, 0, 3), (0, 3));
        assert_eq!(mapped(&alignment, 3, 6), (5, 8));
        assert_eq!(mapped(&alignment, 2, 4), (2, 6));
    }

    #[test]
    fn one_after_another_is_one() {
        // "a b" + dummy space, squeezed before: original "  a  b", then "a b", then "▁a▁b".
        let mut earlier = Alignment::identity();
        earlier.push(span(0, 0), span(0, 2)).unwrap();
        earlier.push(span(1, 2), span(3, 5)).unwrap();
        let mut later = Alignment::identity();
        later.push(span(0, 3), span(0, 0)).unwrap();
        later.push(span(4, 7), span(1, 2)).unwrap();
        let whole = later.after(&earlier).unwrap();
        assert_eq!(mapped(&whole, 0, 4), (0, 3));
        assert_eq!(mapped(&whole, 3, 4), (2, 3));
        assert_eq!(mapped(&whole, 4, 8), (3, 6));
        assert_eq!(mapped(&whole, 7, 8), (5, 6));
        // Clusters that overlap become one.
        let mut wide = Alignment::identity();
        wide.push(span(1, 2), span(0, 2)).unwrap();
        let whole = wide.after(&earlier).unwrap();
        assert_eq!(mapped(&whole, 1, 2), (2, 5));
        assert_eq!(mapped(&whole, 2, 3), (5, 6));
        assert_eq!(Alignment::identity().after(&earlier).unwrap(), earlier);
        assert_eq!(earlier.after(&Alignment::identity()).unwrap(), earlier);
    }

    #[test]
    fn offsets_over_32_bits_are_refused() {
        let far = 1 << 32;
        let error = Alignment::identity().push(span(0, 1), span(far, far + 1));
        assert_eq!(error, Err(Error::TooLong { n_bytes: far, max_bytes: u32::MAX as usize }));
    }
}
