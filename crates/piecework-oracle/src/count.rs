//! Counting words as one would by hand: one map, and one text after the other.

use std::collections::BTreeMap;

use crate::pattern::Naive;

/// Words and how often each occurs.
pub type Counts = BTreeMap<Vec<u8>, u64>;

/// Counts the words of a text, or of each of its lines, `times` times.
pub fn count(splitter: &Naive, by_line: bool, text: &str, times: u64, counts: &mut Counts) {
    let lines: Vec<&str> = if by_line { text.split_inclusive('\n').collect() } else { vec![text] };
    for line in lines {
        for span in splitter.split(line) {
            add(counts, &line.as_bytes()[span.range()], times);
        }
    }
}

/// Counts a word; a sum is at most the largest 64-bit number.
pub fn add(counts: &mut Counts, word: &[u8], times: u64) {
    let count = counts.entry(word.to_vec()).or_default();
    *count = count.saturating_add(times);
}
