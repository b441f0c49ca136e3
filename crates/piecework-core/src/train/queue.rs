//! The trainer that keeps counts up to date, with the bookkeeping of tokenizers' `BpeTrainer`, so that the merges
//! are its merges. Four of its habits show in what is learned and are kept:
//! a pair is looked for only in words where it was seen to appear; a merged pair's own count stays as it was; a
//! token whose text exists takes that entry's id; a pair may be queued twice and be merged twice.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use super::bpe::Learned;
use super::corpus::Corpus;
use super::options::BpeOptions;
use super::recount;
use crate::error::Result;
use crate::interrupt::{Ctl, Ticker};

/// Hashes a pair: one multiplication, folded. Only speed depends on it.
#[derive(Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * u128::from(0xd6e8_feb8_6659_fd93_u64);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// What is known of one pair.
#[derive(Debug, Default)]
struct Pair {
    count: i64,
    /// One more than the index of its words in [`Pairs::positions`] since the last merge, 0 for none.
    open: u32,
}

/// A pair in the queue; the largest is next: the highest count, then the smallest pair, then the earliest entry.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Queued {
    count: i64,
    key: Reverse<u64>,
    /// The index of its words in [`Pairs::positions`].
    words: Reverse<u32>,
}

/// Every pair, and where those in the queue are to be looked for.
#[derive(Debug, Default)]
struct Pairs {
    all: HashMap<u64, Pair, BuildHasherDefault<PairHasher>>,
    queue: BinaryHeap<Queued>,
    positions: Vec<Vec<u32>>,
    /// Lists that are free again.
    free: Vec<u32>,
    /// The pairs that appeared since the last merge, and their words.
    opened: Vec<(u64, u32)>,
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Pairs {
    /// Counts a change of a pair in a word; the words come in rising order.
    fn change(&mut self, key: u64, by: i64, appears_in: Option<u32>) {
        let Self { all, positions, free, opened, .. } = self;
        let pair = all.entry(key).or_default();
        pair.count = pair.count.saturating_add(by);
        let Some(word) = appears_in else { return };
        if pair.open == 0 {
            let list = free.pop().unwrap_or_else(|| {
                positions.push(Vec::new());
                positions.len() as u32 - 1
            });
            pair.open = list + 1;
            opened.push((key, list));
        }
        let words = &mut positions[pair.open as usize - 1];
        if words.last() != Some(&word) {
            words.push(word);
        }
    }

    /// Queues the pairs that appeared and still stand somewhere.
    fn queue_opened(&mut self) {
        for (key, words) in std::mem::take(&mut self.opened) {
            let Some(pair) = self.all.get_mut(&key) else { continue };
            pair.open = 0;
            if pair.count > 0 {
                self.queue.push(Queued { count: pair.count, key: Reverse(key), words: Reverse(words) });
            } else {
                self.release(words);
            }
        }
    }

    /// Gives a list of words back; large ones give their memory back too.
    fn release(&mut self, list: u32) {
        let words = &mut self.positions[list as usize];
        if words.capacity() > 64 {
            *words = Vec::new();
        } else {
            words.clear();
        }
        self.free.push(list);
    }

    /// Takes the next pair off the queue whose count is what it was queued with. A pair that is gone stays behind
    /// all others.
    fn pop(&mut self, ticker: &mut Ticker<'_>) -> Result<Option<Queued>> {
        while let Some(mut top) = self.queue.pop() {
            ticker.tick(1)?;
            let count = self.all.get(&top.key.0).map_or(0, |pair| pair.count);
            if top.count == count {
                return Ok(Some(top));
            }
            if count >= 0 {
                top.count = count;
                self.queue.push(top);
            }
        }
        Ok(None)
    }
}

/// Learns merges until the caller has enough or no pair is left.
///
/// # Errors
/// [`crate::error::Error::Interrupted`].
pub(super) fn learn(
    mut corpus: Corpus,
    learned: &mut Learned,
    options: &BpeOptions,
    ctl: &Ctl<'_>,
) -> Result<()> {
    let mut ticker = ctl.ticker();
    let mut pairs = Pairs::default();
    for index in 0..corpus.len() {
        let (word, count) = corpus.word(index);
        ticker.tick(word.len())?;
        for pair in word.windows(2) {
            pairs.change(key(pair[0], pair[1]), count, Some(index as u32));
        }
    }
    pairs.queue_opened();
    let max_length = options.max_token_length.unwrap_or(usize::MAX);
    let mut lengths: HashMap<u32, usize> = HashMap::new();
    while !learned.is_enough(options) {
        let Some(top) = pairs.pop(&mut ticker)? else { break };
        if top.count < 1 || options.min_frequency > top.count.unsigned_abs() {
            break;
        }
        let (left, right) = ((top.key.0 >> 32) as u32, top.key.0 as u32);
        let counts = options.steps.then(|| recount::counts(&corpus));
        let product = learned.product(left, right, options);
        let merge = learned.push(left, right, product, top.count);
        let length = |lengths: &HashMap<u32, usize>, id| lengths.get(&id).copied().unwrap_or(1);
        if options.max_token_length.is_some() {
            let whole = length(&lengths, left) + length(&lengths, right);
            lengths.entry(product).or_insert(whole);
        }
        let is_short = |left, right| {
            max_length == usize::MAX || length(&lengths, left) + length(&lengths, right) < max_length
        };
        let words = std::mem::take(&mut pairs.positions[top.words.0 as usize]);
        for &index in &words {
            let (word, count) = corpus.word(index as usize);
            ticker.tick(word.len())?;
            corpus.merge(index as usize, (left, right, product), |a, b, by| {
                if by < 0 {
                    pairs.change(key(a, b), -count, None);
                } else if is_short(a, b) {
                    pairs.change(key(a, b), count, Some(index));
                }
            });
        }
        pairs.free.push(top.words.0);
        pairs.queue_opened();
        if let Some(counts) = counts {
            learned.steps.push(recount::step(merge, counts, &corpus)?);
        }
    }
    Ok(())
}
