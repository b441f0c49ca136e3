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

#[inline]
fn wide_class_at(text: &[u8], at: usize, byte: u8) -> (u8, usize) {
    let tail = |i: usize| u32::from(text.get(at + i).copied().unwrap_or(0) & 0x3f);
    let lead = u32::from(byte);
    match byte {
        0..0xe0 => (class_of_code((lead & 0x1f) << 6 | tail(1)), 2),
        0xe0..0xf0 => (class_of_code((lead & 0x0f) << 12 | tail(1) << 6 | tail(2)), 3),
        _ => (class_of_code((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)), 4),
    }
}

/// Returns where the run of characters with a class in `wanted` that begins at `at` ends.
#[inline]
pub fn run_of(text: &[u8], mut at: usize, wanted: u8) -> usize {
    loop {
        // Most runs are ASCII: this loop decides with one table look-up a byte.
        while let Some(&byte) = text.get(at) {
            if byte >= 0x80 {
                break;
            }
            if ASCII[byte as usize] & wanted == 0 {
                return at;
            }
            at += 1;
        }
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
