//! Byte-pair encoding over characters, in the two ways that there are.
//!
//! tokenizers 0.23.3 gives every character a token first (with a prefix or suffix where the model has one; bytes or the
//! unknown token where there is none) and joins listed pairs of *tokens*.
//!
//! sentencepiece 0.2.3 joins *texts*: any two adjacent ones whose concatenation is a piece with a score. Characters need
//! no token for that, and which tokens the rest are is looked up at the end. User-defined pieces are matched first, the
//! longest at each place, and are never joined; unused pieces are joined like others and taken apart again.

use std::collections::HashMap;

use super::borders::Borders;
use super::bpe::{Dropout, Merger, Neighbors, NoDropout};
use super::bytes::ByteTokens;
use super::memory::{MAX_PIECE_BYTES, Memory};
use super::random::Random;
use super::reasons::bpe::{Recorder, Replay};
use super::sampling::{Drops, DropsForGood};
use super::trie::Trie;
use super::{Tokens, other_model};
use crate::definition::{Bpe, Characters, Definition, Model};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ticker;
use crate::merges::{Merges, NO_RANK, Pair, PairTable};
use crate::vocab::Vocab;

/// Stands for a text that has no token yet.
const TEXT: TokenId = TokenId(u32::MAX);

/// Stands for a text that is never joined.
const FROZEN: TokenId = TokenId(u32::MAX - 1);

/// The reference takes a piece apart at most so many times over.
const MAX_DEPTH: usize = 100;

/// The model's tables.
#[derive(Debug)]
pub struct Tables {
    /// The listed pairs, where the definition holds them in another form.
    pairs: Option<PairTable>,
    bytes: Option<ByteTokens>,
    /// Where pieces fall apart; `None` where that is not proven.
    borders: Option<Borders>,
    user_defined: Option<Trie>,
}

/// What one thread needs.
#[derive(Debug, Default)]
pub struct Scratch {
    merger: Merger,
    ids: Vec<TokenId>,
    /// Where each symbol begins in the part, and where the last one ends.
    begins: Vec<u32>,
    part: Tokens,
    memory: Memory,
    /// Where each unused piece was joined last: the length of its left part in bytes.
    splits: HashMap<TokenId, usize>,
}

/// A definition's parts that this model needs.
#[derive(Clone, Copy)]
struct Parts<'d> {
    vocab: &'d Vocab,
    model: &'d Bpe,
    characters: &'d Characters,
}

impl<'d> Parts<'d> {
    fn of(definition: &'d Definition) -> Result<Self> {
        match &definition.model {
            Model::Bpe(model @ Bpe { characters: Some(characters), .. }) => {
                Ok(Self { vocab: &definition.vocab, model, characters })
            }
            _ => Err(other_model()),
        }
    }

    /// Returns whether texts join, and not tokens.
    fn joins_texts(self) -> bool {
        matches!(self.model.merges, Merges::Ranked(_))
    }
}

impl Tables {
    /// Builds the tables.
    ///
    /// # Errors
    /// [`Error::Format`] for another model's definition, and for merges that are neither listed nor ranked.
    pub fn new(definition: &Definition) -> Result<Self> {
        let parts @ Parts { vocab, model, characters } = Parts::of(definition)?;
        let bytes = characters.byte_fallback.then(|| ByteTokens::new(vocab));
        let unlisted =
            || Error::format("model.merges", "merges over characters are listed pairs or ranked pieces");
        let (pairs, borders) = match &model.merges {
            Merges::Ranked(ranks) => (None, borders_of_texts(parts, ranks)),
            merges => {
                let pairs = merges.pairs(vocab).ok_or_else(unlisted)?;
                let borders = borders_of_pairs(parts, bytes.as_ref(), &pairs);
                let is_table = matches!(merges, Merges::Listed(_));
                (if is_table { None } else { Some(PairTable::new(pairs)?) }, borders)
            }
        };
        let mut user_defined = None;
        if !characters.user_defined.is_empty() {
            let keys = characters.user_defined.iter().filter_map(|&id| Some((vocab.bytes(id)?, id)));
            user_defined = Some(Trie::new(keys)?);
        }
        Ok(Self { pairs, bytes, borders, user_defined })
    }

