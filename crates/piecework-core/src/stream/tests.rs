//! Cuts that are sound by rule are sound in fact, on every text of a few characters of all kinds.

use super::boundary::known;
use super::stop::Stops;
use crate::fast::scan::Scanner;

/// One character of each kind that a known pattern tells apart.
const KINDS: [char; 15] =
    ['s', 'r', 'e', 'A', '中', '\u{301}', '1', ' ', '\t', '\n', '\r', '\'', '!', '/', '\u{a0}'];

fn pieces(scanner: Scanner, text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    while at < text.len() {
        at = scanner.next(text.as_bytes(), at);
        ends.push(at);
    }
    ends
}

fn check(scanner: Scanner, text: &str) {
    let whole = pieces(scanner, text);
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for pair in chars.windows(2) {
        let [(_, left), (cut, right)] = pair else { continue };
        if known(scanner, *left, *right) {
            let mut parts = pieces(scanner, &text[..*cut]);
            parts.extend(pieces(scanner, &text[*cut..]).iter().map(|end| end + cut));
            assert_eq!(parts, whole, "{scanner:?} {text:?} at {cut}");
        }
    }
}

#[test]
fn known_patterns_have_a_border_at_every_cut() {
    for scanner in [Scanner::Gpt2, Scanner::Cl100kTiktoken, Scanner::Cl100k, Scanner::Qwen2, Scanner::O200k] {
        for n in 2..=5_u32 {
            for number in 0..KINDS.len().pow(n) {
                let text: String =
                    (0..n).map(|place| KINDS[number / KINDS.len().pow(place) % KINDS.len()]).collect();
                check(scanner, &text);
            }
        }
    }
}

fn stopped(stops: &[&str], parts: &[&str]) -> (Vec<String>, Option<String>) {
    let stops: Vec<String> = stops.iter().map(|&stop| stop.to_owned()).collect();
    let mut search = Stops::new(&stops);
    let mut out: Vec<String> =
        parts.iter().map(|part| String::from_utf8(search.push(part.as_bytes().to_vec())).unwrap()).collect();
    let stopped = search.stopped().map(str::to_owned);
    if stopped.is_none() {
        out.push(String::from_utf8(search.finish()).unwrap());
    }
    (out, stopped)
}

#[test]
fn nothing_of_a_stop_string_is_given_out() {
    let owned = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
    assert_eq!(
        stopped(&["STOP"], &["a S", "TO", "P b", "c"]),
        (owned(&["a ", "", "", ""]), Some("STOP".into()))
    );
    assert_eq!(stopped(&["STOP"], &["a S", "TO", "X b"]), (owned(&["a ", "", "STOX b", ""]), None));
    assert_eq!(stopped(&["aab"], &["a", "a", "a", "ab"]), (owned(&["", "", "a", "a"]), Some("aab".into())));
    assert_eq!(stopped(&["é"], &["xé"]), (owned(&["x"]), Some("é".into())));
}

#[test]
fn of_several_stop_strings_the_one_that_ends_first_wins_whatever_the_cuts() {
    for parts in [&["xabcdy"][..], &["xa", "bc", "dy"], &["x", "a", "b", "c", "d", "y"]] {
        let (out, stop) = stopped(&["abcd", "bc"], parts);
        assert_eq!((out.concat().as_str(), stop.as_deref()), ("xa", Some("bc")));
        let (out, stop) = stopped(&["bc", "abc"], parts);
        assert_eq!((out.concat().as_str(), stop.as_deref()), ("x", Some("abc")));
    }
}
