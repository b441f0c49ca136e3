//! Replacing every match of a text or of a pattern.

use memchr::memmem::Finder;

use super::rewriter::Rewriter;
use crate::definition::{Needle, Profile};
use crate::error::{Error, Result};
use crate::interrupt::Ctl;
use crate::pool::Pool;
use crate::span::Span;
use crate::split::pattern::{Pattern, PatternScratch};

/// Bytes searched for a fixed text between two ticks.
const MAX_SEARCH: usize = 1 << 16;

/// What is looked for and what takes its place, ready to run.
#[derive(Debug)]
pub(super) struct Replace {
    search: Search,
    content: String,
}

#[derive(Debug)]
enum Search {
    /// A fixed text, not empty.
    Text(Box<Finder<'static>>),
    /// A fixed text that is empty: it is found before every character and at the end.
    Everywhere,
    /// A pattern, and what threads need to run it, kept from call to call.
    Pattern(Box<Pattern>, Pool<PatternScratch>),
}

impl Replace {
    /// Compiles a replacement; `place` says where it stands in the definition.
    ///
    /// # Errors
    /// [`Error::Format`] for a pattern that is none, or cannot be run exactly.
    pub(super) fn new(needle: &Needle, content: &str, profile: Profile, place: &str) -> Result<Self> {
        let search = match needle {
            Needle::Text(text) if text.is_empty() => Search::Everywhere,
            Needle::Text(text) => Search::Text(Box::new(Finder::new(text).into_owned())),
            Needle::Pattern(pattern) => {
                let pattern = Pattern::new(pattern, profile)
                    .map_err(|reason| Error::format(format!("{place}.pattern"), reason.to_string()))?;
                Search::Pattern(Box::new(pattern), Pool::default())
            }
        };
        Ok(Self { search, content: content.to_owned() })
    }

    /// Replaces every match in the text, from left to right. In an empty text nothing is ever found.
    pub(super) fn run(&self, out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
        let text = out.text();
        if text.is_empty() {
            return Ok(());
        }
        match &self.search {
            Search::Text(finder) => self.each_text(finder, out, ctl),
            Search::Everywhere => {
                let mut ticker = ctl.ticker();
                for (at, c) in text.char_indices() {
                    ticker.tick(c.len_utf8())?;
                    out.insert(at, &self.content)?;
                }
                out.insert(text.len(), &self.content)
            }
            Search::Pattern(pattern, pool) => {
                let mut scratch = pool.take().unwrap_or_else(|| pattern.scratch());
                let done = pattern.for_each_match((text, 0), &mut scratch, &mut ctl.ticker(), |found, _| {
                    out.replace(found, &self.content)
                });
                pool.give(scratch);
                done
            }
        }
    }

    fn each_text(&self, finder: &Finder<'_>, out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
        let (text, len) = (out.text().as_bytes(), finder.needle().len());
        let mut ticker = ctl.ticker();
        let mut at = 0;
        while at < text.len() {
            // A window holds every match that begins in its first part.
            let end = text.len().min(at + MAX_SEARCH + len);
            let found = text.get(at..end).and_then(|window| finder.find(window));
            let next = match found {
                Some(offset) => {
                    out.replace(Span::new(at + offset, at + offset + len), &self.content)?;
                    at + offset + len
                }
                None if end == text.len() => end,
                None => end - len + 1,
            };
            ticker.tick(next - at)?;
            at = next;
        }
        Ok(())
    }
}
