//! The engine's NFC against the naive one, and the promises of its alignment.
#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

use piecework_core::interrupt::Ctl;
use piecework_core::normalize::{is_nfc, nfc, nfc_aligned};
use piecework_core::span::Span;
use piecework_core::unicode::canonical::{combining_class, compose, is_steady};
use piecework_oracle::nfc::nfc as naive;
use piecework_oracle::random::Random;

fn all() -> impl Iterator<Item = char> {
    (0..=0x10_FFFF).filter_map(char::from_u32)
}

/// Characters by what normalization does with them, so that random texts meet every case.
fn classes() -> Vec<Vec<char>> {
    let marks: Vec<char> = all().filter(|&c| combining_class(c) != 0).collect();
    let composing: Vec<char> = ['\u{300}', '\u{308}', '\u{323}', '\u{342}', '\u{345}', '\u{3099}'].into();
    let bases = all().filter(|&c| composing.iter().any(|&mark| compose(c, mark).is_some())).collect();
    vec![
        marks,
        bases,
        composing,
        all().filter(|&c| !is_steady(c)).collect(),
        ('\u{1100}'..='\u{11FF}').chain('가'..='갛').collect(),
        "ক\u{9C7}\u{9BE}\u{9D7}\u{BC6}\u{BBE}\u{D46}\u{D3E}\u{DD9}\u{DCF}\u{DCA}\u{1025}\u{102E}"
            .chars()
            .collect(),
        "ab 中я\n".chars().collect(),
    ]
}

fn text(random: &mut Random, classes: &[Vec<char>], max_len: usize) -> String {
    let len = random.below(max_len);
    (0..len)
        .map(|_| {
            let class = random.below(classes.len());
            *random.pick(&classes[class])
        })
        .collect()
}

fn check(text: &str) {
    let ctl = Ctl::new();
    let expected = naive(text);
    let (normalized, alignment) = nfc_aligned(text, &ctl).unwrap();
    assert_eq!(normalized, expected, "{text:?}");
    assert_eq!(nfc(text, &ctl).unwrap(), expected);
    assert_eq!(is_nfc(text, &ctl), Ok(text == expected));
    assert_eq!(alignment.is_identity(), text == expected);
    let (mut covered, mut made) = (Span { start: 0, end: 0 }, String::new());
    for (start, c) in normalized.char_indices() {
        let source = alignment.to_original(Span { start, end: start + c.len_utf8() });
        // Sources are whole, in order, and without a gap; characters of one cluster share theirs.
        if source != covered {
            assert_eq!(source.start, covered.end, "{text:?}");
            made = naive(&text[source.start..source.end]);
            covered = source;
        }
        assert!(made.contains(c), "{text:?}");
    }
    assert_eq!(covered.end, text.len());
}

#[test]
fn random_texts() {
    let (mut random, classes) = (Random::new(1), classes());
    for _ in 0..200_000 {
        check(&text(&mut random, &classes, 16));
    }
}

#[test]
fn every_code_point_between_others() {
    for c in all() {
        check(&format!("{c}"));
        check(&format!("a\u{345}{c}\u{334}"));
        check(&format!("á{c}\u{301}"));
        check(&format!("\u{1100}{c}\u{11A8}"));
    }
}

/// Long steady stretches are passed in words and in runs: rare marks must be met at every offset.
#[test]
fn rare_marks_in_long_texts() {
    let (mut random, classes) = (Random::new(2), classes());
    for steady in ["abcdefg ", "привет ", "中文字", "한국어", "é", "မြန်မာ", "🙂", "aя中🙂"]
    {
        for n_between in [0, 1, 7, 64, 5000, 30_000] {
            let mut long = String::new();
            for _ in 0..4 {
                long.extend(std::iter::repeat_n(steady, n_between));
                long.extend(steady.chars().take(random.below(3)));
                long.push_str(&text(&mut random, &classes, 8));
            }
            // The naive way is quadratic only where marks have to move.
            let ctl = Ctl::new();
            assert_eq!(nfc(&long, &ctl).unwrap(), naive(&long));
        }
    }
}

#[test]
fn one_long_cluster() {
    let mut random = Random::new(3);
    let marks: Vec<char> = all().filter(|&c| combining_class(c) != 0).collect();
    for n_marks in [100, 1500, 3000] {
        let cluster: String =
            std::iter::once('a').chain((0..n_marks).map(|_| *random.pick(&marks))).collect();
        check(&cluster);
    }
}
