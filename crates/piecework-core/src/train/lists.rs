//! Many lists of numbers in one arena: each is made at its length and given back whole, and what is given back is
//! used again. A list of one number is that number itself.

use crate::error::{Error, Result};

/// Free pieces from this size on are cut up for lists of any size.
const REGION: u32 = 1 << 10;
/// The arena grows by at least this much.
const MIN_GROWTH: u32 = 1 << 14;

/// A list in [`Lists`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct List {
    /// Where it begins, or its only number.
    at: u32,
    len: u32,
}

/// The arena.
#[derive(Debug, Default)]
pub(super) struct Lists {
    arena: Vec<u32>,
    /// Small pieces by their size class.
    free: Vec<Vec<u32>>,
    /// Large pieces: begin and end.
    regions: Vec<(u32, u32)>,
    /// The piece that is cut up now.
    open: (u32, u32),
}

/// Returns the size class that holds `len` numbers, and its size: one class for each length up to 16, then eight for
/// each doubling.
fn class(len: u32) -> (usize, u32) {
    if len <= 16 {
        return (len as usize, len);
    }
    let shift = (len - 1).ilog2() - 3;
    let steps = (len - 1) >> shift;
    ((8 * shift + steps + 1) as usize, (steps + 1) << shift)
}

impl Lists {
    /// Returns a list of `len` zeros.
    ///
    /// # Errors
    /// [`Error::TooMany`] where the lists hold about 2³² numbers.
    pub fn make(&mut self, len: usize) -> Result<List> {
        let max = (u32::MAX / 2) as usize;
        let small = u32::try_from(len).ok().filter(|_| len <= max);
        let len = small.ok_or(Error::TooMany { what: "places of a pair", n: len, max })?;
        let at = if len < 2 { 0 } else { self.take(len)? };
        Ok(List { at, len })
    }

    fn take(&mut self, len: u32) -> Result<u32> {
        let (class, size) = class(len);
        if let Some(at) = self.free.get_mut(class).and_then(Vec::pop) {
            return Ok(at);
        }
        while self.open.1 - self.open.0 < size {
            self.close();
            let large = self.regions.iter().rposition(|region| region.1 - region.0 >= size);
            self.open = match large {
                Some(at) => self.regions.swap_remove(at),
                None => self.grow(size.max(MIN_GROWTH))?,
            };
        }
        let at = self.open.0;
        self.open.0 += size;
        Ok(at)
    }

    fn grow(&mut self, size: u32) -> Result<(u32, u32)> {
        let (start, max) = (self.arena.len(), u32::MAX as usize);
        let end = start + size as usize;
        if end > max {
            return Err(Error::TooMany { what: "places of pairs", n: end, max });
        }
        self.arena.resize(end, 0);
        Ok((start as u32, end as u32))
    }

    /// Puts away what is left of the open piece.
    fn close(&mut self) {
        let (mut at, end) = std::mem::take(&mut self.open);
        if end - at >= REGION {
            self.regions.push((at, end));
            return;
        }
        while at < end {
            // The largest class that fits: of one longer than 16, the one below.
            let (class_of, size) = class(end - at);
            let fits = size <= end - at;
            let (class_of, size) = if fits { (class_of, size) } else { (class_of - 1, below(end - at)) };
            self.give(class_of, at);
            at += size;
        }
    }

    fn give(&mut self, class: usize, at: u32) {
        if self.free.len() <= class {
            self.free.resize(class + 1, Vec::new());
        }
        self.free[class].push(at);
    }

    /// Gives a list back.
    pub fn release(&mut self, list: List) {
        if list.len < 2 {
            return;
        }
        let (class, size) = class(list.len);
        if size < REGION {
            self.give(class, list.at);
        } else {
            self.regions.push((list.at, list.at + size));
        }
    }

    /// Returns the numbers of a list.
    pub fn get<'l>(&'l self, list: &'l List) -> &'l [u32] {
        match list.len {
            0 => &[],
            1 => std::slice::from_ref(&list.at),
            _ => &self.arena[list.at as usize..][..list.len as usize],
        }
    }

    /// Sets a number of a list.
    #[inline]
    pub fn set(&mut self, list: &mut List, index: u32, number: u32) {
        if list.len == 1 {
            list.at = number;
        } else {
            self.arena[(list.at + index) as usize] = number;
        }
    }
}

/// Returns the size of the class before the one that holds `len`.
fn below(len: u32) -> u32 {
    let shift = (len - 1).ilog2() - 3;
    ((len - 1) >> shift) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_rise_by_one_and_waste_an_eighth_at_most() {
        let mut last = class(1);
        for len in 2..100_000 {
            let (class, size) = class(len);
            assert!(size >= len && size - len <= len / 8, "{len} {size}");
            assert!(class == last.0 && size == last.1 || class == last.0 + 1 && last.1 == len - 1, "{len}");
            if size > len {
                assert_eq!(super::class(below(len)), (class - 1, below(len)));
            }
            last = (class, size);
        }
    }

    #[test]
    fn lists_keep_their_numbers_and_what_is_given_back_is_used_again() {
        let mut lists = Lists::default();
        let mut all: Vec<(List, u32)> = Vec::new();
        let mut state = 1_u32;
        let (mut n_most, mut n_all) = (0, 0);
        for number in 0..40_000_u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let len = (state >> 16) % 40 + if number % 500 == 0 { 3000 } else { 0 };
            let mut list = lists.make(len as usize).unwrap();
            for index in 0..len {
                lists.set(&mut list, index, number);
            }
            all.push((list, number));
            if all.len() > 1000 {
                let (list, number) = all.swap_remove(state as usize % 1000);
                assert!(lists.get(&list).iter().all(|&other| other == number));
                lists.release(list);
            }
            n_all += len as usize;
            n_most = n_most.max(all.iter().map(|(list, _)| list.len as usize).sum());
        }
        for (list, number) in &all {
            assert!(lists.get(list).iter().all(|other| other == number));
        }
        // Pieces of other sizes, and what a growth leaves over.
        assert!(lists.arena.len() < 3 * n_most && n_all > 20 * n_most, "{} for {n_most}", lists.arena.len());
    }
}
