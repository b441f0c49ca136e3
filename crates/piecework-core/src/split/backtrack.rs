//! Patterns that only backtracking runs: fancy-regex, in the version that tiktoken 0.14 uses, under a limit
//! of steps. Over the limit there is an error, never another answer.

use std::fmt::Write as _;

use fancy_regex::{Regex, RegexBuilder};

use super::syntax::{CharSet, Node, Refusal, Side};
use crate::error::{Error, Result};
use crate::interrupt::Ticker;
use crate::span::Span;

/// Steps of one search; the reference's own limit.
const MAX_STEPS: usize = 1_000_000;

/// A search may look at much more than it matches, and does not say at how much. It is reported as so many
/// bytes, so that a stop is heeded after a few searches even where each goes to the limit.
const BYTES_PER_SEARCH: usize = 1 << 12;

/// A pattern for the backtracking engine.
#[derive(Debug)]
pub struct Backtrack {
    regex: Regex,
}

impl Backtrack {
    /// Compiles `pattern`, in the dialect of fancy-regex.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where the engine refuses it, or where it is over the engine's size limit.
    pub fn new(pattern: &str) -> std::result::Result<Self, Refusal> {
        let regex = RegexBuilder::new(pattern)
            .backtrack_limit(MAX_STEPS)
            .build()
            .map_err(|error| Refusal::Malformed(error.to_string()))?;
        Ok(Self { regex })
    }

    /// Returns a copy of the engine for one thread: the engine's own scratch space is under a lock.
    pub fn scratch(&self) -> Regex {
        self.regex.clone()
    }

    /// Calls `each` with every match in `text`, which begins at byte `base` of the whole text.
    ///
    /// # Errors
    /// - [`Error::PatternLimit`] over the limit of steps.
    /// - [`Error::Interrupted`].
    pub fn for_each_match(
        regex: &Regex,
        (text, base): (&str, usize),
        ticker: &mut Ticker<'_>,
        mut each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut done = 0;
        for found in regex.find_iter(text) {
            ticker.tick((text.len() - done).min(BYTES_PER_SEARCH))?;
            let found = found
                .map_err(|error| Error::PatternLimit { index: base + done, reason: error.to_string() })?;
            done = found.end();
            each(Span::new(found.start(), found.end()), ticker)?;
        }
        Ok(())
    }
}

/// Returns `node` as a pattern of fancy-regex, in which no class and no assertion depends on a dialect.
pub fn pattern_of(node: &Node) -> String {
    let mut pattern = String::new();
    write(node, &mut pattern);
    pattern
}

fn write(node: &Node, out: &mut String) {
    match node {
        Node::Set(set) => write_set(set, out),
        Node::Concat(items) => items.iter().for_each(|item| write_group("(?:", item, out)),
        Node::Alternate(branches) => {
            for (index, branch) in branches.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write_group("(?:", branch, out);
            }
        }
        Node::Repeat { node, min, max, greedy } => write_repeat(node, *min, *max, *greedy, out),
        Node::Atomic(node) => write_group("(?>", node, out),
        Node::Capture(node) => write_group("(", node, out),
        // In a group, so that a digit that follows is not part of the number.
        Node::Backreference(number) => {
            let _ = write!(out, "(?:\\{number})");
        }
        Node::Context { side, set, edge } => {
            let (open, end) = match side {
                Side::Behind => ("(?<=", r"\A"),
                Side::Ahead => ("(?=", r"\z"),
            };
            // A look-behind of either kind alone is what every version of the engine knows.
            match (edge, set.ranges().is_empty()) {
                (true, true) => out.push_str(end),
                (true, false) => {
                    out.push_str("(?:");
                    out.push_str(end);
                    out.push('|');
                    write_group(open, &Node::Set(set.clone()), out);
                    out.push(')');
                }
                (false, _) => write_group(open, &Node::Set(set.clone()), out),
            }
        }
        Node::Look { side, negate, node } => {
            let open = match (side, negate) {
                (Side::Ahead, false) => "(?=",
                (Side::Ahead, true) => "(?!",
                (Side::Behind, false) => "(?<=",
                (Side::Behind, true) => "(?<!",
            };
            write_group(open, node, out);
        }
    }
}

fn write_group(open: &str, node: &Node, out: &mut String) {
    out.push_str(open);
    write(node, out);
    out.push(')');
}

fn write_repeat(node: &Node, min: u32, max: Option<u32>, greedy: bool, out: &mut String) {
    // `XX*` and not `X+`: fancy-regex 0.19 takes `X+Y?X+` for `X+(?:YX+)?`.
    let unrolls = min == 1 && max.is_none() && !has_capture(node);
    if unrolls {
        write_group("(?:", node, out);
    }
    write_group("(?:", node, out);
    let suffix = if greedy { "" } else { "?" };
    // Writing to a string does not fail.
    let _ = match max {
        Some(max) => write!(out, "{{{min},{max}}}{suffix}"),
        None if unrolls => write!(out, "*{suffix}"),
        None => write!(out, "{{{min},}}{suffix}"),
    };
}

fn has_capture(node: &Node) -> bool {
    match node {
        Node::Set(_) | Node::Context { .. } | Node::Backreference(_) => false,
        Node::Concat(items) | Node::Alternate(items) => items.iter().any(has_capture),
        Node::Repeat { node, .. } | Node::Atomic(node) | Node::Look { node, .. } => has_capture(node),
        Node::Capture(_) => true,
    }
}

fn write_set(set: &CharSet, out: &mut String) {
    if set.ranges().is_empty() {
        // The set of no character: nothing follows, and nothing may.
        out.push_str("(?!)");
        return;
    }
    out.push('[');
    for range in set.ranges() {
        let _ = write!(out, r"\x{{{:X}}}-\x{{{:X}}}", range.start() as u32, range.end() as u32);
    }
    out.push(']');
}