    /// Appends the tokens of `piece`.
    ///
    /// # Errors
    /// [`Error::Unencodable`] for a character without a token, with its index; [`Error::Interrupted`]. Complexity:
    /// O(n log n) for parts of n characters that nothing cuts.
    pub fn encode(
        &self,
        definition: &Definition,
        scratch: &mut Scratch,
        piece: &str,
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let parts = Parts::of(definition)?;
        if let Some(id) = parts.vocab.get(piece.as_bytes()).filter(|_| parts.model.whole_pieces) {
            tokens.push(id, piece.len());
            return Ok(());
        }
        let Some(borders) = &self.borders else {
            self.remembered(parts, scratch, piece, ticker)?;
            tokens.append(&scratch.part);
            return Ok(());
        };
        let fused = parts.characters.unk.filter(|_| parts.characters.fuse_unk || parts.joins_texts());
        let first = tokens.ids.len();
        for (start, end) in borders.parts(piece) {
            let part = piece.get(start..end).unwrap_or("");
            self.remembered(parts, scratch, part, ticker).map_err(|error| error.moved(start))?;
            tokens.append_fusing(&scratch.part, first, fused);
        }
        Ok(())
    }

    /// Appends the tokens of `piece` where each join is left out with the probability `p`, as the source of the
    /// definition does it. A piece that is a token is not taken whole.
    ///
    /// # Errors
    /// As [`Tables::encode`].
    pub fn sample(
        &self,
        definition: &Definition,
        scratch: &mut Scratch,
        piece: &str,
        (p, random): (f64, &mut Random),
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let parts = Parts::of(definition)?;
        scratch.part.clear();
        if parts.joins_texts() {
            self.merge(parts, scratch, piece, &mut DropsForGood { p, random }, ticker)?;
        } else {
            self.merge(parts, scratch, piece, &mut Drops { p, random }, ticker)?;
        }
        tokens.append(&scratch.part);
        scratch.shrink();
        Ok(())
    }

