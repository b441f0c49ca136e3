//! What the pre-tokenizers call punctuation, a digit, a word character, and which script a character is of.
//! Asked of the reference at every code point: these are older or newer than the classes of its patterns.

use super::tables::{PUNCTUATION, SCRIPTS, WORD};
use crate::unicode::{class, class_of};

/// Returns whether `c` is punctuation to `Punctuation` and to BERT.
pub fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { holds(&PUNCTUATION, c) }
}

/// Returns whether `c` is joined to words by `Whitespace`.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { holds(&WORD, c) }
}

/// Returns whether `c` is white space.
pub fn is_space(c: char) -> bool {
    class_of(c) & class::SPACE != 0
}

/// Returns the number of the script of `c`; 0 for what ends no run of a script: spaces, and characters of none.
pub fn script(c: char) -> u8 {
    let code = c as u32;
    let after = SCRIPTS.partition_point(|&(first, ..)| first <= code);
    match after.checked_sub(1).and_then(|at| SCRIPTS.get(at)) {
        Some(&(_, last, script)) if code <= last => script,
        _ => 0,
    }
}

/// Returns whether `c` is a digit to tokenizers 0.23.3, which asks the standard library it was built with: the
/// N categories of Unicode 17.0, while all its patterns are of 16.0.
pub fn is_digit(c: char) -> bool {
    class_of(c) & class::NUMBER != 0 || matches!(c, '\u{11DE0}'..='\u{11DE9}' | '\u{16FF4}'..='\u{16FF6}')
}

fn holds(ranges: &[(u32, u32)], c: char) -> bool {
    let code = c as u32;
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|&(_, last)| code <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(has: fn(char) -> bool) -> usize {
        ('\0'..=char::MAX).filter(|&c| has(c)).count()
    }

    #[test]
    fn digits_are_those_of_unicode_17() {
        for digit in ['0', '٣', '½', 'Ⅷ', '\u{11DE0}', '\u{11DE9}', '\u{16FF4}', '\u{16FF6}'] {
            assert!(is_digit(digit), "{digit:?}");
        }
        for other in ['a', '\u{11DDF}', '\u{11DEA}', '\u{16FF3}', '\u{16FF7}'] {
            assert!(!is_digit(other), "{other:?}");
        }
        assert_eq!(count(is_digit), 1924);
    }

    #[test]
    fn every_kind_has_as_many_characters_as_the_reference() {
        assert_eq!(count(is_punctuation), 726);
        assert_eq!(count(is_word), 144_667);
        assert_eq!(count(is_space), 25);
    }

    #[test]
    fn kana_and_the_long_vowel_mark_are_of_the_script_of_han() {
        let han = script('日');
        assert!(['ひ', 'カ', 'ー'].iter().all(|&c| script(c) == han));
        assert_eq!((script(' '), script('\u{E0999}')), (0, 0));
        assert!(script('a') != script('1') && script('a') != script('\u{301}') && script('a') != han);
    }
}
