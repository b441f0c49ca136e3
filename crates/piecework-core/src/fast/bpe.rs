//! The byte-pair model with everything that makes it quick: a table of the byte pairs, a memory of
//! pairs asked about before, a scan for short pieces, windows for long ones, and the proof per token
//! that a whole piece may be taken without asking the merges.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::cache::{Cache, Key};
use super::window;
use crate::definition::{Bpe, Definition, Model};
use crate::error::{Error, Result};
use crate::id::{Rank, TokenId};
use crate::interrupt::Ticker;
use crate::model::bpe::{Join, Merger};
use crate::span::Span;
use crate::vocab::Vocab;

/// No token, no join: larger than every real rank.
const NONE: u64 = u64::MAX;
/// Pieces up to this many bytes are merged by looking through all pairs; the heap wins later.
const SCAN_BYTES: usize = 64;
/// Lines of the memory of pairs: 256 KiB, which stays in the second-level cache.
const PAIR_LINES: usize = 1 << 14;

/// What is known of "this whole token is what its own bytes become".
const UNKNOWN: u8 = 0;
const WHOLE: u8 = 1;
const NOT_WHOLE: u8 = 2;

/// The tables of one tokenizer's model, shared by all threads.
#[derive(Debug)]
pub struct Tables {
    definition: Arc<Definition>,
    /// The id of each byte, or `u32::MAX`.
    bytes: [u32; 256],
    /// `rank << 32 | product` of each pair of bytes, or [`NONE`].
    byte_pairs: Vec<u64>,
    longest_token: usize,
    /// Per id, whether its bytes become itself. Found when first asked: finding all when loading
    /// would cost more than most processes ever need.
    whole: Vec<AtomicU8>,
}

impl Tables {
    /// Builds the tables. Complexity: O(tokens).
    pub fn new(definition: Arc<Definition>) -> Self {
        let Model::Bpe(model) = &definition.model;
        let vocab = &definition.vocab;
        let mut bytes = [u32::MAX; 256];
        for (byte, to) in (0..=u8::MAX).zip(&mut bytes) {
            *to = vocab.get(&[byte]).map_or(u32::MAX, |id| id.0);
        }
        let mut byte_pairs = vec![NONE; 1 << 16];
        let mut longest_token = 0;
        for token in vocab.iter().filter(|token| token.indexed) {
            longest_token = longest_token.max(token.bytes.len());
            if let &[left, right] = token.bytes {
                let (a, b) = (TokenId(bytes[left as usize]), TokenId(bytes[right as usize]));
                if a.0 != u32::MAX && b.0 != u32::MAX {
                    byte_pairs[usize::from(left) << 8 | usize::from(right)] =
                        packed(model.merges.join(vocab, a, b, token.bytes));
                }
            }
        }
        let whole = if model.whole_pieces { Vec::new() } else { unknown(vocab.n_ids()) };
        Self { definition, bytes, byte_pairs, longest_token, whole }
    }

    fn model(&self) -> &Bpe {
        let Model::Bpe(model) = &self.definition.model;
        model
    }

    fn vocab(&self) -> &Vocab {
        &self.definition.vocab
    }
}

fn unknown(n: usize) -> Vec<AtomicU8> {
    (0..n).map(|_| AtomicU8::new(UNKNOWN)).collect()
}

#[inline]
fn packed(join: Option<(Rank, TokenId)>) -> u64 {
    join.map_or(NONE, |(rank, id)| u64::from(rank.0) << 32 | u64::from(id.0))
}

/// What one thread needs to run the model: buffers and memories, used again from call to call.
#[derive(Debug)]
pub struct Worker {
    cache: Cache,
    pairs: Vec<[u64; 2]>,
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
            // No pair of ids has this key.
            pairs: vec![[NONE, NONE]; PAIR_LINES],
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
    /// `rank << 32 | product`, or [`NONE`].
    join: u64,
}

/// The tables with one thread's memory of pairs.
struct FastJoin<'a> {
    tables: &'a Tables,
    pairs: &'a mut [[u64; 2]],
}

impl Join for FastJoin<'_> {
    #[inline]
    fn byte(&self, byte: u8) -> Option<TokenId> {
        let id = self.tables.bytes[byte as usize];
        (id != u32::MAX).then_some(TokenId(id))
    }

    #[inline]
    fn join(&mut self, left: TokenId, right: TokenId, joined: &[u8]) -> Option<(Rank, TokenId)> {
        match self.packed(left.0, right.0, joined) {
            NONE => None,
            word => Some((Rank((word >> 32) as u32), TokenId(word as u32))),
        }
    }
}

impl FastJoin<'_> {
    #[inline]
    fn packed(&mut self, left: u32, right: u32, joined: &[u8]) -> u64 {
        if let &[a, b] = joined {
            return self.tables.byte_pairs[usize::from(a) << 8 | usize::from(b)];
        }
        if joined.len() > self.tables.longest_token {
            return NONE;
        }
        let key = u64::from(left) << 32 | u64::from(right);
        let at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % PAIR_LINES;
        if self.pairs[at][0] == key {
            return self.pairs[at][1];
        }
        let model = self.tables.model();
        let word = packed(model.merges.join(self.tables.vocab(), TokenId(left), TokenId(right), joined));
        self.pairs[at] = [key, word];
        word
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

    /// Gives the ids of the pretoken `text[span]`, whose key is `key`, to `emit`.
    ///
    /// # Errors
    /// [`Error::Unencodable`] with an index into `text`, [`Error::Interrupted`].
    #[inline]
    pub fn encode<R>(
        &mut self,
        tables: &Tables,
        text: &[u8],
        span: Span,
        key: &Key,
        ticker: &mut Ticker<'_>,
        emit: impl FnOnce(&[u32]) -> R,
    ) -> Result<R> {
        if let Some(entry) = self.cache.get(key) {
            return Ok(emit(entry.ids()));
        }
        self.ids.clear();
        self.miss(tables, &text[span.range()], ticker).map_err(|error| error.moved(span.start))?;
        self.cache.insert(key, &self.ids);
        Ok(emit(&self.ids))
    }

    #[inline(never)]
    fn miss(&mut self, tables: &Tables, piece: &[u8], ticker: &mut Ticker<'_>) -> Result<()> {
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
        let join = if let &[a, b] = pair {
            join.tables.byte_pairs[usize::from(a) << 8 | usize::from(b)]
        } else {
            NONE
        };
        parts.push(Part { start: index as u32, id: id.0, join });
    }
    while let Some((at, best)) = lowest(parts) {
        parts[at].id = best as u32;
        parts.remove(at + 1);
        parts[at].join = look(join, parts, piece, at);
        if at > 0 {
            parts[at - 1].join = look(join, parts, piece, at - 1);
        }
    }
    out.extend(parts.iter().map(|part| part.id));
    Ok(())
}

#[inline]
fn lowest(parts: &[Part]) -> Option<(usize, u64)> {
    let mut best = (0, NONE);
    for (at, part) in parts.iter().enumerate() {
        // Only the rank decides; of equal ranks the first stays.
        if part.join >> 32 < best.1 >> 32 {
            best = (at, part.join);
        }
    }
    (best.1 != NONE).then_some(best)
}

#[inline]
fn look(join: &mut FastJoin<'_>, parts: &[Part], piece: &[u8], at: usize) -> u64 {
    let Some(right) = parts.get(at + 1) else { return NONE };
    let end = parts.get(at + 2).map_or(piece.len(), |part| part.start as usize);
    join.packed(parts[at].id, right.id, &piece[parts[at].start as usize..end])
}
