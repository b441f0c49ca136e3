//! Pre-tokenizers, for any pattern: the text is cut into pretokens, and a merge never crosses a cut.
//!
//! Each pre-tokenizer cuts every piece that the one before it made, and sees each piece as a text of its
//! own: nothing in a pattern looks across a cut. Known patterns have scanners of their own in
//! [`crate::fast`]; what stands here is exact for all patterns, and is what those are compared with.

mod behavior;
mod digits;
pub mod pattern;

mod atomic;
mod backtrack;
mod linear;
mod portable;
mod rewrite;
mod syntax;

use std::sync::Arc;

use crate::definition::{Behavior, PreTokenizer, Profile};
use crate::error::{Error, Result};
use crate::interrupt::Ticker;
use crate::alignment::Alignment;
use crate::observe::Source;
use crate::span::Span;
use behavior::Pieces;
use pattern::{Pattern, PatternScratch};

/// A text as its pre-tokenizers left it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pretokens {
    /// The text, where a pre-tokenizer changed it.
    pub text: Option<String>,
    /// The pretokens, in order, none of them empty.
    pub spans: Vec<Span>,
    /// From the changed text to the one before.
    pub alignment: Alignment,
}

/// A sequence of pre-tokenizers, ready to run. Threads share it; each has its own [`SplitScratch`].
#[derive(Debug)]
pub struct Splitter {
    stages: Arc<[Stage]>,
}

/// What one thread needs to run a [`Splitter`]: the states of its patterns that this thread has met so far.
/// Bounded, and of no meaning for results.
#[derive(Debug)]
pub struct SplitScratch {
    /// Whose scratch this is.
    stages: Arc<[Stage]>,
    patterns: Vec<PatternScratch>,
}

#[derive(Debug)]
struct Stage {
    finder: Finder,
    behavior: Behavior,
    invert: bool,
}

#[derive(Debug)]
enum Finder {
    Pattern(Box<Pattern>),
    Digit,
}

impl Splitter {
    /// Compiles `pre_tokenizers`. [`PreTokenizer::PrefixSpace`] changes the text and is the caller's job; it
    /// is passed over here.
    ///
    /// # Errors
    /// [`Error::Format`] for a pattern that is no pattern of the profile's dialect, that is over a limit, or
    /// that uses what cannot be run exactly; the message names it.
    ///
    /// # Complexity
    /// Linear in the patterns' expanded size; under 2 ms for each pattern of the known models.
    pub fn new(pre_tokenizers: &[PreTokenizer], profile: Profile) -> Result<Self> {
        let mut stages = Vec::new();
        for (index, pre_tokenizer) in pre_tokenizers.iter().enumerate() {
            stages.push(match pre_tokenizer {
                PreTokenizer::PrefixSpace => continue,
                PreTokenizer::ByteAlphabet
                | PreTokenizer::Metaspace { .. }
                | PreTokenizer::Bert
                | PreTokenizer::Whitespace
                | PreTokenizer::WhitespaceSplit
                | PreTokenizer::Punctuation(_)
                | PreTokenizer::CharDelimiter(_)
                | PreTokenizer::UnicodeScripts
                | PreTokenizer::FixedLength(_) => {
                    return Err(Error::format(format!("pre_tokenizers[{index}]"), "not supported yet"));
                }
                PreTokenizer::Digits { individual } => {
                    let behavior = if *individual { Behavior::Isolated } else { Behavior::Contiguous };
                    Stage { finder: Finder::Digit, behavior, invert: false }
                }
                PreTokenizer::Split { pattern, behavior, invert } => {
                    let pattern = Pattern::new(pattern, profile).map_err(|reason| {
                        Error::format(format!("pre_tokenizers[{index}].pattern"), reason.to_string())
                    })?;
                    let finder = Finder::Pattern(Box::new(pattern));
                    Stage { finder, behavior: *behavior, invert: *invert }
                }
            });
        }
        Ok(Self { stages: stages.into() })
    }

