//! What the reference's normalizers do with single characters, beside canonical normalization: one byte
//! of bits per code point, and what compatibility and lower case make of those that have them.
//!
//! The data is of different ages, as it is in the reference: what is newer than its tables is treated as
//! any letter.

use super::treatments_table::{COMPATIBLE, COMPATIBLE_TEXTS, LOWER, TREATMENTS, TREATMENTS_INDEX};

/// The bits of [`treatment_of`].
pub mod treatment {
    /// It has a compatibility decomposition.
    pub const COMPATIBLE: u8 = 1;
    /// It has a lower case that differs.
    pub const UPPER: u8 = 1 << 1;
    /// A combining mark of any kind, to the accent stripper.
    pub const MARK: u8 = 1 << 2;
    /// A mark without a width, to BERT.
    pub const NONSPACING: u8 = 1 << 3;
    /// BERT drops it when it cleans.
    pub const CONTROL: u8 = 1 << 4;
    /// BERT makes a space of it when it cleans.
    pub const BLANK: u8 = 1 << 5;
    /// White space, to what strips it from the ends.
    pub const SPACE: u8 = 1 << 6;
}

/// Returns the treatment bits of `c`.
///
/// # Examples
/// ```
/// use piecework_core::unicode::treatments::{treatment, treatment_of};
/// assert_eq!(treatment_of('É'), treatment::UPPER);
/// assert_eq!(treatment_of('\u{301}'), treatment::MARK | treatment::NONSPACING);
/// assert_eq!(treatment_of('a'), 0);
/// ```
#[inline]
pub fn treatment_of(c: char) -> u8 {
    let code = c as usize;
    let Some(&block) = TREATMENTS_INDEX.get(code >> 7) else { return 0 };
    TREATMENTS.get(usize::from(block) << 7 | code & 0x7F).copied().unwrap_or(0)
}

/// Returns the full compatibility decomposition of `c`, or `None` where it has none beside a canonical one.
///
/// # Examples
/// ```
/// use piecework_core::unicode::treatments::compatible;
/// assert_eq!(compatible('ﬁ'), Some("fi"));
/// assert_eq!(compatible('é'), None);
/// ```
pub fn compatible(c: char) -> Option<&'static str> {
    if treatment_of(c) & treatment::COMPATIBLE == 0 {
        return None;
    }
    let at = COMPATIBLE.binary_search_by_key(&c, |&(key, ..)| key).ok()?;
    let &(_, start, len) = COMPATIBLE.get(at)?;
    COMPATIBLE_TEXTS.get(usize::from(start)..usize::from(start) + usize::from(len))
}

/// Returns the lower case of `c` and the mark that follows it (only `İ` has one), or `None` where `c` has no
/// other lower case.
///
/// # Examples
/// ```
/// use piecework_core::unicode::treatments::lower;
/// assert_eq!(lower('É'), Some(('é', None)));
/// assert_eq!(lower('İ'), Some(('i', Some('\u{307}'))));
/// assert_eq!(lower('é'), None);
/// ```
#[inline]
pub fn lower(c: char) -> Option<(char, Option<char>)> {
    if c.is_ascii() {
        return c.is_ascii_uppercase().then(|| (c.to_ascii_lowercase(), None));
    }
    if treatment_of(c) & treatment::UPPER == 0 {
        return None;
    }
    let at = LOWER.binary_search_by_key(&c, |&(key, ..)| key).ok()?;
    LOWER.get(at).map(|&(_, lower, mark)| (lower, (mark != '\0').then_some(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compatible_character_has_a_text() {
        for code in 0..=0x10_FFFF {
            let Some(c) = char::from_u32(code) else { continue };
            let bits = treatment_of(c);
            assert_eq!(compatible(c).is_some(), bits & treatment::COMPATIBLE != 0, "{c:?}");
            assert_eq!(lower(c).is_some(), bits & treatment::UPPER != 0, "{c:?}");
        }
    }

    #[test]
    fn one_character_of_each_treatment() {
        let expected = [
            ('ﬀ', treatment::COMPATIBLE),
            ('Ж', treatment::UPPER),
            ('\u{20DD}', treatment::MARK),
            ('\u{E000}', treatment::CONTROL),
            ('\u{2028}', treatment::BLANK | treatment::SPACE),
            ('\u{B}', treatment::CONTROL | treatment::SPACE),
            // Unicode 16 has it as a mark.
            ('\u{1ABF}', 0),
        ];
        for (c, bits) in expected {
            assert_eq!(treatment_of(c), bits, "{c:?}");
        }
    }
}
