//! Which adjacent pairs join, into what, and how early. Four forms with one question, `join`:
//! * `Concat`: any adjacent pair whose concatenation is a token (tiktoken). o200k has 446,189 such
//!   pairs for 199,998 tokens; none is listed, each is found by the joined bytes.
//! * `Single`: listed pairs (Hugging Face) proven to be exactly one a token, in id order. One split
//!   length a token says which.
//! * `Listed`: any list of pairs.
//! * `Ranked`: any adjacent pair whose concatenation is a token that has a rank (SentencePiece).

use std::hash::{BuildHasher, RandomState};

use crate::error::{Error, Result};
use crate::id::{Rank, TokenId};
use crate::vocab::{Entry, Vocab};

/// The merges of a BPE model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merges {
    /// Any adjacent pair whose concatenation is a token; the token's id is the rank.
    Concat,
    /// The token `first + rank` has one pair: its first `splits[rank]` bytes and the rest.
    Single {
        /// The id of the first token that a merge makes.
        first: TokenId,
        /// The length in bytes of the left part, per rank.
        splits: Vec<u8>,
    },
    /// Pairs as listed.
    Listed(PairTable),
    /// Any adjacent pair whose concatenation is a token with a rank (SentencePiece's scores in order): the
    /// rank per id, [`NO_RANK`] where a token is never made.
    Ranked(Vec<u32>),
}

/// Stands for "no merge makes this token" in [`Merges::Ranked`].
pub const NO_RANK: u32 = u32::MAX;

impl Merges {
    /// Returns the form for `pairs` in rank order: `Single` where they prove to be exactly one a token
    /// in id order, so that the same merges have one form whatever file they came from; else `Listed`.
    ///
    /// # Errors
    /// As [`PairTable::new`].
    pub fn from_pairs(pairs: Vec<Pair>, vocab: &Vocab) -> Result<Self> {
        match (pairs.first(), single_splits(&pairs, vocab)) {
            (Some(first), Some(splits)) => Ok(Self::Single { first: first.product, splits }),
            _ => Ok(Self::Listed(PairTable::new(pairs)?)),
        }
    }

    /// Returns `pairs` in rank order as listed, without a look at whether they are one a token: for
    /// vocabularies whose tokens are not the concatenation of their parts' texts.
    ///
    /// # Errors
    /// As [`PairTable::new`].
    pub fn listed(pairs: Vec<Pair>) -> Result<Self> {
        Ok(Self::Listed(PairTable::new(pairs)?))
    }

    /// Returns the rank and the product of joining `left` and `right`, whose bytes together are
    /// `joined`, or `None` where they do not join. Complexity: O(`joined.len()`), or O(1) if listed.
    #[inline]
    pub fn join(
        &self,
        vocab: &Vocab,
        left: TokenId,
        right: TokenId,
        joined: &[u8],
    ) -> Option<(Rank, TokenId)> {
        match self {
            Self::Concat => vocab.get(joined).map(|id| (Rank(id.0), id)),
            Self::Single { first, splits } => {
                let id = vocab.get(joined)?;
                let rank = id.0.checked_sub(first.0)?;
                let split = *splits.get(rank as usize)?;
                let left_len = vocab.bytes(left)?.len();
                (left_len == usize::from(split)).then_some((Rank(rank), id))
            }
            Self::Listed(table) => table.get(left, right),
            Self::Ranked(ranks) => {
                let id = vocab.get(joined)?;
                ranks.get(id.index()).filter(|&&rank| rank != NO_RANK).map(|&rank| (Rank(rank), id))
            }
        }
    }

    /// Returns what the merge of `rank` makes; of a rank that is none, some id. `Ranked` merges do not know it
    /// from the rank alone.
    #[inline]
    pub fn product(&self, rank: Rank) -> TokenId {
        match self {
            Self::Concat | Self::Ranked(_) => TokenId(rank.0),
            Self::Single { first, .. } => TokenId(first.0.wrapping_add(rank.0)),
            Self::Listed(table) => table.pairs.get(rank.0 as usize).map_or(TokenId(0), |pair| pair.product),
        }
    }

