//! The learned tokens of a pack while it is read: id order, one arena.

use super::{Pack, columns};
use crate::error::{Error, Result};
use crate::formats::byte_alphabet::byte_to_char;
use crate::id::TokenId;
use crate::vocab::{Entry, MAX_IDS, Vocab};

/// Tokens in ascending id order.
pub(super) struct Learned {
    ids: Vec<u32>,
    /// `ends[i]` is where token `i` ends in the arena; it starts where `i - 1` ends.
    ends: Vec<u32>,
    arena: Vec<u8>,
}

impl Learned {
    /// Returns the single bytes, whose ids are their places in the byte alphabet.
    pub(super) fn bytes() -> Self {
        let mut arena: Vec<u8> = (0..=u8::MAX).collect();
        arena.sort_by_key(|&byte| byte_to_char(byte));
        Self { ids: (0..256).collect(), ends: (1..=256).collect(), arena }
    }

    /// Returns the tokens less those with the ids in `skip`; later ones move down to close the gaps.
    pub(super) fn without(self, skip: &[u32]) -> Result<Self> {
        if skip.is_empty() {
            return Ok(self);
        }
        let mut kept = Self {
            ids: Vec::with_capacity(self.ids.len()),
            ends: Vec::with_capacity(self.ends.len()),
            arena: Vec::with_capacity(self.arena.len()),
        };
        let mut skips = skip.iter().peekable();
        let mut n_skipped = 0;
        for (id, bytes) in self.iter() {
            if skips.next_if_eq(&&id).is_some() {
                n_skipped += 1;
            } else {
                kept.ids.push(id - n_skipped);
                kept.arena.extend_from_slice(bytes);
                kept.ends.push(kept.arena.len() as u32);
            }
        }
        match skips.next() {
            None => Ok(kept),
            Some(id) => Err(Error::format("pack", format!("the token {id} to skip is not in the base"))),
        }
    }

    /// Adds the pack's own tokens; returns all of them, and the lengths of the merges' left parts.
    pub(super) fn with_own(mut self, pack: &Pack<'_>) -> Result<(Self, Vec<u8>)> {
        let meta = &pack.meta.vocab;
        let refuse = |reason: &str| Error::format(format!("pack {}", pack.meta.name), reason);
        let own = columns::own_tokens(&pack.columns, pack.ranks, meta.n_own).map_err(refuse)?;
        if meta.n_own > 0 {
            let after_last = self.ids.last().map_or(0, |id| id + 1);
            if meta.first_id < after_last || meta.first_id as usize + meta.n_own > MAX_IDS {
                return Err(refuse("its own ids are not after those before them, or over the limit"));
            }
        }
        let start = self.arena.len() as u32;
        self.ids.extend((meta.first_id..).take(meta.n_own));
        self.arena.extend_from_slice(&own.arena);
        self.ends.extend(own.ends.iter().map(|end| start + end));
        let splits = pack.columns.get(own.n_read..).unwrap_or_default().to_vec();
        Ok((self, splits))
    }

    /// Returns one more than the largest id.
    pub(super) fn n_ids(&self) -> usize {
        self.ids.last().map_or(0, |&id| id as usize + 1)
    }

    pub(super) fn vocab(&self) -> Result<Vocab> {
        Vocab::new(self.iter().map(|(id, bytes)| Entry { id: TokenId(id), bytes, indexed: true }))
    }

    fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize);
        self.ids.iter().copied().zip(spans.map(|span| self.arena.get(span).unwrap_or_default()))
    }
}
