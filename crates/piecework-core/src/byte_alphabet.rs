//! The display alphabet of byte-level tokenizers, as GPT-2 published it: one printable character a
//! byte. The 188 bytes that print in Latin-1 stand for themselves; the other 68 (controls, the space,
//! 7F to A0, AD) become the characters from U+0100 on, in byte order. So a space shows as `Ġ`.

/// One past the last character of the alphabet.
const END: usize = 0x144;

/// The character of each byte, as UTF-16 (all lie in the basic plane).
const CHARS: [u16; 256] = chars();

/// The byte of each character below [`END`]; [`NO_BYTE`] where a character stands for none.
const BYTES: [u16; END] = bytes();

const NO_BYTE: u16 = 0x100;

const fn prints(byte: u16) -> bool {
    matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff)
}

const fn chars() -> [u16; 256] {
    let mut chars = [0; 256];
    let mut next = 0x100;
    let mut byte = 0;
    while byte < 256 {
        if prints(byte) {
            chars[byte as usize] = byte;
        } else {
            chars[byte as usize] = next;
            next += 1;
        }
        byte += 1;
    }
    chars
}

const fn bytes() -> [u16; END] {
    let mut bytes = [NO_BYTE; END];
    let mut byte = 0;
    while byte < 256 {
        bytes[CHARS[byte as usize] as usize] = byte;
        byte += 1;
    }
    bytes
}

/// Returns the character that shows `byte`.
///
/// # Examples
/// ```
/// use piecework_core::byte_alphabet::byte_to_char;
/// assert_eq!((byte_to_char(b' '), byte_to_char(b'a')), ('Ġ', 'a'));
/// ```
pub fn byte_to_char(byte: u8) -> char {
    // No entry is a surrogate, so the replacement is never taken.
    char::from_u32(u32::from(CHARS[usize::from(byte)])).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the byte that `c` shows, or `None` where it is not of the alphabet.
#[inline]
pub fn char_to_byte(c: char) -> Option<u8> {
    BYTES.get(c as usize).and_then(|&byte| u8::try_from(byte).ok())
}

/// Returns `bytes` spelled in the alphabet.
///
/// # Examples
/// ```
/// use piecework_core::byte_alphabet::display;
/// assert_eq!(display(" é".as_bytes()), "ĠÃ©");
/// ```
pub fn display(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| byte_to_char(byte)).collect()
}

/// Returns the bytes that `spelling` spells, or `None` where one of its characters is not of the
/// alphabet.
pub fn parse(spelling: &str) -> Option<Vec<u8>> {
    spelling.chars().map(char_to_byte).collect()
}

/// Appends the bytes that `spelling` spells to `out`. Returns whether all of its characters are of
/// the alphabet; where not, `out` is as before.
pub fn parse_into(spelling: &str, out: &mut Vec<u8>) -> bool {
    let before = out.len();
    for c in spelling.chars() {
        let Some(byte) = char_to_byte(c) else {
            out.truncate(before);
            return false;
        };
        out.push(byte);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_published_table() {
        for (text, spelling) in [
            (" ", "Ġ"),
            ("\n", "Ċ"),
            ("\t", "ĉ"),
            ("á", "Ã¡"),
            ("ç", "Ã§"),
            ("🚀", "ðŁļĢ"),
            ("refund", "refund"),
            (" the", "Ġthe"),
        ] {
            assert_eq!(display(text.as_bytes()), spelling);
            assert_eq!(parse(spelling).as_deref(), Some(text.as_bytes()));
        }
    }

    #[test]
    fn all_bytes_are_one_to_one_with_188_as_themselves() {
        let mut seen = std::collections::BTreeSet::new();
        let mut moved = Vec::new();
        for byte in 0..=255_u8 {
            let c = byte_to_char(byte);
            assert_eq!(char_to_byte(c), Some(byte));
            assert!(seen.insert(c));
            if c != char::from(byte) {
                moved.push(c as u32);
            }
        }
        assert_eq!(moved, (0x100..0x144).collect::<Vec<_>>(), "68 moved, in byte order");
    }

    #[test]
    fn characters_outside_spell_nothing() {
        for c in [' ', '\n', '\u{7f}', '\u{a0}', '\u{ad}', '\u{144}', '｜', '🚀'] {
            assert_eq!(char_to_byte(c), None, "{c:?}");
        }
        let mut out = b"kept".to_vec();
        assert!(!parse_into("ab｜", &mut out));
        assert!(parse_into("Ġa", &mut out));
        assert_eq!(out, b"kept a");
        assert_eq!(parse("a b"), None);
        assert_eq!(parse(""), Some(Vec::new()));
    }
}