    /// Returns every pair whose concatenation is a token, in rank order where the token's id is the rank: what
    /// `Concat` joins, as a list. Pairs of one product stand in the order of their parts' ids, as the reference's
    /// own conversion has them. Complexity: O(bytes · longest token).
    pub fn all_pairs(vocab: &Vocab) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for product in vocab.iter().filter(|entry| entry.indexed) {
            push_pairs_of(vocab, product, &mut pairs);
        }
        pairs
    }

    /// Returns whether the listed merges of `vocab` are [`Merges::all_pairs`] of `learned`, a part of it. Complexity: as
    /// that, but it ends with the first that is another, which is soon where they are none of ranks.
    pub fn are_all_pairs(&self, vocab: &Vocab, learned: &Vocab) -> bool {
        let Some(listed) = self.pairs(vocab) else { return false };
        let (mut rest, mut own) = (&listed[..], Vec::new());
        for product in learned.iter().filter(|entry| entry.indexed) {
            own.clear();
            push_pairs_of(learned, product, &mut own);
            match rest.strip_prefix(&own[..]) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// Returns the number of listed merges, or `None` where none are listed.
    pub fn n_listed(&self) -> Option<usize> {
        match self {
            Self::Concat | Self::Ranked(_) => None,
            Self::Single { splits, .. } => Some(splits.len()),
            Self::Listed(table) => Some(table.pairs.len()),
        }
    }

    /// Returns the listed pairs in rank order as (left, right, product), or `None` where none are
    /// listed or where a split names a part that is no token.
    pub fn pairs(&self, vocab: &Vocab) -> Option<Vec<Pair>> {
        match self {
            Self::Concat | Self::Ranked(_) => None,
            Self::Listed(table) => Some(table.pairs.clone()),
            Self::Single { first, splits } => (first.0..)
                .zip(splits)
                .map(|(id, &split)| {
                    let bytes = vocab.bytes(TokenId(id))?;
                    let (left, right) = bytes.split_at_checked(usize::from(split))?;
                    Some(Pair { left: vocab.get(left)?, right: vocab.get(right)?, product: TokenId(id) })
                })
                .collect(),
        }
    }
}

/// Appends the pairs whose join is `product`, in the order of their parts' ids.
fn push_pairs_of(vocab: &Vocab, product: Entry<'_>, pairs: &mut Vec<Pair>) {
    let first = pairs.len();
    for at in 1..product.bytes.len() {
        let (left, right) = product.bytes.split_at(at);
        if let (Some(left), Some(right)) = (vocab.get(left), vocab.get(right)) {
            pairs.push(Pair { left, right, product: product.id });
        }
    }
    if let Some(own) = pairs.get_mut(first..) {
        own.sort_unstable_by_key(|pair| (pair.left, pair.right));
    }
}

/// Returns the length of each pair's left part if the pairs make tokens of consecutive ids. A split
/// names its parts by their bytes alone, so both must be the tokens that those bytes find.
pub(crate) fn single_splits(pairs: &[Pair], vocab: &Vocab) -> Option<Vec<u8>> {
    let first = pairs.first()?.product.index();
    pairs
        .iter()
        .enumerate()
        .map(|(rank, pair)| {
            let parts = [pair.left, pair.right, pair.product];
            if pair.product.index() != first + rank || !parts.iter().all(|&id| vocab.is_indexed(id)) {
                return None;
            }
            let [left, right, whole] = parts.map(|id| vocab.bytes(id).unwrap_or_default());
            let joins = whole.strip_prefix(left) == Some(right) && !left.is_empty() && !right.is_empty();
            if joins { u8::try_from(left.len()).ok() } else { None }
        })
        .collect()
}

/// One merge: two tokens and what they become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pair {
    /// The left token.
    pub left: TokenId,
    /// The right token.
    pub right: TokenId,
    /// The token they become.
    pub product: TokenId,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// `rank + 1`; 0 where the slot is empty.
    rank: u32,
    product: u32,
}

/// An open-addressed table of listed merges, keyed by the pair.
#[derive(Debug, Clone)]
pub struct PairTable {
    pairs: Vec<Pair>,
    slots: Vec<Slot>,
    seed: u64,
}

impl PairTable {
    /// Builds a table from pairs in rank order. A pair listed twice keeps its last rank, as the
    /// reference has it.
    ///
    /// # Errors
    /// [`Error::Format`] for more pairs than a rank can number.
    pub fn new(pairs: Vec<Pair>) -> Result<Self> {
        if u32::try_from(pairs.len() + 1).is_err() {
            return Err(Error::format("merges", "more merges than a 32-bit rank can number"));
        }
        let slots = vec![Slot::default(); (pairs.len() * 2).next_power_of_two().max(2)];
        let mut table = Self { pairs, slots, seed: RandomState::new().hash_one(0x7061_6972_u64) };
        for (pair, rank) in table.pairs.clone().into_iter().zip(1_u32..) {
            let key = key(pair.left, pair.right);
            let at = table.find(key);
            table.slots[at] = Slot { key, rank, product: pair.product.0 };
        }
        Ok(table)
    }

