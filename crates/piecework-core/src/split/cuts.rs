//! What cut each pretoken: the pre-tokenizer, and of a pattern the alternative that matched.
//!
//! A matcher says where a match ends and not by which alternative. Each alternative is therefore asked by itself: the
//! one that matched is the first that matches at the same place, and then ends there too. It sees a little of what
//! follows and nothing of what comes before, so patterns that look back are not told apart.

use super::behavior::Pieces;
use super::pattern::{Pattern, PatternScratch};
use super::{Pretokens, SplitScratch, Splitter, Stage};
use crate::definition::{PreTokenizer, Profile};
use crate::error::{Error, Result};
use crate::interrupt::Ticker;
use crate::observe::Source;
use crate::span::Span;

/// How far behind a match an alternative may look.
const BEHIND_BYTES: usize = 64;

/// What made the last cut of a pretoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CutBy {
    /// The index of the pre-tokenizer; `None` where nothing cuts the text.
    pub pre_tokenizer: Option<usize>,
    /// The index of its pattern's alternative, where the pretoken is a match of one that can be told.
    pub alternative: Option<usize>,
    /// Whether the pretoken is a match, and not what stands between matches or is put together of both.
    pub is_match: bool,
}

const NOTHING: CutBy = CutBy { pre_tokenizer: None, alternative: None, is_match: false };

/// The alternatives of the patterns of some pre-tokenizers.
#[derive(Debug)]
pub struct Alternatives {
    /// For each pre-tokenizer the texts of its alternatives; empty where they cannot be told apart.
    texts: Vec<Vec<String>>,
    patterns: Vec<Vec<(Pattern, PatternScratch)>>,
}

impl Alternatives {
    /// Takes the patterns of `pre_tokenizers` apart.
    pub fn new(pre_tokenizers: &[PreTokenizer], profile: Profile) -> Self {
        let (mut all_texts, mut all) = (Vec::new(), Vec::new());
        for pre_tokenizer in pre_tokenizers {
            let texts = match pre_tokenizer {
                PreTokenizer::Split { pattern, .. } => alternatives(pattern).unwrap_or_default(),
                _ => Vec::new(),
            };
            let patterns: Option<Vec<_>> =
                texts.iter().map(|text| Pattern::new(text, profile).ok()).collect();
            let patterns = patterns.unwrap_or_default();
            all_texts.push(if patterns.is_empty() { Vec::new() } else { texts });
            all.push(
                patterns
                    .into_iter()
                    .map(|pattern| {
                        let own = pattern.scratch();
                        (pattern, own)
                    })
                    .collect(),
            );
        }
        Self { texts: all_texts, patterns: all }
    }

    /// Returns the text of one alternative.
    pub fn text(&self, by: CutBy) -> Option<&str> {
        self.texts.get(by.pre_tokenizer?)?.get(by.alternative?).map(String::as_str)
    }

