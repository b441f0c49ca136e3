//! The engine's BPE trainer against the blackboard's: the worked cases by hand, then random corpora with every
//! option.
#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

use piecework_core::byte_alphabet;
use piecework_core::interrupt::Ctl;
use piecework_core::train::curve::{self, CurveModel};
use piecework_core::train::{Base, BpeOptions, Layout, Score, Ties, Trained, WordCounts, bpe};
use piecework_oracle::random::Random;
use piecework_oracle::train::{self, Learned};

const BASES: [Base; 2] = [Base::Characters, Base::Bytes];
const ALL_TIES: [Ties; 4] = [Ties::Hf, Ties::FirstSeen, Ties::Lexicographic, Ties::SmallestIds];

fn words(counts: &[(&str, u64)]) -> Vec<(Vec<u8>, u64)> {
    counts.iter().map(|&(word, n)| (word.as_bytes().to_vec(), n)).collect()
}

fn engine(words: &[(Vec<u8>, u64)], options: &BpeOptions) -> Trained {
    let mut counts = WordCounts::default();
    for (word, n) in words {
        counts.add(word, *n);
    }
    bpe::train(&counts, options, &Ctl::new()).unwrap()
}

/// What the engine learned, as the blackboard writes it.
fn as_learned(trained: &Trained) -> Learned {
    let text = |id: u32| trained.tokens[id as usize].clone();
    let merges =
        trained.merges.iter().map(|merge| (text(merge.left), text(merge.right), merge.count)).collect();
    Learned { tokens: trained.tokens.clone(), merges, corpus: Vec::new() }
}

/// Trains with both, which must agree.
fn both(words: &[(Vec<u8>, u64)], options: &BpeOptions) -> (Learned, Trained) {
    let (slow, fast) = (train::bpe(words, options), engine(words, options));
    let fast_learned = as_learned(&fast);
    assert_eq!(slow.tokens, fast_learned.tokens, "{options:?} {words:?}");
    assert_eq!(slow.merges, fast_learned.merges, "{options:?} {words:?}");
    (slow, fast)
}

fn merges(learned: &Learned) -> Vec<(&str, &str, u64)> {
    learned.merges.iter().map(|(left, right, n)| (left.as_str(), right.as_str(), *n)).collect()
}