    /// Returns the pairs in rank order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the slot that holds `key`, or the empty one where it would go.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = ((key ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].rank != 0 && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Returns the rank and the product of a pair, or `None` where it is not listed.
    #[inline]
    pub fn get(&self, left: TokenId, right: TokenId) -> Option<(Rank, TokenId)> {
        let slot = self.slots[self.find(key(left, right))];
        slot.rank.checked_sub(1).map(|rank| (Rank(rank), TokenId(slot.product)))
    }
}

impl PartialEq for PairTable {
    fn eq(&self, other: &Self) -> bool {
        self.pairs == other.pairs
    }
}

impl Eq for PairTable {}

#[inline]
fn key(left: TokenId, right: TokenId) -> u64 {
    u64::from(left.0) << 32 | u64::from(right.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocab() -> Vocab {
        Vocab::dense([&b"a"[..], b"b", b"c", b"ab", b"bc", b"abc"]).unwrap()
    }

    #[test]
    fn concat_joins_whatever_is_a_token() {
        let (a, bc) = (TokenId(0), TokenId(4));
        assert_eq!(Merges::Concat.join(&vocab(), a, bc, b"abc"), Some((Rank(5), TokenId(5))));
        assert_eq!(Merges::Concat.join(&vocab(), a, a, b"aa"), None);
    }

    #[test]
    fn single_joins_only_at_the_split() {
        let merges = Merges::Single { first: TokenId(3), splits: vec![1, 1, 2] };
        assert_eq!(merges.join(&vocab(), TokenId(3), TokenId(2), b"abc"), Some((Rank(2), TokenId(5))));
        assert_eq!(merges.join(&vocab(), TokenId(0), TokenId(4), b"abc"), None);
        let pairs = merges.pairs(&vocab()).unwrap();
        assert_eq!((pairs[2].left, pairs[2].right), (TokenId(3), TokenId(2)));
    }

    #[test]
    fn pairs_are_single_only_where_one_a_token_in_id_order() {
        let pair = |left, right, product| Pair {
            left: TokenId(left),
            right: TokenId(right),
            product: TokenId(product),
        };
        let ordered = [pair(0, 1, 3), pair(1, 2, 4), pair(3, 2, 5)];
        let merges = Merges::from_pairs(ordered.to_vec(), &vocab()).unwrap();
        assert_eq!(merges, Merges::Single { first: TokenId(3), splits: vec![1, 1, 2] });
        assert_eq!(merges.pairs(&vocab()), Some(ordered.to_vec()));
        for pairs in [
            vec![],
            vec![pair(1, 2, 4), pair(0, 1, 3)],
            vec![pair(0, 1, 3), pair(3, 2, 5)],
            vec![pair(0, 1, 3), pair(1, 2, 4), pair(3, 2, 5), pair(0, 4, 5)],
            vec![pair(0, 2, 3)],
        ] {
            let merges = Merges::from_pairs(pairs.clone(), &vocab()).unwrap();
            assert_eq!(merges, Merges::Listed(PairTable::new(pairs).unwrap()));
        }
    }

    #[test]
    fn all_pairs_are_what_concat_joins() {
        let pairs: Vec<_> = Merges::all_pairs(&vocab())
            .iter()
            .map(|pair| (pair.left.0, pair.right.0, pair.product.0))
            .collect();
        assert_eq!(pairs, [(0, 1, 3), (1, 2, 4), (0, 4, 5), (3, 2, 5)]);
    }

    #[test]
    fn a_pair_listed_twice_keeps_its_last_rank() {
        let pair = Pair { left: TokenId(0), right: TokenId(1), product: TokenId(3) };
        let other = Pair { left: TokenId(1), right: TokenId(2), product: TokenId(4) };
        let table = PairTable::new(vec![pair, other, pair]).unwrap();
        assert_eq!(table.get(TokenId(0), TokenId(1)), Some((Rank(2), TokenId(3))));
        assert_eq!(table.get(TokenId(1), TokenId(2)), Some((Rank(1), TokenId(4))));
        assert_eq!(table.get(TokenId(2), TokenId(1)), None);
    }
}
