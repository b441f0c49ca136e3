//! How often each merge of a vocabulary applies to counted words: what every smaller vocabulary, its first so many
//! merges, would make of them is then a matter of adding up.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::options::Base;
use super::word_counts::WordCounts;
use crate::byte_alphabet;
use crate::error::{Error, Result};
use crate::interrupt::{Ctl, Ticker};

/// A symbol that no merge knows.
const UNKNOWN: u32 = u32::MAX;
/// Stands for "no symbol follows" in a word, and for a symbol that is gone.
const NONE: u32 = u32::MAX;

/// The merges, and what words are made of before the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurveModel {
    /// What words are made of.
    pub base: Base,
    /// The entries that no merge makes; bytes in the display alphabet. A symbol that is none of them is `unk`.
    pub alphabet: Vec<String>,
    /// Left, right and what they become, by rank; a pair is listed once.
    pub merges: Vec<(String, String, String)>,
    /// Stands before every symbol but the first of a word.
    pub prefix: String,
    /// Stands after the last symbol of a word.
    pub suffix: String,
    /// A symbol of its own after each word.
    pub end_of_word: Option<String>,
    /// Stands for a character without an entry; `None`: such a character is a token that no merge knows.
    pub unk: Option<String>,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// Symbols of all words before any merge, each word as often as it occurs.
    pub n_symbols: u64,
    /// Characters of all words; what is no text counts as U+FFFD.
    pub n_chars: u64,
    /// For each merge, how often it applies, each word as often as it occurs: with the first k merges the words have
    /// `n_symbols` less the sum of the first k tokens.
    pub n_applied: Vec<u64>,
}

/// Returns how often each merge of `model` applies to the words of `counts`.
///
/// # Errors
/// [`Error::TooMany`] for symbols beyond 63 bits; [`Error::NotUnicode`] for a word that is no text where the base is
/// characters; [`Error::Interrupted`].
///
/// # Complexity
/// O(symbols of the distinct words, times the logarithm of the longest word's).
pub fn applied(counts: &WordCounts, model: &CurveModel, ctl: &Ctl<'_>) -> Result<Applied> {
    let symbols = Symbols::new(model);
    let pairs = symbols.pairs(model);
    let mut out = Applied { n_applied: vec![0; model.merges.len()], ..Applied::default() };
    let (mut n_symbols, mut n_chars) = (0_u128, 0_u128);
    let mut word = Word::default();
    let mut ticker = ctl.ticker();
    for (text, n) in counts.iter() {
        ticker.tick(text.len() + 1)?;
        word.symbols.clear();
        n_chars += u128::from(n) * symbols.read(text, model, &mut word.symbols)? as u128;
        n_symbols += u128::from(n) * word.symbols.len() as u128;
        // Checked before the merges are counted, so that no sum of theirs can be too large.
        out.n_symbols = within(n_symbols, "symbols")?;
        word.merge(&pairs, &mut ticker, |rank| {
            if let Some(n_applied) = out.n_applied.get_mut(rank as usize) {
                *n_applied += n;
            }
        })?;
    }
    out.n_chars = within(n_chars, "characters")?;
    Ok(out)
}

fn within(n: u128, what: &'static str) -> Result<u64> {
    let max = i64::MAX as usize;
    match i64::try_from(n) {
        Ok(n) => Ok(n.unsigned_abs()),
        Err(_) => Err(Error::TooMany { what, n: usize::try_from(n).unwrap_or(usize::MAX), max }),
    }
}

/// Rank and product of a pair.
type Pairs = HashMap<(u32, u32), (u32, u32)>;

/// Numbers of the texts that merges know.
struct Symbols<'m> {
    numbers: HashMap<&'m str, u32>,
    known: HashMap<&'m str, u32>,
    marker: Option<u32>,
    unk: u32,
}

impl<'m> Symbols<'m> {
    fn new(model: &'m CurveModel) -> Self {
        let mut numbers = HashMap::new();
        let mut number = |text: &'m str| {
            let next = numbers.len() as u32;
            *numbers.entry(text).or_insert(next)
        };
        let known = model.alphabet.iter().map(|text| (text.as_str(), number(text))).collect();
        let marker = model.end_of_word.as_deref().map(&mut number);
        for (left, right, product) in &model.merges {
            for text in [left, right, product] {
                number(text);
            }
        }
        let unk = model.unk.as_deref().and_then(|unk| numbers.get(unk).copied());
        Self { numbers, known, marker, unk: unk.unwrap_or(UNKNOWN) }
    }

    fn pairs(&self, model: &CurveModel) -> Pairs {
        let number = |text: &str| self.numbers.get(text).copied().unwrap_or(UNKNOWN);
        let merges = (0..).zip(&model.merges);
        merges
            .map(|(rank, (left, right, product))| ((number(left), number(right)), (rank, number(product))))
            .collect()
    }

    /// Appends the symbols of a word and returns the number of its characters.
    fn read(&self, text: &[u8], model: &CurveModel, out: &mut Vec<u32>) -> Result<usize> {
        let id = |text: &str| self.known.get(text).copied().unwrap_or(self.unk);
        let n_chars = match model.base {
            Base::Bytes => {
                let display = |byte| id(byte_alphabet::byte_to_char(byte).encode_utf8(&mut [0; 4]));
                out.extend(text.iter().map(|&byte| display(byte)));
                String::from_utf8_lossy(text).chars().count()
            }
            Base::Characters => {
                let text = std::str::from_utf8(text)
                    .map_err(|error| Error::NotUnicode { index: error.valid_up_to() })?;
                let (n_chars, is_plain) =
                    (text.chars().count(), model.prefix.is_empty() && model.suffix.is_empty());
                for (at, character) in text.chars().enumerate() {
                    if is_plain {
                        out.push(id(character.encode_utf8(&mut [0; 4])));
                        continue;
                    }
                    let prefix = if at > 0 { model.prefix.as_str() } else { "" };
                    let suffix = if at + 1 == n_chars { model.suffix.as_str() } else { "" };
                    out.push(id(&format!("{prefix}{character}{suffix}")));
                }
                n_chars
            }
        };
        out.extend(self.marker);
        Ok(n_chars)
    }
}

