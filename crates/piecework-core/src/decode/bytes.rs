//! The steps that make bytes of tokens.

use super::fragments::Fragments;
use super::step::{ItemStep, Step};
use super::utf8::{Invalid, Part, Utf8};
use crate::byte_alphabet;
use crate::error::Result;
use crate::interrupt::Ticker;

/// Characters of the display alphabet become bytes, over all texts together; a text with any other character
/// stays.
#[derive(Debug)]
pub struct ByteLevel {
    utf8: Utf8,
}

impl ByteLevel {
    /// Returns the step.
    pub fn new(invalid: Invalid) -> Self {
        Self { utf8: Utf8::new(invalid, Part::Longest) }
    }
}

impl ItemStep for ByteLevel {
    fn item(&mut self, item: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        let spelled = std::str::from_utf8(item).ok().and_then(byte_alphabet::parse);
        self.utf8.push(spelled.as_deref().unwrap_or(item), |text| out.push(text));
        Ok(())
    }

    fn literal(&mut self, out: &mut Fragments) {
        self.utf8.finish(|text| out.push(text));
    }

    fn finish(&mut self, out: &mut Fragments) -> bool {
        let is_complete = self.utf8.finish(|text| out.push(text));
        out.end();
        is_complete
    }
}

/// Returns the byte that a token `<0xNN>` stands for.
pub fn byte_of(token: &[u8]) -> Option<u8> {
    if token.len() != 6 {
        return None;
    }
    let digits = token.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Tokens `<0xNN>` in a row become one text where their bytes are one; else each becomes U+FFFD. So nothing of
/// a row that may still be a text can be given out before it ends.
#[derive(Debug)]
pub struct ByteFallback {
    invalid: Invalid,
    /// What the open text may be the beginning of a byte token by.
    token: Vec<u8>,
    /// Whether the open text is surely no byte token.
    is_text: bool,
    run: Vec<u8>,
    /// Whether the run is surely no text, and given out.
    is_broken: bool,
}

impl ByteFallback {
    /// Returns the step.
    pub fn new(invalid: Invalid) -> Self {
        Self { invalid, token: Vec::new(), is_text: false, run: Vec::new(), is_broken: false }
    }

    fn byte(&mut self, byte: u8, out: &mut Fragments) {
        self.run.push(byte);
        let broken =
            self.is_broken || std::str::from_utf8(&self.run).is_err_and(|error| error.error_len().is_some());
        if broken {
            self.is_broken = true;
            self.give(out);
        }
    }

    /// Gives out each byte of a run that is no text.
    fn give(&mut self, out: &mut Fragments) {
        for byte in self.run.drain(..) {
            out.push(self.invalid.written(&[byte]));
            out.end();
        }
    }

    /// Ends a run. Returns whether it did not break off inside a character.
    fn end_run(&mut self, out: &mut Fragments) -> bool {
        let is_complete = self.is_broken || std::str::from_utf8(&self.run).is_ok();
        if !is_complete {
            self.give(out);
        } else if !self.run.is_empty() {
            out.push(&self.run);
            out.end();
            self.run.clear();
        }
        self.is_broken = false;
        is_complete
    }

    fn settle_text(&mut self, out: &mut Fragments) {
        self.is_text = true;
        self.end_run(out);
        out.push(&self.token);
        self.token.clear();
    }
}

impl Step for ByteFallback {
    fn fragment(&mut self, bytes: &[u8], out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()> {
        if !self.is_text {
            self.token.extend_from_slice(bytes);
            let begins = self.token.iter().zip(b"<0x").all(|(byte, wanted)| byte == wanted);
            if self.token.len() > 6 || !begins {
                self.settle_text(out);
            }
            return Ok(());
        }
        ticker.tick(1)?;
        out.push(bytes);
        Ok(())
    }

    fn end(&mut self, out: &mut Fragments, ticker: &mut Ticker<'_>) -> Result<()> {
        ticker.tick(1)?;
        let byte = (!self.is_text).then(|| byte_of(&self.token)).flatten();
        if let Some(byte) = byte {
            self.token.clear();
            self.byte(byte, out);
            return Ok(());
        }
        if !self.is_text {
            self.settle_text(out);
        }
        self.is_text = false;
        out.end();
        Ok(())
    }

    fn literal(&mut self, out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        if !self.token.is_empty() {
            self.settle_text(out);
        }
        self.end_run(out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Fragments) -> bool {
        self.end_run(out)
    }
}
