//! The fused engine, the plain engine and the blackboard's algorithm give the same ids, on tokenizers that are
//! nastier than any published one.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects by failing")]

use piecework_core::definition::Definition;
use piecework_core::fast::scan::Scanner;
use piecework_core::fast::window;
use piecework_core::interrupt::Ctl;
use piecework_core::tokenizer::{Options, Tokenizer};
use piecework_oracle::bpe;
use piecework_oracle::random::{Random, concat_tokenizer, listed_tokenizer};

const ALPHABETS: [&[&str]; 4] = [&["a", "b"], &["a", "b", "c", "é"], &["x", "y", "z", "w", "v"], &["a"]];

fn pattern() -> &'static str {
    Scanner::Gpt2.sources().next().expect("a known pattern")
}

fn tokenizers(random: &mut Random, alphabet: &[&str]) -> [Definition; 2] {
    let n = 1 + random.below(60);
    let n_strings = if alphabet.len() == 1 { n.min(6) } else { n.min(100) };
    [
        concat_tokenizer(
            random,
            alphabet,
            n_strings.min(if alphabet.len() == 1 { 5 } else { 100 }),
            pattern(),
        ),
        listed_tokenizer(random, alphabet, n, pattern()),
    ]
}

#[test]
fn short_pieces_equal_the_blackboard() {
    let mut random = Random::new(1);
    let (ctl, options) = (Ctl::new(), Options::default());
    let mut n_compared = 0;
    for round in 0..400 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        for definition in tokenizers(&mut random, alphabet) {
            let fast = Tokenizer::new(definition.clone()).unwrap();
            let plain = Tokenizer::generic(definition.clone()).unwrap();
            for _ in 0..40 {
                let text = random.string(alphabet, 90);
                let naive = bpe::encode(&definition, text.as_bytes());
                assert_eq!(fast.ids(&text, &options, &ctl).unwrap(), naive, "{text:?} {definition:?}");
                assert_eq!(plain.ids(&text, &options, &ctl).unwrap(), naive, "{text:?}");
                // From the cache this time.
                assert_eq!(fast.ids(&text, &options, &ctl).unwrap(), naive, "{text:?}");
                assert_eq!(fast.count(&text, &options, &ctl).unwrap(), naive.len());
                n_compared += 1;
            }
        }
    }
    println!("{n_compared} short pieces compared, 0 different");
}

#[test]
fn windows_equal_one_merge_of_the_whole() {
    let mut random = Random::new(2);
    let (ctl, options) = (Ctl::new(), Options::default());
    let mut n_bytes = 0;
    for round in 0..120 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        for definition in tokenizers(&mut random, alphabet) {
            let fast = Tokenizer::new(definition.clone()).unwrap();
            let plain = Tokenizer::generic(definition).unwrap();
            let n = window::MAX_PIECE_BYTES * (1 + random.below(4)) + random.below(100);
            // Either all random, or a short period: runs are where borders are hardest to find.
            let text = if round % 3 == 0 {
                let mut period = random.string(alphabet, 5);
                period.push_str(alphabet[0]);
                period.repeat(n / period.len())
            } else {
                (0..n).map(|_| *random.pick(alphabet)).collect()
            };
            assert_eq!(fast.ids(&text, &options, &ctl).unwrap(), plain.ids(&text, &options, &ctl).unwrap());
            n_bytes += text.len();
        }
    }
    println!("{n_bytes} bytes in long pieces compared, 0 different");
}

#[test]
fn work_grows_with_the_length() {
    let mut random = Random::new(3);
    let options = Options::default();
    for definition in tokenizers(&mut random, ALPHABETS[1]) {
        let tokenizer = Tokenizer::new(definition).unwrap();
        for piece in ["a", "ab", " ", "\n", "é", "abcéb"] {
            let work = |n: usize| {
                let ctl = Ctl::new();
                tokenizer.count(&piece.repeat(n / piece.len()), &options, &ctl).unwrap();
                ctl.work()
            };
            let (small, large) = (work(200_000), work(2_000_000));
            assert!(large <= small * 12, "{piece:?}: {small} units, then {large}");
        }
    }
}