    /// Returns which alternative of a pre-tokenizer's pattern matched `found` in `text`.
    fn of(
        &mut self,
        pre_tokenizer: usize,
        text: &str,
        found: Span,
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<usize>> {
        let mut end = (found.end + BEHIND_BYTES).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let view = text.get(found.start..end).unwrap_or("");
        let patterns = self.patterns.get_mut(pre_tokenizer).map_or(&mut [][..], Vec::as_mut_slice);
        for (index, (pattern, scratch)) in patterns.iter_mut().enumerate() {
            let mut first = None;
            pattern.for_each_match((view, 0), scratch, ticker, |span, _| {
                first.get_or_insert(span);
                Ok(())
            })?;
            if first == Some(Span::new(0, found.len())) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}

/// A piece on its way: what cut it last, and of a match what it was found in and where.
#[derive(Clone, Copy)]
struct Made<'t> {
    by: CutBy,
    found: Option<(&'t str, Span)>,
}

/// The pieces that come out of a run of cuts, as far as they are wanted.
struct Harvest<'a> {
    /// The places of those that are, ascending; `None` for all.
    wanted: Option<&'a [usize]>,
    n_seen: usize,
    spans: Vec<Span>,
    by: Vec<CutBy>,
    alternatives: &'a mut Alternatives,
}

impl Harvest<'_> {
    /// Whether nothing is wanted of what follows.
    fn is_done(&self) -> bool {
        self.wanted.is_some_and(|wanted| self.by.len() >= wanted.len())
    }

    /// Takes the next piece, if it is wanted, and asks only then which alternative matched.
    fn take(&mut self, span: Span, made: Made<'_>, ticker: &mut Ticker<'_>) -> Result<()> {
        let at = self.n_seen;
        self.n_seen += 1;
        if self.wanted.is_some_and(|wanted| wanted.get(self.by.len()) != Some(&at)) {
            return Ok(());
        }
        let mut by = made.by;
        if let (Some(index), Some((text, part))) = (by.pre_tokenizer, made.found) {
            by.alternative = self.alternatives.of(index, text, part, ticker)?;
        }
        self.spans.push(span);
        self.by.push(by);
        // Ends the walk: whoever began it asks whether it was done.
        if self.is_done() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl Splitter {
    /// Returns what cut the pretokens of `text` that stand at the places `wanted` (ascending, each once), in the same
    /// order as [`Splitter::pretokens`] gives them.
    ///
    /// # Errors
    /// As [`Splitter::pretokens`]. Complexity: as that, up to the last place, and for each wanted match of a pattern its
    /// alternatives. Memory: of what is wanted, unless a pre-tokenizer cuts before another one spells the text anew.
    pub fn cuts(
        &self,
        (text, source): (&str, &Source),
        wanted: &[usize],
        scratch: &mut SplitScratch,
        alternatives: &mut Alternatives,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<CutBy>> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut out = Pretokens { spans: vec![Span::new(0, text.len())], ..Pretokens::default() };
        let mut by = vec![NOTHING];
        let (mut stages, mut patterns) = (&self.stages[..], scratch.patterns.as_mut_slice());
        let mut origins = self.origins.as_slice();
        loop {
            let n_cuts = stages.iter().take_while(|stage| matches!(stage, Stage::Cut(_))).count();
            let is_last = n_cuts == stages.len();
            let whole = out.text.as_deref().unwrap_or(text);
            let mut harvest = Harvest {
                wanted: is_last.then_some(wanted),
                n_seen: 0,
                spans: Vec::new(),
                by: Vec::new(),
                alternatives,
            };
            for (&span, &by) in out.spans.iter().zip(&by) {
                let piece = (whole.get(span.range()).unwrap_or(""), span.start);
                let run = Run { stages: stages.get(..n_cuts).unwrap_or(&[]), origins };
                let walked = walk(run, patterns, piece, Made { by, found: None }, &mut harvest, ticker);
                if harvest.is_done() {
                    break;
                }
                walked?;
            }
            (out.spans, by) = (harvest.spans, harvest.by);
            let Some(Stage::Respell(respelling)) = stages.get(n_cuts) else { return Ok(by) };
            respelling.apply(text, source, &mut out, ticker)?;
            stages = stages.get(n_cuts + 1..).unwrap_or(&[]);
            patterns = patterns.get_mut(n_cuts + 1..).unwrap_or(&mut []);
            origins = origins.get(n_cuts + 1..).unwrap_or(&[]);
        }
    }
}

/// Cuts that follow one another, and which pre-tokenizer each is of.
#[derive(Clone, Copy)]
struct Run<'a> {
    stages: &'a [Stage],
    origins: &'a [usize],
}

/// Cuts one piece by the first of `run` and each part by the others, depth first, and notes of each part what cut it: the
/// last stage that did not leave it as it was.
fn walk<'t>(
    run: Run<'_>,
    scratch: &mut [PatternScratch],
    (text, base): (&'t str, usize),
    before: Made<'t>,
    out: &mut Harvest<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let (Some((Stage::Cut(cut), stages)), Some((own, scratch)), Some((&index, origins))) =
        (run.stages.split_first(), scratch.split_first_mut(), run.origins.split_first())
    else {
        let span = Span::new(base, base + text.len());
        return if text.is_empty() { Ok(()) } else { out.take(span, before, ticker) };
    };
    let run = Run { stages, origins };
    let mut each = |part: Option<Span>, matches: &mut Vec<Span>, ticker: &mut Ticker<'_>| {
        let Some(part) = part.filter(|part| !part.is_empty()) else { return Ok(()) };
        let is_match = matches.contains(&part);
        matches.retain(|span| span.start >= part.end);
        let is_whole = part.len() == text.len();
        let made = if is_whole && (before.by.pre_tokenizer.is_some() || !is_match) {
            before
        } else {
            let by = CutBy { pre_tokenizer: Some(index), alternative: None, is_match };
            Made { by, found: is_match.then_some((text, part)) }
        };
        let piece = (text.get(part.range()).unwrap_or(""), base + part.start);
        walk(run, scratch, piece, made, out, ticker)
    };
    let mut pieces = Pieces::new(cut.behavior);
    let (mut matches, mut done) = (Vec::new(), 0);
    cut.for_each_match((text, base), own, ticker, |found, ticker| {
        if found.start > done {
            each(pieces.push(Span::new(done, found.start), cut.invert), &mut matches, ticker)?;
        }
        done = found.end;
        matches.push(found);
        each(pieces.push(found, !cut.invert), &mut matches, ticker)
    })?;
    if done < text.len() {
        each(pieces.push(Span::new(done, text.len()), cut.invert), &mut matches, ticker)?;
    }
    each(pieces.finish(), &mut matches, ticker)
}

/// Returns the alternatives of a pattern that stand at its top, each a pattern of its own, or `None` for one that asks
/// what comes before a match.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (flags, body) = leading_flags(pattern);
    let body = unwrapped(body)?;
    let cuts = bars(body)?;
    let starts = std::iter::once(0).chain(cuts.iter().map(|at| at + 1));
    let ends = cuts.iter().copied().chain([body.len()]);
    starts.zip(ends).map(|(start, end)| Some(format!("{flags}{}", body.get(start..end)?))).collect()
}

