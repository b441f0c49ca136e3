//! A bounded memory of what a model made of short pieces. Texts repeat their words: most pieces have been seen
//! before. When it is full it forgets everything, which costs little and needs no bookkeeping per look-up.

use super::Tokens;
use crate::vocab::hash;

/// Longer pieces rarely come again.
pub const MAX_PIECE_BYTES: usize = 48;

const N_SLOTS: usize = 1 << 15;

/// Half full at most, so that runs of occupied slots stay short.
const MAX_PIECES: usize = N_SLOTS / 2;

/// Pieces of other lengths than the usual ones must not make the buffers grow without bound.
const MAX_TOKENS: usize = 1 << 17;

/// A seed is of no use here: whoever chooses the text can only make this memory slow, by at most its size.
const SEED: u64 = 0x6d65_6d6f_7279;

const MAX_PROBES: usize = 64;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u64,
    piece: u32,
    tokens: u32,
    piece_len: u16,
    n_tokens: u16,
}

/// The pieces and their tokens.
#[derive(Debug, Default)]
pub struct Memory {
    slots: Vec<Slot>,
    pieces: Vec<u8>,
    tokens: Tokens,
    n_pieces: usize,
}

impl Memory {
    /// Appends the tokens of `piece` to `tokens`; returns whether it is known.
    #[inline]
    pub fn recall(&self, piece: &[u8], tokens: &mut Tokens) -> bool {
        let Some(slot) = self.find(piece, hash(SEED, piece)).filter(|slot| slot.n_tokens > 0) else {
            return false;
        };
        let range = slot.tokens as usize..slot.tokens as usize + usize::from(slot.n_tokens);
        let (Some(ids), Some(lengths)) = (self.tokens.ids.get(range.clone()), self.tokens.lengths.get(range))
        else {
            return false;
        };
        tokens.ids.extend_from_slice(ids);
        tokens.lengths.extend_from_slice(lengths);
        true
    }

    /// Keeps what `piece` became.
    pub fn keep(&mut self, piece: &[u8], tokens: &Tokens) {
        let (ids, lengths) = (&tokens.ids, &tokens.lengths);
        if piece.len() > MAX_PIECE_BYTES || ids.is_empty() || ids.len() > MAX_PIECE_BYTES {
            return;
        }
        if self.slots.is_empty() || self.n_pieces >= MAX_PIECES || self.tokens.ids.len() >= MAX_TOKENS {
            self.forget();
        }
        let hash = hash(SEED, piece);
        let slot = Slot {
            hash,
            piece: self.pieces.len() as u32,
            tokens: self.tokens.ids.len() as u32,
            piece_len: piece.len() as u16,
            n_tokens: ids.len() as u16,
        };
        let mask = N_SLOTS - 1;
        let free = (0..MAX_PROBES)
            .map(|step| (hash as usize + step) & mask)
            .find(|&at| self.slots.get(at).is_some_and(|slot| slot.n_tokens == 0));
        if let Some(place) = free.and_then(|at| self.slots.get_mut(at)) {
            *place = slot;
            self.pieces.extend_from_slice(piece);
            self.tokens.ids.extend_from_slice(ids);
            self.tokens.lengths.extend_from_slice(lengths);
            self.n_pieces += 1;
        }
    }

    fn forget(&mut self) {
        self.slots.clear();
        self.slots.resize(N_SLOTS, Slot::default());
        self.pieces.clear();
        self.tokens.clear();
        self.n_pieces = 0;
    }

    #[inline]
    fn find(&self, piece: &[u8], hash: u64) -> Option<&Slot> {
        let mask = N_SLOTS - 1;
        for step in 0..MAX_PROBES {
            let slot = self.slots.get((hash as usize + step) & mask)?;
            if slot.n_tokens == 0 {
                return None;
            }
            let start = slot.piece as usize;
            if slot.hash == hash && self.pieces.get(start..start + usize::from(slot.piece_len)) == Some(piece)
            {
                return Some(slot);
            }
        }
        None
    }
}
