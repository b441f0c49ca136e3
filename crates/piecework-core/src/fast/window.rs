//! Very long pieces (a megabyte of one letter, of base64, of Chinese without a space) in windows, so
//! that time grows with the length and memory does not.
//!
//! Why this is exact. Call two adjacent tokens *compatible* when merging their bytes alone gives the
//! two back. Let a text be L followed by R, t the last token of L merged alone, u the first of R merged
//! alone. If t and u are compatible, merging the whole gives the tokens of L, then those of R:
//! suppose a join across the border fires, and take the first. Until then L and R behaved as if alone,
//! so the symbols at the border are a state of t's own history and a state of u's. Those two
//! histories advance in an order that depends on themselves alone, since always the lowest rank,
//! leftmost, goes next; so merging the bytes of t and u alone passes through the same two states,
//! and there too the join across the border is lower than whatever either would do next. It fires there,
//! and t and u are not compatible. The other way round: where the merged whole has a border, each
//! side merged alone gives its own tokens. No order of ranks is assumed, so this holds for vocabularies
//! in which a product merges earlier than its parts.
//!
//! So a list of tokens that cover the piece, each adjacent two of them compatible, is its encoding.

use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ticker;
use crate::model::bpe::{Join, Merger};
use crate::vocab::Vocab;

/// Pieces up to this length are merged at once.
pub const MAX_PIECE_BYTES: usize = 4096;
/// How much of a window's end is merged only as context and then again with the next window.
const MARGIN_BYTES: usize = 512;

/// Appends the ids of `piece` to `out`, which is empty.
///
/// # Errors
/// As [`Merger::merge`]. Complexity: O(n log window) unless borders keep failing; each failure doubles the window,
/// so at worst the piece is merged at once, O(n log n).
pub fn merge<J: Join>(
    join: &mut J,
    vocab: &Vocab,
    merger: &mut Merger,
    piece: &[u8],
    out: &mut Vec<u32>,
    window: &mut Vec<u32>,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let mut size = MAX_PIECE_BYTES;
    // `out` covers `piece[..at]`, all its adjacent tokens compatible.
    let mut at = 0;
    while at < piece.len() {
        let end = piece.len().min(at + size);
        window.clear();
        merger.merge(join, &piece[at..end], window, ticker).map_err(|error| error.moved(at))?;
        if let (Some(&left), Some(&right)) = (out.last(), window.first())
            && !compatible(join, vocab, merger, left, right, ticker)?
        {
            // Give back tokens, twice as many each time, and look further.
            let n = (size / MAX_PIECE_BYTES).min(out.len());
            for id in out.drain(out.len() - n..) {
                at -= n_bytes(vocab, id);
            }
            size = size.saturating_mul(2);
            continue;
        }
        let before = at;
        let keep_until = if end == piece.len() { end } else { end - MARGIN_BYTES };
        for &id in window.iter() {
            let n = n_bytes(vocab, id);
            if at + n > keep_until {
                break;
            }
            out.push(id);
            at += n;
        }
        if at == before {
            // One token fills the window.
            size = size.saturating_mul(2);
        }
    }
    merger.shrink();
    Ok(())
}

fn n_bytes(vocab: &Vocab, id: u32) -> usize {
    vocab.bytes(TokenId(id)).map_or(0, <[u8]>::len)
}

/// Returns whether merging the bytes of `left` and `right` alone gives the two back.
fn compatible<J: Join>(
    join: &mut J,
    vocab: &Vocab,
    merger: &mut Merger,
    left: u32,
    right: u32,
    ticker: &mut Ticker<'_>,
) -> Result<bool> {
    let bytes = [left, right].map(|id| vocab.bytes(TokenId(id)).unwrap_or(&[])).concat();
    let mut ids = Vec::new();
    merger.merge(join, &bytes, &mut ids, ticker)?;
    Ok(ids == [left, right])
}
