//! What the splitter promises whatever the pattern: linear work where it says so, limits instead of hangs, and
//! character classes that do not change with a dependency.
#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

use super::pattern::{Pattern, Refusal};
use super::*;
use crate::interrupt::Ctl;
use crate::unicode::{class, class_of};

const CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";
const R50K: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK: [&str; 3] = [
    r"\p{N}{1,3}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
];

fn isolated(pattern: &str) -> PreTokenizer {
    PreTokenizer::Split { pattern: pattern.to_owned(), behavior: Behavior::Isolated, invert: false }
}

fn splitter(patterns: &[&str], profile: Profile) -> Result<Splitter> {
    let stages: Vec<PreTokenizer> = patterns.iter().map(|pattern| isolated(pattern)).collect();
    Splitter::new(&stages, profile)
}

/// Returns the pretokens, and the units of work that were reported.
fn split<'t>(splitter: &Splitter, text: &'t str) -> Result<(Vec<&'t str>, u64)> {
    let ctl = Ctl::new();
    let mut spans = Vec::new();
    splitter.split(text, &mut splitter.scratch(), &mut spans, &mut ctl.ticker())?;
    Ok((spans.into_iter().map(|span| &text[span.range()]).collect(), ctl.work()))
}

#[test]
fn work_grows_as_the_text_does() {
    let known = [
        splitter(&[R50K], Profile::Tiktoken),
        splitter(&[CL100K], Profile::Tiktoken),
        splitter(&[O200K], Profile::Tiktoken),
        splitter(&DEEPSEEK, Profile::Tokenizers),
    ];
    for splitter in known {
        let splitter = splitter.unwrap();
        for unit in [
            "a", "A", " ", "\n", "\r\n", " \n", "1", "!", "'", "中", "\u{301}", "\u{3000}", "a ", "  x", "\0",
        ] {
            let work = |n: usize| split(&splitter, &unit.repeat(n)).unwrap().1;
            let (one, ten) = (work(20_000), work(200_000));
            assert!(ten <= 10 * one + 10, "{unit:?}: {one} units of work, then {ten}");
            // Three stages look at each byte, some twice: forward, and back from a match's end to its start.
            assert!(ten <= 7 * 200_000 * unit.len() as u64, "{unit:?}: {ten} units of work");
        }
    }
}

#[test]
fn white_space_gives_its_last_character_to_the_word_after_it() {
    let cases: [(&str, &[&str]); 6] = [
        ("a   b", &["a", "  ", " b"]),
        ("   ", &["   "]),
        (" \n \n b", &[" \n \n", " b"]),
        ("a\t\tb", &["a", "\t", "\tb"]),
        ("  \u{3000}!", &["  ", "\u{3000}", "!"]),
        ("I'LL 1234", &["I", "'LL", " ", "123", "4"]),
    ];
    let splitter = splitter(&[CL100K], Profile::Tiktoken).unwrap();
    for (text, expected) in cases {
        assert_eq!(split(&splitter, text).unwrap().0, expected);
    }
}

#[test]
fn patterns_of_known_models_need_no_backtracking() {
    for pattern in [R50K, CL100K, O200K] {
        assert!(Pattern::new(pattern, Profile::Tiktoken).unwrap().is_linear());
    }
    for pattern in DEEPSEEK {
        assert!(Pattern::new(pattern, Profile::Tokenizers).unwrap().is_linear());
    }
}

#[test]
fn atomic_is_made_plain_only_where_it_is_the_same() {
    for plain in ["a++b", "a++", "(?>ab|c)", r"\s++$", "(?:a++b)+", "a?+a*", "[ab]{1,2}+c", "a*+(?=b)"] {
        assert!(Pattern::new(plain, Profile::Tiktoken).unwrap().is_linear(), "{plain}");
    }
    for atomic in ["a++ab", "(?>a|ab)c", "a?+a", "(?:a++)+b", r"(?:a++a)?b", r"\s*+ "] {
        assert!(!Pattern::new(atomic, Profile::Tiktoken).unwrap().is_linear(), "{atomic}");
    }
}

#[test]
fn hostile_patterns_meet_a_limit() {
    let nested = "(".repeat(5_000) + "a" + &")".repeat(5_000);
    let hostile = [
        "(a{1000}){1000}".to_owned(),
        "(?:(?:(?:a{1000}){1000}){1000}){1000}(?!bc)".to_owned(),
        r"(?:\p{L}{1000}(?=ab)){1000}".to_owned(),
        nested,
        "[".repeat(5_000),
        "a".repeat(1 << 19),
        "a{99999}b{99999}".to_owned(),
        "((((((a?){30}){30}){30}){30}){30}){30}".to_owned(),
        ('\u{4E00}'..'\u{9000}').flat_map(|c| [c, '|']).collect(),
    ];
    for pattern in hostile {
        for profile in [Profile::Tiktoken, Profile::Tokenizers] {
            let refused = splitter(&[&pattern], profile).unwrap_err();
            assert_eq!(refused.code(), "format", "{pattern:.40}");
        }
    }
}

