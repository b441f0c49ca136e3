//! One pattern, of either dialect, and the engine that runs it.
//!
//! Nearly every pattern becomes an automaton (`linear`): those of all known models do, `\s+(?!\S)` included,
//! since what it looks at is one character. What looks further, refers back, or is atomic in earnest goes to
//! `backtrack`.

use fancy_regex::Regex;

use super::backtrack::{Backtrack, pattern_of};
use super::linear::{Linear, LinearScratch};
use super::portable;
use super::rewrite::{is_regular, repeats_empty, simplify, size};
use super::syntax::{Node, fancy, oniguruma};
use crate::definition::Profile;
use crate::error::Result;
use crate::interrupt::Ticker;
use crate::span::Span;

pub use super::syntax::Refusal;

/// The longest pattern that is read.
const MAX_BYTES: usize = 1 << 18;

/// The largest pattern, its repeats written out, in characters and branches.
const MAX_SIZE: usize = 1 << 16;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Linear(Box<Linear>),
    Backtrack(Backtrack),
}

/// What one thread needs to run a [`Pattern`].
#[derive(Debug, Default)]
pub enum PatternScratch {
    /// Nothing.
    #[default]
    Empty,
    /// For an automaton.
    Linear(Box<LinearScratch>),
    /// For the backtracking engine.
    Backtrack(Regex),
}

impl Pattern {
    /// Compiles `pattern`, written in the dialect of `profile`.
    ///
    /// # Errors
    /// Says what keeps it from being run exactly.
    pub fn new(pattern: &str, profile: Profile) -> std::result::Result<Self, Refusal> {
        if pattern.len() > MAX_BYTES {
            return Err(Refusal::TooLarge { unit: "bytes", max: MAX_BYTES });
        }
        let engine = match profile {
            Profile::Tiktoken => {
                let parsed = fancy::parse(pattern)?;
                within_limit(parsed.size)?;
                // What is not regular stays as it is: the engine is the reference's own.
                match parsed.node.map(|node| linear(simplify(node, false))).transpose()? {
                    Some(Ok(linear)) => Engine::Linear(Box::new(linear)),
                    _ => Engine::Backtrack(Backtrack::new(pattern)?),
                }
            }
            // llama.cpp's own patterns are written in a dialect that both engines read alike.
            Profile::Tokenizers | Profile::SentencePiece | Profile::LlamaCpp => {
                let parsed = oniguruma::parse(pattern)?;
                let node = simplify(parsed.node, parsed.refers_back);
                portable::check(&node)?;
                match linear(node)? {
                    Ok(linear) => Engine::Linear(Box::new(linear)),
                    Err(node) => {
                        portable::check_backtracking(&node)?;
                        Engine::Backtrack(Backtrack::new(&pattern_of(&node))?)
                    }
                }
            }
        };
        Ok(Self { engine })
    }

    /// Returns whether `pattern` means the same to tiktoken and to tokenizers: both dialects' parsers make the same
    /// tree of it, classes written out, and nothing in it is run otherwise by one engine.
    pub fn is_shared(pattern: &str) -> bool {
        let Ok((fancy, other)) = fancy::parse(pattern).and_then(|own| Ok((own, oniguruma::parse(pattern)?)))
        else {
            return false;
        };
        fancy.node.is_some_and(|node| {
            let other = simplify(other.node, other.refers_back);
            portable::check(&other).is_ok() && simplify(node, false) == other
        })
    }

    /// Returns whether the pattern runs in one pass, without backtracking.
    pub fn is_linear(&self) -> bool {
        matches!(self.engine, Engine::Linear(_))
    }

    /// Returns a fresh scratch.
    pub fn scratch(&self) -> PatternScratch {
        match &self.engine {
            Engine::Linear(linear) => PatternScratch::Linear(Box::new(linear.scratch())),
            Engine::Backtrack(backtrack) => PatternScratch::Backtrack(backtrack.scratch()),
        }
    }

    /// Calls `each` with every match in `text`, from left to right: they do not overlap, and an empty one
    /// does not touch the one before it. `text` begins at byte `base` of the whole text.
    ///
    /// # Errors
    /// Those of the engine and of `each`.
    pub fn for_each_match(
        &self,
        (text, base): (&str, usize),
        scratch: &mut PatternScratch,
        ticker: &mut Ticker<'_>,
        each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
    ) -> Result<()> {
        match (&self.engine, &mut *scratch) {
            (Engine::Linear(linear), PatternScratch::Linear(own)) => {
                linear.for_each_match(text, own, ticker, each)
            }
            (Engine::Backtrack(_), PatternScratch::Backtrack(regex)) => {
                Backtrack::for_each_match(regex, (text, base), ticker, each)
            }
            _ => {
                *scratch = self.scratch();
                self.for_each_match((text, base), scratch, ticker, each)
            }
        }
    }
}

fn within_limit(size: u64) -> std::result::Result<(), Refusal> {
    if size > MAX_SIZE as u64 {
        return Err(Refusal::TooLarge { unit: "characters with repeats written out", max: MAX_SIZE });
    }
    Ok(())
}

/// Returns the automaton of `node`, or `node` itself where it has none.
fn linear(node: Node) -> std::result::Result<std::result::Result<Linear, Node>, Refusal> {
    within_limit(size(&node))?;
    let has_automaton = is_regular(&node) && !repeats_empty(&node);
    if has_automaton { Linear::new(&node).map(Ok) } else { Ok(Err(node)) }
}