/// Returns flags for all of a pattern, such as `(?i)`, and what follows them.
fn leading_flags(pattern: &str) -> (&str, &str) {
    let flags = pattern.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    match flags {
        Some((flags, rest)) if !flags.is_empty() && flags.bytes().all(|flag| flag.is_ascii_alphabetic()) => {
            (pattern.get(..pattern.len() - rest.len()).unwrap_or(""), rest)
        }
        _ => ("", pattern),
    }
}

/// Returns what stands in a group that is the whole pattern, or the pattern.
fn unwrapped(pattern: &str) -> Option<&str> {
    let Some(inner) = pattern
        .strip_prefix("(?:")
        .or_else(|| pattern.strip_prefix('(').filter(|rest| !rest.starts_with('?')))
    else {
        return Some(pattern);
    };
    // The first group ends where the pattern does, or the pattern is more than that group.
    match inner.strip_suffix(')') {
        Some(inner) if bars(inner).is_some() => unwrapped(inner),
        _ => Some(pattern),
    }
}

/// Returns where bars stand outside of all groups and classes, or `None` for a pattern that is not whole or looks back.
fn bars(pattern: &str) -> Option<Vec<usize>> {
    let (mut n_groups, mut n_classes, mut found) = (0_usize, 0_usize, Vec::new());
    let mut rest = pattern.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => {
                let (_, escaped) = rest.next()?;
                if n_classes == 0
                    && (matches!(escaped, 'b' | 'B' | 'A' | 'G' | 'K') || escaped.is_ascii_digit())
                {
                    return None;
                }
            }
            '[' => {
                n_classes += 1;
                rest.next_if(|&(_, c)| c == '^');
                rest.next_if(|&(_, c)| c == ']');
            }
            ']' if n_classes > 0 => n_classes -= 1,
            _ if n_classes > 0 => {}
            '(' => {
                n_groups += 1;
                let after = pattern.get(at..).unwrap_or("");
                if after.starts_with("(?<=") || after.starts_with("(?<!") || after.starts_with("(?#") {
                    return None;
                }
            }
            ')' => n_groups = n_groups.checked_sub(1)?,
            '^' => return None,
            '|' if n_groups == 0 => found.push(at),
            _ => {}
        }
    }
    (n_groups == 0 && n_classes == 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Behavior;
    use crate::interrupt::Ctl;

    #[test]
    fn patterns_fall_apart_at_their_own_bars() {
        let parts = |pattern| alternatives(pattern).unwrap().join(" ~ ");
        assert_eq!(parts(r"'s|'t| ?\p{L}+|\s+(?!\S)|\s+"), r"'s ~ 't ~  ?\p{L}+ ~ \s+(?!\S) ~ \s+");
        assert_eq!(parts(r"(?i:'s|'t)|[^\r\n|]?a|\|"), r"(?i:'s|'t) ~ [^\r\n|]?a ~ \|");
        assert_eq!(parts("(?i)a|b"), "(?i)a ~ (?i)b");
        assert_eq!(parts("(?:a|b)"), "a ~ b");
        assert_eq!(parts("((a|b)|c)"), "(a|b) ~ c");
        assert_eq!(parts("(a|b)(c|d)"), "(a|b)(c|d)");
        assert_eq!(parts("[]|]|x"), "[]|] ~ x");
        for looking_back in [r"a|(?<=b)c", r"\ba|b", "^a|b", r"(a)\1|b", "a|(", "["] {
            assert_eq!(alternatives(looking_back), None, "{looking_back}");
        }
    }

    #[test]
    fn a_few_cuts_are_those_of_all_and_cost_less() {
        let split = |pattern: &str, behavior| PreTokenizer::Split {
            pattern: pattern.into(),
            behavior,
            invert: false,
        };
        let stages =
            [split(r" ?\p{L}+| ?\p{N}+|\s+", Behavior::Isolated), PreTokenizer::Digits { individual: true }];
        let splitter = Splitter::new(&stages, Profile::Tokenizers).unwrap();
        let mut alternatives = Alternatives::new(&stages, Profile::Tokenizers);
        let text = "cat 12 dog  ".repeat(5_000);
        let mut cuts = |wanted: &[usize]| {
            let ctl = Ctl::new();
            let source = Source::default();
            let found = splitter
                .cuts((&text, &source), wanted, &mut splitter.scratch(), &mut alternatives, &mut ctl.ticker())
                .unwrap();
            (found, ctl.work())
        };
        let all: Vec<usize> = (0..30_000).collect();
        let (every, work) = cuts(&all);
        // cat, the space before 12, 1, 2, dog, two spaces.
        let by = |pre_tokenizer, alternative, is_match| CutBy {
            pre_tokenizer: Some(pre_tokenizer),
            alternative,
            is_match,
        };
        let words = by(0, Some(0), true);
        assert_eq!(every[..4], [words, by(1, None, false), by(1, None, true), by(1, None, true)]);
        let some = [3, 4, 5, 11, 29_999];
        assert_eq!(cuts(&some).0, some.map(|at| every[at]));
        assert!(cuts(&[0, 5]).1 * 100 < work, "{} of {work} units", cuts(&[0, 5]).1);
        assert_eq!(cuts(&[]).0, []);
    }
}
