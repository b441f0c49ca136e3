//! NFC as the standard words it: one step after another over the whole text, each one quadratic.
//!
//! It shares the engine's tables, which are compared with the reference code point by code point;
//! what it checks is the engine's way of going about it.

use piecework_core::unicode::canonical::{combining_class, compose, decompose};

/// Returns the NFC of `text`.
pub fn nfc(text: &str) -> String {
    let mut letters = Vec::new();
    for c in text.chars() {
        decompose(c, |letter| letters.push(letter));
    }
    order(&mut letters);
    composed(&letters).into_iter().collect()
}

/// Exchanges neighbors until no mark stands after one of a higher class (D108, D109).
fn order(letters: &mut [char]) {
    let is_exchangeable = |left, right| {
        let (left, right) = (combining_class(left), combining_class(right));
        left > right && right > 0
    };
    let mut is_done = false;
    while !is_done {
        is_done = true;
        for at in 1..letters.len() {
            if is_exchangeable(letters[at - 1], letters[at]) {
                letters.swap(at - 1, at);
                is_done = false;
            }
        }
    }
}

/// Lets each letter join the last starter before it that it is not blocked from (D115 to D117).
fn composed(letters: &[char]) -> Vec<char> {
    let mut done: Vec<char> = Vec::new();
    for &letter in letters {
        let starter = done.iter().rposition(|&before| combining_class(before) == 0);
        let joined = starter.and_then(|starter| {
            let is_blocked = done[starter + 1..]
                .iter()
                .any(|&between| combining_class(between) >= combining_class(letter));
            if is_blocked { None } else { Some((starter, compose(done[starter], letter)?)) }
        });
        match joined {
            Some((starter, composite)) => done[starter] = composite,
            None => done.push(letter),
        }
    }
    done
}
