//! What happens at the ends of a text: white space is dropped, a text is put in front.

use super::rewriter::Rewriter;
use crate::error::Result;
use crate::interrupt::{Ctl, Ticker};
use crate::span::Span;
use crate::unicode::treatments::{treatment, treatment_of};

/// Drops white space at the ends.
pub(super) fn strip(out: &mut Rewriter<'_>, left: bool, right: bool, ctl: &Ctl<'_>) -> Result<()> {
    let text = out.text();
    let mut ticker = ctl.ticker();
    let start = if left { n_spaces(text.chars(), &mut ticker)? } else { 0 };
    out.drop(Span::new(0, start))?;
    let n_after = if right { n_spaces(text[start..].chars().rev(), &mut ticker)? } else { 0 };
    out.drop(Span::new(text.len() - n_after, text.len()))
}

/// Puts `prefix` in front of a text that is not empty.
pub(super) fn prepend(out: &mut Rewriter<'_>, prefix: &str) -> Result<()> {
    if out.text().is_empty() { Ok(()) } else { out.insert(0, prefix) }
}

/// Returns how many bytes of white space come first.
fn n_spaces(chars: impl Iterator<Item = char>, ticker: &mut Ticker<'_>) -> Result<usize> {
    let mut n_bytes = 0;
    for c in chars.take_while(|&c| treatment_of(c) & treatment::SPACE != 0) {
        ticker.tick(c.len_utf8())?;
        n_bytes += c.len_utf8();
    }
    Ok(n_bytes)
}