/// One word while it is merged: symbols in a chain, and the pairs that may join, the lowest rank first.
#[derive(Default)]
struct Word {
    symbols: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32, u32, u32)>>,
}

impl Word {
    /// Joins pairs, the lowest rank first, of equals the leftmost, and tells `each` the rank with which a join becomes
    /// possible: its own, or that of a later merge that had to come first.
    fn merge(&mut self, pairs: &Pairs, ticker: &mut Ticker<'_>, mut each: impl FnMut(u32)) -> Result<()> {
        let n = self.symbols.len() as u32;
        self.next.clear();
        self.next.extend((1..=n).map(|at| if at == n { NONE } else { at }));
        self.before.clear();
        self.before.extend((0..n).map(|at| at.checked_sub(1).unwrap_or(NONE)));
        self.queue.clear();
        for at in 0..n {
            self.offer(pairs, at);
        }
        let mut latest = 0;
        while let Some(Reverse((rank, at, left, right))) = self.queue.pop() {
            ticker.tick(1)?;
            let Some((here, next)) = self.pair_at(at) else { continue };
            // What is queued may be gone by now.
            if (here, self.symbols[next as usize]) != (left, right) {
                continue;
            }
            let Some(&(_, product)) = pairs.get(&(left, right)) else { continue };
            latest = latest.max(rank);
            each(latest);
            self.symbols[at as usize] = product;
            self.symbols[next as usize] = NONE;
            let after = std::mem::replace(&mut self.next[next as usize], NONE);
            self.next[at as usize] = after;
            if after != NONE {
                self.before[after as usize] = at;
            }
            let before = self.before[at as usize];
            if before != NONE {
                self.offer(pairs, before);
            }
            self.offer(pairs, at);
        }
        Ok(())
    }

    /// Returns the symbol at a place and the place of the one that follows.
    fn pair_at(&self, at: u32) -> Option<(u32, u32)> {
        let (here, next) = (self.symbols[at as usize], self.next[at as usize]);
        (here != UNKNOWN && next != NONE).then_some((here, next))
    }

    /// Queues the pair at a place, where it has a rank.
    fn offer(&mut self, pairs: &Pairs, at: u32) {
        let Some((left, next)) = self.pair_at(at) else { return };
        let right = self.symbols[next as usize];
        if let Some(&(rank, _)) = pairs.get(&(left, right)) {
            self.queue.push(Reverse((rank, at, left, right)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(merges: &[(&str, &str)]) -> CurveModel {
        let merges =
            merges.iter().map(|&(left, right)| (left.to_owned(), right.to_owned(), format!("{left}{right}")));
        CurveModel {
            base: Base::Characters,
            alphabet: ["a", "b", "c"].map(str::to_owned).to_vec(),
            merges: merges.collect(),
            prefix: String::new(),
            suffix: String::new(),
            end_of_word: None,
            unk: None,
        }
    }

    #[test]
    fn a_merge_counts_as_often_as_its_word() {
        let mut counts = WordCounts::default();
        counts.add("abab".as_bytes(), 10);
        counts.add("aéb".as_bytes(), 1);
        let found = applied(&counts, &model(&[("a", "b"), ("ab", "ab")]), &Ctl::new()).unwrap();
        assert_eq!(found, Applied { n_symbols: 43, n_chars: 43, n_applied: vec![20, 10] });
    }

    #[test]
    fn work_grows_with_the_word_and_not_with_its_square() {
        let work = |n: usize| {
            let mut counts = WordCounts::default();
            counts.add(&b"ab".repeat(n), 1);
            let ctl = Ctl::new();
            let found =
                applied(&counts, &model(&[("a", "b"), ("ab", "ab"), ("abab", "abab")]), &ctl).unwrap();
            assert_eq!(found.n_applied[..2], [n as u64, n as u64 / 2]);
            ctl.work()
        };
        assert!(work(80_000) < 9 * work(10_000));
    }

    #[test]
    fn more_symbols_than_63_bits_hold_are_refused() {
        let mut counts = WordCounts::default();
        counts.add(b"abc", u64::MAX / 4);
        let result = applied(&counts, &model(&[("a", "b")]), &Ctl::new());
        assert!(matches!(result, Err(Error::TooMany { what: "symbols", .. })), "{result:?}");
    }
}
