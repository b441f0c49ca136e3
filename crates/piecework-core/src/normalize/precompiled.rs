//! SentencePiece's rules as tokenizers applies them: to short graphemes whole, otherwise character by character.
//!
//! A grapheme that merely begins with a rule's text becomes what that rule says, all of it: the search takes
//! the shortest rule and does not ask for more. That is the reference's way and not SentencePiece's.

use unicode_segmentation::UnicodeSegmentation;

use super::charsmap::Rules;
use super::rewriter::Rewriter;
use crate::error::Result;
use crate::interrupt::{Ctl, Ticker};
use crate::span::Span;

/// Graphemes of so many bytes or more go character by character.
const MIN_LONG: usize = 6;

/// Bytes passed over between two ticks.
const MAX_SKIP: usize = 1 << 14;

/// Applies `rules` to the text.
pub(super) fn precompiled(rules: &Rules, out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    let text = out.text();
    let mut ticker = ctl.ticker();
    let mut at = 0;
    while at < text.len() {
        let start = skip_plain(rules, text, at);
        ticker.tick(start - at)?;
        let end = section_end(text, start, &mut ticker)?;
        let mut from = start;
        for grapheme in text[start..end].graphemes(true) {
            ticker.tick(grapheme.len())?;
            rewrite(rules, out, from, grapheme, &mut ticker)?;
            from += grapheme.len();
        }
        at = end;
    }
    Ok(())
}

/// Rewrites the grapheme that begins at `from`.
fn rewrite(
    rules: &Rules,
    out: &mut Rewriter<'_>,
    from: usize,
    grapheme: &str,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    if grapheme.len() < MIN_LONG
        && let Some(content) = rules.shortest(grapheme)
    {
        return out.replace(Span::new(from, from + grapheme.len()), content);
    }
    for (at, c) in grapheme.char_indices() {
        ticker.tick(c.len_utf8())?;
        let end = at + c.len_utf8();
        if let Some(content) = grapheme.get(at..end).and_then(|c| rules.shortest(c)) {
            out.replace(Span::new(from + at, from + end), content)?;
        }
    }
    Ok(())
}

/// Returns whether a grapheme always ends between two bytes: both are ASCII, and not CR and LF.
fn is_cut(left: u8, right: u8) -> bool {
    left.is_ascii() && right.is_ascii() && (left, right) != (b'\r', b'\n')
}

/// Returns where the graphemes begin that have to be looked at: what is before consists of single characters
/// of ASCII without a rule.
fn skip_plain(rules: &Rules, text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let is_plain = |pair: &[u8]| is_cut(pair[0], pair[1]) && rules.is_plain_alone(pair[0]);
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.windows(2).take(MAX_SKIP).take_while(|pair| is_plain(pair)).count()
}

/// Returns where the section ends that begins at `from`: the first place after it at which a grapheme ends for
/// certain.
fn section_end(text: &str, from: usize, ticker: &mut Ticker<'_>) -> Result<usize> {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    for (at, pair) in rest.windows(2).enumerate() {
        ticker.tick(1)?;
        if is_cut(pair[0], pair[1]) {
            return Ok(from + at + 1);
        }
    }
    Ok(text.len())
}