    /// Returns a fresh scratch.
    pub fn scratch(&self) -> SplitScratch {
        SplitScratch {
            stages: Arc::clone(&self.stages),
            patterns: self.stages.iter().map(Stage::scratch).collect(),
        }
    }

    /// Cuts `text`, which comes from `source`, and rewrites it where a pre-tokenizer does.
    ///
    /// # Errors
    /// As [`Splitter::split`].
    pub fn pretokens(
        &self,
        text: &str,
        _source: &Source,
        scratch: &mut SplitScratch,
        out: &mut Pretokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        out.text = None;
        out.spans.clear();
        out.alignment = Alignment::identity();
        self.split(text, scratch, &mut out.spans, ticker)
    }

    /// Appends to `out` the spans of the pretokens of `text`, in order and none of them empty. Together they
    /// cover the text where nothing is removed. A scratch of another splitter is replaced.
    ///
    /// # Errors
    /// - [`Error::PatternLimit`] where a pattern that needs backtracking takes too many steps.
    /// - [`Error::Interrupted`].
    ///
    /// # Complexity
    /// Linear in the text for every pattern of the known models. For other patterns, a match may have to
    /// look further than it reaches (`a|a*b` on a run of `a`), and each such look counts as work.
    pub fn split(
        &self,
        text: &str,
        scratch: &mut SplitScratch,
        out: &mut Vec<Span>,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        if !Arc::ptr_eq(&self.stages, &scratch.stages) {
            *scratch = self.scratch();
        }
        run(&self.stages, &mut scratch.patterns, (text, 0), out, ticker)
    }
}

impl Stage {
    fn scratch(&self) -> PatternScratch {
        match &self.finder {
            Finder::Pattern(pattern) => pattern.scratch(),
            Finder::Digit => PatternScratch::default(),
        }
    }

    /// Calls `each` with every match in `text`, which begins at byte `base` of the whole text.
    fn for_each_match(
        &self,
        (text, base): (&str, usize),
        scratch: &mut PatternScratch,
        ticker: &mut Ticker<'_>,
        mut each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
    ) -> Result<()> {
        match &self.finder {
            Finder::Pattern(pattern) => pattern.for_each_match((text, base), scratch, ticker, each),
            Finder::Digit => {
                let mut at = 0;
                while let Some(digit) = digits::next(text, at, ticker)? {
                    each(digit, ticker)?;
                    at = digit.end;
                }
                Ok(())
            }
        }
    }
}

/// Cuts `text`, which begins at byte `base` of the whole text, by the first of `stages` and each piece by the
/// others. Depth first, so that no stage holds a list of its own.
fn run(
    stages: &[Stage],
    scratch: &mut [PatternScratch],
    (text, base): (&str, usize),
    out: &mut Vec<Span>,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let (Some((stage, stages)), Some((own, scratch))) = (stages.split_first(), scratch.split_first_mut())
    else {
        if !text.is_empty() {
            out.push(Span::new(base, base + text.len()));
        }
        return Ok(());
    };
    let mut cut = |piece: Option<Span>, ticker: &mut Ticker<'_>| match piece {
        Some(piece) if !piece.is_empty() => {
            run(stages, scratch, (&text[piece.range()], base + piece.start), out, ticker)
        }
        _ => Ok(()),
    };
    let mut pieces = Pieces::new(stage.behavior);
    let mut done = 0;
    stage.for_each_match((text, base), own, ticker, |found, ticker| {
        if found.start > done {
            cut(pieces.push(Span::new(done, found.start), stage.invert), ticker)?;
        }
        done = found.end;
        cut(pieces.push(found, !stage.invert), ticker)
    })?;
    if done < text.len() {
        cut(pieces.push(Span::new(done, text.len()), stage.invert), ticker)?;
    }
    cut(pieces.finish(), ticker)
}

#[cfg(test)]
mod tests;
