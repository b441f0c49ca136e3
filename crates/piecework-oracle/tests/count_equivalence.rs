//! The engine's counter against the one by hand: with tables of a few words, so that most of them go to disk, in
//! threads, and with every way in which words come in and go out.
#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

use piecework_core::definition::{Behavior, Definition, PreTokenizer};
use piecework_core::fast::scan::Scanner;
use piecework_core::interrupt::Ctl;
use piecework_core::train::count::Counter;
use piecework_core::train::memory::Cap;
use piecework_core::train::{Place, WordCounts};
use piecework_oracle::count::{self, Counts};
use piecework_oracle::pattern::Naive;
use piecework_oracle::random::{Random, concat_tokenizer};

const UNITS: [&str; 16] =
    ["a", "b", "C", "é", "中", "1", "22", " ", "  ", "\n", "\n\n", "'s", "!", "/", "hello", " world"];
const CAPS: [Option<usize>; 4] = [None, Some(0), Some(10_000), Some(60_000)];

/// A native scanner's pattern, and one that has none.
fn patterns() -> [String; 2] {
    [Scanner::O200k.sources().next().unwrap().to_owned(), r"\w+|[^\w\s]+|\s".to_owned()]
}

fn definition(pattern: &str) -> Definition {
    let split =
        PreTokenizer::Split { pattern: pattern.to_owned(), behavior: Behavior::Isolated, invert: false };
    Definition { pre_tokenizers: vec![split], ..concat_tokenizer(&mut Random::new(1), &["a"], 1, pattern) }
}

fn sorted(counts: &WordCounts) -> Vec<(Vec<u8>, u64)> {
    let mut all: Vec<_> = counts.iter().map(|(word, n)| (word.to_vec(), n)).collect();
    all.sort();
    all
}

fn expected(counts: &Counts) -> Vec<(Vec<u8>, u64)> {
    counts.iter().map(|(word, &n)| (word.clone(), n)).collect()
}

/// Feeds the same to a counter and to the one by hand.
fn feed(random: &mut Random, splitter: &Naive, by_line: bool, counter: &Counter, by_hand: &mut Counts) {
    let ctl = Ctl::new();
    for _ in 0..random.below(6) {
        let texts: Vec<String> = (0..random.below(40)).map(|_| random.string(&UNITS, 60)).collect();
        let times = 1 + random.below(3) as u64;
        for text in &texts {
            count::count(splitter, by_line, text, times, by_hand);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        counter.feed(&texts, times, Some(1 + random.below(3)), &ctl).unwrap();
        let words: Vec<String> = (0..random.below(60)).map(|_| random.string(&UNITS, 4)).collect();
        let n = random.below(5) as u64;
        for word in &words {
            count::add(by_hand, word.as_bytes(), n);
        }
        counter.add(words.iter().map(|word| (word.as_bytes(), n)), &ctl).unwrap();
        let lines = (0..random.below(60)).map(|_| format!("{}\t{n}\n", random.below(2000)));
        for line in lines {
            counter.add_tsv(line.as_bytes(), 1, &ctl).unwrap();
            count::add(by_hand, line.split('\t').next().unwrap().as_bytes(), n);
        }
        if random.below(4) == 0 {
            assert_eq!(counter.spill(&ctl).unwrap(), Vec::<String>::new());
        }
    }
}

#[test]
fn counts_are_those_by_hand_however_little_memory_there_is() {
    let (ctl, mut random, mut n_spilled) = (Ctl::new(), Random::new(3), 0);
    let definitions = patterns().map(|pattern| definition(&pattern));
    let splitters = definitions.each_ref().map(|definition| Naive::new(&definition.pre_tokenizers));
    for round in 0..96 {
        let (definition, splitter) = (&definitions[round % 2], &splitters[round % 2]);
        let (by_line, cap) = (round / 2 % 2 == 0, CAPS[round / 4 % 4]);
        let new = || Counter::new(definition, by_line).unwrap().within(cap, Place::default());
        let seed = random.clone();
        let (counter, mut by_hand) = (new(), Counts::new());
        feed(&mut random, splitter, by_line, &counter, &mut by_hand);
        n_spilled += u64::from(counter.progress().n_runs.load(std::sync::atomic::Ordering::Relaxed) > 0);
        let n_words = by_hand.values().sum::<u64>();
        assert_eq!(counter.progress().n_words.load(std::sync::atomic::Ordering::Relaxed), n_words);
        assert_eq!(sorted(&counter.finish(1, None, &ctl).unwrap()), expected(&by_hand), "round {round}");

        let counter = new();
        feed(&mut seed.clone(), splitter, by_line, &counter, &mut Counts::new());
        let kept = counter.finish(3, Some(Cap { max_bytes: 1 << 40, n_entries: 99 }), &ctl).unwrap();
        let rare: Vec<u64> = by_hand.values().copied().filter(|&n| n < 3).collect();
        assert_eq!(kept.left_out().n_words, rare.len() as u64);
        assert_eq!(kept.left_out().n, rare.iter().sum::<u64>());
        let frequent: Counts = by_hand.clone().into_iter().filter(|&(_, n)| n >= 3).collect();
        assert_eq!(sorted(&kept), expected(&frequent));

        let counter = new();
        feed(&mut seed.clone(), splitter, by_line, &counter, &mut Counts::new());
        let (mut batches, mut all) = (counter.batches(&ctl).unwrap(), Vec::new());
        loop {
            let batch = batches.next(7, &ctl).unwrap();
            all.extend(batch.iter().map(|(word, n)| (word.to_vec(), n)));
            if batch.is_empty() {
                break;
            }
            assert!(batch.len() <= 7);
        }
        assert_eq!(all, expected(&by_hand));
    }
    assert!(n_spilled > 40, "{n_spilled}");
}

#[test]
fn a_long_text_is_counted_in_parts() {
    let ctl = Ctl::new();
    let mut random = Random::new(9);
    for pattern in patterns() {
        let definition = definition(&pattern);
        let splitter = Naive::new(&definition.pre_tokenizers);
        for (by_line, units) in
            [(false, &UNITS[..]), (true, &UNITS[..]), (false, &UNITS[5..8]), (true, &UNITS[..8])]
        {
            let text = random.string(units, 400_000);
            let mut by_hand = Counts::new();
            count::count(&splitter, by_line, &text, 1, &mut by_hand);
            let counter = Counter::new(&definition, by_line).unwrap();
            counter.feed(&["a b", &text, "c"], 1, Some(3), &ctl).unwrap();
            count::count(&splitter, by_line, "a b", 1, &mut by_hand);
            count::count(&splitter, by_line, "c", 1, &mut by_hand);
            assert_eq!(sorted(&counter.finish(1, None, &ctl).unwrap()), expected(&by_hand));
        }
    }
}
