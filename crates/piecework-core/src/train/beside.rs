//! The symbols that stand on one side of the pair that is merged: how often, and in which blocks. They are put
//! together by symbol, so that a pair is looked up once a merge and not once an occurrence.

use super::symbol::Symbol;

/// One symbol.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Neighbor {
    pub count: i64,
    /// Blocks.
    pub n_blocks: u32,
    /// The last block; later whatever the owner of the list wants to know.
    pub last: u32,
}

/// All symbols of one side.
#[derive(Debug)]
pub(super) struct Beside {
    all: Vec<Neighbor>,
    seen: Vec<u32>,
    /// Each symbol and block, in the order of the blocks.
    places: Vec<(u32, u32)>,
    /// Symbols from here on come first in `all`: ids may be left out before it.
    late_from: u32,
    n_late: u32,
}

impl Beside {
    /// Returns a side where nothing was seen.
    pub fn new(late_from: u32, n_late: u32) -> Self {
        Self { all: Vec::new(), seen: Vec::new(), places: Vec::new(), late_from, n_late }
    }

    #[inline]
    fn place(&self, symbol: u32) -> usize {
        symbol
            .checked_sub(self.late_from)
            .map_or(symbol as usize + self.n_late as usize, |late| late as usize)
    }

    /// Takes down a symbol of a block; blocks come in rising order.
    #[inline]
    pub fn add<S: Symbol>(&mut self, symbol: S, count: i64, block: u32) {
        let symbol = symbol.id();
        let at = self.place(symbol);
        if self.all.len() <= at {
            self.all.resize(at + 1, Neighbor::default());
        }
        let neighbor = &mut self.all[at];
        neighbor.count = neighbor.count.saturating_add(count);
        if neighbor.n_blocks == 0 {
            self.seen.push(symbol);
        } else if neighbor.last == block {
            return;
        }
        neighbor.n_blocks += 1;
        neighbor.last = block;
        self.places.push((symbol, block));
    }

    /// Returns the symbols that were seen.
    pub fn seen(&self) -> &[u32] {
        &self.seen
    }

    /// Returns a symbol.
    pub fn get(&mut self, symbol: u32) -> &mut Neighbor {
        let at = self.place(symbol);
        &mut self.all[at]
    }

    /// Calls `each` with every symbol and block, in the order of the blocks.
    pub fn for_each_place(&mut self, mut each: impl FnMut(&mut Neighbor, u32)) {
        let places = std::mem::take(&mut self.places);
        for &(symbol, block) in &places {
            each(self.get(symbol), block);
        }
        self.places = places;
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        for symbol in std::mem::take(&mut self.seen) {
            *self.get(symbol) = Neighbor::default();
        }
        // The heaviest merges come first, and none needs as much again.
        if self.places.capacity() > 4 * self.places.len() + (1 << 16) {
            self.places = Vec::new();
        }
        self.places.clear();
    }
}
