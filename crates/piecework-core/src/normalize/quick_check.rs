//! Finds the first cluster that NFC may change, without making anything.
//!
//! It goes further than the quick check of the standard: where that answers "maybe", it asks whether
//! the character really composes with the starter before it. Tamil, Sinhala and Burmese are full of
//! such characters and yet almost always in NFC.
//!
//! Source: UAX #15, section 9.

use crate::error::Result;
use crate::interrupt::Ticker;
use crate::unicode::canonical::{self, Properties};

/// Bytes of steady text between two ticks, a fraction of a millisecond.
const MAX_RUN: usize = 1 << 16;

/// What is known of the text before a place: it is in NFC.
struct Passed<'t> {
    text: &'t str,
    /// Where the cluster begins that the last character belongs to.
    cluster: usize,
    /// Where the last starter stands.
    starter: Option<usize>,
    /// The combining class of the last character.
    class: u8,
}

impl Passed<'_> {
    /// Takes in a character at `at` that begins a cluster.
    fn begin(&mut self, at: usize) {
        self.cluster = at;
        self.starter = Some(at);
        self.class = 0;
    }

    /// Takes in a character at `at` that does not begin a cluster.
    fn extend(&mut self, at: usize, class: u8) {
        if class == 0 {
            self.starter = Some(at);
        }
        self.class = class;
    }

    /// Returns whether `c` may change the cluster that it follows.
    fn is_changed_by(&self, c: char, properties: Properties) -> bool {
        let class = properties.class;
        if class != 0 && class < self.class {
            return true;
        }
        let is_blocked = self.class != 0 && (class == 0 || class == self.class);
        !is_blocked && properties.may_compose() && self.composes(c, class)
    }

    /// Returns whether the last starter may absorb `c`, which nothing after the starter blocks.
    fn composes(&self, c: char, class: u8) -> bool {
        let Some(starter) = self.starter.and_then(|at| char_at(self.text, at)) else { return false };
        // The starter is a composite that has taken in a mark of a higher class than `c`: apart, that
        // mark would stand after `c`.
        let overtakes =
            class != 0 && canonical::properties(starter).is_some_and(|starter| starter.last_class > class);
        overtakes || canonical::compose(starter, c).is_some()
    }
}

/// Returns where the first cluster at or after `from` begins that NFC may change, or `None` where
/// there is none. A cluster must begin at `from`.
///
/// # Errors
/// [`crate::error::Error::Interrupted`] when the caller has said stop.
pub(super) fn next_suspect(text: &str, from: usize, ticker: &mut Ticker<'_>) -> Result<Option<usize>> {
    let mut passed = Passed { text, cluster: from, starter: None, class: 0 };
    let mut at = from;
    loop {
        let run = skip_steady(text, at);
        if let Some(last) = run.last {
            ticker.tick(run.end - at)?;
            passed.begin(last);
            at = run.end;
        }
        let Some(c) = char_at(text, at) else { return Ok(None) };
        ticker.tick(c.len_utf8())?;
        match canonical::properties(c) {
            None => passed.begin(at),
            Some(kind) if kind.changes() => {
                return Ok(Some(if kind.starts_cluster() { at } else { passed.cluster }));
            }
            Some(kind) if kind.starts_cluster() => passed.begin(at),
            Some(kind) if passed.is_changed_by(c, kind) => return Ok(Some(passed.cluster)),
            Some(kind) => passed.extend(at, kind.class),
        }
        at += c.len_utf8();
    }
}

/// Returns where the cluster ends that begins at `start`.
///
/// # Errors
/// [`crate::error::Error::Interrupted`] when the caller has said stop.
pub(super) fn cluster_end(text: &str, start: usize, ticker: &mut Ticker<'_>) -> Result<usize> {
    for (at, c) in text[start..].char_indices().skip(1) {
        ticker.tick(c.len_utf8())?;
        if canonical::starts_cluster(c) {
            return Ok(start + at);
        }
    }
    Ok(text.len())
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// A run of steady characters.
struct Run {
    /// Where its last character stands; `None` where the run is empty.
    last: Option<usize>,
    end: usize,
}

/// Returns the run of steady characters at `at`, or a part of it that is long enough.
fn skip_steady(text: &str, mut at: usize) -> Run {
    let bytes = text.as_bytes();
    let (start, stop) = (at, at + MAX_RUN);
    while at < stop {
        // Eight independent lookups, wherever characters begin: most text goes this way.
        if bytes[at..].first_chunk::<8>().is_some_and(|word| is_steady_word(*word)) {
            at += 8;
        } else if !text.is_char_boundary(at) {
            at += 1;
        } else if let Some(c) = char_at(text, at).filter(|&c| canonical::is_steady(c)) {
            at += c.len_utf8();
        } else {
            break;
        }
    }
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let last = text[start..at].char_indices().next_back().map(|(last, _)| start + last);
    Run { last, end: at }
}

fn is_steady_word(word: [u8; 8]) -> bool {
    let is_ascii = u64::from_le_bytes(word) & 0x8080_8080_8080_8080 == 0;
    is_ascii || word.iter().fold(true, |is_steady, &byte| is_steady & canonical::is_steady_byte(byte))
}
