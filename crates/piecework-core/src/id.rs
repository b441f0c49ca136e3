//! Two numbers that are never mixed: what a model is fed, and how early a merge fires.

use serde::{Deserialize, Serialize};

/// The number of one token in the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[repr(transparent)]
pub struct TokenId(pub u32);

impl TokenId {
    /// Returns the id as an index into per-token tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The priority of a merge: the lowest rank fires first. A rank is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Rank(pub u32);
