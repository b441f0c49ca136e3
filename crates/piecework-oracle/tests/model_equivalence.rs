//! Character-level BPE, Unigram and WordPiece give what the blackboard gives, on vocabularies that are nastier than any
//! published one: small alphabets, few distinct scores, pieces that nothing reaches, bytes that are missing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects by failing")]
#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "small numbers, and sums made alike")]

use std::collections::HashMap;

use piecework_core::definition::{Bpe, Definition, Model, Precision};
use piecework_core::error::Error;
use piecework_core::id::TokenId;
use piecework_core::interrupt::Ctl;
use piecework_core::model::random::Random as Lots;
use piecework_core::model::sampling::Sampling;
use piecework_core::model::{Engine, Scratch, Tokens};
use piecework_oracle::random::Random;
use piecework_oracle::random_models::{ALPHABETS, listed, ranked, text, unigrams, words};
use piecework_oracle::{characters, unigram, word_piece};

/// Encodes twice with one scratch, the second time perhaps from memory, behind a token that must stay as it is.
fn encode(
    engine: &Engine,
    scratch: &mut Scratch,
    definition: &Definition,
    piece: &str,
) -> Result<Vec<(u32, usize)>, Error> {
    let ctl = Ctl::new();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let mut tokens = Tokens::default();
        tokens.push(TokenId(0), 3);
        engine.encode(definition, scratch, piece, &mut tokens, &mut ctl.ticker())?;
        let mut all = tokens.ids.iter().copied().zip(tokens.lengths.iter().map(|&n| n as usize));
        assert_eq!(all.next(), Some((0, 3)), "{piece:?}");
        runs.push(all.collect::<Vec<_>>());
    }
    assert_eq!(runs[0], runs[1], "from memory: {piece:?}");
    let covered: usize = runs[0].iter().map(|(_, n)| n).sum();
    assert_eq!(covered, piece.len(), "the tokens tile {piece:?}");
    Ok(runs.swap_remove(0))
}

#[test]
fn characters_equal_the_blackboard() {
    let mut random = Random::new(11);
    let (mut n_compared, mut n_refused) = (0, 0);
    for round in 0..160 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        for kind in 0..3 {
            let definition = match kind {
                0 => listed(&mut random, alphabet, false),
                1 => listed(&mut random, alphabet, true),
                _ => ranked(&mut random, alphabet),
            };
            let engine = Engine::new(&definition).unwrap();
            let mut scratch = Scratch::default();
            for _ in 0..20 {
                let max = if random.below(4) == 0 { 120 } else { 25 };
                let piece = text(&mut random, alphabet, max);
                let found = encode(&engine, &mut scratch, &definition, &piece);
                if let Some(wanted) = characters::encode(&definition, &piece) {
                    assert_eq!(found, Ok(wanted), "{piece:?} {definition:?}");
                } else {
                    assert!(matches!(found, Err(Error::Unencodable { .. })), "{piece:?}: {found:?}");
                    n_refused += 1;
                }
                n_compared += 1;
            }
        }
    }
    assert!(n_refused > 50, "{n_refused}");
    println!("{n_compared} pieces compared, {n_refused} of them refused by both, 0 different");
}

#[test]
fn unigrams_equal_the_blackboard() {
    let mut random = Random::new(12);
    let mut n_compared = 0;
    for round in 0..400 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        for precision in [Precision::F64, Precision::F32] {
            let definition = unigrams(&mut random, alphabet, precision);
            let engine = Engine::new(&definition).unwrap();
            let mut scratch = Scratch::default();
            for _ in 0..20 {
                let piece = text(&mut random, alphabet, 40);
                // Sums that large are taken back on the way, which the blackboard does not do.
                let wanted = unigram::encode(&definition, &piece);
                let found = encode(&engine, &mut scratch, &definition, &piece).unwrap();
                let Model::Unigram(model) = &definition.model else { unreachable!() };
                let is_large = model.score_bits.iter().any(|&bits| f64::from_bits(bits) < -1000.0);
                if precision == Precision::F64 || !is_large {
                    assert_eq!(found, wanted, "{piece:?} {definition:?}");
                    n_compared += 1;
                }
            }
        }
    }
    println!("{n_compared} pieces compared, 0 different");
}

