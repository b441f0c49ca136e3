//! The general splitter against its plain twin: for every known pattern, all strings of up to five characters
//! over one of each class, and random longer ones; for the behaviors, all segmentations of short strings.
#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

use piecework_core::definition::{Behavior, PreTokenizer, Profile};
use piecework_core::interrupt::Ctl;
use piecework_core::split::{SplitScratch, Splitter};
use piecework_oracle::pattern::{KNOWN, Naive};
use piecework_oracle::random::Random;

const BEHAVIORS: [Behavior; 5] = [
    Behavior::Removed,
    Behavior::Isolated,
    Behavior::MergedWithPrevious,
    Behavior::MergedWithNext,
    Behavior::Contiguous,
];

/// What random strings are made of: each class several times over, what contractions and case folding know, and
/// what is longer than one character.
const UNITS: [&str; 56] = [
    "a",
    "b",
    "s",
    "t",
    "l",
    "d",
    "m",
    "v",
    "r",
    "e",
    "S",
    "L",
    "Z",
    "é",
    "É",
    "ß",
    "ſ",
    "ǅ",
    "ʰ",
    "中",
    "あ",
    "ー",
    "한",
    "א",
    "ी",
    "\u{301}",
    "\u{903}",
    "\u{20dd}",
    "0",
    "1",
    "٣",
    "½",
    "Ⅷ",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u{a0}",
    "\u{3000}",
    "\u{85}",
    "\u{2028}",
    "\u{200b}",
    "\0",
    "\u{10ffff}",
    "'",
    "’",
    ".",
    "!?",
    "/",
    "|",
    "<|",
    "+",
];

struct Twins {
    what: String,
    splitter: Splitter,
    scratch: SplitScratch,
    naive: Naive,
    n_compared: u64,
}

impl Twins {
    fn new(what: impl Into<String>, pre_tokenizers: &[PreTokenizer], profile: Profile) -> Self {
        let splitter = Splitter::new(pre_tokenizers, profile).unwrap();
        Self {
            what: what.into(),
            scratch: splitter.scratch(),
            splitter,
            naive: Naive::new(pre_tokenizers),
            n_compared: 0,
        }
    }

    fn compare(&mut self, text: &str) {
        let mut spans = Vec::new();
        let ctl = Ctl::new();
        self.splitter.split(text, &mut self.scratch, &mut spans, &mut ctl.ticker()).unwrap();
        assert_eq!(spans, self.naive.split(text), "{} on {text:?}", self.what);
        self.n_compared += 1;
    }
}

fn split(pattern: &str, behavior: Behavior, invert: bool) -> PreTokenizer {
    PreTokenizer::Split { pattern: pattern.to_owned(), behavior, invert }
}

/// Calls `each` with every string of 1 to `max` of `chars`.
fn enumerate(chars: &[char], max: u32, mut each: impl FnMut(&str)) {
    let mut text = String::new();
    for length in 1..=max {
        for number in 0..chars.len().pow(length) {
            text.clear();
            let mut rest = number;
            for _ in 0..length {
                text.push(chars[rest % chars.len()]);
                rest /= chars.len();
            }
            each(&text);
        }
    }
}

#[test]
fn every_string_of_up_to_five_characters() {
    let mut total = 0;
    for known in KNOWN {
        let mut twins =
            Twins::new(known.name, &[split(known.pattern, Behavior::Isolated, false)], known.profile);
        let classes: Vec<char> = known.classes.chars().collect();
        enumerate(&classes, 5, |text| twins.compare(text));
        total += twins.n_compared;
    }
    println!("{} patterns, {total} short strings compared, 0 different", KNOWN.len());
}

#[test]
fn random_strings() {
    let mut random = Random::new(41);
    let mut total = 0;
    for known in KNOWN {
        let mut twins =
            Twins::new(known.name, &[split(known.pattern, Behavior::Removed, true)], known.profile);
        for _ in 0..20_000 {
            twins.compare(&random.string(&UNITS, 24));
        }
        total += twins.n_compared;
    }
    println!("{} patterns, {total} random strings compared, 0 different", KNOWN.len());
}

