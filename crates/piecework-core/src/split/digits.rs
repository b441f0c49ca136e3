//! Splitting off digits.

use crate::error::Result;
use crate::interrupt::Ticker;
use crate::span::Span;
use crate::unicode::{class, class_of};

/// Characters looked at between two reports of work.
const WINDOW: usize = 1 << 12;

/// Returns the next character of Unicode's N categories at or after byte `from` of `text`. The reference
/// asks `char::is_numeric` of its toolchain, which is the same set (compared for every code point).
///
/// # Errors
/// [`crate::error::Error::Interrupted`].
pub fn next(text: &str, from: usize, ticker: &mut Ticker<'_>) -> Result<Option<Span>> {
    let mut reported = from;
    for (offset, c) in text.get(from..).unwrap_or_default().char_indices() {
        let at = from + offset;
        if class_of(c) & class::NUMBER != 0 {
            ticker.tick(at + c.len_utf8() - reported)?;
            return Ok(Some(Span::new(at, at + c.len_utf8())));
        }
        if at - reported >= WINDOW {
            ticker.tick(at - reported)?;
            reported = at;
        }
    }
    ticker.tick(text.len() - reported.min(text.len()))?;
    Ok(None)
}
