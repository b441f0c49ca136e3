//! Reading characters and their classes out of UTF-8 bytes: the two steps every scanner takes.

use crate::unicode::classes::{ASCII, class_of_code};

/// The class of the character at `at` and its length in bytes; `(0, 0)` at the end of the text.
/// `text` must be UTF-8 with a character boundary at `at`; anything else gives some class and some
/// length of 1 to 4, never a panic.
#[inline]
pub fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        None => (0, 0),
        Some(&byte) if byte < 0x80 => (ASCII[byte as usize], 1),
        Some(&byte) => wide_class_at(text, at, byte),
    }
}

#[inline(never)]
fn wide_class_at(text: &[u8], at: usize, byte: u8) -> (u8, usize) {
    let tail = |i: usize| u32::from(text.get(at + i).copied().unwrap_or(0) & 0x3f);
    let lead = u32::from(byte);
    match byte {
        0..0xe0 => (class_of_code((lead & 0x1f) << 6 | tail(1)), 2),
        0xe0..0xf0 => (class_of_code((lead & 0x0f) << 12 | tail(1) << 6 | tail(2)), 3),
        _ => (class_of_code((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)), 4),
    }
}

/// Returns where the run of characters with a class in `wanted` that begins at `at` ends. `wanted` holds the
/// lower-case letters, and either all ASCII letters or no other ASCII character.
#[inline]
pub fn letters<const ANY_CASE: bool>(text: &[u8], mut at: usize, wanted: u8) -> usize {
    loop {
        at = ascii_letters::<ANY_CASE>(text, at);
        let (class, n) = class_at(text, at);
        if n == 0 || class & wanted == 0 {
            return at;
        }
        at += n;
    }
}

/// Returns where a run of ASCII letters ends, eight bytes at a step: nearly every word is decided by one
/// step without a branch on its letters, where a loop over them mispredicts its end.
#[inline]
fn ascii_letters<const ANY_CASE: bool>(text: &[u8], mut at: usize) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const EACH: u64 = 0x0101_0101_0101_0101;
    while let Some(bytes) = text.get(at..at + 8).and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
        let word = u64::from_le_bytes(bytes);
        let folded = if ANY_CASE { word | (0x20 * EACH) } else { word } & !HIGH;
        // The high bit of a byte says: at least `a`; and: above `z`. No byte carries into the next.
        let from_a = folded + (0x80 - 0x61) * EACH;
        let above_z = folded + (0x80 - 0x7b) * EACH;
        let other = !(from_a & !above_z & !word) & HIGH;
        if other != 0 {
            return at + (other.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let is_letter = |byte: &u8| if ANY_CASE { byte.is_ascii_alphabetic() } else { byte.is_ascii_lowercase() };
    at + text.get(at..).unwrap_or(&[]).iter().take_while(|byte| is_letter(byte)).count()
}

/// Returns where the run of characters with a class in `wanted` that begins at `at` ends.
#[inline]
pub fn run_of(text: &[u8], mut at: usize, wanted: u8) -> usize {
    loop {
        let (class, n) = class_at(text, at);
        if n == 0 || class & wanted == 0 {
            return at;
        }
        at += n;
    }
}

/// Returns where the run of characters without any class in `unwanted` that begins at `at` ends.
#[inline]
pub fn run_without(text: &[u8], mut at: usize, unwanted: u8) -> usize {
    loop {
        let (class, n) = class_at(text, at);
        if n == 0 || class & unwanted != 0 {
            return at;
        }
        at += n;
    }
}
