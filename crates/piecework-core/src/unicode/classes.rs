//! Character classes, one byte of bits per code point, in a table of two stages.
//!
//! The classes are those that the known split patterns distinguish. Blocks of 256 code points keep
//! the table smallest: 140 of them differ.

use super::classes_table::{CLASSES, CLASSES_INDEX};

/// The bits of [`class_of`]. A character has at most one general category, so of the first five at
/// most one is set. One bit is free.
pub mod class {
    /// `Lu` or `Lt`.
    pub const UPPER: u8 = 1;
    /// `Ll`.
    pub const LOWER: u8 = 1 << 1;
    /// `Lm` or `Lo`.
    pub const OTHER_LETTER: u8 = 1 << 2;
    /// `Mn`, `Mc` or `Me`.
    pub const MARK: u8 = 1 << 3;
    /// `Nd`, `Nl` or `No`.
    pub const NUMBER: u8 = 1 << 4;
    /// `White_Space`.
    pub const SPACE: u8 = 1 << 5;
    /// `\r` or `\n`, which are [`SPACE`] as well.
    pub const NEWLINE: u8 = 1 << 6;
    /// Any letter, `\p{L}`.
    pub const LETTER: u8 = UPPER | LOWER | OTHER_LETTER;
}

/// The classes of the ASCII characters.
pub static ASCII: [u8; 128] = {
    let mut classes = [0; 128];
    let mut code = 0;
    while code < classes.len() {
        // The first block of code points is the first of the distinct blocks.
        classes[code] = CLASSES[code];
        code += 1;
    }
    classes
};

/// Returns the class bits of `c`.
///
/// # Examples
/// ```
/// use piecework_core::unicode::{class, class_of};
/// assert_eq!(class_of('é'), class::LOWER);
/// assert_eq!(class_of('\n'), class::SPACE | class::NEWLINE);
/// assert_eq!(class_of('+'), 0);
/// ```
#[inline]
pub fn class_of(c: char) -> u8 {
    class_of_code(c as u32)
}

/// Returns the class bits of a code point: 0 for surrogates and for numbers above U+10FFFF.
#[inline]
pub fn class_of_code(code: u32) -> u8 {
    let Some(&block) = CLASSES_INDEX.get((code >> 8) as usize) else { return 0 };
    CLASSES.get(usize::from(block) << 8 | (code & 0xFF) as usize).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_of_each_class() {
        let expected = [
            ('A', class::UPPER),
            ('ǅ', class::UPPER),
            ('ß', class::LOWER),
            ('ʰ', class::OTHER_LETTER),
            ('中', class::OTHER_LETTER),
            ('\u{301}', class::MARK),
            ('\u{903}', class::MARK),
            ('\u{20DD}', class::MARK),
            ('٣', class::NUMBER),
            ('Ⅷ', class::NUMBER),
            ('½', class::NUMBER),
            ('\u{3000}', class::SPACE),
            ('\u{85}', class::SPACE),
            ('\u{2028}', class::SPACE),
            ('\r', class::SPACE | class::NEWLINE),
            ('\u{200B}', 0),
            ('_', 0),
            ('\u{10FFFF}', 0),
        ];
        for (c, bits) in expected {
            assert_eq!(class_of(c), bits, "{c:?}");
        }
    }

    #[test]
    fn letters_of_unicode_16_are_known_and_those_of_17_are_not() {
        assert_eq!(class_of('\u{10D50}'), class::UPPER);
        assert_eq!(class_of('\u{A7CE}'), 0);
    }

    #[test]
    fn ascii_agrees_with_the_whole_table() {
        for code in 0..128u8 {
            assert_eq!(ASCII[usize::from(code)], class_of(char::from(code)));
        }
    }

    #[test]
    fn no_class_outside_of_unicode() {
        for code in [0xD800, 0xDFFF, 0x11_0000, u32::MAX] {
            assert_eq!(class_of_code(code), 0);
        }
    }
}
