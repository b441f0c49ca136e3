//! Character-level BPE, Unigram and WordPiece give what the blackboard gives, on vocabularies that are nastier than any
//! published one: small alphabets, few distinct scores, pieces that nothing reaches, bytes that are missing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects by failing")]
#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "small numbers, and sums made alike")]

use std::collections::{HashMap, HashSet};

use piecework_core::definition::{Bpe, Characters, Definition, Model, Precision, Unigram, WordPiece};
use piecework_core::error::Error;
use piecework_core::id::TokenId;
use piecework_core::interrupt::Ctl;
use piecework_core::merges::{Merges, NO_RANK, Pair};
use piecework_core::model::random::Random as Lots;
use piecework_core::model::sampling::Sampling;
use piecework_core::model::{Engine, Scratch, Tokens};
use piecework_core::vocab::{Entry, Vocab};
use piecework_oracle::random::Random;
use piecework_oracle::{characters, unigram, word_piece};

/// The last characters of each are in no vocabulary.
const ALPHABETS: [&[&str]; 4] =
    [&["a", "b", "▁", "é"], &["a", "▁", "x"], &["▁", "a", "b", "c", "字", "!", "?"], &["a", "b"]];

struct Made {
    tokens: Vec<String>,
    hidden: HashSet<usize>,
}

