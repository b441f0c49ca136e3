//! What cut each pretoken: the pre-tokenizer, and of a pattern the alternative that matched.
//!
//! A matcher says where a match ends and not by which alternative. Each alternative is therefore asked by itself: the
//! one that matched is the first that matches at the same place, and then ends there too. It sees a little of what
//! follows and nothing of what comes before, so patterns that look back are not told apart.

use super::behavior::Pieces;
use super::pattern::{Pattern, PatternScratch};
use super::{Cut, Pretokens, SplitScratch, Splitter, Stage};
use crate::definition::{PreTokenizer, Profile};
use crate::error::Result;
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

/// A piece on its way, with what cut it.
type Piece = (Span, CutBy);

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

impl Splitter {
    /// Returns what cut each pretoken of `text`, as many and in the same order as [`Splitter::pretokens`] gives.
    ///
    /// # Errors
    /// As [`Splitter::pretokens`]. Complexity: as that, and for each match of a pattern its alternatives.
    pub fn cuts(
        &self,
        text: &str,
        source: &Source,
        scratch: &mut SplitScratch,
        alternatives: &mut Alternatives,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<CutBy>> {
        let mut out = Pretokens { spans: vec![Span::new(0, text.len())], ..Pretokens::default() };
        let mut by = vec![NOTHING];
        for ((stage, own), &index) in self.stages.iter().zip(&mut scratch.patterns).zip(self.origins.iter()) {
            match stage {
                Stage::Respell(respelling) => respelling.apply(text, source, &mut out, ticker)?,
                Stage::Cut(cut) => {
                    let whole = out.text.as_deref().unwrap_or(text);
                    let mut pieces: Vec<Piece> = Vec::new();
                    for (&span, &by) in out.spans.iter().zip(&by) {
                        let piece = (whole.get(span.range()).unwrap_or(""), span.start);
                        cut_piece(cut, own, index, piece, by, alternatives, &mut pieces, ticker)?;
                    }
                    (out.spans, by) = pieces.into_iter().unzip();
                }
            }
        }
        Ok(out.spans.iter().zip(by).filter(|(span, _)| !span.is_empty()).map(|(_, by)| by).collect())
    }
}

/// Cuts one piece, and notes of each part what cut it: this stage, unless it left the piece as it was.
#[allow(clippy::too_many_arguments, reason = "one call, which names each")]
fn cut_piece(
    cut: &Cut,
    scratch: &mut PatternScratch,
    index: usize,
    (text, base): (&str, usize),
    before: CutBy,
    alternatives: &mut Alternatives,
    out: &mut Vec<Piece>,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let mut found = Vec::new();
    cut.for_each_match((text, base), scratch, ticker, |span, _| {
        found.push(span);
        Ok(())
    })?;
    let mut builder = Pieces::new(cut.behavior);
    let mut parts = Vec::new();
    let mut done = 0;
    for &span in &found {
        if span.start > done {
            parts.extend(builder.push(Span::new(done, span.start), cut.invert));
        }
        done = span.end;
        parts.extend(builder.push(span, !cut.invert));
    }
    if done < text.len() {
        parts.extend(builder.push(Span::new(done, text.len()), cut.invert));
    }
    parts.extend(builder.finish());
    parts.retain(|part| !part.is_empty());
    let is_whole = parts == [Span::new(0, text.len())];
    for part in parts {
        let is_match = found
            .binary_search_by_key(&part.start, |span| span.start)
            .is_ok_and(|at| found.get(at) == Some(&part));
        let by = if is_whole && (before.pre_tokenizer.is_some() || !is_match) {
            before
        } else {
            let alternative = if is_match { alternatives.of(index, text, part, ticker)? } else { None };
            CutBy { pre_tokenizer: Some(index), alternative, is_match }
        };
        out.push((Span::new(base + part.start, base + part.end), by));
    }
    Ok(())
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
}
