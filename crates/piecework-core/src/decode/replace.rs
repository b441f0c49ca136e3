//! The step that replaces matches. A plain text is found fragment by fragment; a pattern must see a text whole,
//! since what it matches may depend on any character after it.

use std::sync::Arc;

use super::fragments::Fragments;
use super::step::{ItemStep, Step};
use super::utf8::changed;
use crate::error::Result;
use crate::interrupt::Ticker;
use crate::split::pattern::{Pattern, PatternScratch};

/// The longest text that is looked for fragment by fragment, in bytes, since what may be its beginning is compared
/// anew with each fragment. A longer one is looked for once, at the end.
pub const MAX_NEEDLE_BYTES: usize = 64;

/// Each occurrence of a text is replaced.
#[derive(Debug)]
pub struct ReplaceText {
    needle: String,
    content: String,
    /// What may be the beginning of an occurrence, with what has come since.
    pending: Vec<u8>,
}

impl ReplaceText {
    /// Returns the step; `needle` is not empty.
    pub fn new(needle: &str, content: &str) -> Self {
        Self { needle: needle.to_owned(), content: content.to_owned(), pending: Vec::new() }
    }

    /// Gives out all but the last `keep` bytes, occurrences replaced.
    fn give(&mut self, keep: usize, out: &mut Fragments) {
        let mut done = 0;
        for at in memchr::memmem::find_iter(&self.pending, self.needle.as_bytes()) {
            out.push(self.pending.get(done..at).unwrap_or(&[]));
            out.push(self.content.as_bytes());
            done = at + self.needle.len();
        }
        let end = self.pending.len().saturating_sub(keep).max(done);
        out.push(self.pending.get(done..end).unwrap_or(&[]));
        self.pending.drain(..end);
    }

    /// Returns how many bytes at the end may be the beginning of an occurrence, those within one aside.
    fn beginning(&self) -> usize {
        let needle = self.needle.as_bytes();
        let done = memchr::memmem::find_iter(&self.pending, needle).last().map_or(0, |at| at + needle.len());
        let rest = self.pending.get(done..).unwrap_or(&[]);
        let longest = rest.len().min(needle.len().saturating_sub(1));
        let begins = |n: &usize| needle.get(..*n).is_some_and(|beginning| rest.ends_with(beginning));
        (1..=longest).rev().find(begins).unwrap_or(0)
    }
}

impl Step for ReplaceText {
    fn fragment(&mut self, bytes: &[u8], out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()> {
        ticker.tick(bytes.len() + self.needle.len())?;
        self.pending.extend_from_slice(bytes);
        if self.needle.len() <= MAX_NEEDLE_BYTES {
            let keep = self.beginning();
            self.give(keep, out);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.give(0, out);
        out.end();
        Ok(())
    }

    fn literal(&mut self, out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.give(0, out);
        Ok(())
    }
}

/// Each match of a pattern is replaced.
#[derive(Debug)]
pub struct ReplacePattern {
    pattern: Arc<Pattern>,
    scratch: PatternScratch,
    content: String,
}

impl ReplacePattern {
    /// Returns the step.
    pub fn new(pattern: &Arc<Pattern>, content: &str) -> Self {
        let scratch = pattern.scratch();
        Self { pattern: Arc::clone(pattern), scratch, content: content.to_owned() }
    }
}

impl ItemStep for ReplacePattern {
    fn item(&mut self, item: &[u8], out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()> {
        let text = changed(item, |text| {
            let (mut made, mut done) = (String::with_capacity(text.len()), 0);
            // In an empty text the reference finds nothing, not even the empty match.
            if !text.is_empty() {
                self.pattern.for_each_match((text, 0), &mut self.scratch, ticker, |found, _| {
                    made.push_str(text.get(done..found.start).unwrap_or(""));
                    made.push_str(&self.content);
                    done = found.end;
                    Ok(())
                })?;
            }
            made.push_str(text.get(done..).unwrap_or(""));
            Ok(made)
        })?;
        out.push(&text);
        out.end();
        Ok(())
    }
}