impl Made {
    /// `<unk>`, sometimes byte tokens (all, some or none), characters and random strings, each once.
    fn new(random: &mut Random, alphabet: &[&str], n: usize, hide: bool) -> Self {
        let mut tokens = vec!["<unk>".to_owned()];
        let bytes = random.below(3);
        tokens.extend(
            (0..=255_u8)
                .filter(|byte| bytes == 0 || (bytes == 1 && byte % 3 > 0))
                .map(|b| format!("<0x{b:02X}>")),
        );
        let hidden = (0..tokens.len()).filter(|_| hide).collect();
        let n_known = alphabet.len() - alphabet.len() / 3;
        for token in &alphabet[..n_known] {
            if random.below(8) > 0 {
                tokens.push((*token).to_owned());
            }
        }
        for _ in 0..n {
            let token = random.string(alphabet, 6);
            if !token.is_empty() && !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        Self { tokens, hidden }
    }

    fn vocab(&self) -> Vocab {
        Vocab::new(self.tokens.iter().enumerate().map(|(id, token)| Entry {
            id: TokenId(id as u32),
            bytes: token.as_bytes(),
            indexed: !self.hidden.contains(&id),
        }))
        .unwrap()
    }

    fn some(&self, random: &mut Random, one_in: usize) -> Vec<TokenId> {
        let last = (0..self.tokens.len()).filter(|id| !self.tokens[*id].starts_with('<'));
        last.filter(|_| random.below(one_in) == 0).map(|id| TokenId(id as u32)).collect()
    }
}

/// Merges of listed pairs, which at times join with the unknown token or a byte's.
fn listed(random: &mut Random, alphabet: &[&str], with_affixes: bool) -> Definition {
    let prefix = if with_affixes && random.below(2) == 0 { "##" } else { "" };
    let suffix = if with_affixes && random.below(2) == 0 { "</w>" } else { "" };
    let mut made = Made::new(random, alphabet, 3, false);
    for character in alphabet {
        for text in [format!("{prefix}{character}"), format!("{prefix}{character}{suffix}")] {
            if random.below(5) > 0 && !made.tokens.contains(&text) {
                made.tokens.push(text);
            }
        }
    }
    let mut ids: HashMap<String, usize> = made.tokens.iter().cloned().zip(0..).collect();
    let first = if random.below(4) == 0 {
        0
    } else {
        made.tokens.iter().rposition(|t| t.starts_with("<0x")).map_or(1, |i| i + 1)
    };
    let mut pairs = Vec::new();
    for _ in 0..random.below(40) {
        let n = made.tokens.len() - first;
        let (left, right) = (first + random.below(n), first + random.below(n));
        let tail = made.tokens[right].strip_prefix(prefix).unwrap_or(&made.tokens[right]);
        let text = format!("{}{tail}", made.tokens[left]);
        let product = *ids.entry(text.clone()).or_insert_with(|| {
            made.tokens.push(text);
            made.tokens.len() - 1
        });
        let [left, right, product] = [left, right, product].map(|id| TokenId(id as u32));
        pairs.push(Pair { left, right, product });
    }
    let vocab = made.vocab();
    let merges =
        if with_affixes { Merges::listed(pairs) } else { Merges::from_pairs(pairs, &vocab) }.unwrap();
    let unk = (random.below(4) > 0).then_some(TokenId(0));
    let characters = Characters {
        unk,
        fuse_unk: random.below(2) == 0,
        byte_fallback: random.below(2) == 0,
        continuing_subword_prefix: prefix.to_owned(),
        end_of_word_suffix: suffix.to_owned(),
        user_defined: Vec::new(),
        unused: Vec::new(),
    };
    let whole_pieces = random.below(4) == 0;
    let bpe = Bpe { merges, whole_pieces, characters: Some(characters), dropout_millionths: 0 };
    Definition::new(vocab, Model::Bpe(bpe))
}

/// sentencepiece's merges: a rank a piece, some of them equal.
fn ranked(random: &mut Random, alphabet: &[&str]) -> Definition {
    let n = random.below(30);
    let made = Made::new(random, alphabet, n, true);
    let is_hidden = |id: usize| made.hidden.contains(&id);
    let ranks: Vec<u32> = (0..made.tokens.len())
        .map(|id| if is_hidden(id) { NO_RANK } else { random.below(12) as u32 })
        .collect();
    let all_bytes = made.tokens.contains(&"<0x00>".to_owned()) && made.tokens.contains(&"<0x01>".to_owned());
    let unused = if random.below(2) == 0 { made.some(random, 4) } else { Vec::new() };
    let user_defined = if random.below(2) == 0 { made.some(random, 6) } else { Vec::new() };
    let characters = Characters {
        unk: Some(TokenId(0)),
        fuse_unk: true,
        byte_fallback: all_bytes && random.below(2) == 0,
        user_defined: user_defined.into_iter().filter(|id| !unused.contains(id)).collect(),
        unused,
        ..Characters::default()
    };
    let bpe = Bpe {
        merges: Merges::Ranked(ranks),
        whole_pieces: false,
        characters: Some(characters),
        dropout_millionths: 0,
    };
    Definition::new(made.vocab(), Model::Bpe(bpe))
}

fn unigrams(random: &mut Random, alphabet: &[&str], precision: Precision) -> Definition {
    let n = random.below(30);
    let made = Made::new(random, alphabet, n, precision == Precision::F32);
    // Few distinct scores, so that sums are often equal or differ only by rounding.
    let scale = *random.pick(&[1.0, 0.1, 3e4]);
    let score = |random: &mut Random| f64::from((-(random.below(7) as f64) * scale) as f32);
    let score_bits = made.tokens.iter().map(|_| score(random).to_bits()).collect();
    let all_bytes = made.tokens.contains(&"<0x00>".to_owned()) && made.tokens.contains(&"<0x01>".to_owned());
    let is_narrow = precision == Precision::F32;
    let unused = if is_narrow { made.some(random, 5) } else { Vec::new() };
    let user_defined = if is_narrow { made.some(random, 5) } else { Vec::new() };
    let model = Unigram {
        score_bits,
        unk: Some(TokenId(0)),
        byte_fallback: (all_bytes || !is_narrow) && random.below(2) == 0,
        precision,
        user_defined: user_defined.into_iter().filter(|id| !unused.contains(id)).collect(),
        unused,
    };
    Definition::new(made.vocab(), Model::Unigram(model))
}

fn text(random: &mut Random, alphabet: &[&str], max: usize) -> String {
    let mut text = random.string(alphabet, max);
    if random.below(10) == 0 {
        text.push_str("<unk>");
        text.push_str(alphabet[alphabet.len() - 1]);
    }
    text
}

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
        let n = random.below(25);
        let mut made = Made::new(&mut random, alphabet, n, false);
        let prefix = *random.pick(&["##", "", "▁"]);
        for _ in 0..random.below(25) {
            let token = format!("{prefix}{}", random.string(alphabet, 4));
            if !token.is_empty() && !made.tokens.contains(&token) {
                made.tokens.push(token);
            }
        }
        let model = WordPiece {
            unk: TokenId(0),
            continuing_subword_prefix: prefix.to_owned(),
            max_input_chars_per_word: 12,
        };
        let definition = Definition::new(made.vocab(), Model::WordPiece(model));
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
