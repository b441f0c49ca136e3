//! All that SentencePiece does to a text before its model sees it, in its order: user-defined pieces are kept,
//! the longest rule wins, white space is squeezed, and spaces are written as `▁`.
//!
//! A run of spaces that becomes one is one cluster. Spaces dropped at the ends come to nothing.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use super::charsmap::Rules;
use super::rewriter::Rewriter;
use crate::alignment::Alignment;
use crate::error::Result;
use crate::interrupt::Ctl;
use crate::span::Span;

/// What stands for a space.
const SPACE_SYMBOL: &str = "▁";

/// The options of a normalizer spec.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "the four flags of the file format, each by itself")]
pub(super) struct Spec {
    pub(super) add_dummy_prefix: bool,
    pub(super) remove_extra_whitespaces: bool,
    pub(super) escape_whitespaces: bool,
    pub(super) whitespace_as_suffix: bool,
}

/// A normalizer spec, ready to run.
#[derive(Debug)]
pub(super) struct SentencePiece {
    spec: Spec,
    rules: Option<Rules>,
    user_defined: Option<Box<UserDefined>>,
}

/// The pieces that are taken as they are wherever they stand.
#[derive(Debug)]
struct UserDefined {
    pieces: AhoCorasick,
    begins: [bool; 256],
}

/// A beginning of the text and what becomes of it.
struct Step<'t> {
    len: usize,
    content: &'t str,
}

/// One that ends in spaces: more may follow that are squeezed into them.
struct Open {
    source: Span,
    content: String,
}