    /// Returns how `piece` comes to its tokens, and appends them. What cuts a piece into parts is left aside: it changes
    /// no token.
    ///
    /// # Errors
    /// As [`Tables::encode`].
    pub(super) fn replay(
        &self,
        definition: &Definition,
        piece: &str,
        max_steps: usize,
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<Replay> {
        let parts = Parts::of(definition)?;
        let mut scratch = Scratch::default();
        let mut recorder = Recorder::new(max_steps);
        let merged = self.merge(parts, &mut scratch, piece, &mut recorder, ticker);
        if let Some(replay) = Replay::without_merges(definition, piece.as_bytes(), tokens, merged)? {
            return Ok(replay);
        }
        let token = |(&id, bounds): (&TokenId, &[u32])| match (id, bounds) {
            (TEXT | FROZEN, &[start, end]) => {
                parts.vocab.get(piece.as_bytes().get(start as usize..end as usize)?)
            }
            _ => Some(id),
        };
        let symbols = scratch.ids.iter().zip(scratch.begins.windows(2)).map(token).collect();
        let n_left = scratch.merger.symbols().count();
        let mut replay = recorder.replay(scratch.begins, symbols, n_left, scratch.part.ids.clone());
        replay.end(definition, piece.as_bytes(), tokens, |tokens, _| tokens.append(&scratch.part));
        Ok(replay)
    }

    /// Leaves the tokens of `part` in `scratch.part`.
    fn remembered(
        &self,
        parts: Parts<'_>,
        scratch: &mut Scratch,
        part: &str,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        scratch.part.clear();
        let is_short = part.len() <= MAX_PIECE_BYTES;
        if is_short && scratch.memory.recall(part.as_bytes(), &mut scratch.part) {
            return ticker.tick(part.len());
        }
        self.merge(parts, scratch, part, &mut NoDropout, ticker)?;
        if is_short {
            scratch.memory.keep(part.as_bytes(), &scratch.part);
        } else {
            scratch.shrink();
        }
        Ok(())
    }

    /// Appends the tokens of `part` to `scratch.part`, whatever the borders.
    fn merge<D: Dropout>(
        &self,
        parts: Parts<'_>,
        scratch: &mut Scratch,
        part: &str,
        dropout: &mut D,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        scratch.ids.clear();
        scratch.begins.clear();
        scratch.begins.push(0);
        if parts.joins_texts() {
            self.start_with_texts(scratch, part, ticker)?;
            join_texts(parts, scratch, part, dropout, ticker)?;
            return self.name_texts(parts, scratch, part, ticker);
        }
        self.start_with_tokens(parts, scratch, part, ticker)?;
        let pairs = match &parts.model.merges {
            Merges::Listed(pairs) => Some(pairs),
            _ => self.pairs.as_ref(),
        };
        let pairs = pairs.ok_or_else(other_model)?;
        let mut join = |pair: Neighbors| pairs.get(pair.left, pair.right);
        scratch.merger.merge_ids(&scratch.ids, &mut join, dropout, ticker)?;
        for symbol in scratch.merger.symbols() {
            let n_bytes = range(&scratch.begins, symbol.start, symbol.end).len();
            scratch.part.push(symbol.id, n_bytes);
        }
        Ok(())
    }

    /// One symbol a character: its token, its bytes' tokens, or the unknown one.
    fn start_with_tokens(
        &self,
        parts: Parts<'_>,
        scratch: &mut Scratch,
        part: &str,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let characters = parts.characters;
        let mut spelling = String::new();
        // Unknown characters that wait for what comes next: how many bytes they are. The reference lets byte tokens
        // pass a waiting unknown one, in a vocabulary that has some byte tokens and lacks others; so do we.
        let mut waiting = 0;
        for (at, character) in part.char_indices() {
            ticker.tick(1)?;
            let n_bytes = character.len_utf8();
            let plain = part.get(at..at + n_bytes).unwrap_or("");
            let text = if characters.is_plain() {
                plain
            } else {
                affixed(characters, plain, at == 0, at + n_bytes == part.len(), &mut spelling)
            };
            if let Some(id) = parts.vocab.get(text.as_bytes()) {
                scratch.start_unknown(characters.unk, &mut waiting);
                scratch.start(id, n_bytes);
            } else if let Some(bytes) = self.bytes.as_ref().filter(|bytes| bytes.has_all(text.as_bytes())) {
                // A prefix's or suffix's bytes are tokens too, but cover nothing.
                for (index, id) in text.bytes().filter_map(|byte| bytes.get(byte)).enumerate() {
                    scratch.start(id, usize::from(index < n_bytes));
                }
            } else if characters.unk.is_some() {
                if !characters.fuse_unk {
                    scratch.start_unknown(characters.unk, &mut waiting);
                }
                waiting += n_bytes;
            } else {
                return Err(unencodable(plain, at));
            }
        }
        scratch.start_unknown(characters.unk, &mut waiting);
        Ok(())
    }

    /// One symbol a user-defined piece or, where none begins, a character.
    fn start_with_texts(&self, scratch: &mut Scratch, part: &str, ticker: &mut Ticker<'_>) -> Result<()> {
        let mut at = 0;
        while let Some(character) = part.get(at..).and_then(|rest| rest.chars().next()) {
            ticker.tick(1)?;
            let rest = part.as_bytes().get(at..).unwrap_or(&[]);
            let whole = self.user_defined.as_ref().and_then(|trie| trie.prefixes(Trie::ROOT, rest).last());
            let (id, n_bytes) = whole.map_or((TEXT, character.len_utf8()), |(n_bytes, _)| (FROZEN, n_bytes));
            scratch.start(id, n_bytes);
            at += n_bytes;
        }
        Ok(())
    }

    /// Gives what the merges have left its tokens: unused pieces are taken apart again where they were joined, and
    /// what is no piece is unknown.
    fn name_texts(
        &self,
        parts: Parts<'_>,
        scratch: &mut Scratch,
        part: &str,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let Parts { vocab, characters, .. } = parts;
        let mut todo = Vec::new();
        for symbol in scratch.merger.symbols() {
            todo.push((range(&scratch.begins, symbol.start, symbol.end), 0));
            while let Some((text, depth)) = todo.pop() {
                ticker.tick(1)?;
                let bytes = part.as_bytes().get(text.clone()).unwrap_or(&[]);
                let id = vocab.get(bytes);
                let unused =
                    id.filter(|id| characters.unused.binary_search(id).is_ok() && depth <= MAX_DEPTH);
                let split = unused.and_then(|id| scratch.splits.get(&id));
                match (id, unused, split) {
                    (Some(_), Some(_), Some(split)) => {
                        let middle = text.start + split;
                        todo.push((middle..text.end, depth + 1));
                        todo.push((text.start..middle, depth + 1));
                    }
                    (Some(id), None, _) => scratch.part.push(id, text.len()),
                    _ => self.push_unknown(characters.unk, &mut scratch.part, part, text)?,
                }
            }
        }
        Ok(())
    }

    fn push_unknown(
        &self,
        unk: Option<TokenId>,
        tokens: &mut Tokens,
        part: &str,
        text: std::ops::Range<usize>,
    ) -> Result<()> {
        let start = text.start;
        let text = part.get(text).unwrap_or("");
        if let Some(bytes) = self.bytes.as_ref().filter(|bytes| bytes.has_all(text.as_bytes())) {
            for id in text.bytes().filter_map(|byte| bytes.get(byte)) {
                tokens.push(id, 1);
            }
            return Ok(());
        }
        let unk = unk.ok_or_else(|| unencodable(text, start))?;
        tokens.push_fusing(unk, text.len(), 0, Some(unk));
        Ok(())
    }
}

impl Scratch {
    fn start(&mut self, id: TokenId, n_bytes: usize) {
        self.ids.push(id);
        let begin = self.begins.last().copied().unwrap_or(0);
        self.begins.push(begin + n_bytes as u32);
    }

