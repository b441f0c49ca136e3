//! The byte-pair model with everything that makes it quick: a table of the byte pairs, a memory of
//! pairs asked about before, a scan for short pieces, windows for long ones, and the proof per token
//! that a whole piece may be taken without asking the merges.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::cache::{Cache, Entry, Key};
use super::window;
use crate::definition::{Bpe, Definition};
use crate::error::{Error, Result};
use crate::id::{Rank, TokenId};
use crate::interrupt::Ticker;
use crate::model::bpe::{Join, Merger};
use crate::span::Span;
use crate::vocab::Vocab;

/// No token, no join: larger than every real id and rank.
const NONE: u32 = u32::MAX;
/// Pieces up to this many bytes are merged by looking through all pairs; the heap wins later.
const SCAN_BYTES: usize = 64;
/// Lines of the memory of pairs: 512 KiB, which stays in the second-level cache.
const PAIR_LINES: usize = 1 << 16;
/// A line is one word: two ids of 21 bits each, and above them 22 bits of rank + 1, 0 for "no join".
const ID_BITS: u32 = 21;
/// Vocabularies with larger ids or ranks (none is published) do without the memory.
const MAX_REMEMBERED: u32 = 1 << ID_BITS;
/// The two ids of a line.
const PAIR_BITS: u64 = (1 << (2 * ID_BITS)) - 1;
/// The pair of the two largest ids: the mark of an empty line, and never remembered.
const EMPTY_LINE: u64 = u64::MAX;

/// What is known of "this whole token is what its own bytes become".
const UNKNOWN: u8 = 0;
const WHOLE: u8 = 1;
const NOT_WHOLE: u8 = 2;

/// The tables of one tokenizer's model, shared by all threads.
#[derive(Debug)]
pub struct Tables {
    definition: Arc<Definition>,
    /// The id of each byte, or [`NONE`].
    bytes: [u32; 256],
    /// The rank at which each pair of bytes joins, or [`NONE`].
    byte_pairs: Vec<u32>,
    /// Whether pairs fit into the lines of a worker's memory.
    remembers: bool,
    longest_token: usize,
    /// Per id, whether its bytes become itself. Found when first asked: finding all when loading
    /// would cost more than most processes ever need.
    whole: Vec<AtomicU8>,
}

impl Tables {
    /// Builds the tables. Complexity: O(tokens).
    pub fn new(definition: Arc<Definition>) -> Self {
        let model = definition.model.bpe().unwrap_or(Bpe::NONE);
        let vocab = &definition.vocab;
        let mut bytes = [NONE; 256];
        for (byte, to) in (0..=u8::MAX).zip(&mut bytes) {
            *to = vocab.get(&[byte]).map_or(NONE, |id| id.0);
        }
        let mut byte_pairs = vec![NONE; 1 << 16];
        let mut longest_token = 0;
        // Of most tokens the length is enough.
        for (id, length) in vocab.lengths() {
            if length != 2 && length <= longest_token || !vocab.is_indexed(id) {
                continue;
            }
            longest_token = longest_token.max(length);
            if let Some(token @ &[left, right]) = vocab.bytes(id) {
                let (a, b) = (TokenId(bytes[left as usize]), TokenId(bytes[right as usize]));
                if a.0 != NONE && b.0 != NONE {
                    byte_pairs[usize::from(left) << 8 | usize::from(right)] =
                        model.merges.join(vocab, a, b, token).map_or(NONE, |(rank, _)| rank.0);
                }
            }
        }
        let n_ranks = model.merges.n_listed().unwrap_or(vocab.n_ids());
        let remembers = vocab.n_ids().max(n_ranks) < MAX_REMEMBERED as usize;
        let whole = if model.whole_pieces { Vec::new() } else { unknown(vocab.n_ids()) };
        Self { definition, bytes, byte_pairs, remembers, longest_token, whole }
    }

    fn model(&self) -> &Bpe {
        self.definition.model.bpe().unwrap_or(Bpe::NONE)
    }

    fn vocab(&self) -> &Vocab {
        &self.definition.vocab
    }
}

fn unknown(n: usize) -> Vec<AtomicU8> {
    (0..n).map(|_| AtomicU8::new(UNKNOWN)).collect()
}

/// What one thread needs to run the model: buffers and memories, used again from call to call.
#[derive(Debug)]
pub struct Worker {
    cache: Cache,
    pairs: Vec<u64>,
    parts: Vec<Part>,
    merger: Merger,
    /// The ids of the last piece that was not in the cache.
    ids: Vec<u32>,
    window: Vec<u32>,
}

impl Default for Worker {
    fn default() -> Self {
        Self {
            cache: Cache::default(),
            pairs: vec![EMPTY_LINE; PAIR_LINES],
            parts: Vec::new(),
            merger: Merger::default(),
            ids: Vec::new(),
            window: Vec::new(),
        }
    }
}

/// One symbol of a short piece: where it begins, what it is, and how it joins the next one.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: u32,
    id: u32,
    /// The rank of that join, or [`NONE`].
    rank: u32,
}

/// The tables with one thread's memory of pairs.
struct FastJoin<'a> {
    tables: &'a Tables,
    pairs: &'a mut [u64],
}

impl Join for FastJoin<'_> {
    #[inline]
    fn byte(&self, byte: u8) -> Option<TokenId> {
        let id = self.tables.bytes[byte as usize];
        (id != NONE).then_some(TokenId(id))
    }

    #[inline]
    fn join(&mut self, left: TokenId, right: TokenId, joined: &[u8]) -> Option<(Rank, TokenId)> {
        match self.rank(left.0, right.0, joined) {
            NONE => None,
            rank => Some((Rank(rank), self.tables.model().merges.product(Rank(rank)))),
        }
    }
}

