//! The learned tokens of a pack while it is read: id order, one arena, as a vocabulary keeps them.

use super::{Pack, columns};
use crate::byte_alphabet::byte_to_char;
use crate::error::{Error, Result};
use crate::vocab::{MAX_IDS, Vocab};

/// Tokens in id order.
pub(super) struct Learned {
    arena: Vec<u8>,
    /// `ends[i]` is where token `i` ends in the arena; it starts where `i - 1` ends.
    ends: Vec<u32>,
    /// Ids that are no tokens.
    holes: Vec<u32>,
}

impl Learned {
    /// Returns the single bytes, whose ids are their places in the byte alphabet.
    pub(super) fn bytes() -> Self {
        let mut arena: Vec<u8> = (0..=u8::MAX).collect();
        arena.sort_by_key(|&byte| byte_to_char(byte));
        Self { arena, ends: (1..=256).collect(), holes: Vec::new() }
    }

    /// Returns the tokens less those with the ids in `skip`; later ones move down to close the gaps.
    pub(super) fn without(self, skip: &[u32]) -> Result<Self> {
        if skip.is_empty() {
            return Ok(self);
        }
        if !self.holes.is_empty() {
            return Err(Error::format("pack", "tokens are skipped of a base with holes"));
        }
        let mut kept = Self {
            arena: Vec::with_capacity(self.arena.len()),
            ends: Vec::with_capacity(self.ends.len()),
            holes: Vec::new(),
        };
        let mut skips = skip.iter().peekable();
        let mut start = 0;
        for (id, &end) in (0..).zip(&self.ends) {
            if skips.next_if_eq(&&id).is_none() {
                kept.arena
                    .extend_from_slice(self.arena.get(start as usize..end as usize).unwrap_or_default());
                kept.ends.push(kept.arena.len() as u32);
            }
            start = end;
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
        let first = meta.first_id as usize;
        if meta.n_own > 0 {
            if first < self.ends.len() || first.saturating_add(meta.n_own) > MAX_IDS {
                return Err(refuse("its own ids are not after those before them, or over the limit"));
            }
            self.holes.extend(self.ends.len() as u32..meta.first_id);
            self.ends.resize(first, self.arena.len() as u32);
        }
        let n_read =
            columns::append_tokens(&pack.columns, pack.ranks, meta.n_own, &mut self.arena, &mut self.ends)
                .map_err(refuse)?;
        Ok((self, pack.columns.get(n_read..).unwrap_or_default().to_vec()))
    }

    /// Returns one more than the largest id.
    pub(super) fn n_ids(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn vocab(self) -> Result<Vocab> {
        Vocab::from_arena(self.arena, self.ends, &self.holes)
    }
}
