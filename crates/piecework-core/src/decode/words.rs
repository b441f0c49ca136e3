//! The steps that put words together again: WordPiece, end-of-word suffixes, and CTC.

use super::fragments::Fragments;
use super::step::ItemStep;
use super::utf8::changed;
use crate::error::Result;
use crate::interrupt::Ticker;

/// What tidying replaces, one after the other, as the reference has it.
const TIDIED: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// Returns `text` without the spaces that tokens left before punctuation and in contractions.
fn tidied(text: &str) -> String {
    let mut text = text.to_owned();
    for (from, to) in TIDIED {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    text
}

/// Continuing pieces lose their prefix, others get a space in front; each is tidied by itself.
#[derive(Debug)]
pub struct WordPiece {
    prefix: String,
    cleanup: bool,
    follows: bool,
}

impl WordPiece {
    /// Returns the step.
    pub fn new(prefix: &str, cleanup: bool) -> Self {
        Self { prefix: prefix.to_owned(), cleanup, follows: false }
    }
}

impl ItemStep for WordPiece {
    fn item(&mut self, item: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        let text = match item.strip_prefix(self.prefix.as_bytes()) {
            Some(rest) if self.follows => rest.to_vec(),
            None if self.follows => [b" ", item].concat(),
            _ => item.to_vec(),
        };
        self.follows = true;
        out.push(&if self.cleanup { changed(&text, |text| Ok(tidied(text)))? } else { text });
        out.end();
        Ok(())
    }

    fn literal(&mut self, _out: &mut Fragments) {
        self.follows = true;
    }
}

/// The suffix of a word's end becomes a space, but nothing in the last text of all.
#[derive(Debug)]
pub struct EndOfWord {
    suffix: String,
    /// The text that may be the last, from its first suffix on; `None` before the first text.
    held: Option<Vec<u8>>,
}

impl EndOfWord {
    /// Returns the step.
    pub fn new(suffix: &str) -> Self {
        Self { suffix: suffix.to_owned(), held: None }
    }

    fn release(&mut self, space: &str, out: &mut Fragments) {
        if let Some(held) = self.held.take() {
            let spaced = changed(&held, |held| Ok(held.replace(&self.suffix, space)));
            out.push(&spaced.unwrap_or(held));
            out.end();
        }
    }
}

impl ItemStep for EndOfWord {
    fn item(&mut self, item: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        self.release(" ", out);
        let at = memchr::memmem::find(item, self.suffix.as_bytes()).unwrap_or(item.len());
        let (known, held) = item.split_at(at);
        out.push(known);
        self.held = Some(held.to_vec());
        Ok(())
    }

    fn literal(&mut self, out: &mut Fragments) {
        self.release(" ", out);
    }

    fn finish(&mut self, out: &mut Fragments) -> bool {
        self.release("", out);
        true
    }
}

/// Repeated texts count once, padding vanishes, and the word delimiter becomes a space.
#[derive(Debug)]
pub struct Ctc {
    pad_token: String,
    word_delimiter_token: String,
    cleanup: bool,
    last: Option<Vec<u8>>,
}

impl Ctc {
    /// Returns the step.
    pub fn new(pad_token: &str, word_delimiter_token: &str, cleanup: bool) -> Self {
        Self {
            pad_token: pad_token.to_owned(),
            word_delimiter_token: word_delimiter_token.to_owned(),
            cleanup,
            last: None,
        }
    }
}

impl ItemStep for Ctc {
    fn item(&mut self, item: &[u8], out: &mut Fragments, _ticker: &mut Ticker<'_>) -> Result<()> {
        if self.last.as_deref() == Some(item) {
            return Ok(());
        }
        self.last = Some(item.to_vec());
        let text = changed(item, |item| {
            let text = item.replace(&self.pad_token, "");
            // The reference makes spaces of delimiters only where it tidies.
            Ok(if self.cleanup { tidied(&text).replace(&self.word_delimiter_token, " ") } else { text })
        })?;
        if !text.is_empty() {
            out.push(&text);
            out.end();
        }
        Ok(())
    }

    fn literal(&mut self, _out: &mut Fragments) {
        self.last = None;
    }
}
