//! A text on its way to another: what a normalizer leaves alone is copied in whole runs, what it changes is
//! recorded.

use crate::alignment::Alignment;
use crate::error::{Error, Result};
use crate::interrupt::Ctl;
use crate::span::Span;

/// Builds the new text from left to right.
pub(super) struct Rewriter<'t> {
    text: &'t str,
    out: String,
    /// How far the text is copied or replaced.
    done: usize,
    is_changed: bool,
    alignment: Alignment,
    is_watched: bool,
    /// The longest text to make.
    max_bytes: usize,
}

impl<'t> Rewriter<'t> {
    /// Returns the rewriter of `text` into one of at most `max_bytes`; where `is_watched`, it records where the new text
    /// comes from.
    pub(super) fn new(text: &'t str, is_watched: bool, max_bytes: usize) -> Self {
        Self {
            text,
            out: String::new(),
            done: 0,
            is_changed: false,
            alignment: Alignment::identity(),
            is_watched,
            max_bytes,
        }
    }

    /// Returns the text that is rewritten.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Lets `content` take the place of `source`, all of which is its source. Nothing happens where they
    /// are the same. Calls come in the order of the text.
    ///
    /// # Errors
    /// [`Error::TooLong`] where the new text grows over the limit.
    pub(super) fn replace(&mut self, source: Span, content: &str) -> Result<()> {
        if self.text.as_bytes().get(source.range()) == Some(content.as_bytes()) {
            return Ok(());
        }
        self.copy_to(source.start);
        let start = self.out.len();
        self.out.push_str(content);
        self.done = source.end;
        self.record(Span::new(start, self.out.len()), source)
    }

    /// Calls `ascii` with every run of ASCII and `other` with every other character, in the order of the text.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; those of `other`.
    #[inline]
    pub(super) fn each(
        &mut self,
        ctl: &Ctl<'_>,
        mut ascii: impl FnMut(&mut Self, Span),
        mut other: impl FnMut(&mut Self, Span, char) -> Result<()>,
    ) -> Result<()> {
        let text = self.text;
        let mut ticker = ctl.ticker();
        let mut at = 0;
        while at < text.len() {
            let end = ascii_run(text, at);
            ascii(self, Span::new(at, end));
            ticker.tick(end - at)?;
            at = end;
            for c in text[at..].chars().take_while(|c| !c.is_ascii()) {
                ticker.tick(c.len_utf8())?;
                let source = Span::new(at, at + c.len_utf8());
                at = source.end;
                other(self, source, c)?;
            }
        }
        Ok(())
    }

    /// Lets one character take the place of `source`.
    ///
    /// # Errors
    /// As [`Rewriter::replace`].
    pub(super) fn replace_char(&mut self, source: Span, content: char) -> Result<()> {
        self.replace(source, content.encode_utf8(&mut [0; 4]))
    }

    /// Puts `content`, which comes from nowhere, before the byte `at`.
    ///
    /// # Errors
    /// As [`Rewriter::replace`].
    pub(super) fn insert(&mut self, at: usize, content: &str) -> Result<()> {
        self.replace(Span::new(at, at), content)
    }

    /// Drops `source`.
    ///
    /// # Errors
    /// As [`Rewriter::replace`].
    pub(super) fn drop(&mut self, source: Span) -> Result<()> {
        self.replace(source, "")
    }

    /// Lower-cases the ASCII letters of `source`, in which nothing else changes: a byte for a byte, so
    /// there is nothing to record.
    pub(super) fn lower_ascii(&mut self, source: Span) {
        let part = self.text.get(source.range()).unwrap_or("");
        if !part.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return;
        }
        self.copy_to(source.start);
        let start = self.out.len();
        self.out.push_str(part);
        if let Some(copied) = self.out.get_mut(start..) {
            copied.make_ascii_lowercase();
        }
        self.done = source.end;
        self.is_changed = true;
    }

    /// Returns the new text and where it comes from, or `None` where it is the old one.
    pub(super) fn finish(mut self) -> Option<(String, Alignment)> {
        if !self.is_changed {
            return None;
        }
        self.copy_to(self.text.len());
        Some((self.out, self.alignment))
    }

    /// Copies what stands before the byte `at` and is not replaced.
    fn copy_to(&mut self, at: usize) {
        if !self.is_changed {
            self.out.reserve(self.text.len());
        }
        // The bytes of one character may be replaced one by one: then there is nothing between.
        if self.done < at {
            self.out.push_str(self.text.get(self.done..at).unwrap_or(""));
            self.done = at;
        }
    }

    fn record(&mut self, made: Span, source: Span) -> Result<()> {
        self.is_changed = true;
        if made.end > self.max_bytes {
            return Err(Error::TooLong { n_bytes: made.end, max_bytes: self.max_bytes });
        }
        // A byte for a byte is aligned as it stands.
        let is_even = made.len() == 1 && source.len() == 1;
        if self.is_watched && !is_even { self.alignment.push(made, source) } else { Ok(()) }
    }
}

/// Returns where the run of ASCII at `at` ends, or the end of a part of it that is long enough.
pub(super) fn ascii_run(text: &str, at: usize) -> usize {
    const MAX_RUN: usize = 1 << 14;
    let bytes = text.as_bytes();
    let mut end = at;
    while end - at < MAX_RUN {
        match bytes.get(end..) {
            Some(rest) if rest.first_chunk::<32>().is_some_and(|chunk| chunk.is_ascii()) => end += 32,
            Some([byte, ..]) if byte.is_ascii() => end += 1,
            _ => break,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_changed_is_not_recorded() {
        let mut rewriter = Rewriter::new("abc", true, 100);
        rewriter.replace(Span::new(1, 2), "b").unwrap();
        rewriter.lower_ascii(Span::new(0, 3));
        assert_eq!(rewriter.finish(), None);
    }

    #[test]
    fn changes_are_where_they_were_made() {
        let mut rewriter = Rewriter::new("aBcé d", true, 100);
        rewriter.insert(0, "▁").unwrap();
        rewriter.lower_ascii(Span::new(0, 3));
        rewriter.replace(Span::new(3, 5), "e\u{301}").unwrap();
        rewriter.drop(Span::new(5, 6)).unwrap();
        let (text, alignment) = rewriter.finish().unwrap();
        assert_eq!(text, "▁abce\u{301}d");
        let edits: Vec<_> = alignment.changes().collect();
        assert_eq!(
            edits,
            [
                (Span::new(0, 3), Span::new(0, 0)),
                (Span::new(6, 9), Span::new(3, 5)),
                (Span::new(9, 9), Span::new(5, 6)),
            ]
        );
    }

    #[test]
    fn runs_of_ascii_end_before_other_characters() {
        let text = format!("{}é", "a".repeat(100));
        assert_eq!(ascii_run(&text, 3), 100);
        assert_eq!(ascii_run(&text, 100), 100);
        assert_eq!(ascii_run("abc", 0), 3);
    }
}
