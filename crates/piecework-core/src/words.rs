//! Words by the rules of Unicode (UAX #29), with models and dictionaries for scripts that write none apart.
//!
//! For measuring texts, not for tokenizing them: no tokenizer cuts this way.

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;

use crate::error::Result;
use crate::interrupt::Ctl;
use crate::span::Span;

/// What finds words: the crate and its version, which decides the models and dictionaries too.
pub const SEGMENTER: &str = "icu_segmenter 2.4.0";

/// Finds the segments that have a letter, a digit or an ideograph. Thai, Lao, Khmer and Burmese are cut by LSTM models,
/// Chinese and Japanese by a dictionary.
///
/// Returns byte spans, in order; none for a text without words. O(bytes).
///
/// # Errors
/// [`crate::error::Error::Interrupted`] when the caller says stop.
pub fn words(text: &str, ctl: &Ctl<'_>) -> Result<Vec<Span>> {
    let segmenter = WordSegmenter::new_auto(WordBreakInvariantOptions::default());
    let mut ticker = ctl.ticker();
    let mut found = Vec::new();
    let mut start = 0;
    for end in segmenter.segment_str(text) {
        // Not by the segmenter's own word type: it calls a segment that ends in a combining mark no word, as half of
        // the words of Hindi and most of Tamil do.
        if text.get(start..end).is_some_and(|segment| segment.chars().any(char::is_alphanumeric)) {
            found.push(Span::new(start, end));
        }
        ticker.tick(end - start)?;
        start = end;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let spans = words(text, &Ctl::new()).unwrap();
        spans.iter().map(|span| &text[span.range()]).collect()
    }

    #[test]
    fn punctuation_and_spaces_are_no_words() {
        assert_eq!(found("Hello, world! 3.14 -- "), ["Hello", "world", "3.14"]);
        assert!(found("").is_empty());
        assert!(found(" ,. ").is_empty());
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_words() {
        assert_eq!(found("ภาษาไทย"), ["ภาษา", "ไทย"]);
        assert_eq!(found("棕色的狐狸。"), ["棕色", "的", "狐狸"]);
        assert_eq!(found("茶色の狐が"), ["茶色", "の", "狐", "が"]);
    }

    #[test]
    fn a_word_may_end_in_a_combining_mark() {
        assert_eq!(found("नदी के किनारे"), ["नदी", "के", "किनारे"]);
        assert_eq!(found("தமிழ் மொழி, తెలుగు"), ["தமிழ்", "மொழி", "తెలుగు"]);
    }

    #[test]
    fn a_caller_that_says_stop_is_heard() {
        let ctl = Ctl::new();
        ctl.cancel();
        assert!(words(&"word ".repeat(100_000), &ctl).is_err());
    }
}
