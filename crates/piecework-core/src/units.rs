//! From bytes to the units that other programs count in. A unit is covered as soon as one of its bytes is.

use unicode_segmentation::UnicodeSegmentation;

use crate::error::Result;
use crate::interrupt::Ctl;
use crate::span::Span;

/// A unit of text with one beginning a character, or two for some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Unicode code points: what Python indexes.
    Char,
    /// UTF-16 code units: what JavaScript indexes.
    Utf16,
}

impl Unit {
    /// Units that the character beginning with `byte` has; 0 for a byte inside a character.
    #[inline]
    fn n(self, byte: u8) -> usize {
        match (byte, self) {
            (0x80..0xc0, _) => 0,
            (0xf0.., Self::Utf16) => 2,
            _ => 1,
        }
    }
}

/// Bytes between two stored counts.
const BLOCK: usize = 128;

/// Counts of units before every block of a text, so that any offset is found by looking at one block.
#[derive(Debug)]
pub struct UnitIndex<'t> {
    text: &'t str,
    unit: Unit,
    /// `None` where every byte is a unit.
    blocks: Option<Vec<usize>>,
}

impl<'t> UnitIndex<'t> {
    /// Builds the index. Complexity: O(text).
    pub fn new(text: &'t str, unit: Unit) -> Self {
        let blocks = (!text.is_ascii()).then(|| {
            let mut n = 0;
            let counted = text.as_bytes().chunks(BLOCK).map(|block| {
                let before = n;
                n += block.iter().map(|&byte| unit.n(byte)).sum::<usize>();
                before
            });
            counted.collect()
        });
        Self { text, unit, blocks }
    }

    /// Returns how many units lie before the character boundary `at`.
    pub fn before(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let Some(blocks) = &self.blocks else { return at };
        let block = at / BLOCK;
        let Some(&n) = blocks.get(block) else {
            // `at` is the end of a text of whole blocks.
            return blocks.last().copied().unwrap_or(0) + self.sum(at.saturating_sub(BLOCK), at);
        };
        n + self.sum(block * BLOCK, at)
    }

    fn sum(&self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes().get(start..end).unwrap_or(&[]);
        bytes.iter().map(|&byte| self.unit.n(byte)).sum()
    }

    /// Returns the units that the bytes of `span` touch; an empty span stays empty.
    pub fn cover(&self, span: Span) -> Span {
        let start = self.before(floor(self.text, span.start));
        if span.is_empty() {
            return Span::new(start, start);
        }
        Span::new(start, self.before(ceil(self.text, span.end)))
    }
}

/// Returns the last character boundary at or before `at`.
pub fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the first character boundary at or after `at`.
pub fn ceil(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Returns where the extended grapheme clusters of `text` begin, in bytes. Complexity: O(text).
///
/// # Errors
/// [`crate::error::Error::Interrupted`].
pub fn graphemes(text: &str, ctl: &Ctl<'_>) -> Result<Vec<usize>> {
    let mut ticker = ctl.ticker();
    let start = |(at, grapheme): (usize, &str)| {
        ticker.tick(grapheme.len())?;
        Ok(at)
    };
    text.grapheme_indices(true).map(start).collect()
}

/// Returns the units, beginning at the sorted byte offsets `starts`, that the bytes of `span` touch.
pub fn cover(starts: &[usize], span: Span) -> Span {
    let first = starts.partition_point(|&start| start <= span.start).saturating_sub(1);
    if span.is_empty() {
        let at = starts.partition_point(|&start| start < span.start);
        return Span::new(at, at);
    }
    Span::new(first, starts.partition_point(|&start| start < span.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_of_a_mixed_text() {
        let text = "aé返🚀".repeat(100);
        for unit in [Unit::Char, Unit::Utf16] {
            let index = UnitIndex::new(&text, unit);
            for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                let before = &text[..at];
                let naive = match unit {
                    Unit::Char => before.chars().count(),
                    Unit::Utf16 => before.encode_utf16().count(),
                };
                assert_eq!(index.before(at), naive);
            }
        }
    }

    #[test]
    fn graphemes_begin_where_readers_see_characters() {
        assert_eq!(graphemes("ae\u{301}👨‍👩‍👧!", &Ctl::new()), Ok(vec![0, 1, 4, 22]));
        let ctl = Ctl::new();
        ctl.cancel();
        assert_eq!(graphemes(&"a".repeat(1 << 16), &ctl), Err(crate::error::Error::Interrupted));
    }

    #[test]
    fn a_touched_unit_is_covered() {
        let index = UnitIndex::new("a🚀b", Unit::Utf16);
        assert_eq!(index.cover(Span::new(2, 3)), Span::new(1, 3));
        assert_eq!(index.cover(Span::new(1, 6)), Span::new(1, 4));
        assert_eq!(index.cover(Span::new(1, 1)), Span::new(1, 1));
        assert_eq!(cover(&[0, 1, 5], Span::new(2, 3)), Span::new(1, 2));
        assert_eq!(cover(&[0, 1, 5], Span::new(6, 6)), Span::new(3, 3));
    }
}
