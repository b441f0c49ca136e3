//! Pre-tokenizers, for any pattern: the text is cut into pretokens, and a merge never crosses a cut.
//!
//! Each pre-tokenizer cuts every piece that the one before it made, and sees each piece as a text of its
//! own: nothing in a pattern looks across a cut. Known patterns have scanners of their own in
//! [`crate::fast`]; what stands here is exact for all patterns, and is what those are compared with.

mod behavior;
pub mod cuts;
mod kinds;
pub mod pattern;
mod respell;
mod runs;
mod tables;

mod atomic;
mod backtrack;
mod linear;
mod portable;
mod rewrite;
mod syntax;

use std::sync::Arc;

use crate::alignment::Alignment;
use crate::definition::{Behavior, PreTokenizer, Profile};
use crate::error::{Error, Result};
use crate::interrupt::Ticker;
use crate::observe::Source;
use crate::span::Span;
use behavior::Pieces;
use pattern::{Pattern, PatternScratch};
use respell::Respelling;

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
    /// Which pre-tokenizer each stage is of.
    origins: Vec<usize>,
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
enum Stage {
    Cut(Cut),
    Respell(Respelling),
}

#[derive(Debug)]
struct Cut {
    finder: Finder,
    behavior: Behavior,
    invert: bool,
}

/// What finds matches.
#[derive(Debug)]
enum Finder {
    Pattern(Box<Pattern>),
    Kind(fn(char) -> bool),
    Character(char),
    Words,
    Scripts,
    Fixed(usize),
}

impl Cut {
    /// Drops what is found.
    fn dropping(finder: Finder) -> Stage {
        Stage::Cut(Self { finder, behavior: Behavior::Removed, invert: false })
    }

    /// Drops what is not found.
    fn keeping(finder: Finder) -> Stage {
        Stage::Cut(Self { finder, behavior: Behavior::Removed, invert: true })
    }
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
        let (mut stages, mut origins) = (Vec::new(), Vec::new());
        for (index, pre_tokenizer) in pre_tokenizers.iter().enumerate() {
            if index > 0 || *pre_tokenizer != PreTokenizer::PrefixSpace {
                stages.extend(Stage::of(pre_tokenizer, index, profile)?);
                origins.resize(stages.len(), index);
            }
        }
        Ok(Self { stages: stages.into(), origins })
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
        source: &Source,
        scratch: &mut SplitScratch,
        out: &mut Pretokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        if !Arc::ptr_eq(&self.stages, &scratch.stages) {
            *scratch = self.scratch();
        }
        out.text = None;
        out.alignment = Alignment::identity();
        out.spans.clear();
        out.spans.push(Span::new(0, text.len()));
        let mut at = 0;
        while at < self.stages.len() {
            let n_cuts = self.stages[at..].iter().take_while(|stage| matches!(stage, Stage::Cut(_))).count();
            let before = std::mem::take(&mut out.spans);
            let whole = out.text.as_deref().unwrap_or(text);
            for span in before {
                let (cuts, patterns) = (&self.stages[at..at + n_cuts], &mut scratch.patterns[at..]);
                run(cuts, patterns, (&whole[span.range()], span.start), &mut out.spans, ticker)?;
            }
            at += n_cuts;
            if let Some(Stage::Respell(respelling)) = self.stages.get(at) {
                respelling.apply(text, source, out, ticker)?;
                at += 1;
            }
        }
        out.spans.retain(|span| !span.is_empty());
        Ok(())
    }

    /// Appends to `out` the spans of the pretokens of `text`, in order and none of them empty. Together they
    /// cover the text where nothing is removed. A scratch of another splitter is replaced. For pre-tokenizers that
    /// only cut: what comes after one that changes the text is the business of [`Splitter::pretokens`].
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
    /// Returns the stages of one pre-tokenizer.
    fn of(pre_tokenizer: &PreTokenizer, index: usize, profile: Profile) -> Result<Vec<Self>> {
        let cut = |finder, behavior| Self::Cut(Cut { finder, behavior, invert: false });
        Ok(match pre_tokenizer {
            PreTokenizer::PrefixSpace => vec![Self::Respell(Respelling::PrefixSpace)],
            PreTokenizer::ByteAlphabet => vec![Self::Respell(Respelling::ByteAlphabet)],
            &PreTokenizer::Metaspace { replacement, prepend, split } => {
                let respell = Self::Respell(Respelling::Metaspace { replacement, prepend });
                let split = split.then(|| cut(Finder::Character(replacement), Behavior::MergedWithNext));
                [respell].into_iter().chain(split).collect()
            }
            PreTokenizer::Bert => vec![
                Cut::dropping(Finder::Kind(kinds::is_space)),
                cut(Finder::Kind(kinds::is_punctuation), Behavior::Isolated),
            ],
            PreTokenizer::Whitespace => vec![Cut::keeping(Finder::Words)],
            PreTokenizer::WhitespaceSplit => vec![Cut::dropping(Finder::Kind(kinds::is_space))],
            PreTokenizer::Punctuation(behavior) => {
                vec![cut(Finder::Kind(kinds::is_punctuation), *behavior)]
            }
            PreTokenizer::CharDelimiter(delimiter) => vec![Cut::dropping(Finder::Character(*delimiter))],
            PreTokenizer::UnicodeScripts => vec![Cut::keeping(Finder::Scripts)],
            PreTokenizer::FixedLength(0) => {
                return Err(Error::format(
                    format!("pre_tokenizers[{index}].length"),
                    "a length of 0 cuts nothing",
                ));
            }
            PreTokenizer::FixedLength(length) => vec![Cut::keeping(Finder::Fixed(*length))],
            PreTokenizer::Digits { individual: true } => {
                vec![cut(Finder::Kind(kinds::is_digit), Behavior::Isolated)]
            }
            PreTokenizer::Digits { individual: false } => {
                vec![cut(Finder::Kind(kinds::is_digit), Behavior::Contiguous)]
            }
            PreTokenizer::Split { pattern, behavior, invert } => {
                let pattern = Pattern::new(pattern, profile).map_err(|reason| {
                    Error::format(format!("pre_tokenizers[{index}].pattern"), reason.to_string())
                })?;
                let finder = Finder::Pattern(Box::new(pattern));
                vec![Self::Cut(Cut { finder, behavior: *behavior, invert: *invert })]
            }
        })
    }

    fn scratch(&self) -> PatternScratch {
        match self {
            Self::Cut(Cut { finder: Finder::Pattern(pattern), .. }) => pattern.scratch(),
            _ => PatternScratch::default(),
        }
    }
}

impl Cut {
    /// Calls `each` with every match in `text`, which begins at byte `base` of the whole text.
    fn for_each_match(
        &self,
        (text, base): (&str, usize),
        scratch: &mut PatternScratch,
        ticker: &mut Ticker<'_>,
        each: impl FnMut(Span, &mut Ticker<'_>) -> Result<()>,
    ) -> Result<()> {
        match &self.finder {
            Finder::Pattern(pattern) => pattern.for_each_match((text, base), scratch, ticker, each),
            Finder::Kind(is_kind) => runs::characters(text, is_kind, ticker, each),
            Finder::Character(character) => runs::characters(text, |c| c == *character, ticker, each),
            Finder::Words => runs::words(text, ticker, each),
            Finder::Scripts => runs::scripts(text, ticker, each),
            Finder::Fixed(length) => runs::fixed(text, *length, ticker, each),
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
    // A stage that changes the text is the caller's; it begins a run of its own.
    let (Some((Stage::Cut(stage), stages)), Some((own, scratch))) =
        (stages.split_first(), scratch.split_first_mut())
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
