//! The steps of a decoder that work fragment by fragment, and what all steps have in common.

use std::fmt::Debug;

use super::fragments::Fragments;
use crate::definition::Prepend;
use crate::error::Result;
use crate::interrupt::Ticker;

/// One step at work on a list of texts. It hands on each part of its result as soon as no later text can
/// change it, so that a stream and a whole list go the same way.
pub trait Step: Debug + Send {
    /// Takes a fragment of the text that is open.
    ///
    /// # Errors
    /// Those of a pattern's engine; [`crate::error::Error::Interrupted`].
    fn fragment(&mut self, bytes: &[u8], out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()>;

    /// The text that is open ends.
    ///
    /// # Errors
    /// As [`Step::fragment`].
    fn end(&mut self, out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()>;

    /// Text comes that no step changes: what is held is given out, since it is not the end of everything, and what
    /// follows comes after a text. Called again with nothing between, it does nothing.
    ///
    /// # Errors
    /// As [`Step::fragment`].
    fn literal(&mut self, _out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        Ok(())
    }

    /// No text comes any more. Returns whether the last one did not break off inside a character.
    fn finish(&mut self, _out: &mut Fragments) -> bool {
        true
    }
}

/// A step that must see a text whole.
pub trait ItemStep: Debug + Send {
    /// Takes a whole text.
    ///
    /// # Errors
    /// As [`Step::fragment`].
    fn item(&mut self, item: &[u8], out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()>;

    /// As [`Step::literal`].
    fn literal(&mut self, _out: &mut Fragments) {}

    /// No text comes any more. Returns as [`Step::finish`].
    fn finish(&mut self, _out: &mut Fragments) -> bool {
        true
    }
}

/// Puts the fragments of a text together for a step that must see it whole.
#[derive(Debug)]
pub struct Whole<S> {
    item: Vec<u8>,
    is_open: bool,
    step: S,
}

impl<S> Whole<S> {
    /// Returns `step` with nothing before it.
    pub fn new(step: S) -> Self {
        Self { item: Vec::new(), is_open: false, step }
    }
}

impl<S: ItemStep> Step for Whole<S> {
    fn fragment(&mut self, bytes: &[u8], _out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.item.extend_from_slice(bytes);
        self.is_open = true;
        Ok(())
    }

    fn end(&mut self, out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()> {
        let done = self.step.item(&self.item, out, ticker);
        self.item.clear();
        self.is_open = false;
        done
    }

    fn literal(&mut self, out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()> {
        if self.is_open {
            self.end(out, ticker)?;
        }
        self.step.literal(out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Fragments) -> bool {
        self.step.finish(out)
    }
}

/// All texts become one.
#[derive(Debug, Default)]
pub struct Fuse;

impl Step for Fuse {
    fn fragment(&mut self, bytes: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        out.push(bytes);
        Ok(())
    }

    fn end(&mut self, _out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, out: &mut Fragments) -> bool {
        out.end();
        true
    }
}

/// A space between two texts: what the reference does without a decoder.
#[derive(Debug, Default)]
pub struct Spaced {
    /// Whether a text has come before the one that is open.
    follows: bool,
    is_open: bool,
}

impl Spaced {
    fn open(&mut self, out: &mut Fragments) {
        if !self.is_open && self.follows {
            out.push(b" ");
        }
        self.is_open = true;
    }
}

impl Step for Spaced {
    fn fragment(&mut self, bytes: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.open(out);
        out.push(bytes);
        Ok(())
    }

    fn end(&mut self, out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.open(out);
        out.end();
        (self.follows, self.is_open) = (true, false);
        Ok(())
    }

    fn literal(&mut self, _out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.follows = true;
        Ok(())
    }
}

/// A character that stands for a space becomes one; in the first text it vanishes where one was put in front.
#[derive(Debug)]
pub struct Metaspace {
    replacement: String,
    /// Whether the open text's replacements vanish.
    vanishes: bool,
}

impl Metaspace {
    /// Returns the step.
    pub fn new(replacement: char, prepend: Prepend) -> Self {
        Self { replacement: replacement.to_string(), vanishes: prepend != Prepend::Never }
    }
}

impl Step for Metaspace {
    fn fragment(&mut self, bytes: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        let mut done = 0;
        for at in memchr::memmem::find_iter(bytes, self.replacement.as_bytes()) {
            out.push(bytes.get(done..at).unwrap_or(&[]));
            if !self.vanishes {
                out.push(b" ");
            }
            done = at + self.replacement.len();
        }
        out.push(bytes.get(done..).unwrap_or(&[]));
        Ok(())
    }

    fn end(&mut self, out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.vanishes = false;
        out.end();
        Ok(())
    }

    fn literal(&mut self, _out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.vanishes = false;
        Ok(())
    }
}

/// Up to so many of one character vanish from the ends of each text.
#[derive(Debug)]
pub struct Strip {
    content: String,
    start: usize,
    stop: usize,
    /// Whether all texts are one, which text that no step changes is within and not between.
    is_fused: bool,
    /// How many more may vanish from the open text's beginning.
    left: usize,
    /// How many stand at its end so far that may still vanish.
    held: usize,
}

impl Strip {
    /// Returns the step.
    pub fn new(content: char, start: usize, stop: usize, is_fused: bool) -> Self {
        Self { content: content.to_string(), start, stop, is_fused, left: start, held: 0 }
    }

    fn release(&mut self, keep: usize, out: &mut Fragments) {
        while self.held > keep {
            out.push(self.content.as_bytes());
            self.held -= 1;
        }
    }
}

impl Step for Strip {
    fn fragment(&mut self, mut bytes: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        while self.left > 0
            && let Some(rest) = bytes.strip_prefix(self.content.as_bytes())
        {
            bytes = rest;
            self.left -= 1;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.left = 0;
        let mut body = bytes;
        let mut n = 0;
        while let Some(rest) = body.strip_suffix(self.content.as_bytes()) {
            body = rest;
            n += 1;
        }
        if !body.is_empty() {
            self.release(0, out);
            out.push(body);
        }
        self.held += n;
        self.release(self.stop, out);
        Ok(())
    }

    fn end(&mut self, out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        (self.left, self.held) = (self.start, 0);
        out.end();
        Ok(())
    }

    fn literal(&mut self, out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        if self.is_fused {
            self.release(0, out);
            self.left = 0;
        }
        Ok(())
    }
}