#[test]
fn states_are_bounded_where_a_pattern_needs_very_many() {
    // A deterministic automaton of this has 2^20 states; some thousand are kept at a time.
    let pattern = "(?:[ab]*a[ab]{19}c|[ab])";
    let splitter = splitter(&[pattern], Profile::Tokenizers).unwrap();
    let mut number = 1_u32;
    let text: String = std::iter::repeat_with(|| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if number >> 31 == 0 { 'a' } else { 'b' }
    })
    .take(3_000)
    .collect();
    let (pieces, _) = split(&splitter, &text).unwrap();
    assert_eq!(pieces.len(), 3_000);
}

#[test]
fn a_pattern_over_the_limit_of_steps_is_an_error_with_its_place() {
    let splitter = splitter(&["x", "(?:a|ab|b)+(?=cd)(?!cde)"], Profile::Tokenizers).unwrap();
    let text = format!("x{}cde", "ab".repeat(40));
    let Err(Error::PatternLimit { index: 1, reason }) = split(&splitter, &text) else {
        panic!("the limit holds, and the index is that of the whole text");
    };
    assert!(!reason.is_empty());
}

#[test]
fn refusals_name_the_construct_and_the_place() {
    let refusal = |pattern| Pattern::new(pattern, Profile::Tokenizers).unwrap_err();
    for (pattern, construct, at) in [
        (r"a\X", r"\X", 2),
        (r"a\K", r"\K", 2),
        ("(?x) a", "the group (?x", 2),
        (r"\p{Klingon}", r"\p{Klingon}", 3),
        ("[]a]", "] as the first of a class", 1),
    ] {
        let construct = construct.to_owned();
        assert_eq!(refusal(pattern), Refusal::Unsupported { construct, at: Some(at) });
    }
    assert!(matches!(refusal("(a"), Refusal::Malformed(_)));
    let stages = [PreTokenizer::PrefixSpace, isolated("(")];
    let Error::Format { place, .. } = Splitter::new(&stages, Profile::Tiktoken).unwrap_err() else {
        panic!("a pattern that is none is a format error");
    };
    assert_eq!(place, "pre_tokenizers[1].pattern");
}

#[test]
fn a_stop_is_heeded_within_one_search() {
    let splitter = splitter(&[CL100K], Profile::Tiktoken).unwrap();
    let ctl = Ctl::new();
    ctl.cancel();
    let text = " ".repeat(1 << 20);
    let stopped = splitter.split(&text, &mut splitter.scratch(), &mut Vec::new(), &mut ctl.ticker());
    assert_eq!(stopped, Err(Error::Interrupted));
    assert!(ctl.work() < 1 << 17);
}

#[test]
fn a_scratch_of_another_splitter_does_no_harm() {
    let (one, other) =
        (splitter(&["a"], Profile::Tiktoken).unwrap(), splitter(&["[ab]+"], Profile::Tiktoken).unwrap());
    let mut scratch = one.scratch();
    let mut spans = Vec::new();
    let ctl = Ctl::new();
    other.split("abba", &mut scratch, &mut spans, &mut ctl.ticker()).unwrap();
    assert_eq!(spans, [Span::new(0, 4)]);
}

/// Patterns take their classes from regex-syntax, whose tables a new version can change; ids must not.
#[test]
fn classes_are_those_of_unicode_16() {
    for (pattern, bits) in [
        (r"\p{L}", class::LETTER),
        (r"\p{Lu}|\p{Lt}", class::UPPER),
        (r"\p{Ll}", class::LOWER),
        (r"\p{M}", class::MARK),
        (r"\p{N}", class::NUMBER),
        (r"\s", class::SPACE),
    ] {
        for profile in [Profile::Tiktoken, Profile::Tokenizers] {
            let split_off = PreTokenizer::Split {
                pattern: pattern.to_owned(),
                behavior: Behavior::Removed,
                invert: true,
            };
            let splitter = Splitter::new(&[split_off], profile).unwrap();
            let text: String = ('\0'..=char::MAX).collect();
            let expected: String = text.chars().filter(|&c| class_of(c) & bits != 0).collect();
            assert_eq!(split(&splitter, &text).unwrap().0.concat(), expected, "{pattern}");
        }
    }
    // Those without a table of ours: a sum over their ranges, taken while all were equal to the reference's.
    let sum = |pattern: &str| {
        let set = super::syntax::oniguruma::parse(pattern).unwrap().node;
        let super::syntax::Node::Set(set) = set else { panic!("one class") };
        set.ranges().iter().map(|range| range.len() as u64 * u64::from(range.start() as u32)).sum::<u64>()
    };
    let sums = [r"\p{Han}", r"\p{Greek}", r"[\w]", r"\p{P}", r"\p{S}"].map(sum);
    assert_eq!(sums, [11_344_775_052, 15_776_279, 14_274_829_142, 28_830_018, 618_729_463]);
}

#[test]
fn a_repeat_that_ends_before_it_begins_is_counted_by_what_must_be() {
    for profile in [Profile::Tiktoken, Profile::Tokenizers] {
        assert!(Pattern::new(r"\d{4294967295,3}", profile).is_err(), "{profile:?}");
        assert!(Pattern::new(r"(?:a|b{65537,1})\s", profile).is_err(), "{profile:?}");
    }
}
