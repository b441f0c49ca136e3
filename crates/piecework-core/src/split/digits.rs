//! Splitting off digits.

use crate::error::Result;
use crate::interrupt::Ticker;
use crate::span::Span;
use crate::unicode::{class, class_of};

/// Characters looked at between two reports of work.
const WINDOW: usize = 1 << 12;

/// Returns the next digit at or after byte `from` of `text`.
///
/// # Errors
/// [`crate::error::Error::Interrupted`].
pub fn next(text: &str, from: usize, ticker: &mut Ticker<'_>) -> Result<Option<Span>> {
    let mut reported = from;
    for (offset, c) in text.get(from..).unwrap_or_default().char_indices() {
        let at = from + offset;
        if is_digit(c) {
            ticker.tick(at + c.len_utf8() - reported)?;
            return Ok(Some(Span::new(at, at + c.len_utf8())));
        }
        if at - reported >= WINDOW {
            ticker.tick(at - reported)?;
            reported = at;
        }
    }
    ticker.tick(text.len().saturating_sub(reported))?;
    Ok(None)
}

/// Returns whether `c` is a digit to tokenizers 0.23.3, which asks the standard library it was built with: the
/// N categories of Unicode 17.0, while all its patterns are of 16.0. Compared at every code point.
fn is_digit(c: char) -> bool {
    class_of(c) & class::NUMBER != 0 || matches!(c, '\u{11DE0}'..='\u{11DE9}' | '\u{16FF4}'..='\u{16FF6}')
}

#[cfg(test)]
mod tests {
    use super::is_digit;

    #[test]
    fn digits_are_those_of_unicode_17() {
        for digit in ['0', '٣', '½', 'Ⅷ', '\u{11DE0}', '\u{11DE9}', '\u{16FF4}', '\u{16FF6}'] {
            assert!(is_digit(digit), "{digit:?}");
        }
        for other in ['a', '\u{11DDF}', '\u{11DEA}', '\u{16FF3}', '\u{16FF7}'] {
            assert!(!is_digit(other), "{other:?}");
        }
        assert_eq!(('\0'..=char::MAX).filter(|&c| is_digit(c)).count(), 1924);
    }
}