#[test]
fn sequences_of_pre_tokenizers() {
    let known = |name: &str| KNOWN.iter().find(|known| known.name.starts_with(name)).unwrap().pattern;
    let isolated = |pattern: &str| split(pattern, Behavior::Isolated, false);
    let sequences = [
        (
            "deepseek v3",
            vec![
                isolated(known("deepseek v3, numbers")),
                isolated(known("deepseek v3, Han")),
                isolated(known("deepseek v3, the rest")),
            ],
        ),
        ("starcoder", vec![PreTokenizer::Digits { individual: true }, isolated(known("gpt2"))]),
        (
            "deepseek llm",
            vec![
                isolated(r"[\r\n]"),
                isolated(known("deepseek llm, letters")),
                PreTokenizer::Digits { individual: false },
                split(r"\s", Behavior::MergedWithNext, false),
            ],
        ),
    ];
    let mut random = Random::new(43);
    let mut total = 0;
    for (name, sequence) in sequences {
        let mut twins = Twins::new(name, &sequence, Profile::Tokenizers);
        for _ in 0..20_000 {
            twins.compare(&random.string(&UNITS, 24));
        }
        total += twins.n_compared;
    }
    println!("3 sequences, {total} random strings compared, 0 different");
}

#[test]
fn behaviors_on_every_short_string() {
    let mut total = 0;
    // A match of one, of several, of nothing, and of nothing beside one of several.
    for pattern in ["b", "b+", "(?=b)", "b*", r"a|(?<=a)|\s+(?!\S)"] {
        for behavior in BEHAVIORS {
            for invert in [false, true] {
                let what = format!("{pattern} {behavior:?} invert={invert}");
                let mut twins = Twins::new(what, &[split(pattern, behavior, invert)], Profile::Tokenizers);
                enumerate(&['a', 'b', ' ', 'é'], 6, |text| twins.compare(text));
                total += twins.n_compared;
            }
        }
    }
    println!("5 patterns × 10 behaviors, {total} short strings compared, 0 different");
}

/// One part of a random pattern, which the engines may read differently from each other.
fn random_item(random: &mut Random, depth: usize) -> String {
    const ATOMS: [&str; 15] = [
        "a",
        "b",
        "[ab]",
        "[^a]",
        r"\s",
        " ",
        ".",
        "c",
        "ab",
        r"\b",
        "^",
        "$",
        "(?!a)",
        "(?<=b)",
        r"(?=\s|$)",
    ];
    const QUANTIFIERS: [&str; 12] = ["", "", "", "*", "+", "?", "{1,2}", "+?", "*?", "++", "?+", "{2}"];
    let item = if depth > 0 && random.below(3) == 0 {
        let open = *random.pick(&["(?:", "(", "(?>", "(?=", "(?!"]);
        format!("{open}{})", random_pattern(random, depth - 1))
    } else {
        (*random.pick(&ATOMS)).to_owned()
    };
    let takes_nothing = [r"\b", "^", "$", "(?=", "(?!", "(?<"].iter().any(|start| item.starts_with(start));
    item + if takes_nothing { "" } else { *random.pick(&QUANTIFIERS) }
}

fn random_pattern(random: &mut Random, depth: usize) -> String {
    let mut branches = Vec::new();
    for _ in 0..=random.below(2) {
        let n_items = 1 + random.below(2);
        branches.push((0..n_items).map(|_| random_item(random, depth)).collect::<String>());
    }
    branches.join("|")
}

#[test]
fn random_patterns() {
    let mut random = Random::new(47);
    let mut n_patterns = 0;
    let mut total = 0;
    while n_patterns < 1_500 {
        let pattern = random_pattern(&mut random, 2);
        let sequence = [split(&pattern, Behavior::Isolated, false)];
        if Splitter::new(&sequence, Profile::Tiktoken).is_err() {
            continue;
        }
        let mut twins = Twins::new(pattern, &sequence, Profile::Tiktoken);
        for _ in 0..60 {
            twins.compare(&random.string(&["a", "b", "c", " ", "\n", "é"], 9));
        }
        n_patterns += 1;
        total += twins.n_compared;
    }
    println!("{n_patterns} random patterns, {total} strings compared, 0 different");
}
