//! Quantifiers and their suffixes.

use super::{Node, Parser, Refusal};
use crate::split::rewrite::only_asserts;

/// The reference's own limit.
const MAX_TIMES: u32 = 100_000;

/// A quantifier as written.
pub(super) struct Quantifier {
    min: u32,
    max: Option<u32>,
    suffix: Suffix,
}

/// What a character after a quantifier can mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    /// `?` and `+` make it lazy and possessive.
    Both,
    /// Only `?` does, to lazy: after `{n,m}`.
    Lazy,
    /// Neither, they are quantifiers of their own: after `{n}`.
    Neither,
    /// It is possessive already: `{m,n}` with the larger number first.
    Possessive,
}

impl Parser<'_> {
    /// Returns `item` with the quantifiers that stand after it.
    pub(super) fn quantified(&mut self, mut item: Node) -> Result<Node, Refusal> {
        let mut n_quantifiers = 0;
        while let Some(quantifier) = self.quantifier()? {
            self.folded_literal = None;
            n_quantifiers += 1;
            if n_quantifiers > 8 {
                return Err(self.unsupported("a tower of quantifiers"));
            }
            // The reference refuses `^*` and, beyond that, has ways of its own to reduce such repeats.
            if only_asserts(&item) {
                return Err(self.unsupported("a quantifier on an assertion"));
            }
            item = self.apply(item, &quantifier);
        }
        Ok(item)
    }

    fn apply(&mut self, item: Node, quantifier: &Quantifier) -> Node {
        let &Quantifier { min, max, suffix } = quantifier;
        let lazy = matches!(suffix, Suffix::Both | Suffix::Lazy) && self.eat("?");
        let possessive = suffix == Suffix::Possessive || (suffix == Suffix::Both && !lazy && self.eat("+"));
        let repeat = Node::repeat(item, min, max, !lazy);
        if possessive { Node::Atomic(Box::new(repeat)) } else { repeat }
    }

    fn quantifier(&mut self) -> Result<Option<Quantifier>, Refusal> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let interval = self.interval();
                if interval.is_none() {
                    // A brace that opens no interval is a literal.
                    self.at -= 1;
                }
                return match interval {
                    Some(interval) if interval.min.max(interval.max.unwrap_or(0)) > MAX_TIMES => {
                        Err(Refusal::TooLarge { unit: "repeats", max: MAX_TIMES as usize })
                    }
                    interval => Ok(interval),
                };
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(Quantifier { min, max, suffix: Suffix::Both }))
    }

    /// Reads what follows the brace of an interval. Moves only where it is one.
    pub(super) fn interval(&mut self) -> Option<Quantifier> {
        let start = self.at;
        let interval = self.interval_here();
        if interval.is_none() {
            self.at = start;
        }
        interval
    }

    fn interval_here(&mut self) -> Option<Quantifier> {
        let low = self.limit();
        if self.eat("}") {
            return low.map(|n| Quantifier { min: n, max: Some(n), suffix: Suffix::Neither });
        }
        if !self.eat(",") {
            return None;
        }
        let high = self.limit();
        if !self.eat("}") {
            return None;
        }
        Some(match (low, high) {
            (None, None) => return None,
            (Some(low), Some(high)) if low > high => {
                Quantifier { min: high, max: Some(low), suffix: Suffix::Possessive }
            }
            (low, high) => Quantifier { min: low.unwrap_or(0), max: high, suffix: Suffix::Lazy },
        })
    }

    /// Reads a number; one that does not fit is over every limit.
    fn limit(&mut self) -> Option<u32> {
        let digits = self.rest().len() - self.rest().trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            return None;
        }
        self.number().or_else(|| {
            self.at += digits;
            Some(u32::MAX)
        })
    }
}
