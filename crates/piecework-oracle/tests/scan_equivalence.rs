//! Each native scanner cuts as the general splitter does with each pattern that the scanner stands for: on every
//! string up to five characters over one representative of each class, and on random longer ones.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects by failing")]

use piecework_core::definition::{Behavior, PreTokenizer, Profile};
use piecework_core::fast::scan::Scanner;
use piecework_core::interrupt::Ctl;
use piecework_core::span::Span;
use piecework_core::split::{SplitScratch, Splitter};
use piecework_oracle::random::Random;

const SCANNERS: [Scanner; 5] =
    [Scanner::Gpt2, Scanner::Cl100kTiktoken, Scanner::Cl100k, Scanner::Qwen2, Scanner::O200k];

/// Upper, lower, a lower one of contractions, modifier and other letters, mark, number, space, other white space,
/// line breaks, apostrophe, slash, other.
const CLASSES: [&str; 14] = ["A", "a", "s", "ʰ", "中", "\u{301}", "1", " ", "\t", "\n", "\r", "'", "/", "!"];

/// More of each, and what contractions and case folding know.
const MORE: [&str; 30] = [
    "Z",
    "é",
    "ǅ",
    "ſ",
    "T",
    "l",
    "L",
    "v",
    "E",
    "r",
    "d",
    "m",
    "א",
    "ी",
    "\u{20dd}",
    "½",
    "٣",
    "\u{a0}",
    "\u{2003}",
    "\u{3000}",
    "\u{85}",
    "\u{2028}",
    "\u{200b}",
    "🚀",
    "\u{10ffff}",
    "’",
    "//",
    "\r\n",
    "   ",
    "hello",
];

struct Twin {
    scanner: Scanner,
    splitter: Splitter,
    scratch: SplitScratch,
    spans: Vec<Span>,
}

impl Twin {
    fn all() -> Vec<Self> {
        let mut twins = Vec::new();
        for scanner in SCANNERS {
            for pattern in scanner.sources() {
                // Possessive quantifiers are tiktoken's way of writing.
                let profile = if pattern.contains("++") { Profile::Tiktoken } else { Profile::Tokenizers };
                let split = PreTokenizer::Split {
                    pattern: pattern.to_owned(),
                    behavior: Behavior::Isolated,
                    invert: false,
                };
                let splitter = Splitter::new(&[split], profile).unwrap();
                twins.push(Self { scanner, scratch: splitter.scratch(), splitter, spans: Vec::new() });
            }
        }
        twins
    }

    fn compare(&mut self, text: &str) {
        self.spans.clear();
        let ctl = Ctl::new();
        self.splitter.split(text, &mut self.scratch, &mut self.spans, &mut ctl.ticker()).unwrap();
        let mut at = 0;
        for span in &self.spans {
            let end = self.scanner.next(text.as_bytes(), at);
            assert_eq!((at, end), (span.start, span.end), "{:?} on {text:?}", self.scanner);
            at = end;
        }
        assert_eq!(at, text.len(), "{:?} on {text:?}", self.scanner);
        self.compare_parts(text);
    }

    /// Cuts the text at every place that is said to be safe: the parts by themselves give what the whole does.
    fn compare_parts(&self, text: &str) {
        let (mut from, mut spans) = (0, Vec::new());
        while from < text.len() {
            let cut = self.scanner.cut_from(text.as_bytes(), from).unwrap_or(text.len());
            let part = &text.as_bytes()[from..cut];
            let mut at = 0;
            while at < part.len() {
                let end = self.scanner.next(part, at);
                spans.push(Span::new(from + at, from + end));
                at = end;
            }
            from = cut;
        }
        assert_eq!(spans, self.spans, "{:?} on the parts of {text:?}", self.scanner);
    }
}

#[test]
fn every_string_of_up_to_five_classes() {
    let mut twins = Twin::all();
    let mut n_compared = 0_u64;
    for length in 1..=5_u32 {
        for number in 0..CLASSES.len().pow(length) {
            let mut rest = number;
            let mut text = String::new();
            for _ in 0..length {
                text.push_str(CLASSES[rest % CLASSES.len()]);
                rest /= CLASSES.len();
            }
            for twin in &mut twins {
                twin.compare(&text);
                n_compared += 1;
            }
        }
    }
    println!("{n_compared} cuts of short strings compared, 0 different");
}

#[test]
fn random_strings() {
    let mut twins = Twin::all();
    let units = [CLASSES.as_slice(), MORE.as_slice()].concat();
    let mut random = Random::new(5);
    let n_strings = 100_000;
    for _ in 0..n_strings {
        let text = random.string(&units, 40);
        for twin in &mut twins {
            twin.compare(&text);
        }
    }
    println!("{} cuts of random strings compared, 0 different", n_strings * twins.len());
}