impl SentencePiece {
    /// Compiles a spec; an empty table has no rules. `user_defined` are the pieces that win over rules.
    ///
    /// # Errors
    /// Says what is wrong with the table or the pieces.
    pub(super) fn new(
        table: &[u8],
        spec: Spec,
        user_defined: &[&[u8]],
    ) -> std::result::Result<Self, Cow<'static, str>> {
        let rules = if table.is_empty() { None } else { Some(Rules::new(table)?) };
        let user_defined =
            if user_defined.is_empty() { None } else { Some(Box::new(UserDefined::new(user_defined)?)) };
        Ok(Self { spec, rules, user_defined })
    }

    /// Returns the new text and where it comes from, or `None` where it is the old one.
    ///
    /// # Errors
    /// [`crate::error::Error::TooLong`], [`crate::error::Error::Interrupted`].
    pub(super) fn run(
        &self,
        text: &str,
        (is_watched, max_bytes): (bool, usize),
        ctl: &Ctl<'_>,
    ) -> Result<Option<(String, Alignment)>> {
        let start = if self.spec.remove_extra_whitespaces { self.leading_spaces(text, ctl)? } else { 0 };
        let mut out = Rewriter::new(text, is_watched, max_bytes);
        out.drop(Span::new(0, start))?;
        if start == text.len() {
            return Ok(out.finish());
        }
        if self.spec.add_dummy_prefix && !self.spec.whitespace_as_suffix {
            out.insert(start, self.space())?;
        }
        self.body(&mut out, start, ctl)?;
        let body = out.finish();
        let made = body.as_ref().map_or(text, |(made, _)| made.as_str());
        let mut out = Rewriter::new(made, is_watched, max_bytes);
        self.end(&mut out)?;
        Ok(match (out.finish(), body) {
            (Some((made, late)), Some((_, early))) => Some((made, late.after(&early)?)),
            (end, body) => end.or(body),
        })
    }

    /// Rewrites everything from the byte `start` on.
    fn body(&self, out: &mut Rewriter<'_>, start: usize, ctl: &Ctl<'_>) -> Result<()> {
        let text = out.text();
        let mut ticker = ctl.ticker();
        let (mut at, mut after_space) = (start, self.spec.remove_extra_whitespaces);
        let mut open: Option<Open> = None;
        let mut spelled = String::new();
        while let Some(step) = self.step(text, at) {
            ticker.tick(step.len + step.content.len())?;
            let source = Span::new(at, at + step.len);
            at = source.end;
            let kept = if after_space { step.content.trim_start_matches(' ') } else { step.content };
            if kept.is_empty() {
                if let Some(open) = open.as_mut().filter(|_| !step.content.is_empty()) {
                    open.source.end = source.end;
                } else {
                    close(&mut open, out)?;
                    out.drop(source)?;
                }
                continue;
            }
            close(&mut open, out)?;
            let content = self.spell(kept, &mut spelled);
            after_space = self.spec.remove_extra_whitespaces && kept.ends_with(' ');
            if after_space {
                open = Some(Open { source, content: content.to_owned() });
            } else {
                out.replace(source, content)?;
            }
        }
        close(&mut open, out)
    }

    /// Drops spaces from the end and puts the dummy one there.
    fn end(&self, out: &mut Rewriter<'_>) -> Result<()> {
        let text = out.text();
        if self.spec.remove_extra_whitespaces {
            out.drop(Span::new(text.trim_end_matches(self.space()).len(), text.len()))?;
        }
        if self.spec.add_dummy_prefix && self.spec.whitespace_as_suffix {
            out.insert(text.len(), self.space())?;
        }
        Ok(())
    }

    /// Returns how many bytes at the beginning of `text` become spaces.
    fn leading_spaces(&self, text: &str, ctl: &Ctl<'_>) -> Result<usize> {
        let mut ticker = ctl.ticker();
        let mut at = 0;
        while let Some(step) = self.step(text, at).filter(|step| step.content == " ") {
            ticker.tick(step.len)?;
            at += step.len;
        }
        Ok(at)
    }

    /// Returns what becomes of the beginning of `text[at..]`, or `None` where nothing is left.
    fn step<'t>(&'t self, text: &'t str, at: usize) -> Option<Step<'t>> {
        let rest = text.get(at..)?;
        let &[first, ref others @ ..] = rest.as_bytes() else { return None };
        if let Some(len) = self.user_defined.as_ref().and_then(|pieces| pieces.at(text, at, first)) {
            return Some(Step { len, content: rest.get(..len)? });
        }
        let before_ascii = others.first().is_some_and(u8::is_ascii);
        let rules = self
            .rules
            .as_ref()
            .filter(|rules| !(first.is_ascii() && before_ascii && rules.is_plain_before_ascii(first)));
        if let Some((len, content)) = rules.and_then(|rules| rules.longest(rest)) {
            return Some(Step { len, content });
        }
        let len = rest.chars().next()?.len_utf8();
        Some(Step { len, content: rest.get(..len)? })
    }

    fn space(&self) -> &'static str {
        if self.spec.escape_whitespaces { SPACE_SYMBOL } else { " " }
    }

    /// Returns `content` with its spaces as they are to be written.
    fn spell<'s>(&self, content: &'s str, spelled: &'s mut String) -> &'s str {
        if !self.spec.escape_whitespaces || !content.contains(' ') {
            return content;
        }
        spelled.clear();
        for (n, part) in content.split(' ').enumerate() {
            spelled.push_str(if n > 0 { SPACE_SYMBOL } else { "" });
            spelled.push_str(part);
        }
        spelled
    }
}

/// Lets what was kept open become a part of the text.
fn close(open: &mut Option<Open>, out: &mut Rewriter<'_>) -> Result<()> {
    open.take().map_or(Ok(()), |open| out.replace(open.source, &open.content))
}

impl UserDefined {
    fn new(pieces: &[&[u8]]) -> std::result::Result<Self, Cow<'static, str>> {
        let mut begins = [false; 256];
        for first in pieces.iter().filter_map(|piece| piece.first()) {
            begins[usize::from(*first)] = true;
        }
        let whole = pieces.iter().filter(|piece| !piece.is_empty() && std::str::from_utf8(piece).is_ok());
        let pieces = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Anchored)
            .build(whole)
            .map_err(|error| Cow::Owned(format!("the user-defined pieces: {error}")))?;
        Ok(Self { pieces, begins })
    }

    /// Returns the length of the longest piece at `at`, where `first` stands.
    fn at(&self, text: &str, at: usize, first: u8) -> Option<usize> {
        if !self.begins[usize::from(first)] {
            return None;
        }
        let input = Input::new(text).span(at..text.len()).anchored(Anchored::Yes);
        self.pieces.find(input).map(|found| found.end() - at)
    }
}
