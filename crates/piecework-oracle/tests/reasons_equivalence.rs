//! What is recorded of a pretoken is what happened: the joins, their runners-up and what they took are the blackboard's,
//! and the tokens are those of the encoding, on vocabularies that are nastier than any published one.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects by failing")]

use piecework_core::definition::{Definition, Precision};
use piecework_core::error::Error;
use piecework_core::interrupt::Ctl;
use piecework_core::merges::Merges;
use piecework_core::model::reasons::Reasons;
use piecework_core::model::reasons::bpe::{Candidate, Replay, Stop};
use piecework_core::model::{Engine, Scratch, Tokens};
use piecework_oracle::random::{Random, concat_tokenizer, listed_tokenizer};
use piecework_oracle::random_models::{ALPHABETS, listed, ranked, text, unigrams, words};
use piecework_oracle::reasons::{Join, joins};
use piecework_oracle::unigram;

const BYTES: [&[&str]; 3] = [&["a", "b"], &["a", "b", "c", "é"], &["a"]];

/// Returns the reasons, once their tokens are those that the engine makes; or the refusal, once it is the engine's.
fn reasons(definition: &Definition, piece: &str) -> Result<(Reasons, Tokens), Error> {
    let ctl = Ctl::new();
    let engine = Engine::new(definition).unwrap();
    let mut tokens = Tokens::default();
    let encoded = engine.encode(definition, &mut Scratch::default(), piece, &mut tokens, &mut ctl.ticker());
    let found = engine.reasons(definition, piece, usize::MAX, &mut ctl.ticker());
    assert_eq!(found.as_ref().err(), encoded.as_ref().err(), "{piece:?}");
    let (reasons, own, hows) = found?;
    assert_eq!((&own.ids, &own.lengths), (&tokens.ids, &tokens.lengths), "{piece:?} {definition:?}");
    assert_eq!(hows.len(), own.ids.len());
    Ok((reasons, own))
}

fn recorded(replay: &Replay) -> Vec<Join> {
    let open = |pair: &Candidate| (pair.rank, pair.at);
    let steps = replay.steps.iter();
    steps
        .map(|step| {
            let lost = step.lost.iter().map(open).collect();
            (open(&step.pair), step.runner_up.as_ref().map(open), lost)
        })
        .collect()
}

/// Compares the record of one piece, and returns how many joins it has.
fn compare(definition: &Definition, piece: &str) -> Option<usize> {
    let (Reasons::Bpe(replay), tokens) = reasons(definition, piece).ok()? else { unreachable!() };
    let (wanted, left) = joins(definition, piece, &replay);
    assert_eq!(recorded(&replay), wanted, "{piece:?} {definition:?}");
    let model = definition.model.bpe().unwrap();
    let whole = definition.vocab.get(piece.as_bytes()).filter(|_| model.whole_pieces);
    let stop = match (whole, left.len()) {
        (Some(_), _) => Stop::WholePiece,
        (None, 0 | 1) => Stop::OneSymbol,
        (None, _) => Stop::NoPair,
    };
    assert_eq!(replay.stop, stop, "{piece:?} {definition:?}");
    // The symbols of a pretoken whose characters are not all tokens are itself.
    if stop == Stop::WholePiece && replay.by_merges.is_empty() {
        assert_eq!(replay.symbols, [whole], "{piece:?}");
        return Some(0);
    }
    // Of texts, what is left may be taken apart again, or be no token.
    if !matches!(model.merges, Merges::Ranked(_)) {
        let left: Vec<u32> = left.into_iter().flatten().collect();
        assert_eq!(replay.by_merges, left, "{piece:?} {definition:?}");
        if stop != Stop::WholePiece {
            assert_eq!(tokens.ids, left, "{piece:?} {definition:?}");
        }
    }
    Some(replay.steps.len())
}

#[test]
fn joins_of_bytes_equal_the_blackboard() {
    let mut random = Random::new(31);
    let (mut n_pieces, mut n_joins) = (0, 0);
    for round in 0..240 {
        let alphabet = BYTES[random.below(BYTES.len())];
        let n = 1 + random.below(60);
        let definition = if round % 2 == 0 {
            concat_tokenizer(
                &mut random,
                alphabet,
                n.min(if alphabet.len() == 1 { 5 } else { 60 }),
                r"[\s\S]+",
            )
        } else {
            listed_tokenizer(&mut random, alphabet, n, r"[\s\S]+")
        };
        for _ in 0..20 {
            let piece = random.string(alphabet, 60);
            n_joins += compare(&definition, &piece).expect("every byte is a token");
            n_pieces += 1;
        }
    }
    println!("{n_pieces} records with {n_joins} joins compared, 0 different");
}