    fn start_unknown(&mut self, unk: Option<TokenId>, n_bytes: &mut usize) {
        if let Some(unk) = unk.filter(|_| *n_bytes > 0) {
            self.start(unk, std::mem::take(n_bytes));
        }
    }

    /// Gives back the memory of an exceptionally long piece.
    fn shrink(&mut self) {
        const KEPT: usize = 1 << 14;
        self.merger.shrink();
        self.ids.clear();
        self.ids.shrink_to(KEPT);
        self.begins.clear();
        self.begins.shrink_to(KEPT);
    }
}

/// Joins the texts that `scratch` starts with, and notes where unused pieces were joined.
fn join_texts<D: Dropout>(
    parts: Parts<'_>,
    scratch: &mut Scratch,
    part: &str,
    dropout: &mut D,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let Parts { vocab, model, characters } = parts;
    let Scratch { merger, ids, begins, splits, .. } = scratch;
    splits.clear();
    let mut join = |pair: Neighbors| {
        if pair.left == FROZEN || pair.right == FROZEN {
            return None;
        }
        let text = part.as_bytes().get(range(begins, pair.start, pair.end))?;
        let (rank, id) = model.merges.join(vocab, pair.left, pair.right, text)?;
        if characters.unused.binary_search(&id).is_ok() {
            splits.insert(id, range(begins, pair.start, pair.middle).len());
        }
        Some((rank, TEXT))
    };
    merger.merge_ids(ids, &mut join, dropout, ticker)
}

/// Returns a character's text as the vocabulary has it at its place in a piece.
fn affixed<'s>(
    characters: &Characters,
    plain: &str,
    is_first: bool,
    is_last: bool,
    spelling: &'s mut String,
) -> &'s str {
    spelling.clear();
    if !is_first {
        spelling.push_str(&characters.continuing_subword_prefix);
    }
    spelling.push_str(plain);
    if is_last {
        spelling.push_str(&characters.end_of_word_suffix);
    }
    spelling
}

/// Returns the bytes of the symbols `start..end`.
fn range(begins: &[u32], start: u32, end: u32) -> std::ops::Range<usize> {
    let begin = |index: u32| begins.get(index as usize).copied().unwrap_or(0) as usize;
    begin(start)..begin(end)
}

fn unencodable(text: &str, index: usize) -> Error {
    Error::Unencodable { byte: text.as_bytes().first().copied().unwrap_or(0), index }
}

/// Returns the borders where texts join: what the proof asks for holds for any pieces, since what joins is the text
/// itself. With unused pieces there are none: where one of them was joined *last* in the whole piece decides how all of
/// its kind are taken apart.
fn borders_of_texts(parts: Parts<'_>, ranks: &[u32]) -> Option<Borders> {
    if !parts.characters.unused.is_empty() {
        return None;
    }
    let ranked =
        parts.vocab.iter().filter(|entry| ranks.get(entry.id.index()).is_some_and(|&rank| rank != NO_RANK));
    let whole = parts.characters.user_defined.iter().filter_map(|&id| parts.vocab.bytes(id));
    let texts: Option<Vec<&str>> =
        ranked.map(|entry| entry.bytes).chain(whole).map(|bytes| std::str::from_utf8(bytes).ok()).collect();
    texts.map(Borders::new)
}

/// Returns the borders where tokens join, if every token that takes part in a merge covers its own text: each product is
/// its parts' texts in a row, and neither the unknown token nor a byte's, which cover other texts than their own, is a
/// part. The unknown token must also not be what a text is really made of, so that those in a row can be told to be one.
fn borders_of_pairs(parts: Parts<'_>, bytes: Option<&ByteTokens>, pairs: &[Pair]) -> Option<Borders> {
    let Parts { vocab, characters, .. } = parts;
    if !characters.is_plain() || bytes.is_some_and(|bytes| !bytes.is_complete()) {
        return None;
    }
    let text = |id| vocab.bytes(id).and_then(|bytes| std::str::from_utf8(bytes).ok());
    if let Some(unk) = characters.unk
        && text(unk)?.chars().nth(1).is_none()
    {
        return None;
    }
    let covers_itself = |id| Some(id) != characters.unk && !bytes.is_some_and(|bytes| bytes.contains(id));
    let products: Option<Vec<&str>> = pairs
        .iter()
        .map(|pair| {
            let product = text(pair.product)?;
            let joins = product.strip_prefix(text(pair.left)?) == Some(text(pair.right)?);
            let known = covers_itself(pair.left) && covers_itself(pair.right);
            (joins && known && Some(pair.product) != characters.unk).then_some(product)
        })
        .collect();
    products.map(Borders::new)
}
