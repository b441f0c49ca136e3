//! The longest part of a text, from either end, that really counts at most a limit.
//!
//! Counts of prefixes do not grow steadily: cutting a text can make its last tokens more. So the cut goes
//! where a token of the whole text ends, is rounded to a character, and is checked by counting; where
//! the rest counts more, one more token is given up. The limit always wins.

use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::interrupt::Ctl;
use crate::span::Span;
use crate::tokenizer::{Options, Special, Tokenizer, TrustedText};
use crate::units;

/// Which end of a text is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The beginning.
    Left,
    /// The end.
    Right,
}

/// Steps of one token; from then on each step gives up twice as many, so that a hostile text cannot make
/// the work quadratic.
const SINGLE_STEPS: usize = 16;

impl Tokenizer {
    /// Returns the span of `text` that is left when the end named by `side` is cut off so that the rest
    /// counts at most `max_tokens`.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where the tokens that the options add are more than the limit; else as
    /// [`Tokenizer::ids`]. Complexity: O(n), a few times.
    pub fn truncate(
        &self,
        text: &str,
        max_tokens: usize,
        side: Side,
        options: &Options,
        ctl: &Ctl<'_>,
    ) -> Result<Span> {
        if options.add_special_tokens {
            let (before, after) = self.added_around();
            let needed = before.len() + after.len();
            if needed > max_tokens {
                return Err(Error::LimitTooSmall { max_tokens, needed });
            }
        }
        let whole = Span::new(0, text.len());
        if self.count_up_to(text, max_tokens, options, ctl)?.is_some() {
            return Ok(whole);
        }
        let (from, encoding) = self.near_the_cut(text, max_tokens, side, options, ctl)?;
        let mut keep = max_tokens.min(encoding.ids.len());
        let mut step = 1;
        for tries in 1.. {
            let kept = kept(&encoding, from, text, keep, side);
            let part = part_options(options, kept);
            if self.count_up_to(&text[kept.range()], max_tokens, &part, ctl)?.is_some() {
                return Ok(kept);
            }
            if keep == 0 {
                break;
            }
            keep = keep.saturating_sub(step);
            if tries >= SINGLE_STEPS {
                step *= 2;
            }
        }
        Ok(match side {
            Side::Left => Span::new(text.len(), text.len()),
            Side::Right => Span::new(0, 0),
        })
    }

    /// Encodes as much of the text, from the end that stays, as holds more than `max_tokens` of its own tokens.
    /// Returns where that part begins, and its encoding.
    fn near_the_cut(
        &self,
        text: &str,
        max_tokens: usize,
        side: Side,
        options: &Options,
        ctl: &Ctl<'_>,
    ) -> Result<(usize, Encoding)> {
        let inner = Options { add_special_tokens: false, special: options.special.clone() };
        if side == Side::Right {
            return Ok((0, self.encoding_up_to(text, max_tokens, &inner, ctl)?));
        }
        // A text cannot be encoded backwards: take a part of the end, and more while that is too little.
        let mut n_bytes = max_tokens.saturating_mul(8).saturating_add(4096);
        loop {
            let from = units::floor(text, text.len().saturating_sub(n_bytes));
            let part = part_options(&inner, Span::new(from, text.len()));
            let encoding = self.encoding(&text[from..], &part, ctl)?;
            if from == 0 || encoding.ids.len() > max_tokens {
                return Ok((from, encoding));
            }
            n_bytes = n_bytes.saturating_mul(4);
        }
    }
}

/// Returns the span that `keep` tokens of the encoding of `text[from..]` cover, without a character cut in two.
fn kept(encoding: &Encoding, from: usize, text: &str, keep: usize, side: Side) -> Span {
    let spans = &encoding.byte_spans;
    match side {
        Side::Right => {
            // With shared sources a token can end further right than the one after the cut begins.
            let end = keep.checked_sub(1).and_then(|last| spans.get(last)).map_or(0, |span| span.end);
            let next = spans.get(keep).map_or(text.len(), |span| span.start);
            Span::new(0, units::floor(text, end.min(next)))
        }
        Side::Left => {
            let first = spans.len() - keep;
            let start = spans.get(first).map_or(text.len() - from, |span| span.start);
            let before = first.checked_sub(1).and_then(|last| spans.get(last)).map_or(0, |span| span.end);
            Span::new(units::ceil(text, from + start.max(before)), text.len())
        }
    }
}

/// Returns the options with trusted spans moved into the part.
fn part_options(options: &Options, part: Span) -> Options {
    let Special::Parse(TrustedText::Spans(spans)) = &options.special else { return options.clone() };
    let moved = spans
        .iter()
        .map(|span| {
            let clip = |at: usize| at.clamp(part.start, part.end) - part.start;
            Span::new(clip(span.start), clip(span.end))
        })
        .collect();
    Options { special: Special::Parse(TrustedText::Spans(moved)), ..options.clone() }
}
