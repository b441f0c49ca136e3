//! The unigram language model: the segmentation with the highest sum of scores (Kudo 2018, "Subword Regularization",
//! section 3.2), found by Viterbi's algorithm over the places between characters.
//!
//! Sums are rounded, and two sources round differently: tokenizers 0.23.3 adds 64-bit floats, sentencepiece 0.2.3
//! 32-bit ones, from the left, taking the sum away from all places that are open once it is over 100,000. Both keep the
//! first of equal sums, starting from the left and with the shortest token.

use std::ops::{Add, Sub};

use super::bytes::ByteTokens;
use super::memory::{MAX_PIECE_BYTES, Memory};
use super::trie::Trie;
use super::{Tokens, other_model};
use crate::definition::{Definition, Model, Precision, Unigram};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ticker;
use crate::vocab::Vocab;

/// What an unknown character costs beyond the lowest score.
const UNK_PENALTY: f64 = 10.0;

/// Stands for the unknown token where the vocabulary has none and bytes take its place.
const NO_UNK: TokenId = TokenId(u32::MAX);

const UNREACHED: u32 = u32::MAX;

/// The best path is settled at a place that all paths pass, once so many bytes are open.
const WINDOW_BYTES: usize = 4096;

/// The model's tables.
#[derive(Debug)]
pub struct Tables {
    pub(super) trie: Trie,
    pub(super) unk: Option<TokenId>,
    bytes: Option<ByteTokens>,
    scores: Scores,
}

/// The scores by id, and the unknown character's, in the source's precision.
#[derive(Debug)]
enum Scores {
    F64(Vec<f64>, f64),
    F32(Vec<f32>, f32),
}

/// What one thread needs.
#[derive(Debug, Default)]
pub struct Scratch {
    wide: Vec<Node<f64>>,
    narrow: Vec<Node<f32>>,
    part: Tokens,
    memory: Memory,
    path: Vec<(u32, TokenId)>,
}

/// The best path that ends at a place.
#[derive(Debug, Clone, Copy)]
struct Node<F> {
    score: F,
    /// Where its last token begins, from the window's start.
    start: u32,
    id: TokenId,
}

/// A float in which scores are added up.
trait Score: Copy + PartialOrd + Default + Add<Output = Self> + Sub<Output = Self> {
    /// Returns whether a sum is so large that it is taken away from all open places.
    fn is_large(self) -> bool;
}

impl Score for f64 {
    fn is_large(self) -> bool {
        false
    }
}

impl Score for f32 {
    fn is_large(self) -> bool {
        self.abs() > 100_000.0
    }
}

impl Tables {
    /// Builds the tables.
    ///
    /// # Errors
    /// [`Error::Format`] for another model's definition.
    pub fn new(definition: &Definition) -> Result<Self> {
        let Model::Unigram(model) = &definition.model else {
            return Err(other_model());
        };
        let vocab = &definition.vocab;
        // sentencepiece never finds the unknown token in a text; tokenizers does.
        let hidden = model.unk.filter(|_| model.precision == Precision::F32);
        let keys = vocab
            .iter()
            .filter(|entry| entry.indexed && Some(entry.id) != hidden)
            .filter(|entry| model.unused.binary_search(&entry.id).is_err())
            .map(|entry| (entry.bytes, entry.id));
        let bytes = model.byte_fallback.then(|| ByteTokens::new(vocab));
        let unk = match (model.unk, model.precision) {
            (None, Precision::F32) if bytes.as_ref().is_some_and(ByteTokens::is_complete) => Some(NO_UNK),
            (unk, _) => unk,
        };
        Ok(Self { trie: Trie::new(keys)?, unk, bytes, scores: scores(model, vocab) })
    }

    /// Appends the tokens of `piece`.
    ///
    /// # Errors
    /// [`Error::Unencodable`] for a character that no token covers in a model without an unknown token;
    /// [`Error::Interrupted`]. Complexity: O(n · longest token); memory for the longest stretch of text that tokens
    /// hold together.
    pub fn encode(
        &self,
        definition: &Definition,
        scratch: &mut Scratch,
        piece: &str,
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let is_short = piece.len() <= MAX_PIECE_BYTES;
        if is_short && scratch.memory.recall(piece.as_bytes(), tokens) {
            return ticker.tick(piece.len());
        }
        let mut part = std::mem::take(&mut scratch.part);
        part.clear();
        let mut emitter = Emitter::new(self, &definition.vocab, piece, &mut part);
        self.best_path(scratch, &mut emitter, ticker)?;
        emitter.finish()?;
        tokens.append(&part);
        scratch.part = part;
        if is_short {
            scratch.memory.keep(piece.as_bytes(), &scratch.part);
        } else {
            scratch.shrink();
        }
        Ok(())
    }

    /// Gives the best path through the emitter's piece to it, but for the end.
    pub(super) fn best_path(
        &self,
        scratch: &mut Scratch,
        emitter: &mut Emitter<'_>,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let Scratch { wide, narrow, path, .. } = scratch;
        match &self.scores {
            Scores::F64(scores, unk) => self.best(scores, *unk, wide, path, emitter, ticker),
            Scores::F32(scores, unk) => self.best(scores, *unk, narrow, path, emitter, ticker),
        }
    }

