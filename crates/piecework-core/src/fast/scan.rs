//! Native scanners for the patterns of the known tokenizers. Each takes a text and a position and
//! returns where the pretoken that begins there ends. All of these patterns tile the text, so a scan
//! is a loop of such steps.
//!
//! A pattern is recognized by its exact source, never by a model's name; any other goes to
//! [`crate::split`]. The two are compared by enumeration (`piecework-oracle`).

use super::chars::{class_at, letters, run_of, run_without};
use crate::unicode::class::{LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER_LETTER, SPACE, UPPER};

/// A pattern with a native scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scanner {
    /// GPT-2's: `r50k_base`, `p50k_base`, and `ByteLevel` with its own regex.
    Gpt2,
    /// tiktoken's `cl100k_base`: white space at the end of the text stays together.
    Cl100kTiktoken,
    /// `cl100k_base` as Hugging Face files write it; Llama 3's is the same.
    Cl100k,
    /// Qwen 2's and 3's: as `Cl100k`, but each digit alone.
    Qwen2,
    /// `o200k_base`: words split at changes of case, marks belong to words.
    O200k,
}

/// The sources of the patterns, as tiktoken 0.14 and published `tokenizer.json` files write them.
const SOURCES: [(&str, Scanner); 10] = [
    (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s", Scanner::Gpt2),
    (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", Scanner::Gpt2),
    (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", Scanner::Gpt2),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        Scanner::Cl100kTiktoken,
    ),
    // The same as this project writes it for tokenizers.
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+",
        Scanner::Cl100kTiktoken,
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Scanner::Cl100k,
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Scanner::Qwen2,
    ),
    (O200K, Scanner::O200k),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Scanner::Cl100k,
    ),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Scanner::Qwen2,
    ),
];

const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

impl Scanner {
    /// Returns the scanner of `pattern`, or `None` where the pattern is not one of the known sources.
    pub fn of(pattern: &str) -> Option<Self> {
        SOURCES.iter().find(|(source, _)| *source == pattern).map(|&(_, scanner)| scanner)
    }

    /// Returns the sources that this scanner stands for, for tests that compare it with a regex engine.
    pub fn sources(self) -> impl Iterator<Item = &'static str> {
        SOURCES.iter().filter(move |(_, scanner)| *scanner == self).map(|&(source, _)| source)
    }

    /// Returns where the pretoken that begins at `at` ends: more than `at` wherever `at` is inside the
    /// text. `text` is UTF-8 and `at` a character boundary. Complexity: O(length of the pretoken),
    /// but for white space, whose run is looked at up to twice.
    #[inline]
    pub fn next(self, text: &[u8], at: usize) -> usize {
        match self {
            Self::Gpt2 => gpt2(text, at),
            Self::Cl100kTiktoken => cl100k::<3, true>(text, at),
            Self::Cl100k => cl100k::<3, false>(text, at),
            Self::Qwen2 => cl100k::<1, false>(text, at),
            Self::O200k => o200k(text, at),
        }
    }

    /// Returns the first place from `at` on where a pretoken is known to end whatever stands before and after: behind a
    /// letter, before what is no letter, mark or apostrophe. There the text may be cut, and its parts scanned apart.
    /// `None` where the text has none. `at` is a character boundary. Complexity: linear in what is passed over.
    ///
    /// Each pattern spells a word as letters (o200k: and marks) and perhaps a contraction, which begins with an
    /// apostrophe and ends with a letter; nothing else holds a letter, and none looks behind itself. What looks ahead is
    /// white space, and no part ends with any.
    pub fn cut_from(self, text: &[u8], mut at: usize) -> Option<usize> {
        let mut is_letter = false;
        loop {
            let (class, n) = class_at(text, at);
            if n == 0 {
                return None;
            }
            if is_letter && class & (LETTER | MARK) == 0 && text.get(at) != Some(&b'\'') {
                return Some(at);
            }
            is_letter = class & LETTER != 0;
            at += n;
        }
    }
}

/// Letters without case, and marks: both of o200k's word classes hold them.
const CASELESS: u8 = OTHER_LETTER | MARK;
/// What ends a run of punctuation: white space, a letter, a number. Symbols, marks and unassigned characters do not.
const WORDLIKE: u8 = SPACE | LETTER | NUMBER;

