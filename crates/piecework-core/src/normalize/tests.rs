//! Each normalizer on texts that are worked out by hand, and what holds for all of them. The live references are
//! asked by the conformance tests.

use super::charsmap::tests::table;
use super::*;
use crate::definition::{Charsmap, Needle};
use crate::span::Span;

fn compiled(normalizers: &[Normalizer]) -> Normalizers {
    Normalizers::new(normalizers, &[b"<x>", "e\u{301}".as_bytes()], Profile::Tokenizers).unwrap()
}

/// Returns the normalized text, and each of its characters with the bytes it comes from.
fn run(normalizers: &[Normalizer], text: &str) -> (String, Vec<(char, usize, usize)>) {
    let (ctl, normalizers) = (Ctl::new(), compiled(normalizers));
    let (made, alignment) = normalizers.normalize_aligned(text, &ctl).unwrap();
    assert_eq!(normalizers.normalize(text, &ctl).unwrap(), made);
    let sources = made.char_indices().map(|(at, c)| {
        let source = alignment.to_original(Span::new(at, at + c.len_utf8()));
        (c, source.start, source.end)
    });
    (made.to_string(), sources.collect())
}

fn bert(strip_accents: Option<bool>, lowercase: bool) -> Normalizer {
    Normalizer::Bert { clean_text: true, handle_chinese_chars: true, strip_accents, lowercase }
}

fn sentencepiece(rules: &[(&str, &str)], whitespace_as_suffix: bool) -> Normalizer {
    Normalizer::SentencePiece {
        charsmap: Charsmap(if rules.is_empty() { Vec::new() } else { table(rules) }),
        add_dummy_prefix: true,
        remove_extra_whitespaces: true,
        escape_whitespaces: true,
        whitespace_as_suffix,
    }
}

fn replace(pattern: Needle, content: &str) -> Normalizer {
    Normalizer::Replace { pattern, content: content.to_owned() }
}

/// One of every kind.
fn all() -> Vec<Normalizer> {
    vec![
        Normalizer::Nfc,
        Normalizer::Nfd,
        Normalizer::Nfkc,
        Normalizer::Nfkd,
        Normalizer::Lowercase,
        Normalizer::StripAccents,
        Normalizer::Strip { left: true, right: true },
        bert(None, true),
        Normalizer::Nmt,
        replace(Needle::Text("ab".to_owned()), "é"),
        replace(Needle::Pattern(r"\s+".to_owned()), "▁"),
        Normalizer::Prepend("▁".to_owned()),
        Normalizer::Precompiled(Charsmap(table(&[("ﬁ", "fi"), ("e\u{301}", "é")]))),
        Normalizer::ByteLevel,
        sentencepiece(&[("ﬁ", "fi"), ("\u{3000}", " ")], false),
    ]
}

#[test]
fn decomposed_letters_come_from_their_cluster() {
    let (made, sources) = run(&[Normalizer::Nfd], "xé\u{323}y");
    assert_eq!(made, "xe\u{323}\u{301}y");
    assert_eq!(sources, [('x', 0, 1), ('e', 1, 5), ('\u{323}', 1, 5), ('\u{301}', 1, 5), ('y', 5, 6)]);
    assert_eq!(run(&[Normalizer::Nfd], "각").0, "\u{1100}\u{1161}\u{11A8}");
}

#[test]
fn compatibility_comes_before_composition() {
    let (made, sources) = run(&[Normalizer::Nfkc], "ﬁ\u{301}ﾊﾟ①");
    assert_eq!(made, "fíパ1");
    assert_eq!(sources, [('f', 0, 5), ('í', 0, 5), ('パ', 5, 11), ('1', 11, 14)]);
    assert_eq!(run(&[Normalizer::Nfkd], "ｶﾞ").0, "カ\u{3099}");
}

#[test]
fn a_base_comes_from_the_marks_dropped_after_it_too() {
    let accents = [Normalizer::Nfd, Normalizer::StripAccents];
    assert_eq!(run(&accents, "ae\u{301}\u{323}b").1, [('a', 0, 1), ('e', 1, 6), ('b', 6, 7)]);
    assert_eq!(run(&accents, "É").1, [('E', 0, 2)]);
    // Marks without a base come to nothing.
    assert_eq!(run(&accents, "\u{301}a").1, [('a', 2, 3)]);
}

#[test]
fn bert_cleans_spaces_out_and_drops_accents() {
    let (made, sources) = run(&[bert(None, true)], "É\0\t中\u{301}");
    assert_eq!(made, "e  中 ");
    assert_eq!(sources, [('e', 0, 2), (' ', 3, 4), (' ', 4, 4), ('中', 4, 7), (' ', 7, 7)]);
    assert_eq!(run(&[bert(None, false)], "É").0, "É");
    assert_eq!(run(&[bert(Some(true), false)], "É").0, "E");
}