#[test]
fn windows_of_long_texts_change_nothing() {
    let mut random = Random::new(13);
    for round in 0..20 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        let definition = unigrams(&mut random, alphabet, Precision::F64);
        let engine = Engine::new(&definition).unwrap();
        let piece: String = (0..6000).map(|_| *random.pick(alphabet)).collect();
        let found = encode(&engine, &mut Scratch::default(), &definition, &piece).unwrap();
        assert_eq!(found, unigram::encode(&definition, &piece));
    }
}

#[test]
fn the_best_few_are_the_best_of_all() {
    let mut random = Random::new(14);
    let ctl = Ctl::new();
    let mut n_compared = 0;
    for round in 0..400 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        let precision = *random.pick(&[Precision::F64, Precision::F32]);
        let definition = unigrams(&mut random, alphabet, precision);
        let engine = Engine::new(&definition).unwrap();
        for _ in 0..5 {
            let piece = random.string(alphabet, 8);
            let all = unigram::all(&definition, &piece);
            let n = 1 + random.below(12);
            let found = engine.nbest(&definition, &piece, n, &mut ctl.ticker()).unwrap();
            assert_eq!(found.len(), n.min(all.len()), "{piece:?}");
            for ((tokens, score), (_, wanted)) in found.iter().zip(&all) {
                assert!(
                    (score - wanted).abs() <= 1e-9 * wanted.abs().max(1.0),
                    "{piece:?}: {score} {wanted}"
                );
                let pairs: Vec<(u32, usize)> =
                    tokens.ids.iter().copied().zip(tokens.lengths.iter().map(|&n| n as usize)).collect();
                let is_one = all.iter().any(|(path, other)| *path == pairs && (other - score).abs() < 1e-6);
                assert!(is_one, "{piece:?} {pairs:?} {score} {all:?} {definition:?}");
                n_compared += 1;
            }
        }
    }
    println!("{n_compared} segmentations compared, 0 different");
}

#[test]
fn samples_are_as_frequent_as_their_scores_say() {
    let mut random = Random::new(15);
    let ctl = Ctl::new();
    for round in 0..6 {
        let alphabet = ALPHABETS[round % 2];
        let mut definition = unigrams(&mut random, alphabet, Precision::F64);
        if let Model::Unigram(model) = &mut definition.model {
            let n = model.score_bits.len();
            model.score_bits = (0..n).map(|id| (-((id % 5) as f64) * 0.5).to_bits()).collect();
        }
        let engine = Engine::new(&definition).unwrap();
        let piece: String = (0..6).map(|_| alphabet[random.below(2)]).collect();
        let all = unigram::all(&definition, &piece);
        let alpha = 0.7;
        for nbest_size in [None, Some(3)] {
            let kept = &all[..nbest_size.unwrap_or(all.len()).min(all.len())];
            // A tie at the edge of the best few makes their membership a matter of order.
            let is_cut_at_a_tie =
                all.get(kept.len()).is_some_and(|(_, score)| *score == kept[kept.len() - 1].1);
            let sampling = Sampling { alpha, nbest_size, ..Sampling::default() };
            let mut lots = Lots::new(round as u64);
            let mut counts: HashMap<Vec<u32>, usize> = HashMap::new();
            let n = 20_000;
            for _ in 0..n {
                let mut tokens = Tokens::default();
                engine
                    .sample(
                        &definition,
                        &mut Scratch::default(),
                        &piece,
                        (&sampling, &mut lots),
                        &mut tokens,
                        &mut ctl.ticker(),
                    )
                    .unwrap();
                *counts.entry(tokens.ids).or_default() += 1;
            }
            if is_cut_at_a_tie {
                continue;
            }
            let sum: f64 = kept.iter().map(|(_, score)| (alpha * score).exp()).sum();
            for (path, score) in kept {
                let ids: Vec<u32> = path.iter().map(|&(id, _)| id).collect();
                let wanted = (alpha * score).exp() / sum;
                let found = counts.get(&ids).copied().unwrap_or(0) as f64 / f64::from(n);
                assert!((found - wanted).abs() < 0.02, "{piece:?} {ids:?}: {found} instead of {wanted}");
            }
        }
    }
}