#[inline]
fn gpt2(text: &[u8], at: usize) -> usize {
    if text.get(at) == Some(&b'\'')
        && let Some(end) = contraction(text, at + 1, false)
    {
        return end;
    }
    let start = at + usize::from(text.get(at) == Some(&b' '));
    let (class, n) = class_at(text, start);
    if n == 0 || class & SPACE != 0 {
        return white_space(text, at, false, false);
    }
    if class & LETTER != 0 {
        return letters::<true>(text, start + n, LETTER);
    }
    if class & NUMBER != 0 {
        return run_of(text, start + n, NUMBER);
    }
    run_without(text, start + n, WORDLIKE)
}

#[inline]
fn cl100k<const DIGITS: usize, const TIKTOKEN: bool>(text: &[u8], at: usize) -> usize {
    if text.get(at) == Some(&b'\'')
        && let Some(end) = contraction(text, at + 1, true)
    {
        return end;
    }
    // Most pretokens: a word of ASCII letters, perhaps behind a space.
    let start = at + usize::from(text.get(at) == Some(&b' '));
    if text.get(start).is_some_and(u8::is_ascii_alphabetic) {
        return letters::<true>(text, start + 1, LETTER);
    }
    let (class, n) = class_at(text, at);
    if class & LETTER != 0 {
        return letters::<true>(text, at + n, LETTER);
    }
    if class & NUMBER != 0 {
        return numbers(text, at + n, DIGITS);
    }
    if class & NEWLINE == 0 {
        let (next, m) = class_at(text, at + n);
        if next & LETTER != 0 {
            return letters::<true>(text, at + n + m, LETTER);
        }
    }
    match punctuation(text, at) {
        Some(end) => run_of(text, end, NEWLINE),
        None => white_space(text, at, true, TIKTOKEN),
    }
}

#[inline]
fn o200k(text: &[u8], at: usize) -> usize {
    // Most pretokens: a small word, perhaps behind a space, perhaps with a capital. The general rules below say the
    // same of it, with more steps.
    let start = at + usize::from(text.get(at) == Some(&b' '));
    let small = start + usize::from(text.get(start).is_some_and(u8::is_ascii_uppercase));
    if text.get(small).is_some_and(u8::is_ascii_lowercase) {
        return contracted(text, letters::<false>(text, small + 1, LOWER | CASELESS));
    }
    let (class, n) = class_at(text, at);
    if class & NUMBER != 0 {
        return numbers(text, at + n, 3);
    }
    let word = if class & LETTER != 0 {
        cased_word(text, at)
    } else if class & NEWLINE == 0 {
        prefixed_word(text, at, class, n)
    } else {
        None
    };
    if let Some((end, _)) = word {
        return contracted(text, end);
    }
    match punctuation(text, at) {
        Some(mut end) => {
            while let Some(b'\r' | b'\n' | b'/') = text.get(end) {
                end += 1;
            }
            end
        }
        None => white_space(text, at, true, false),
    }
}

/// A word behind one character that is neither letter, number nor line break. The order is the
/// pattern's: the first rule with the prefix, then without it, then the second rule. Without it a rule
/// can match only where that character is itself part of a word, which of these only marks are; the
/// first rule then always does.
#[inline]
fn prefixed_word(text: &[u8], at: usize, class: u8, n: usize) -> Option<(usize, bool)> {
    let word = cased_word(text, at + n);
    match word {
        Some((_, true)) => word,
        _ if class & MARK != 0 => cased_word(text, at),
        _ => word,
    }
}

/// The word at `at` and whether the first of the two rules gave it: `HEAD*TAIL+` before `HEAD+TAIL*`,
/// where both classes hold the letters without case and the marks. The first rule gives back characters
/// of a run of `HEAD` until `TAIL+` can begin, that is up to the run's last caseless character.
#[inline]
fn cased_word(text: &[u8], at: usize) -> Option<(usize, bool)> {
    let mut end = at;
    let mut caseless_end = at;
    loop {
        let (class, n) = class_at(text, end);
        if class & LOWER != 0 {
            return Some((letters::<false>(text, end + n, LOWER | CASELESS), true));
        }
        if class & (UPPER | CASELESS) == 0 {
            break;
        }
        end += n;
        if class & CASELESS != 0 {
            caseless_end = end;
        }
    }
    if caseless_end > at { Some((caseless_end, true)) } else { (end > at).then_some((end, false)) }
}