#[test]
fn hug_pug_pun_bun_hugs() {
    let words = words(&[("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)]);
    for ties in ALL_TIES {
        let options = BpeOptions { ties, n_merges: 3, ..BpeOptions::default() };
        let (learned, _) = both(&words, &options);
        assert_eq!(merges(&learned), [("u", "g", 20), ("u", "n", 16), ("h", "ug", 15)]);
        assert_eq!(learned.tokens, ["b", "g", "h", "n", "p", "s", "u", "ug", "un", "hug"]);
    }
    let specials = vec!["<unk>".to_owned()];
    let options =
        BpeOptions { vocab_size: 11, special_tokens: specials, steps: true, ..BpeOptions::default() };
    let (learned, trained) = both(&words, &options);
    assert_eq!(learned.tokens, ["<unk>", "b", "g", "h", "n", "p", "s", "u", "ug", "un", "hug"]);
    let step = |at: usize| -> Vec<(String, u64)> {
        let text = |(left, right): (u32, u32)| {
            trained.tokens[left as usize].clone() + &trained.tokens[right as usize]
        };
        trained.steps[at].counts.iter().map(|&(pair, n)| (text(pair), n)).collect()
    };
    let expected = |counts: &[(&str, u64)]| -> Vec<(String, u64)> {
        counts.iter().map(|&(pair, n)| (pair.to_owned(), n)).collect()
    };
    assert_eq!(step(0), expected(&[("ug", 20), ("pu", 17), ("un", 16), ("hu", 15), ("gs", 5), ("bu", 4)]));
    assert_eq!(step(1), expected(&[("un", 16), ("hug", 15), ("pu", 12), ("pug", 5), ("ugs", 5), ("bu", 4)]));
    assert_eq!(step(2), expected(&[("hug", 15), ("pun", 12), ("pug", 5), ("ugs", 5), ("bun", 4)]));
}

#[test]
fn low_lower_lowest() {
    let words = words(&[("low", 1), ("lower", 1), ("lowest", 1)]);
    let options = BpeOptions { ties: Ties::FirstSeen, n_merges: 3, ..BpeOptions::default() };
    let (learned, _) = both(&words, &options);
    assert_eq!(merges(&learned), [("l", "o", 3), ("lo", "w", 3), ("low", "e", 2)]);
    assert_eq!(learned.corpus, [vec!["low"], vec!["lowe", "r"], vec!["lowe", "s", "t"]]);
}

#[test]
fn low_lower_new_newer_with_an_end_of_word() {
    let words = words(&[("low", 5), ("lower", 2), ("new", 6), ("newer", 3)]);
    let end_of_word = Some("_".to_owned());
    let options = BpeOptions {
        ties: Ties::Lexicographic,
        n_merges: 6,
        end_of_word,
        steps: true,
        ..BpeOptions::default()
    };
    let (learned, trained) = both(&words, &options);
    let expected =
        [("w", "_", 11), ("n", "e", 9), ("l", "o", 7), ("ne", "w_", 6), ("e", "r", 5), ("er", "_", 5)];
    assert_eq!(merges(&learned), expected);
    let corpus = [vec!["lo", "w_"], vec!["lo", "w", "er_"], vec!["new_"], vec!["ne", "w", "er_"]];
    assert_eq!(learned.corpus, corpus);
    assert_eq!(trained.tokens.len(), 13);
    let n_symbols: Vec<u64> = trained.steps.iter().map(|step| step.n_symbols).collect();
    assert_eq!((trained.n_symbols, n_symbols), (74, vec![63, 54, 47, 41, 36, 31]));
    let before: Vec<u64> = trained.steps[0].counts.iter().map(|&(_, n)| n).collect();
    assert_eq!(before, [11, 9, 9, 7, 7, 5, 5, 5]);
}

#[test]
fn the_score_of_word_piece() {
    let words = words(&[("low", 1), ("lower", 1), ("lowest", 1)]);
    for ties in ALL_TIES {
        let options =
            BpeOptions { ties, score: Score::WordPiece, n_merges: 2, steps: true, ..BpeOptions::default() };
        let (learned, trained) = both(&words, &options);
        assert_eq!(merges(&learned)[0], ("s", "t", 1));
        let text = |id: u32| trained.tokens[id as usize].clone();
        let scores: Vec<(String, (u64, u128))> = trained.steps[0]
            .scores
            .iter()
            .map(|&((left, right), score)| (text(left) + &text(right), score))
            .collect();
        let expected =
            [("st", (1, 1)), ("er", (1, 2)), ("es", (1, 2)), ("lo", (3, 9)), ("ow", (3, 9)), ("we", (2, 6))];
        assert_eq!(scores, expected.map(|(pair, score)| (pair.to_owned(), score)));
        // e+r and e+st are 1/2 then, and e stands left in both.
        let second = if ties == Ties::FirstSeen { ("e", "r", 1) } else { merges(&learned)[1] };
        assert_eq!(merges(&learned)[1], second);
    }
}

#[test]
fn lalalamlala_in_bytes() {
    let words = words(&[("lalalamlala", 1)]);
    let (ties, layout, base) = (Ties::FirstSeen, Layout::Bytes, Base::Bytes);
    let options = BpeOptions { ties, layout, base, n_merges: 3, ..BpeOptions::default() };
    let (_, trained) = both(&words, &options);
    let ids: Vec<_> = trained.merges.iter().map(|merge| (merge.left, merge.right, merge.product)).collect();
    assert_eq!(ids, [(108, 97, 256), (256, 256, 257), (257, 256, 258)]);
    assert_eq!(trained.tokens[32], byte_alphabet::byte_to_char(b' ').to_string());
}

#[test]
fn counts_beyond_32_bits() {
    let words = words(&[("the", 3_000_000_000), ("thin", 10)]);
    let (learned, _) = both(&words, &BpeOptions { n_merges: 2, ..BpeOptions::default() });
    assert_eq!(merges(&learned), [("t", "h", 3_000_000_010), ("th", "e", 3_000_000_000)]);
}

#[test]
fn a_token_that_exists_is_made_again() {
    // abc is made of ab+c first; then bc, and a+bc becomes the entry that is there.
    let words = words(&[("abc", 5), ("ab", 20), ("xbc", 9), ("bc", 3), ("abcd", 7), ("zabcz", 2)]);
    for ties in ALL_TIES {
        both(&words, &BpeOptions { ties, ..BpeOptions::default() });
    }
}

#[test]
fn an_empty_corpus_has_its_alphabet_only() {
    let options = BpeOptions { initial_alphabet: vec!['b', 'a'], ..BpeOptions::default() };
    let (learned, _) = both(&[], &options);
    assert_eq!((learned.tokens.len(), learned.merges.len()), (2, 0));
}

fn random_options(random: &mut Random) -> BpeOptions {
    let base = *random.pick(&BASES);
    let is_bytes = base == Base::Bytes;
    let mut options = BpeOptions { base, ties: *random.pick(&ALL_TIES), ..BpeOptions::default() };
    options.layout = if is_bytes && random.below(2) == 0 { Layout::Bytes } else { Layout::Hf };
    options.vocab_size = *random.pick(&[usize::MAX, 12, 20, 270, 290]);
    options.score = *random.pick(&[Score::Count, Score::Count, Score::WordPiece]);
    options.n_merges = *random.pick(&[usize::MAX, usize::MAX, 1, 5, 20]);
    options.min_frequency = random.below(4) as u64;
    options.special_tokens = ["<s>", "ab", "a"][..random.below(4)].iter().map(ToString::to_string).collect();
    options.initial_alphabet = ['z', 'a', 'Ġ'][..random.below(4)].to_vec();
    options.limit_alphabet = *random.pick(&[None, None, Some(2), Some(3), Some(8)]);
    options.max_token_length = *random.pick(&[None, None, Some(0), Some(2), Some(3), Some(5)]);
    if !is_bytes {
        let marks = [None, None, Some("##".to_owned())];
        options.continuing_subword_prefix.clone_from(random.pick(&marks));
        options.end_of_word_suffix.clone_from(random.pick(&[None, None, Some("</w>".to_owned())]));
        if options.end_of_word_suffix.is_none() {
            options.end_of_word.clone_from(random.pick(&[None, Some("_".to_owned())]));
        }
    }
    options
}

#[test]
fn random_corpora_with_every_option() {
    let mut random = Random::new(17);
    let alphabets: [&[&str]; 4] =
        [&["a", "b"], &["a", "b", "c", "é"], &["a", "b", "c", "d", "字", " "], &["a"]];
    let mut n_merges = 0;
    for round in 0..1500 {
        let alphabet = *random.pick(&alphabets);
        let mut words: Vec<(Vec<u8>, u64)> = Vec::new();
        // Now and then a word is long enough to be a row of blocks.
        let longest = if round % 5 == 0 { 400 } else { 9 };
        for _ in 0..random.below(if longest > 9 { 4 } else { 14 }) {
            let word = random.string(alphabet, longest).into_bytes();
            if !words.iter().any(|(other, _)| *other == word) {
                words.push((word, random.below(9) as u64));
            }
        }
        let options = random_options(&mut random);
        let (learned, _) = both(&words, &options);
        n_merges += learned.merges.len();
        if options.ties != Ties::FirstSeen {
            let forward = engine(&words, &options);
            words.reverse();
            let backward = engine(&words, &options);
            assert_eq!(
                (forward.tokens, forward.merges),
                (backward.tokens, backward.merges),
                "{options:?} {words:?}"
            );
        }
    }
    assert!(n_merges > 3000, "{n_merges}");
}

#[test]
fn random_curves() {
    let mut random = Random::new(23);
    let mut n_applied = 0;
    for _ in 0..600 {
        let alphabet: &[&str] =
            if random.below(2) == 0 { &["a", "b"] } else { &["a", "b", "c", "é", "字"] };
        let mut words: Vec<(Vec<u8>, u64)> = Vec::new();
        for _ in 0..=random.below(9) {
            words.push((random.string(alphabet, 12).into_bytes(), random.below(5) as u64));
        }
        let mut options = random_options(&mut random);
        options.n_merges = 25;
        let trained = engine(&words, &options);
        let text = |id: u32| trained.tokens[id as usize].clone();
        let mut merges: Vec<(String, String, String)> = trained
            .merges
            .iter()
            .map(|merge| (text(merge.left), text(merge.right), text(merge.product)))
            .collect();
        if random.below(3) == 0 {
            // Ranks in no order: a merge may make a pair of lower rank than its own.
            for at in (1..merges.len()).rev() {
                merges.swap(at, random.below(at + 1));
            }
        }
        let made: Vec<&String> = merges.iter().map(|merge| &merge.2).collect();
        let model = CurveModel {
            base: options.base,
            alphabet: trained.tokens.iter().filter(|token| !made.contains(token)).cloned().collect(),
            prefix: options.continuing_subword_prefix.clone().unwrap_or_default(),
            suffix: options.end_of_word_suffix.clone().unwrap_or_default(),
            end_of_word: options.end_of_word.clone(),
            unk: random.pick(&[None, Some("a".to_owned()), Some("?".to_owned())]).clone(),
            merges: merges.clone(),
        };
        let held_out: Vec<(Vec<u8>, u64)> =
            (0..5).map(|_| (random.string(&["a", "b", "c", "é", "z"], 14).into_bytes(), 3)).collect();
        let mut counts = WordCounts::default();
        for (word, n) in held_out.iter().chain(&words) {
            counts.add(word, *n);
        }
        let all: Vec<(Vec<u8>, u64)> = held_out.into_iter().chain(words).collect();
        let fast = curve::applied(&counts, &model, &Ctl::new()).unwrap();
        assert_eq!(fast, train::curve(&all, &model), "{model:?} {all:?}");
        n_applied += fast.n_applied.iter().sum::<u64>();
    }
    assert!(n_applied > 10_000, "{n_applied}");
}
