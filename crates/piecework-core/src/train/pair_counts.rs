//! How often each pair stands in the words: one table of pairs and counts, which grows by half.

/// A pair as one number; sorts as the pair does.
pub(super) fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// Returns the pair of a [`key`].
pub(super) fn pair(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// No pair: ids end before it.
const EMPTY: u64 = u64::MAX;

/// Pairs and a number for each.
#[derive(Debug)]
pub(super) struct PairCounts {
    slots: Vec<(u64, i64)>,
    len: usize,
}

impl Default for PairCounts {
    fn default() -> Self {
        Self { slots: vec![(EMPTY, 0); 64], len: 0 }
    }
}

impl PairCounts {
    /// Returns the slot of a pair, or the empty one where it would stand. The hash is one multiplication, folded;
    /// only speed depends on it.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mut at = self.home(key);
        while self.slots[at].0 != key && self.slots[at].0 != EMPTY {
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
        at
    }

    #[inline]
    fn home(&self, key: u64) -> usize {
        let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * u128::from(0xd6e8_feb8_6659_fd93_u64);
        let hash = (product >> 64) as u64 ^ product as u64;
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// Asks for a pair's slot before it is needed.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        crate::fast::prefetch(self.slots[self.home(key)..].as_ptr().cast());
    }

    /// Returns the number of a pair, 0 where it has none.
    pub fn get(&self, key: u64) -> i64 {
        let (found, n) = self.slots[self.find(key)];
        if found == key { n } else { 0 }
    }

    /// Makes room, so that slots stay where they are while `n` pairs are added.
    pub fn reserve(&mut self, n: usize) {
        let n_wanted = (self.len + n) / 5 * 6 + 16;
        if n_wanted > self.slots.len() {
            let n_slots = n_wanted.max(self.slots.len() / 2 * 3);
            let old = std::mem::replace(&mut self.slots, vec![(EMPTY, 0); n_slots]);
            for slot in old {
                if slot.0 != EMPTY {
                    let at = self.find(slot.0);
                    self.slots[at] = slot;
                }
            }
        }
    }

    /// Adds to a pair's number, in room that was made; returns its slot and whether the pair is new.
    #[inline]
    pub fn change(&mut self, key: u64, by: i64) -> (usize, bool) {
        let at = self.find(key);
        let slot = &mut self.slots[at];
        let is_new = slot.0 == EMPTY;
        self.len += usize::from(is_new);
        *slot = (key, if is_new { by } else { slot.1.saturating_add(by) });
        (at, is_new)
    }

    /// Returns the number in a slot.
    pub fn at(&self, slot: usize) -> i64 {
        self.slots[slot].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_keeps_its_number_as_the_table_grows() {
        let mut counts = PairCounts::default();
        let keys: Vec<u64> = (0..30_000).map(|i| key(i % 173, i / 7)).collect();
        let mut expected = std::collections::HashMap::new();
        for (by, &key) in (0_i64..).zip(&keys) {
            counts.reserve(1);
            let (slot, is_new) = counts.change(key, by);
            assert_eq!(is_new, !expected.contains_key(&key));
            *expected.entry(key).or_insert(0) += by;
            assert_eq!(counts.at(slot), expected[&key]);
        }
        assert!(expected.iter().all(|(&key, &n)| counts.get(key) == n));
        assert_eq!(counts.get(key(7, 1 << 31)), 0);
        assert_eq!((counts.len, pair(keys[173])), (expected.len(), (0, 24)));
    }
}
