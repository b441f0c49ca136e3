//! A pattern as a tree that no longer depends on the dialect it was written in: a class is the set of its
//! code points, and an assertion says which character may stand next to it.

pub mod fancy;
pub mod oniguruma;
mod properties;

use regex_syntax::hir::ClassUnicodeRange;

/// A set of characters.
pub type CharSet = regex_syntax::hir::ClassUnicode;

/// Which neighbor an assertion looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What stands before the position.
    Behind,
    /// What stands after it.
    Ahead,
}

/// One part of a pattern. Where more than one way to match exists, they are tried in the usual order:
/// alternatives from left to right, greedy repeats longest first.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// One character of a set.
    Set(CharSet),
    /// All in order; of none, the empty text.
    Concat(Vec<Node>),
    /// The first that leads to a match.
    Alternate(Vec<Node>),
    /// `min` to `max` times.
    Repeat {
        /// What is repeated.
        node: Box<Node>,
        /// At least so often.
        min: u32,
        /// At most so often.
        max: Option<u32>,
        /// Whether more are tried before fewer.
        greedy: bool,
    },
    /// The first way to match alone, whatever follows. A possessive repeat is an atomic greedy one.
    Atomic(Box<Node>),
    /// A capture group, numbered by the order in which they open.
    Capture(Box<Node>),
    /// The text of a capture group again.
    Backreference(u32),
    /// An empty match where the neighbor is in `set`, or where there is none and `edge` holds.
    Context {
        /// Which neighbor.
        side: Side,
        /// What it may be.
        set: CharSet,
        /// Whether there may be none: the position is the text's start or end.
        edge: bool,
    },
    /// An empty match where `node` matches on that side, or does not.
    Look {
        /// Where it must match.
        side: Side,
        /// Whether it must not.
        negate: bool,
        /// What is looked for.
        node: Box<Node>,
    },
}

impl Node {
    /// Returns what matches the empty text.
    pub fn empty() -> Self {
        Self::Concat(Vec::new())
    }

    /// Returns `node`, `min` to `max` times.
    pub fn repeat(node: Self, min: u32, max: Option<u32>, greedy: bool) -> Self {
        Self::Repeat { node: Box::new(node), min, max, greedy }
    }

    /// Returns an assertion on the neighboring character.
    pub fn context(side: Side, set: CharSet, edge: bool) -> Self {
        Self::Context { side, set, edge }
    }

    /// Returns the assertion that there is no neighbor: `\A` or `\z`.
    pub fn edge(side: Side) -> Self {
        Self::context(side, CharSet::empty(), true)
    }

    /// Returns the position between a character of `word` and one that is not, or any other position.
    pub fn boundary(word: &CharSet, negate: bool) -> Self {
        let behind = |inside: bool| Self::beside(Side::Behind, word, inside);
        let ahead = |inside: bool| Self::beside(Side::Ahead, word, inside);
        Self::Alternate(vec![
            Self::Concat(vec![behind(true), ahead(negate)]),
            Self::Concat(vec![behind(false), ahead(!negate)]),
        ])
    }

    fn beside(side: Side, word: &CharSet, inside: bool) -> Self {
        let set = if inside { word.clone() } else { negated(word) };
        Self::context(side, set, !inside)
    }
}

/// Returns the set of the characters from `first` to `last`.
pub fn range(first: char, last: char) -> CharSet {
    CharSet::new([ClassUnicodeRange::new(first, last)])
}

/// Returns the set of `c` alone.
pub fn single(c: char) -> CharSet {
    range(c, c)
}

/// Returns the set of all characters.
pub fn any() -> CharSet {
    range('\0', char::MAX)
}

/// Returns the characters that are not in `set`.
pub fn negated(set: &CharSet) -> CharSet {
    let mut set = set.clone();
    set.negate();
    set
}

/// Returns `set` with all characters that differ from one of its only by case, by simple case folding.
pub fn folded(mut set: CharSet) -> CharSet {
    // Cannot fail: the tables of case folding are compiled in.
    let _ = set.try_case_fold_simple();
    set
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The pattern is no pattern of its dialect, in the words of the dialect's own parser where it has one.
    #[error("not a pattern: {0}")]
    Malformed(String),
    /// It uses a construct that no engine here runs exactly as the reference does.
    #[error("{construct} cannot be run exactly as the reference does{}", place(*at))]
    Unsupported {
        /// The construct's name.
        construct: String,
        /// Where it stands in the pattern, if at one place.
        at: Option<usize>,
    },
    /// It is over a limit.
    #[error("over the limit of {max} {unit}")]
    TooLarge {
        /// What is counted.
        unit: &'static str,
        /// How many are allowed.
        max: usize,
    },
}

fn place(at: Option<usize>) -> String {
    at.map_or_else(String::new, |at| format!(" (at byte {at})"))
}