/// Returns the end of an optional contraction at `at`: `'s` and its kin in any case.
#[inline]
fn contracted(text: &[u8], at: usize) -> usize {
    if text.get(at) == Some(&b'\'') { contraction(text, at + 1, true).unwrap_or(at) } else { at }
}

/// Returns the end of the contraction whose apostrophe stands before `at`. In any case `s` is also U+017F,
/// the long s, which case folding makes an s.
#[inline]
fn contraction(text: &[u8], at: usize, any_case: bool) -> Option<usize> {
    let fold = |i: usize| {
        let byte = text.get(at + i).copied().unwrap_or(0);
        if any_case { byte.to_ascii_lowercase() } else { byte }
    };
    match (fold(0), fold(1)) {
        (b's' | b't' | b'm' | b'd', _) => Some(at + 1),
        (b'r' | b'v', b'e') | (b'l', b'l') => Some(at + 2),
        (0xc5, 0xbf) if any_case => Some(at + 2),
        _ => None,
    }
}

/// Returns where a group of at most `max` numbers ends, the first of which ends at `at`.
#[inline]
fn numbers(text: &[u8], mut at: usize, max: usize) -> usize {
    for _ in 1..max {
        let (class, n) = class_at(text, at);
        if class & NUMBER == 0 {
            break;
        }
        at += n;
    }
    at
}

/// Returns the end of ` ?[^\s\p{L}\p{N}]+` at `at`.
#[inline]
fn punctuation(text: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(text.get(at) == Some(&b' '));
    let end = run_without(text, start, WORDLIKE);
    (end > start).then_some(end)
}

/// Returns where the white space that begins at `at` is cut: behind its last line break (if `lines`),
/// else before its last character, which is left to what follows, else at its end. `whole_tail` keeps
/// white space that ends the text together.
#[inline]
fn white_space(text: &[u8], at: usize, lines: bool, whole_tail: bool) -> usize {
    let (mut end, mut last, mut line_end) = (at, at, at);
    loop {
        let (class, n) = class_at(text, end);
        if class & SPACE == 0 {
            break;
        }
        last = end;
        end += n;
        if class & NEWLINE != 0 {
            line_end = end;
        }
    }
    let at_end = end == text.len();
    if lines && line_end > at && !(whole_tail && at_end) {
        line_end
    } else if at_end || last == at {
        end
    } else {
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(scanner: Scanner, text: &str) -> Vec<&str> {
        let mut at = 0;
        let mut pieces = Vec::new();
        while at < text.len() {
            let end = scanner.next(text.as_bytes(), at);
            pieces.push(&text[at..end]);
            at = end;
        }
        pieces
    }

    #[test]
    fn words_digits_and_contractions() {
        assert_eq!(cut(Scanner::Gpt2, "I'm 1969 'RE"), ["I", "'m", " 1969", " '", "RE"]);
        assert_eq!(cut(Scanner::Cl100k, "I'M 1969'\u{17f}x"), ["I", "'M", " ", "196", "9", "'\u{17f}", "x"]);
        assert_eq!(cut(Scanner::Qwen2, "a 12!\n\nb"), ["a", " ", "1", "2", "!\n\n", "b"]);
        assert_eq!(cut(Scanner::O200k, "HTTPServer's /x//\n"), ["HTTPServer's", " /", "x", "//\n"]);
    }

    #[test]
    fn white_space_is_cut_as_each_reference_cuts_it() {
        assert_eq!(cut(Scanner::Gpt2, "a  b\n\n c  "), ["a", " ", " b", "\n\n", " c", "  "]);
        assert_eq!(cut(Scanner::Cl100kTiktoken, "a \n  "), ["a", " \n  "]);
        assert_eq!(cut(Scanner::Cl100k, "a \n  "), ["a", " \n", "  "]);
        assert_eq!(cut(Scanner::Cl100k, "a\u{3000}\u{3000}b"), ["a", "\u{3000}", "\u{3000}b"]);
    }

    #[test]
    fn case_rules_of_o200k() {
        assert_eq!(cut(Scanner::O200k, "A中B"), ["A中", "B"]);
        assert_eq!(cut(Scanner::O200k, "\u{301}ABC"), ["\u{301}", "ABC"]);
        assert_eq!(cut(Scanner::O200k, "fooBar BAZ"), ["foo", "Bar", " BAZ"]);
        assert_eq!(cut(Scanner::O200k, "!\u{301}a"), ["!\u{301}a"]);
    }
}