    /// Returns whether a path's `id` stands for an unknown character.
    pub(super) fn is_unknown(&self, id: TokenId) -> bool {
        self.unk == Some(id)
    }

    /// Returns the unknown token, if the model has one.
    pub(super) fn unknown_id(&self) -> Option<TokenId> {
        self.unk.filter(|&unk| unk != NO_UNK)
    }

    fn best<F: Score>(
        &self,
        scores: &[F],
        unk_score: F,
        nodes: &mut Vec<Node<F>>,
        path: &mut Vec<(u32, TokenId)>,
        emitter: &mut Emitter<'_>,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let piece = emitter.piece;
        let mut window = Window { nodes, origin: 0, frontier: 0 };
        window.open(0, F::default());
        for (at, character) in piece.char_indices() {
            let n_bytes = character.len_utf8();
            ticker.tick(n_bytes)?;
            // All paths pass the place that no token found so far goes beyond, so the best path to it is settled:
            // what is behind it is given out and forgotten. Only its sum is of account for what follows.
            if window.frontier == at && at - window.origin >= WINDOW_BYTES {
                let score = window.give(at, path, emitter)?;
                window.open(at, score);
            }
            let so_far = window.score_at(at);
            let mut is_covered = false;
            for (n, id) in self.trie.prefixes(Trie::ROOT, piece.as_bytes().get(at..).unwrap_or(&[])) {
                let score = scores.get(id.index()).copied().unwrap_or_default();
                window.reach(at, n, score + so_far, id);
                is_covered |= n == n_bytes;
            }
            if !is_covered && window.improves(at, n_bytes, unk_score + so_far) {
                let byte = piece.as_bytes().get(at).copied().unwrap_or(0);
                let unk = self.unk.ok_or(Error::Unencodable { byte, index: at })?;
                window.reach(at, n_bytes, unk_score + so_far, unk);
            }
        }
        window.give(piece.len(), path, emitter)?;
        Ok(())
    }

    /// Returns the score of a token of `n_chars` characters, or of an unknown one, as a lattice has it.
    pub(super) fn score(&self, model: &Unigram, id: Option<TokenId>, n_chars: usize) -> f64 {
        let score = match (&self.scores, id) {
            (Scores::F64(_, unk), None) => *unk,
            (Scores::F32(_, unk), None) => f64::from(*unk),
            (Scores::F64(scores, _), Some(id)) => scores.get(id.index()).copied().unwrap_or_default(),
            (Scores::F32(..), Some(id)) if model.user_defined.binary_search(&id).is_ok() => {
                f64::from(user_defined_score(n_chars))
            }
            (Scores::F32(scores, _), Some(id)) => {
                f64::from(scores.get(id.index()).copied().unwrap_or_default())
            }
        };
        if score.is_nan() { f64::MIN } else { score }
    }
}

impl Scratch {
    fn shrink(&mut self) {
        const KEPT: usize = 1 << 14;
        self.wide.clear();
        self.wide.shrink_to(KEPT);
        self.narrow.clear();
        self.narrow.shrink_to(KEPT);
        self.path.clear();
        self.path.shrink_to(KEPT);
        self.part.shrink_to(KEPT);
    }
}

/// The open places of a text, from `origin` on.
struct Window<'w, F> {
    nodes: &'w mut Vec<Node<F>>,
    origin: usize,
    /// The last place that a path has reached.
    frontier: usize,
}

impl<F: Score> Window<'_, F> {
    fn open(&mut self, origin: usize, score: F) {
        self.nodes.clear();
        self.nodes.push(Node { score, start: UNREACHED, id: NO_UNK });
        (self.origin, self.frontier) = (origin, origin);
    }

    /// Returns the sum of the best path to `at`, brought back to zero where it is too large for its precision.
    fn score_at(&mut self, at: usize) -> F {
        let open = self.nodes.get_mut(at - self.origin..).unwrap_or(&mut []);
        let Some(offset) = open.first().map(|node| node.score) else {
            return F::default();
        };
        if !offset.is_large() {
            return offset;
        }
        for (index, node) in open.iter_mut().enumerate() {
            if index == 0 || node.start != UNREACHED {
                node.score = node.score - offset;
            }
        }
        F::default()
    }

    /// Returns whether a path of `score` is the best one to `n` bytes beyond `at`.
    #[inline]
    fn improves(&self, at: usize, n: usize, score: F) -> bool {
        self.nodes.get(at - self.origin + n).is_none_or(|node| node.start == UNREACHED || score > node.score)
    }

    #[inline]
    fn reach(&mut self, at: usize, n: usize, score: F, id: TokenId) {
        let start = at - self.origin;
        let end = start + n;
        if end >= self.nodes.len() {
            let unreached = Node { score: F::default(), start: UNREACHED, id: NO_UNK };
            self.nodes.resize(end + 1, unreached);
            self.frontier = at + n;
        }
        if let Some(node) = self.nodes.get_mut(end)
            && (node.start == UNREACHED || score > node.score)
        {
            *node = Node { score, start: start as u32, id };
        }
    }

    /// Gives the best path to `end` out and returns its sum.
    fn give(&mut self, end: usize, path: &mut Vec<(u32, TokenId)>, emitter: &mut Emitter<'_>) -> Result<F> {
        path.clear();
        let mut at = (end - self.origin) as u32;
        let score = self.nodes.get(at as usize).map(|node| node.score).unwrap_or_default();
        while let Some(node) = self.nodes.get(at as usize).filter(|node| node.start < at) {
            path.push((at, node.id));
            at = node.start;
        }
        for &(end, id) in path.iter().rev() {
            emitter.push(self.origin + end as usize, id)?;
        }
        Ok(score)
    }
}

