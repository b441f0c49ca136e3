//! Finders without a pattern: single characters of a kind, and runs that pre-tokenizers keep together.

use super::kinds::{is_space, is_word, script};
use crate::error::Result;
use crate::interrupt::Ticker;
use crate::span::Span;

/// Characters looked at between two reports of work.
const WINDOW: usize = 1 << 12;

/// Calls `each` with every character of `text` that is of a kind.
///
/// # Errors
/// [`crate::error::Error::Interrupted`]; those of `each`.
pub fn characters(
    text: &str,
    is_kind: impl Fn(char) -> bool,
    ticker: &mut Ticker<'_>,
    mut each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
) -> Result<()> {
    let mut reported = 0;
    for (at, c) in text.char_indices() {
        if is_kind(c) {
            each(Span::new(at, at + c.len_utf8()), ticker)?;
        }
        if at - reported >= WINDOW {
            ticker.tick(at - reported)?;
            reported = at;
        }
    }
    ticker.tick(text.len() - reported)
}

/// Calls `each` with every run of characters that `key` puts into one group; `None` is part of none.
fn runs<K: PartialEq>(
    text: &str,
    mut key: impl FnMut(char) -> Option<K>,
    ticker: &mut Ticker<'_>,
    mut each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
) -> Result<()> {
    let mut run: Option<(usize, K)> = None;
    let mut reported = 0;
    for (at, c) in text.char_indices() {
        let group = key(c);
        if run.as_ref().map(|(_, group)| group) != group.as_ref() {
            if let Some((start, _)) = run {
                each(Span::new(start, at), ticker)?;
            }
            run = group.map(|group| (at, group));
        }
        if at - reported >= WINDOW {
            ticker.tick(at - reported)?;
            reported = at;
        }
    }
    if let Some((start, _)) = run {
        each(Span::new(start, text.len()), ticker)?;
    }
    ticker.tick(text.len() - reported)
}

/// Calls `each` with every run of word characters, and every run of what is neither that nor white space.
///
/// # Errors
/// [`crate::error::Error::Interrupted`]; those of `each`.
pub fn words(
    text: &str,
    ticker: &mut Ticker<'_>,
    each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
) -> Result<()> {
    runs(text, |c| (!is_space(c)).then(|| is_word(c)), ticker, each)
}

/// Calls `each` with every run of one script. Characters of no script belong to the run before them; in front
/// of the first run they are left out, as the reference does it.
///
/// # Errors
/// [`crate::error::Error::Interrupted`]; those of `each`.
pub fn scripts(
    text: &str,
    ticker: &mut Ticker<'_>,
    each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
) -> Result<()> {
    let mut last = None;
    let of_run = |c| {
        match script(c) {
            0 => {}
            script => last = Some(script),
        }
        last
    };
    runs(text, of_run, ticker, each)
}

/// Calls `each` with every `length` characters of `text`, and with what is left at the end.
///
/// # Errors
/// [`crate::error::Error::Interrupted`]; those of `each`.
pub fn fixed(
    text: &str,
    length: usize,
    ticker: &mut Ticker<'_>,
    each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
) -> Result<()> {
    let mut n = 0_usize;
    let of_run = |_| {
        n += 1;
        Some((n - 1) / length.max(1))
    };
    runs(text, of_run, ticker, each)
}
