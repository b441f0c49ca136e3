//! UTF-8 that arrives in parts: a character is given out once all its bytes are there, and U+FFFD only once it
//! is sure that no later byte makes a character of what is there.

use crate::error::Result;

/// What becomes of bytes that are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// U+FFFD takes their place.
    Replace,
    /// They are an error of the whole text.
    Refuse,
    /// They stay.
    Keep,
}

impl Invalid {
    /// Returns what stands for one invalid part. Where that is an error, it is a byte that no UTF-8 has, so
    /// that its place is found at the end.
    pub fn written(self, part: &[u8]) -> &[u8] {
        match self {
            Self::Replace => "\u{fffd}".as_bytes(),
            Self::Refuse => &[0xff],
            Self::Keep => part,
        }
    }
}

/// Stands for the byte of [`Invalid::Refuse`] where a step needs characters: no text is likely to hold it.
const MARK: &str = "\u{10ffff}";

/// Returns what `change` makes of a text in which [`Invalid::Refuse`] may have left its byte. Other bytes that are no
/// text (where they are kept) leave it as it is.
pub fn changed(text: &[u8], change: impl FnOnce(&str) -> Result<String>) -> Result<Vec<u8>> {
    if let Ok(text) = std::str::from_utf8(text) {
        return Ok(change(text)?.into_bytes());
    }
    let mut marked = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        marked.push_str(chunk.valid());
        match chunk.invalid() {
            [] => {}
            [0xff] => marked.push_str(MARK),
            _ => return Ok(text.to_vec()),
        }
    }
    let changed = change(&marked)?;
    let parts: Vec<&[u8]> = changed.split(MARK).map(str::as_bytes).collect();
    Ok(parts.join(&0xff_u8))
}

/// What counts as one invalid part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The longest beginning of a character, as the Unicode Standard recommends.
    Longest,
    /// Each byte, as sentencepiece has it.
    Byte,
}

/// Bytes on their way to text.
#[derive(Debug)]
pub struct Utf8 {
    /// The beginning of a character.
    pending: Vec<u8>,
    invalid: Invalid,
    part: Part,
}

impl Utf8 {
    /// Returns an empty stream.
    pub fn new(invalid: Invalid, part: Part) -> Self {
        Self { pending: Vec::new(), invalid, part }
    }

    /// Takes `bytes` and calls `emit` with the text that is known now.
    pub fn push(&mut self, bytes: &[u8], mut emit: impl FnMut(&[u8])) {
        if self.invalid == Invalid::Keep {
            return emit(bytes);
        }
        if self.pending.is_empty() {
            let n = self.pass(bytes, &mut emit);
            self.pending.extend_from_slice(bytes.get(n..).unwrap_or(&[]));
        } else {
            let mut joined = std::mem::take(&mut self.pending);
            joined.extend_from_slice(bytes);
            let n = self.pass(&joined, &mut emit);
            joined.drain(..n);
            self.pending = joined;
        }
    }

    /// Emits all but an incomplete character at the end, and returns where that begins.
    fn pass(&self, bytes: &[u8], emit: &mut impl FnMut(&[u8])) -> usize {
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let Err(error) = std::str::from_utf8(rest) else {
                emit(rest);
                return bytes.len();
            };
            let (valid, invalid) = rest.split_at(error.valid_up_to());
            emit(valid);
            at += valid.len();
            let Some(n) = error.error_len() else { return at };
            let n = if self.part == Part::Byte { 1 } else { n };
            emit(self.invalid.written(invalid.get(..n).unwrap_or(&[])));
            at += n;
        }
    }

    /// Ends the stream: what is incomplete now will stay so. Returns whether nothing was.
    pub fn finish(&mut self, mut emit: impl FnMut(&[u8])) -> bool {
        let pending = std::mem::take(&mut self.pending);
        let n = if self.part == Part::Byte { 1 } else { pending.len().max(1) };
        for part in pending.chunks(n) {
            emit(self.invalid.written(part));
        }
        pending.is_empty()
    }
}
