//! Pre-tokenizers that change the text: a space put in front, `▁` for spaces, the display alphabet for bytes.

use super::Pretokens;
use crate::alignment::{Alignment, max_made_bytes};
use crate::byte_alphabet::byte_to_char;
use crate::definition::Prepend;
use crate::error::{Error, Result};
use crate::interrupt::Ticker;
use crate::observe::Source;
use crate::span::Span;

/// A change of every piece.
#[derive(Debug, Clone, Copy)]
pub enum Respelling {
    /// Puts a space in front of a piece that does not begin with one.
    PrefixSpace,
    /// Writes each byte as a character of the display alphabet.
    ByteAlphabet,
    /// Writes spaces as a character, and puts one in front.
    Metaspace { replacement: char, prepend: Prepend },
}

/// A text as it grows, with the edits that made it.
#[derive(Default)]
struct Writer {
    text: String,
    edits: Alignment,
}

impl Writer {
    /// Writes `new` for the bytes `original`.
    fn edit(&mut self, new: &str, original: Span) -> Result<()> {
        let start = self.text.len();
        self.text.push_str(new);
        self.edits.push(Span::new(start, self.text.len()), original)
    }

    fn character(&mut self, new: char, original: Span) -> Result<()> {
        self.edit(new.encode_utf8(&mut [0; 4]), original)
    }
}

impl Respelling {
    /// Changes every piece of `out`, whose text is `text` where it has none of its own. What lies between pieces
    /// stays as it is.
    ///
    /// # Errors
    /// [`Error::TooLong`], [`crate::error::Error::Interrupted`].
    pub fn apply(
        self,
        text: &str,
        source: &Source,
        out: &mut Pretokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let own = out.text.take();
        let before = own.as_deref().unwrap_or(text);
        let mut writer = Writer::default();
        let mut done = 0;
        for span in &mut out.spans {
            ticker.tick(span.len())?;
            writer.text.push_str(before.get(done..span.start).unwrap_or(""));
            done = span.end;
            let piece = before.get(span.range()).unwrap_or("");
            let start = writer.text.len();
            let begins = || source.to_input(out.alignment.to_original(*span)).start == 0;
            self.piece(piece, span.start, begins, &mut writer)?;
            *span = Span::new(start, writer.text.len());
        }
        writer.text.push_str(before.get(done..).unwrap_or(""));
        let (n_bytes, max_bytes) = (writer.text.len(), max_made_bytes(text.len()));
        if n_bytes > max_bytes {
            return Err(Error::TooLong { n_bytes, max_bytes });
        }
        out.alignment = writer.edits.after(&out.alignment)?;
        out.text = Some(writer.text);
        Ok(())
    }

    /// Writes one piece, which begins at byte `base`. `begins` tells whether the text begins with it.
    fn piece(self, piece: &str, base: usize, begins: impl Fn() -> bool, to: &mut Writer) -> Result<()> {
        let front = Span::new(base, base);
        match self {
            Self::PrefixSpace => {
                if !piece.starts_with(' ') {
                    to.edit(" ", front)?;
                }
                to.text.push_str(piece);
            }
            Self::Metaspace { replacement, prepend } => {
                let wanted = !piece.starts_with([' ', replacement]);
                if wanted && (prepend == Prepend::Always || prepend == Prepend::First && begins()) {
                    to.character(replacement, front)?;
                }
                let mut rest = 0;
                for (at, _) in piece.match_indices(' ') {
                    to.text.push_str(piece.get(rest..at).unwrap_or(""));
                    to.character(replacement, Span::new(base + at, base + at + 1))?;
                    rest = at + 1;
                }
                to.text.push_str(piece.get(rest..).unwrap_or(""));
            }
            Self::ByteAlphabet => {
                for (at, byte) in piece.bytes().enumerate() {
                    match byte_to_char(byte) {
                        same if u32::from(byte) == same as u32 && same.is_ascii() => to.text.push(same),
                        other => to.character(other, Span::new(base + at, base + at + 1))?,
                    }
                }
            }
        }
        Ok(())
    }
}
