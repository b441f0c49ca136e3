//! Texts as work for threads: small ones together, long ones cut where a cut changes nothing.

use memchr::memchr;

use crate::fast::scan::Scanner;

/// Bytes of a part, about.
const PART_BYTES: usize = 1 << 16;

/// Some whole texts, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The first text.
    pub first: usize,
    /// How many texts; 1 for a part of one.
    pub n: usize,
    /// Which bytes of the texts together: all of whole texts, from `start` on of one that is cut.
    pub start: usize,
    /// The bytes.
    pub n_bytes: usize,
    /// Whether it begins where a text or a line does.
    pub is_start: bool,
}

/// Where texts may be cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cuts {
    /// Behind each line break.
    pub by_line: bool,
    /// Where this scanner allows.
    pub scanner: Option<Scanner>,
}

impl Cuts {
    /// Returns the parts of `texts` in order. Complexity: linear, and no more than a look at each text where all are
    /// short.
    pub fn parts(self, texts: &[&str]) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut small = Part { first: 0, n: 0, start: 0, n_bytes: 0, is_start: true };
        for (at, text) in texts.iter().enumerate() {
            if small.n > 0 && small.n_bytes + text.len() > PART_BYTES {
                parts.push(small);
                small = Part { first: at, n: 0, n_bytes: 0, ..small };
            }
            if text.len() > PART_BYTES {
                self.cut(at, text, &mut parts);
                small.first = at + 1;
            } else {
                small.n += 1;
                small.n_bytes += text.len();
            }
        }
        if small.n > 0 {
            parts.push(small);
        }
        parts
    }

    fn cut(self, first: usize, text: &str, parts: &mut Vec<Part>) {
        let bytes = text.as_bytes();
        let (mut start, mut is_start, mut line_end) = (0, true, 0);
        while start < bytes.len() {
            let mut from = (start + PART_BYTES).min(text.len());
            while !text.is_char_boundary(from) {
                from += 1;
            }
            if line_end <= from {
                let line = if self.by_line { memchr(b'\n', &bytes[from..]) } else { None };
                line_end = line.map_or(bytes.len(), |at| from + at + 1);
            }
            let word_end = self.scanner.and_then(|scanner| scanner.cut_from(&bytes[..line_end], from));
            let end = word_end.unwrap_or(line_end);
            parts.push(Part { first, n: 1, start, n_bytes: end - start, is_start });
            is_start = self.by_line && bytes[end - 1] == b'\n';
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(cuts: Cuts, texts: &[&str]) -> Vec<(usize, usize, usize, usize, bool)> {
        let parts = cuts.parts(texts);
        parts.iter().map(|part| (part.first, part.n, part.start, part.n_bytes, part.is_start)).collect()
    }

    #[test]
    fn small_texts_go_together_and_long_ones_are_cut() {
        let lines = "x".repeat(40_000) + "\n";
        let long = lines.repeat(4);
        let cuts = Cuts { by_line: true, scanner: None };
        let expected = [
            (0, 2, 0, 2, true),
            (2, 1, 0, 80_002, true),
            (2, 1, 80_002, 80_002, true),
            (3, 1, 0, 40_001, true),
            (4, 1, 0, 40_001, true),
        ];
        assert_eq!(sizes(cuts, &["a", "b", &long, &lines, &lines]), expected);
        let whole = Cuts { by_line: false, scanner: None };
        assert_eq!(sizes(whole, &[&long]), [(0, 1, 0, 160_004, true)]);
        assert_eq!(sizes(whole, &[]), []);
    }

    #[test]
    fn a_line_is_cut_behind_a_word() {
        let long = "naïve ".repeat(20_000);
        let cuts = Cuts { by_line: true, scanner: Some(Scanner::O200k) };
        let parts = cuts.parts(&[&long]);
        assert_eq!(parts.len(), 3);
        assert!(parts[1..].iter().all(|part| !part.is_start && long[part.start..].starts_with(" na")));
        assert_eq!(parts.iter().map(|part| part.n_bytes).sum::<usize>(), long.len());
        let spaces = " ".repeat(1 << 20);
        assert_eq!(sizes(cuts, &[&spaces]), [(0, 1, 0, 1 << 20, true)]);
    }
}
