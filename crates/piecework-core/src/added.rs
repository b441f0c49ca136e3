//! Added tokens: strings that are cut out of the text before the model sees it, leftmost first, the
//! longest of those that begin at one place.
//!
//! A control token among them is matched only when the caller parses control tokens, and then only
//! where every byte of it is trusted; so nothing that a user typed can steer the model. Other added tokens
//! (Gemma's runs of white space, say) always match, as their files mean them to.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use regex_syntax::hir::{ClassUnicode, HirKind};

use crate::definition::{AddedToken, Definition, Profile};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ticker;
use crate::span::Span;
use crate::unicode::{class, class_of};

/// Which bytes of a text the caller vouches for. Control tokens match nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Nothing: control tokens are ordinary text.
    Nothing,
    /// Everything.
    Everything,
    /// These byte spans, sorted, apart from each other.
    Spans(Vec<Span>),
}

impl Trust {
    /// Returns the trust in exactly `spans`: sorted, and adjacent or overlapping ones joined.
    pub fn spans(mut spans: Vec<Span>) -> Self {
        spans.retain(|span| !span.is_empty());
        spans.sort_unstable();
        let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match joined.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => joined.push(span),
            }
        }
        Self::Spans(joined)
    }

    /// Returns how far from `at` on every byte is trusted; `at` itself where the first is not.
    fn until(&self, at: usize, end: usize) -> usize {
        match self {
            Self::Nothing => at,
            Self::Everything => end,
            Self::Spans(spans) => {
                let after = spans.partition_point(|span| span.start <= at);
                let covering = after.checked_sub(1).and_then(|i| spans.get(i));
                covering.map_or(at, |span| span.end.clamp(at, end))
            }
        }
    }

    /// Returns whether every byte of `span` is trusted.
    pub fn covers(&self, span: Span) -> bool {
        self.until(span.start, span.end) >= span.end
    }
}

/// One place where a section of text ends and an added token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The token.
    pub id: TokenId,
    /// What it covers, swallowed white space included.
    pub span: Span,
}

/// Finds the added tokens of one kind (matched on the raw or on the normalized text).
#[derive(Debug)]
pub struct Matcher {
    tokens: Vec<AddedToken>,
    is_control: Vec<bool>,
    /// All tokens, and those that are no control tokens; `None` where there are none.
    all: Option<AhoCorasick>,
    plain: Option<AhoCorasick>,
    /// Index in `tokens` of each pattern of `plain`.
    plain_tokens: Vec<usize>,
    /// The bytes of the longest token.
    longest: usize,
    /// Whether only the white space of ASCII is swallowed.
    ascii_space: bool,
}

impl Matcher {
    /// Builds the matcher of the added tokens with this `normalized` flag, their content passed through
    /// `normalize`.
    ///
    /// # Errors
    /// [`Error::Format`] when there are more tokens than an automaton can hold; what `normalize` returns.
    pub fn new(
        definition: &Definition,
        normalized: bool,
        mut normalize: impl FnMut(&str) -> Result<String>,
    ) -> Result<Self> {
        let mut tokens = Vec::new();
        for token in definition.added.iter().filter(|token| token.normalized == normalized) {
            let content = normalize(&token.content)?;
            if !content.is_empty() {
                tokens.push(AddedToken { content, ..token.clone() });
            }
        }
        let is_control: Vec<bool> = tokens
            .iter()
            .map(|token| definition.controls.binary_search_by_key(&token.id, |control| control.id).is_ok())
            .collect();
        let plain_tokens: Vec<usize> = (0..tokens.len()).filter(|&i| !is_control[i]).collect();
        let all = automaton(tokens.iter().map(|token| token.content.as_str()))?;
        let plain = automaton(plain_tokens.iter().map(|&i| tokens[i].content.as_str()))?;
        let longest = tokens.iter().map(|token| token.content.len()).max().unwrap_or(0);
        let ascii_space = definition.profile == Profile::LlamaCpp;
        Ok(Self { tokens, is_control, all, plain, plain_tokens, longest, ascii_space })
    }

    /// Returns whether nothing can ever match under `trust`.
    pub fn is_idle(&self, trust: &Trust) -> bool {
        match trust {
            Trust::Nothing => self.plain.is_none(),
            _ => self.all.is_none(),
        }
    }

    /// Returns whether any of the tokens is a control token.
    pub fn has_controls(&self) -> bool {
        self.is_control.contains(&true)
    }