#[test]
fn dropout_goes_from_no_merge_to_all_and_repeats_itself() {
    let mut random = Random::new(16);
    let ctl = Ctl::new();
    for round in 0..200 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        let definition =
            if round % 2 == 0 { listed(&mut random, alphabet, false) } else { ranked(&mut random, alphabet) };
        let Some(Bpe { whole_pieces: false, .. }) = definition.model.bpe() else { continue };
        let engine = Engine::new(&definition).unwrap();
        let piece = random.string(alphabet, 30);
        let mut scratch = Scratch::default();
        let mut drawn = |p: f64, seed: u64| {
            let sampling = Sampling { dropout: Some(p), ..Sampling::default() };
            let mut tokens = Tokens::default();
            engine
                .sample(
                    &definition,
                    &mut scratch,
                    &piece,
                    (&sampling, &mut Lots::new(seed)),
                    &mut tokens,
                    &mut ctl.ticker(),
                )
                .map(|()| tokens)
        };
        let Ok(all) = drawn(0.0, 0) else { continue };
        assert_eq!(drawn(1e-12, 0), Ok(all.clone()));
        assert_eq!(drawn(0.5, 9), drawn(0.5, 9));
        let none = drawn(1.0, 0).unwrap();
        // Unknown characters in a row are one token where texts join.
        assert!(round % 2 == 1 || none.ids.len() >= all.ids.len());
        assert_eq!(none.lengths.iter().sum::<u32>(), all.lengths.iter().sum::<u32>());
    }
}

#[test]
fn words_equal_the_blackboard() {
    let mut random = Random::new(17);
    let mut n_compared = 0;
    for round in 0..400 {
        let alphabet = ALPHABETS[round % ALPHABETS.len()];
        let definition = words(&mut random, alphabet);
        let engine = Engine::new(&definition).unwrap();
        for _ in 0..30 {
            let word = text(&mut random, alphabet, 14);
            let found = encode(&engine, &mut Scratch::default(), &definition, &word).unwrap();
            assert_eq!(found, word_piece::encode(&definition, &word), "{word:?} {definition:?}");
            n_compared += 1;
        }
    }
    println!("{n_compared} words compared, 0 different");
}

#[test]
fn work_grows_with_the_length() {
    let mut random = Random::new(18);
    for definition in [
        listed(&mut random, ALPHABETS[0], false),
        ranked(&mut random, ALPHABETS[0]),
        unigrams(&mut random, ALPHABETS[0], Precision::F32),
        unigrams(&mut random, ALPHABETS[0], Precision::F64),
    ] {
        let engine = Engine::new(&definition).unwrap();
        for piece in ["a", "ab▁", "▁", "aab", "é"] {
            let work = |n: usize| {
                let ctl = Ctl::new();
                let text = piece.repeat(n / piece.len());
                let mut tokens = Tokens::default();
                // What cannot be encoded is refused, after how much work does not matter.
                let _ = engine.encode(
                    &definition,
                    &mut Scratch::default(),
                    &text,
                    &mut tokens,
                    &mut ctl.ticker(),
                );
                ctl.work()
            };
            let (small, large) = (work(100_000), work(1_000_000));
            assert!(large <= small.max(1) * 12, "{piece:?}: {small} units, then {large}");
        }
    }
}
