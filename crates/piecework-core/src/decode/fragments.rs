//! A list of texts as the steps of a decoder hand it on: any of them may come in several fragments, so that a
//! stream need not wait for the end of one.

/// Fragments of texts, in order.
#[derive(Debug, Default)]
pub struct Fragments {
    bytes: Vec<u8>,
    /// Where each fragment ends, and whether its text ends there too.
    ends: Vec<(usize, bool)>,
}

impl Fragments {
    /// Appends to the text that is open, or begins one. Nothing begins none.
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        match self.ends.last_mut() {
            Some((end, false)) => *end = self.bytes.len(),
            _ => self.ends.push((self.bytes.len(), false)),
        }
    }

    /// Ends the text that is open; an empty one where none is.
    pub fn end(&mut self) {
        match self.ends.last_mut() {
            Some((_, ends @ false)) => *ends = true,
            _ => self.ends.push((self.bytes.len(), true)),
        }
    }

    /// Drops all fragments. (A text that is open stays open for whoever reads them.)
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Iterates over the fragments, each with whether its text ends with it.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let mut start = 0;
        self.ends.iter().map(move |&(end, ends)| {
            let fragment = self.bytes.get(start..end).unwrap_or(&[]);
            start = end;
            (fragment, ends)
        })
    }

    /// Returns the fragments joined.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