    /// Returns the added tokens in `text`, in order. `trust` speaks of the same text.
    ///
    /// White space that a token swallows is never taken from the token before it. Complexity: O(n) for
    /// trusted text; O(n × longest token) where untrusted control strings follow each other closely.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn find(&self, text: &str, trust: &Trust, ticker: &mut Ticker<'_>) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut reach = Reach { ascii_space: self.ascii_space, ..Reach::default() };
        let mut at = 0;
        while let Some((index, span)) = self.next(text, at, trust, ticker)? {
            at = span.end;
            if let Some(span) = reach.stretched(&self.tokens[index], text, span) {
                found.push(Found { id: self.tokens[index].id, span });
            }
        }
        Ok(found)
    }

    /// Returns where control strings stand in `text`, whoever wrote them.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn controls(&self, text: &str, ticker: &mut Ticker<'_>) -> Result<Vec<Found>> {
        let Some(all) = &self.all else { return Ok(Vec::new()) };
        all.find_iter(text)
            .filter(|found| self.is_control[found.pattern().as_usize()])
            .map(|found| {
                ticker.tick(self.longest)?;
                let id = self.tokens[found.pattern().as_usize()].id;
                Ok(Found { id, span: Span::new(found.start(), found.end()) })
            })
            .collect()
    }

    fn next(
        &self,
        text: &str,
        mut at: usize,
        trust: &Trust,
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<(usize, Span)>> {
        // To know the longest match, an automaton looks as far as the longest token.
        ticker.tick(self.longest)?;
        if *trust == Trust::Nothing {
            let found = self.plain.as_ref().and_then(|plain| plain.find(Input::new(text).range(at..)));
            return Ok(found.map(|found| {
                let index = self.plain_tokens[found.pattern().as_usize()];
                (index, Span::new(found.start(), found.end()))
            }));
        }
        let Some(all) = &self.all else { return Ok(None) };
        loop {
            ticker.tick(self.longest)?;
            let Some(found) = all.find(Input::new(text).range(at..)) else { return Ok(None) };
            let (index, span) = (found.pattern().as_usize(), Span::new(found.start(), found.end()));
            if !self.is_control[index] || trust.covers(span) {
                return Ok(Some((index, span)));
            }
            // A control string that is not all trusted. Others may begin at the same place: a control
            // token that ends where the trust does, or a token that is none.
            let trusted = all.find(anchored(text, span.start, trust.until(span.start, text.len())));
            let plain =
                self.plain.as_ref().and_then(|plain| plain.find(anchored(text, span.start, text.len())));
            let trusted = trusted.map(|found| (found.end(), found.pattern().as_usize()));
            let plain = plain.map(|found| (found.end(), self.plain_tokens[found.pattern().as_usize()]));
            if let Some((end, index)) = trusted.max(plain) {
                return Ok(Some((index, Span::new(span.start, end))));
            }
            at = span.start + 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
    }
}

fn anchored(text: &str, start: usize, end: usize) -> Input<'_> {
    Input::new(text).range(start..end).anchored(Anchored::Yes)
}

fn automaton<'a>(contents: impl Iterator<Item = &'a str>) -> Result<Option<AhoCorasick>> {
    let contents: Vec<&str> = contents.collect();
    if contents.is_empty() {
        return Ok(None);
    }
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .start_kind(StartKind::Both)
        .build(contents)
        .map(Some)
        .map_err(|error| Error::format("added_tokens", error.to_string()))
}

/// How far the tokens found so far reach, so that no white space is looked at twice for each of them.
#[derive(Debug, Default)]
struct Reach {
    /// Where the last token ends.
    covered: usize,
    /// The white space that was swallowed last.
    space: Span,
    /// Whether only the white space of ASCII is swallowed.
    ascii_space: bool,
}

impl Reach {
    /// Returns the span of a match with the white space that the token swallows, or `None` where its `single_word`
    /// forbids the match (no shorter token is then tried, as in the reference), or where the token before has
    /// swallowed all of it.
    fn stretched(&mut self, token: &AddedToken, text: &str, span: Span) -> Option<Span> {
        let (before, after) = (&text[..span.start], &text[span.end..]);
        if token.single_word {
            let touches =
                before.chars().next_back().is_some_and(is_word) || after.chars().next().is_some_and(is_word);
            if touches {
                return None;
            }
        }
        let ascii_space = self.ascii_space;
        let is_space = |c: char| {
            if ascii_space { matches!(c, '\t'..='\r' | ' ') } else { class_of(c) & class::SPACE != 0 }
        };
        let mut span = span;
        if token.lstrip {
            let free = text.get(self.covered..span.start).unwrap_or("");
            span.start = self.covered + free.trim_end_matches(is_space).len();
        }
        if token.rstrip {
            if !(self.space.start..=self.space.end).contains(&span.end) || self.space.is_empty() {
                let n = after.len() - after.trim_start_matches(is_space).len();
                self.space = Span::new(span.end, span.end + n);
            }
            span.end = self.space.end;
        }
        if span.is_empty() {
            return None;
        }
        self.covered = span.end;
        Some(span)
    }
}

/// Returns whether `c` matches `\w`.
fn is_word(c: char) -> bool {
    static WORD: LazyLock<Option<ClassUnicode>> = LazyLock::new(|| {
        let hir = regex_syntax::parse(r"\w").ok()?;
        match hir.into_kind() {
            HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => Some(class),
            _ => None,
        }
    });
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    WORD.as_ref().is_some_and(|class| {
        let ranges = class.ranges();
        let after = ranges.partition_point(|range| range.start() <= c);
        after.checked_sub(1).and_then(|i| ranges.get(i)).is_some_and(|range| c <= range.end())
    })
}