/// Turns a path into tokens: unknown characters in a row are one, or the tokens of their bytes.
pub(super) struct Emitter<'a> {
    tables: &'a Tables,
    vocab: &'a Vocab,
    pub(super) piece: &'a str,
    tokens: &'a mut Tokens,
    /// Where the tokens given so far end.
    at: usize,
    /// Where the unknown characters that are not given yet begin.
    unknown: Option<usize>,
    /// Where the path itself is written down.
    seen: Option<&'a mut Vec<(usize, TokenId)>>,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(tables: &'a Tables, vocab: &'a Vocab, piece: &'a str, tokens: &'a mut Tokens) -> Self {
        Self { tables, vocab, piece, tokens, at: 0, unknown: None, seen: None }
    }

    /// Writes the path down in `path` as it comes.
    pub(super) fn seen(self, path: &'a mut Vec<(usize, TokenId)>) -> Self {
        Self { seen: Some(path), ..self }
    }

    /// Takes the next token of the path, which ends at `end`.
    pub(super) fn push(&mut self, end: usize, id: TokenId) -> Result<()> {
        if let Some(path) = &mut self.seen {
            path.push((end, id));
        }
        if Some(id) == self.tables.unk {
            self.unknown.get_or_insert(self.at);
        } else {
            self.finish()?;
            self.tokens.push(id, end - self.at);
        }
        self.at = end;
        Ok(())
    }

    /// Gives the unknown characters that wait for the path's end.
    pub(super) fn finish(&mut self) -> Result<()> {
        let Some(start) = self.unknown.take() else {
            return Ok(());
        };
        let text = self.piece.get(start..self.at).unwrap_or("").as_bytes();
        // tokenizers looks up what it has put together: it may be a token after all, if only the unknown one.
        let whole = match &self.tables.scores {
            Scores::F64(..) => self.vocab.get(text),
            Scores::F32(..) => None,
        };
        let bytes = self.tables.bytes.as_ref().filter(|bytes| bytes.has_all(text));
        match (whole, bytes, self.tables.unk.filter(|&unk| unk != NO_UNK)) {
            (Some(id), ..) | (None, None, Some(id)) => self.tokens.push(id, text.len()),
            (None, Some(bytes), _) => {
                for id in text.iter().filter_map(|&byte| bytes.get(byte)) {
                    self.tokens.push(id, 1);
                }
            }
            (None, None, None) => {
                return Err(Error::Unencodable { byte: text.first().copied().unwrap_or(0), index: start });
            }
        }
        Ok(())
    }
}

/// The score that makes a user-defined piece win over any others: sentencepiece's, in its arithmetic. It counts bytes
/// where it looks for the best path and characters in a lattice.
fn user_defined_score(length: usize) -> f32 {
    (0.1 * (f64::from(length as u32) - 1.0)) as f32
}

fn scores(model: &Unigram, vocab: &Vocab) -> Scores {
    let ids = (0..vocab.n_ids() as u32).map(TokenId);
    match model.precision {
        Precision::F64 => {
            let all: Vec<f64> = ids.map(|id| model.score(id)).collect();
            let tokens = vocab.iter().map(|entry| model.score(entry.id));
            let lowest =
                tokens.fold(f64::INFINITY, |lowest, score| if score < lowest { score } else { lowest });
            Scores::F64(all, lowest - UNK_PENALTY)
        }
        Precision::F32 => {
            let is_user_defined = |id: TokenId| model.user_defined.binary_search(&id).is_ok();
            // Control pieces and bytes, which no text can spell, do not count, as in the source.
            let normal = vocab.iter().filter(|entry| {
                let is_unused = model.unused.binary_search(&entry.id).is_ok();
                entry.indexed && !is_unused && !is_user_defined(entry.id) && Some(entry.id) != model.unk
            });
            let lowest = normal.map(|entry| model.score(entry.id) as f32).fold(f32::MAX, f32::min);
            let score = |id: TokenId| match vocab.bytes(id) {
                Some(bytes) if is_user_defined(id) => user_defined_score(bytes.len()),
                _ => model.score(id) as f32,
            };
            Scores::F32(ids.map(score).collect(), lowest - UNK_PENALTY as f32)
        }
    }
}
