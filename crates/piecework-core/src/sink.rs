//! Where ids go. The engine is compiled once for each: collecting, counting, and counting up to a
//! limit make no list that they do not need.

/// Receives ids in order.
pub trait Sink {
    /// Takes `ids`.
    fn extend(&mut self, ids: &[u32]);

    /// Takes one id.
    #[inline]
    fn push(&mut self, id: u32) {
        self.extend(&[id]);
    }

    /// Returns whether nothing more is wanted; the engine then stops early.
    #[inline]
    fn is_full(&self) -> bool {
        false
    }
}

impl Sink for Vec<u32> {
    #[inline]
    fn extend(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }

    #[inline]
    fn push(&mut self, id: u32) {
        Vec::push(self, id);
    }
}

/// Counts ids, and stops once there are more than `limit`.
#[derive(Debug, Clone, Copy)]
pub struct Counter {
    /// How many ids have come.
    pub n: usize,
    limit: usize,
}

impl Counter {
    /// Returns a counter that counts everything.
    pub fn unlimited() -> Self {
        Self::up_to(usize::MAX)
    }

    /// Returns a counter that is full as soon as more than `limit` ids have come.
    pub fn up_to(limit: usize) -> Self {
        Self { n: 0, limit }
    }
}

impl Sink for Counter {
    #[inline]
    fn extend(&mut self, ids: &[u32]) {
        self.n += ids.len();
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.n > self.limit
    }
}