#[test]
fn joins_of_characters_equal_the_blackboard() {
    let mut random = Random::new(32);
    let (mut n_pieces, mut n_joins, mut n_refused) = (0, 0, 0);
    for round in 0..200 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        for kind in 0..3 {
            let definition = match kind {
                0 => listed(&mut random, alphabet, false),
                1 => listed(&mut random, alphabet, true),
                _ => ranked(&mut random, alphabet),
            };
            for _ in 0..12 {
                let piece = text(&mut random, alphabet, 40);
                match compare(&definition, &piece) {
                    Some(n) => n_joins += n,
                    None => n_refused += 1,
                }
                n_pieces += 1;
            }
        }
    }
    println!("{n_pieces} records with {n_joins} joins compared, {n_refused} refused by both, 0 different");
}

#[test]
fn segmentations_and_the_next_best_are_those_of_all() {
    let mut random = Random::new(33);
    let (mut n_compared, mut n_runners_up) = (0, 0);
    for round in 0..400 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        for precision in [Precision::F64, Precision::F32] {
            let definition = unigrams(&mut random, alphabet, precision);
            let piece = random.string(alphabet, 8);
            let (Reasons::Unigram(found), _) = reasons(&definition, &piece).unwrap() else { unreachable!() };
            let all = unigram::all(&definition, &piece);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
            // A search in single precision may take a path that is not the best of exact sums.
            let mut others: Vec<f64> = all.iter().map(|&(_, sum)| sum).collect();
            let best = others.iter().position(|&sum| close(sum, found.best.1));
            others.remove(best.expect("the best path is one of all"));
            n_compared += 1;
            let next = found.runner_up.as_ref().map(|(_, sum)| *sum);
            n_runners_up += usize::from(next.is_some());
            match (next, others.first()) {
                _ if piece.is_empty() => assert_eq!(next, None),
                (Some(next), Some(&wanted)) => assert!(close(next, wanted), "{piece:?}: {next} {wanted}"),
                (next, wanted) => assert_eq!(next, wanted.copied(), "{piece:?} {definition:?}"),
            }
            let ends = found.best.0.last().map_or(0, |stretch| stretch.end);
            assert_eq!(ends, piece.len(), "the path covers {piece:?}");
        }
    }
    println!("{n_compared} segmentations and {n_runners_up} runners-up compared, 0 different");
}

#[test]
fn attempts_of_words_end_with_the_tokens() {
    let mut random = Random::new(34);
    let (mut n_compared, mut n_unknown) = (0, 0);
    for round in 0..400 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        let definition = words(&mut random, alphabet);
        for _ in 0..20 {
            let word = text(&mut random, alphabet, 14);
            let (Reasons::WordPiece(found), tokens) = reasons(&definition, &word).unwrap() else {
                unreachable!()
            };
            let is_unknown = found.is_too_long() || found.failed_at.is_some();
            n_unknown += usize::from(is_unknown);
            if !is_unknown {
                let ids: Vec<u32> = found.found.iter().map(|&(_, _, id)| id.0).collect();
                let lengths: Vec<u32> =
                    found.found.iter().map(|&(start, end, _)| (end - start) as u32).collect();
                assert_eq!((ids, lengths), (tokens.ids, tokens.lengths), "{word:?}");
            }
            n_compared += 1;
        }
    }
    assert!(n_unknown > 100, "{n_unknown}");
    println!("{n_compared} words compared, {n_unknown} of them unknown, 0 different");
}

#[test]
fn work_grows_with_the_length() {
    let mut random = Random::new(35);
    let bytes = concat_tokenizer(&mut random, &["a", "b"], 20, r"[\s\S]+");
    let characters = listed(&mut random, ALPHABETS[0], false);
    for definition in [bytes, characters, ranked(&mut random, ALPHABETS[0])] {
        let engine = Engine::new(&definition).unwrap();
        for piece in ["a", "ab"] {
            let work = |n: usize| {
                let ctl = Ctl::new();
                let piece = piece.repeat(n / piece.len());
                let found = engine.reasons(&definition, &piece, usize::MAX, &mut ctl.ticker());
                let n_steps = match found {
                    Ok((Reasons::Bpe(replay), ..)) => replay.steps.len(),
                    _ => 0,
                };
                ctl.work() + n_steps as u64
            };
            let (small, large) = (work(20_000), work(200_000));
            assert!(large <= small.max(1) * 12, "{piece:?}: {small} units, then {large}");
        }
    }
}
