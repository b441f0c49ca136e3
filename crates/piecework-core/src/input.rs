//! From whatever the caller has to text. Only well-formed Unicode is encoded; what is not is an error with
//! its place, or is replaced while every offset still leads back to the input as it was given.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::interrupt::Ctl;
use crate::normalize::Alignment;
use crate::span::Span;

/// What stands for a part that is no text; three bytes, like the lone surrogate it replaces.
const REPLACEMENT: char = '\u{fffd}';

/// A text with the way back to the input it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input<'i> {
    /// The text.
    pub text: Cow<'i, str>,
    /// From the text's bytes to the input's.
    pub alignment: Alignment,
    /// Where in the text characters stand that the input spelled as two surrogates, sorted: each is two
    /// characters of the input.
    pub joined_pairs: Vec<usize>,
}

impl<'i> Input<'i> {
    /// Returns a text that is its own input.
    pub fn from_text(text: &'i str) -> Self {
        Self { text: Cow::Borrowed(text), alignment: Alignment::identity(), joined_pairs: Vec::new() }
    }

    /// Returns the same with a text of its own.
    pub fn into_owned(self) -> Input<'static> {
        Input {
            text: Cow::Owned(self.text.into_owned()),
            alignment: self.alignment,
            joined_pairs: self.joined_pairs,
        }
    }

    /// Returns the text of UTF-8 bytes.
    ///
    /// # Errors
    /// [`Error::NotUnicode`] with the index of the first byte that is not.
    pub fn from_utf8(bytes: &'i [u8]) -> Result<Self> {
        std::str::from_utf8(bytes)
            .map(Self::from_text)
            .map_err(|error| Error::NotUnicode { index: error.valid_up_to() })
    }

    /// Returns the text of bytes with U+FFFD for each maximal part that is not UTF-8.
    ///
    /// # Errors
    /// [`Error::TooLong`] past 4 GiB, [`Error::Interrupted`].
    pub fn from_lossy_utf8(bytes: &'i [u8], ctl: &Ctl<'_>) -> Result<Self> {
        let mut alignment = Alignment::identity();
        let text = lossy_utf8(bytes, ctl, |made, source| alignment.push(made, source))?;
        Ok(Self { text, alignment, joined_pairs: Vec::new() })
    }

    /// Returns the text of WTF-8 bytes: UTF-8 in which surrogates are written as three bytes each. A high
    /// surrogate with a low one behind it is the character they spell; any other is U+FFFD.
    ///
    /// # Errors
    /// [`Error::NotUnicode`] for bytes that are not WTF-8, [`Error::TooLong`] past 4 GiB,
    /// [`Error::Interrupted`].
    pub fn from_wtf8(bytes: &'i [u8], ctl: &Ctl<'_>) -> Result<Self> {
        let mut input =
            Input { text: Cow::Borrowed(""), alignment: Alignment::identity(), joined_pairs: Vec::new() };
        let mut text = String::with_capacity(bytes.len());
        let mut ticker = ctl.ticker();
        let mut at = 0;
        while at < bytes.len() {
            let next = next_surrogate(bytes, at);
            ticker.tick(next - at + 3)?;
            let valid = bytes.get(at..next).unwrap_or(&[]);
            text.push_str(
                std::str::from_utf8(valid)
                    .map_err(|error| Error::NotUnicode { index: at + error.valid_up_to() })?,
            );
            at = next;
            let Some(first) = surrogate(bytes, at) else { break };
            if let Some(c) = surrogate(bytes, at + 3).and_then(|second| joined(first, second)) {
                let start = text.len();
                text.push(c);
                input.alignment.push(Span::new(start, text.len()), Span::new(at, at + 6))?;
                input.joined_pairs.push(start);
                at += 6;
            } else {
                text.push(REPLACEMENT);
                at += 3;
            }
        }
        input.text = Cow::Owned(text);
        Ok(input)
    }
}

/// Returns the text of bytes with U+FFFD for each maximal part that is not UTF-8, and tells `replaced` of each: the
/// bytes of the text and of the input. Where nobody asks for places there is nothing to keep, which is most of the
/// memory for a text that is mostly broken.
///
/// # Errors
/// The error of `replaced`, [`Error::Interrupted`].
pub fn lossy_utf8<'i>(
    bytes: &'i [u8],
    ctl: &Ctl<'_>,
    mut replaced: impl FnMut(Span, Span) -> Result<()>,
) -> Result<Cow<'i, str>> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = String::with_capacity(bytes.len());
    let mut ticker = ctl.ticker();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        ticker.tick(chunk.valid().len() + chunk.invalid().len())?;
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        let n = chunk.invalid().len();
        if n > 0 {
            let start = text.len();
            text.push(REPLACEMENT);
            replaced(Span::new(start, text.len()), Span::new(at, at + n))?;
            at += n;
        }
    }
    Ok(Cow::Owned(text))
}

/// Returns where the first surrogate at or after `at` is written; the end where there is none.
fn next_surrogate(bytes: &[u8], at: usize) -> usize {
    let leads = memchr::memchr_iter(0xed, bytes.get(at..).unwrap_or(&[]));
    leads.map(|lead| at + lead).find(|&lead| surrogate(bytes, lead).is_some()).unwrap_or(bytes.len())
}

/// Returns the surrogate written at `at`.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    match bytes.get(at..at + 3)? {
        &[0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf] => {
            Some(0xd000 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f))
        }
        _ => None,
    }
}

/// Returns the character that a high and a low surrogate spell together.
fn joined(high: u32, low: u32) -> Option<char> {
    let is_pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    is_pair.then(|| char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_replaced_as_other_decoders_do() {
        let bytes = b"a\xf0\x9fb\xffc\xe8\xbf\x94";
        let input = Input::from_lossy_utf8(bytes, &Ctl::new()).unwrap();
        assert_eq!(input.text, "a\u{fffd}b\u{fffd}c返");
        assert_eq!(input.alignment.to_original(Span::new(1, 4)), Span::new(1, 3));
        assert_eq!(input.alignment.to_original(Span::new(9, 12)), Span::new(6, 9));
        assert_eq!(Input::from_utf8(bytes), Err(Error::NotUnicode { index: 1 }));
    }

    #[test]
    fn a_pair_is_joined_and_a_lone_surrogate_replaced() {
        // "x", U+D83D U+DC4D (a pair), U+DBC0 alone, "y"
        let bytes = b"x\xed\xa0\xbd\xed\xb1\x8d\xed\xaf\x80y";
        let input = Input::from_wtf8(bytes, &Ctl::new()).unwrap();
        assert_eq!(input.text, "x👍\u{fffd}y");
        assert_eq!(input.joined_pairs, [1]);
        assert_eq!(input.alignment.to_original(Span::new(1, 5)), Span::new(1, 7));
        assert_eq!(input.alignment.to_original(Span::new(5, 8)), Span::new(7, 10));
        assert_eq!(input.alignment.to_original(Span::new(8, 9)), Span::new(10, 11));
        assert!(Input::from_wtf8(b"\xff", &Ctl::new()).is_err());
    }

    #[test]
    fn reading_broken_text_stops_when_told() {
        let ctl = Ctl::new();
        ctl.cancel();
        let broken = vec![0xff; 1 << 16];
        let stopped = Input::from_lossy_utf8(&broken, &ctl);
        assert_eq!(stopped, Err(Error::Interrupted));
        let halves = b"\xed\xa0\xbd".repeat(1 << 14);
        let stopped = Input::from_wtf8(&halves, &ctl);
        assert_eq!(stopped, Err(Error::Interrupted));
    }
}