impl FastJoin<'_> {
    #[inline]
    fn rank(&mut self, left: u32, right: u32, joined: &[u8]) -> u32 {
        if let &[a, b] = joined {
            return self.tables.byte_pairs[usize::from(a) << 8 | usize::from(b)];
        }
        if joined.len() > self.tables.longest_token {
            return NONE;
        }
        let pair = u64::from(left) << ID_BITS | u64::from(right);
        let line = &mut self.pairs[(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % PAIR_LINES];
        if *line & PAIR_BITS == pair && *line != EMPTY_LINE {
            return ((*line >> (2 * ID_BITS)) as u32).wrapping_sub(1);
        }
        let merges = &self.tables.model().merges;
        let join = merges.join(self.tables.vocab(), TokenId(left), TokenId(right), joined);
        let rank = join.map_or(NONE, |(rank, _)| rank.0);
        if self.tables.remembers {
            *line = u64::from(rank.wrapping_add(1)) << (2 * ID_BITS) | pair;
        }
        rank
    }
}

impl Worker {
    /// Makes the key of the pretoken `text[span]` and asks for its line of the cache.
    #[inline]
    pub fn look_ahead(&self, text: &[u8], span: Span) -> Key {
        let key = Key::of(text, span.start, span.end);
        self.cache.prefetch(&key);
        key
    }

    /// Returns what the pretoken with `key` became the last time, if that is remembered.
    #[inline]
    pub fn remembered(&self, key: &Key) -> Option<Entry> {
        self.cache.get(key)
    }

    /// Returns the ids of the pretoken `text[span]`, and remembers them under `key`.
    ///
    /// # Errors
    /// [`Error::Unencodable`] with an index into `text`, [`Error::Interrupted`].
    #[inline(never)]
    pub fn encode(
        &mut self,
        tables: &Tables,
        text: &[u8],
        span: Span,
        key: &Key,
        ticker: &mut Ticker<'_>,
    ) -> Result<&[u32]> {
        self.ids.clear();
        self.piece(tables, &text[span.range()], ticker).map_err(|error| error.moved(span.start))?;
        self.cache.insert(key, &self.ids);
        Ok(&self.ids)
    }

    fn piece(&mut self, tables: &Tables, piece: &[u8], ticker: &mut Ticker<'_>) -> Result<()> {
        ticker.tick(piece.len())?;
        let token = (piece.len() <= tables.longest_token).then(|| tables.vocab().get(piece)).flatten();
        let Some(id) = token else {
            return self.merge(tables, piece, ticker);
        };
        if tables.model().whole_pieces {
            self.ids.push(id.0);
            return Ok(());
        }
        match tables.whole[id.index()].load(Ordering::Relaxed) {
            WHOLE => self.ids.push(id.0),
            NOT_WHOLE => self.merge(tables, piece, ticker)?,
            _ => {
                self.merge(tables, piece, ticker)?;
                let known = if self.ids == [id.0] { WHOLE } else { NOT_WHOLE };
                tables.whole[id.index()].store(known, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn merge(&mut self, tables: &Tables, piece: &[u8], ticker: &mut Ticker<'_>) -> Result<()> {
        let mut join = FastJoin { tables, pairs: &mut self.pairs };
        if piece.len() <= SCAN_BYTES {
            scan(&mut join, &mut self.parts, piece, &mut self.ids)
        } else if piece.len() <= window::MAX_PIECE_BYTES {
            self.merger.merge(&mut join, piece, &mut self.ids, ticker)
        } else {
            let vocab = tables.vocab();
            let merger = &mut self.merger;
            window::merge(&mut join, vocab, merger, piece, &mut self.ids, &mut self.window, ticker)
        }
    }
}

/// Merges a short piece by looking through all its pairs for the lowest rank, the leftmost of equals:
/// for a word's few symbols that is quicker than any queue.
fn scan(join: &mut FastJoin<'_>, parts: &mut Vec<Part>, piece: &[u8], out: &mut Vec<u32>) -> Result<()> {
    parts.clear();
    for (index, &byte) in piece.iter().enumerate() {
        let id = join.byte(byte).ok_or(Error::Unencodable { byte, index })?;
        let pair = piece.get(index..index + 2).unwrap_or(&[]);
        let rank = if let &[a, b] = pair {
            join.tables.byte_pairs[usize::from(a) << 8 | usize::from(b)]
        } else {
            NONE
        };
        parts.push(Part { start: index as u32, id: id.0, rank });
    }
    while let Some((at, rank)) = lowest(parts) {
        parts[at].id = join.tables.model().merges.product(Rank(rank)).0;
        parts.remove(at + 1);
        parts[at].rank = look(join, parts, piece, at);
        if at > 0 {
            parts[at - 1].rank = look(join, parts, piece, at - 1);
        }
    }
    out.extend(parts.iter().map(|part| part.id));
    Ok(())
}

/// Returns the first of the parts with the lowest rank, and that rank.
#[inline]
fn lowest(parts: &[Part]) -> Option<(usize, u32)> {
    let mut best = (0, NONE);
    for (at, part) in parts.iter().enumerate() {
        if part.rank < best.1 {
            best = (at, part.rank);
        }
    }
    (best.1 != NONE).then_some(best)
}

#[inline]
fn look(join: &mut FastJoin<'_>, parts: &[Part], piece: &[u8], at: usize) -> u32 {
    let Some(right) = parts.get(at + 1) else { return NONE };
    let end = parts.get(at + 2).map_or(piece.len(), |part| part.start as usize);
    join.rank(parts[at].id, right.id, &piece[parts[at].start as usize..end])
}