#[test]
fn lower_case_is_by_character() {
    let (made, sources) = run(&[Normalizer::Lowercase], "AΣİ");
    assert_eq!(made, "aσi\u{307}");
    assert_eq!(sources, [('a', 0, 1), ('σ', 1, 3), ('i', 3, 5), ('\u{307}', 3, 5)]);
}

#[test]
fn what_is_put_in_comes_from_nowhere() {
    let metaspace = [Normalizer::Prepend("▁".to_owned()), replace(Needle::Text(" ".to_owned()), "▁")];
    assert_eq!(run(&metaspace, "a b").1, [('▁', 0, 0), ('a', 0, 1), ('▁', 1, 2), ('b', 2, 3)]);
    assert_eq!(run(&metaspace, "").0, "");
    assert_eq!(run(&[replace(Needle::Text(String::new()), "-")], "ab").0, "-a-b-");
    assert_eq!(run(&[replace(Needle::Pattern("b*".to_owned()), "-")], "").0, "");
}

#[test]
fn bytes_come_from_themselves() {
    assert_eq!(run(&[Normalizer::ByteLevel], "é ").1, [('Ã', 0, 1), ('©', 1, 2), ('Ġ', 2, 3)]);
}

#[test]
fn a_short_grapheme_is_what_its_first_rule_says() {
    let rules = Normalizer::Precompiled(Charsmap(table(&[("a", "x"), ("\u{301}", "y")])));
    // Four bytes go whole; six go by character.
    let (made, sources) = run(&[rules], "ba\u{301}a\u{301}\u{323}\u{301}");
    assert_eq!(made, "bxxy\u{323}y");
    assert_eq!(sources[1], ('x', 1, 4));
    assert_eq!(sources[2..], [('x', 4, 5), ('y', 5, 7), ('\u{323}', 7, 9), ('y', 9, 11)]);
}

#[test]
fn sentencepiece_squeezes_and_escapes_spaces() {
    let rules = [("ﬁ", "fi"), ("\u{3000}", " "), ("e", "E")];
    let (made, sources) = run(&[sentencepiece(&rules, false)], "  ﬁ \u{3000}e<x>e\u{301} ");
    assert_eq!(made, "▁fi▁E<x>e\u{301}");
    assert_eq!(sources[..5], [('▁', 2, 2), ('f', 2, 5), ('i', 2, 5), ('▁', 5, 9), ('E', 9, 10)]);
    let (made, sources) = run(&[sentencepiece(&[], true)], " a b ");
    assert_eq!(made, "a▁b▁");
    assert_eq!(sources, [('a', 1, 2), ('▁', 2, 3), ('b', 3, 4), ('▁', 5, 5)]);
    assert_eq!(run(&[sentencepiece(&[], true)], "  ").0, "");
}

#[test]
fn nothing_is_made_where_nothing_changes() {
    let ctl = Ctl::new();
    for normalizer in all() {
        let adds = matches!(normalizer, Normalizer::Prepend(_) | Normalizer::SentencePiece { .. });
        let made = compiled(std::slice::from_ref(&normalizer));
        assert_eq!(matches!(made.normalize("plain", &ctl), Ok(Cow::Borrowed(_))), !adds, "{normalizer:?}");
    }
    assert!(Normalizers::default().is_empty() && !compiled(&all()).is_empty());
}

#[test]
fn work_is_linear() {
    for normalizer in all() {
        let normalizers = compiled(std::slice::from_ref(&normalizer));
        for unit in ["a", "\u{301}", " ", "É中 ab", "ﬁ\u{3000}", "e\u{301}"] {
            let work = |n| {
                let ctl = Ctl::new();
                normalizers.normalize_aligned(&unit.repeat(n), &ctl).unwrap();
                ctl.work()
            };
            assert!(work(20_000) <= 11 * work(2_000) + 1000, "{normalizer:?} {unit:?}");
        }
    }
}

#[test]
fn stops_when_told_to() {
    let ctl = Ctl::new();
    ctl.cancel();
    for normalizer in all() {
        // These look at no more than the ends of a text.
        if matches!(normalizer, Normalizer::Prepend(_) | Normalizer::Strip { .. }) {
            continue;
        }
        for text in ["a ﬁÉ\u{301} ".repeat(1 << 16), " ".repeat(1 << 19)] {
            let normalizers = compiled(std::slice::from_ref(&normalizer));
            let stopped = matches!(normalizers.normalize(&text, &ctl), Err(Error::Interrupted));
            assert!(stopped, "{normalizer:?}");
        }
    }
}

#[test]
fn what_cannot_be_run_is_named() {
    let broken = [
        Normalizer::Precompiled(Charsmap(Vec::new())),
        Normalizer::Precompiled(Charsmap(vec![255; 40])),
        replace(Needle::Pattern("(".to_owned()), ""),
    ];
    for normalizer in broken {
        let error = Normalizers::new(&[Normalizer::Nfc, normalizer], &[], Profile::Tokenizers).unwrap_err();
        assert!(error.to_string().starts_with("normalizers[1]"), "{error}");
    }
}
