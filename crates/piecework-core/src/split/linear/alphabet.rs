//! Which characters a pattern tells apart.

use std::collections::HashMap;

use crate::split::syntax::CharSet;

/// A class of characters that no set of the pattern divides, or the text's edge.
pub type Symbol = u16;

/// Code points in one block of the table.
const BLOCK: u32 = 256;
const N_BLOCKS: usize = 0x11_0000 / BLOCK as usize;

/// The symbols of all characters, and which sets they belong to.
pub struct Alphabet {
    ascii: [Symbol; 128],
    /// Block of code points to block of `symbols`.
    blocks: Vec<u16>,
    symbols: Vec<Symbol>,
    n_symbols: usize,
    /// For each set a row of bits, one for each symbol.
    members: Vec<u64>,
    words_per_set: usize,
}

/// All code points from `first` up to the next interval's, which belong to the same sets.
struct Interval {
    first: u32,
    symbol: Symbol,
}

impl Alphabet {
    /// Divides the characters by `sets`.
    pub fn new(sets: &[CharSet]) -> Self {
        let (intervals, signatures) = divide(sets);
        let n_symbols = signatures.len();
        let words_per_set = n_symbols.div_ceil(64);
        let mut members = vec![0; sets.len() * words_per_set];
        for (symbol, signature) in signatures.iter().enumerate() {
            for set in 0..sets.len() {
                if signature[set / 64] >> (set % 64) & 1 == 1 {
                    members[set * words_per_set + symbol / 64] |= 1 << (symbol % 64);
                }
            }
        }
        let (blocks, symbols) = tabulate(&intervals);
        let mut ascii = [0; 128];
        ascii.copy_from_slice(&symbols[usize::from(blocks[0]) * BLOCK as usize..][..128]);
        Self { ascii, blocks, symbols, n_symbols, members, words_per_set }
    }

    /// Returns the number of symbols, without the edge.
    pub fn n_symbols(&self) -> usize {
        self.n_symbols
    }

    /// Returns the symbol for "no character".
    pub fn edge(&self) -> Symbol {
        self.n_symbols as Symbol
    }

    /// Returns whether the characters of `symbol` are in `set`. The edge is in none.
    pub fn is_in(&self, symbol: Symbol, set: u32) -> bool {
        let symbol = usize::from(symbol);
        symbol < self.n_symbols
            && self.members[set as usize * self.words_per_set + symbol / 64] >> (symbol % 64) & 1 == 1
    }

    /// Returns the symbol of the character at byte `at` and its length, or the edge's and 0.
    #[inline]
    pub fn at(&self, text: &str, at: usize) -> (Symbol, usize) {
        match text.as_bytes().get(at) {
            Some(&byte) if byte < 0x80 => (self.ascii[usize::from(byte)], 1),
            _ => self.beyond_ascii(text, at),
        }
    }

    // Apart, so that the step for ASCII is small enough to be inlined.
    #[inline(never)]
    fn beyond_ascii(&self, text: &str, at: usize) -> (Symbol, usize) {
        self.next_of(text.get(at..).unwrap_or_default().chars())
    }

    /// Returns the symbol of the character before byte `at`, or the edge's.
    pub fn before(&self, text: &str, at: usize) -> Symbol {
        self.before_with_length(text, at).0
    }

    /// Returns the symbol of the character before byte `at` and its length, or the edge's and 0.
    pub fn before_with_length(&self, text: &str, at: usize) -> (Symbol, usize) {
        self.next_of(text.get(..at).unwrap_or_default().chars().rev())
    }

    #[inline]
    fn next_of(&self, mut chars: impl Iterator<Item = char>) -> (Symbol, usize) {
        chars.next().map_or((self.edge(), 0), |c| (self.symbol(c), c.len_utf8()))
    }

    #[inline]
    fn symbol(&self, c: char) -> Symbol {
        let block = usize::from(self.blocks[(c as u32 / BLOCK) as usize]);
        self.symbols[block * BLOCK as usize + (c as u32 % BLOCK) as usize]
    }
}

/// Cuts the code points where a set begins or ends. Returns the intervals in order, and for each symbol the
/// sets that it belongs to, as bits.
fn divide(sets: &[CharSet]) -> (Vec<Interval>, Vec<Vec<u64>>) {
    let mut borders: Vec<(u32, usize)> = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        for range in set.ranges() {
            borders.push((range.start() as u32, index));
            borders.push((range.end() as u32 + 1, index));
        }
    }
    borders.sort_unstable();
    let mut inside = vec![0u64; sets.len().div_ceil(64)];
    let mut symbols: HashMap<Vec<u64>, Symbol> = HashMap::new();
    let mut signatures = Vec::new();
    let mut intervals: Vec<Interval> = Vec::new();
    let mut borders = borders.into_iter().peekable();
    let mut first = 0;
    loop {
        while let Some((_, set)) = borders.next_if(|&(border, _)| border == first) {
            inside[set / 64] ^= 1 << (set % 64);
        }
        let symbol = *symbols.entry(inside.clone()).or_insert_with(|| {
            signatures.push(inside.clone());
            (signatures.len() - 1) as Symbol
        });
        intervals.push(Interval { first, symbol });
        match borders.peek() {
            Some(&(border, _)) if border <= char::MAX as u32 => first = border,
            _ => return (intervals, signatures),
        }
    }
}

/// Returns the table of two stages for `intervals`: most blocks lie within one interval and are shared.
fn tabulate(intervals: &[Interval]) -> (Vec<u16>, Vec<Symbol>) {
    let mut uniform: HashMap<Symbol, u16> = HashMap::new();
    let mut blocks = Vec::with_capacity(N_BLOCKS);
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut current = 0;
    for block in 0..N_BLOCKS as u32 {
        let codes = block * BLOCK..(block + 1) * BLOCK;
        let number = (symbols.len() / BLOCK as usize) as u16;
        let next = intervals.get(current + 1).map_or(u32::MAX, |interval| interval.first);
        if next >= codes.end {
            let symbol = intervals[current].symbol;
            let shared = *uniform.entry(symbol).or_insert(number);
            blocks.push(shared);
            if shared == number {
                symbols.extend(std::iter::repeat_n(symbol, BLOCK as usize));
            }
        } else {
            blocks.push(number);
            for code in codes.clone() {
                while intervals.get(current + 1).is_some_and(|interval| interval.first <= code) {
                    current += 1;
                }
                symbols.push(intervals[current].symbol);
            }
        }
        // A block that ends where an interval ends.
        while intervals.get(current + 1).is_some_and(|interval| interval.first <= codes.end) {
            current += 1;
        }
    }
    (blocks, symbols)
}
