//! The trainer that keeps counts up to date, with the bookkeeping of tokenizers' `BpeTrainer`, so that the merges
//! are its merges. Four of its habits show in what is learned and are kept:
//! a pair is looked for only in words where it was seen to appear; a merged pair's own count stays as it was; a
//! token whose text exists takes that entry's id; a pair may be queued twice and be merged twice.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use super::alphabet::LATE;
use super::bpe::Learned;
use super::corpus::{Corpus, Side};
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

/// Returns the index of an empty list.
fn free_list(positions: &mut Vec<Vec<u32>>, free: &mut Vec<u32>) -> u32 {
    free.pop().unwrap_or_else(|| {
        positions.push(Vec::new());
        positions.len() as u32 - 1
    })
}

/// Appends a word to a rising list, once.
#[inline]
fn push_word(words: &mut Vec<u32>, word: u32) {
    if words.last() != Some(&word) {
        words.push(word);
    }
}

/// The symbols that stand on one side of the pair that is merged: how often, and in which words. By symbol, so that
/// a pair is looked up once a merge and not once an occurrence.
#[derive(Debug, Default)]
struct Beside {
    /// By symbol: the count, and one more than the index of the list of words; 0 for none.
    all: Vec<(i64, u32)>,
    seen: Vec<u32>,
}

impl Beside {
    fn add(
        &mut self,
        symbol: u32,
        count: i64,
        word: u32,
        positions: &mut Vec<Vec<u32>>,
        free: &mut Vec<u32>,
    ) {
        let at = place(symbol);
        if self.all.len() <= at {
            self.all.resize(at + 1, (0, 0));
        }
        let (n, list) = &mut self.all[at];
        if *list == 0 {
            self.seen.push(symbol);
            *list = free_list(positions, free) + 1;
        }
        *n = n.saturating_add(count);
        push_word(&mut positions[*list as usize - 1], word);
    }

    /// Takes the symbols, each with its count and its list of words.
    fn take(&mut self) -> Vec<(u32, i64, u32)> {
        let seen = std::mem::take(&mut self.seen);
        seen.into_iter()
            .map(|symbol| {
                let (n, list) = std::mem::take(&mut self.all[place(symbol)]);
                (symbol, n, list - 1)
            })
            .collect()
    }
}

/// Returns a place for each symbol, few of them beyond the number of entries: ids from [`LATE`] on lie between others.
fn place(symbol: u32) -> usize {
    symbol.checked_sub(LATE).map_or(symbol as usize * 2, |late| late as usize * 2 + 1)
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Pairs {
    /// Counts a change of a pair.
    fn change(&mut self, key: u64, by: i64) {
        let pair = self.all.entry(key).or_default();
        pair.count = pair.count.saturating_add(by);
    }

    /// Counts a pair that appears in a word; the words come in rising order.
    fn appear(&mut self, key: u64, by: i64, word: u32) {
        let Self { all, positions, free, opened, .. } = self;
        let pair = all.entry(key).or_default();
        pair.count = pair.count.saturating_add(by);
        if pair.open == 0 {
            let list = free_list(positions, free);
            pair.open = list + 1;
            opened.push((key, list));
        }
        push_word(&mut positions[pair.open as usize - 1], word);
    }

    /// Counts a pair that appears in the words of a list.
    fn appear_in(&mut self, key: u64, by: i64, list: u32) {
        let pair = self.all.entry(key).or_default();
        pair.count = pair.count.saturating_add(by);
        if pair.open == 0 {
            pair.open = list + 1;
            self.opened.push((key, list));
            return;
        }
        // A product that was there before may stand on both sides of itself.
        let open = pair.open as usize - 1;
        let more = std::mem::take(&mut self.positions[list as usize]);
        self.free.push(list);
        let words = &mut self.positions[open];
        words.extend(more);
        words.sort_unstable();
        words.dedup();
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
            pairs.appear(key(pair[0], pair[1]), count, index as u32);
        }
    }
    pairs.queue_opened();
    let max_length = options.max_token_length.unwrap_or(usize::MAX);
    let mut lengths: HashMap<u32, usize> = HashMap::new();
    let (mut before, mut after) = (Beside::default(), Beside::default());
    while !learned.is_enough(options) {
        let Some(top) = pairs.pop(&mut ticker)? else { break };
        if top.count < 1 || options.min_frequency > top.count.unsigned_abs() {
            break;
        }
        let (left, right) = ((top.key.0 >> 32) as u32, top.key.0 as u32);
        let counts = options.steps.then(|| recount::counts(&corpus));
        let product = learned.product(left, right, options);
        let merge = learned.push(left, right, product, top.count);
        ctl.step();
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
            let Pairs { positions, free, .. } = &mut pairs;
            corpus.merge(index as usize, (left, right, product), |side, symbol| {
                let beside = if side == Side::Before { &mut before } else { &mut after };
                beside.add(symbol, count, index, positions, free);
            });
        }
        for (symbol, n, list) in before.take() {
            pairs.change(key(symbol, left), -n);
            if is_short(symbol, product) {
                pairs.appear_in(key(symbol, product), n, list);
            } else {
                pairs.release(list);
            }
        }
        for (symbol, n, list) in after.take() {
            pairs.change(key(right, symbol), -n);
            if is_short(product, symbol) {
                pairs.appear_in(key(product, symbol), n, list);
            } else {
                pairs.release(list);
            }
        }
        pairs.free.push(top.words.0);
        pairs.queue_opened();
        if let Some(counts) = counts {
            learned.steps.push(recount::step(merge, counts, &corpus)?);
        }
    }
    Ok(())
}
