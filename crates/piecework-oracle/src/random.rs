//! Repeatable randomness, and tokenizers and texts made from it. Small alphabets and shuffled ranks make the
//! awkward cases common: overlapping tokens, tokens that no merge reaches, products that rank before their parts.

use std::collections::HashMap;

use piecework_core::definition::{Behavior, Bpe, Definition, Model, PreTokenizer};
use piecework_core::id::TokenId;
use piecework_core::merges::{Merges, Pair, PairTable};
use piecework_core::vocab::Vocab;

/// A linear congruential generator: the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2) | 1)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    /// Returns one of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns a string of up to `max` items.
    pub fn string(&mut self, items: &[&str], max: usize) -> String {
        (0..self.below(max + 1)).map(|_| *self.pick(items)).collect()
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

fn definition(tokens: &[Vec<u8>], merges: Merges, whole_pieces: bool, pattern: &str) -> Definition {
    let vocab = Vocab::dense(tokens.iter().map(Vec::as_slice)).expect("tokens are distinct");
    Definition {
        pre_tokenizers: vec![PreTokenizer::Split {
            pattern: pattern.to_owned(),
            behavior: Behavior::Isolated,
            invert: false,
        }],
        ..Definition::new(vocab, Model::Bpe(Bpe::bytes(merges, whole_pieces)))
    }
}

fn bytes() -> Vec<Vec<u8>> {
    (0..=u8::MAX).map(|byte| vec![byte]).collect()
}

/// Returns a tokenizer of random strings over `alphabet`, any pair joining whose concatenation is one.
pub fn concat_tokenizer(random: &mut Random, alphabet: &[&str], n: usize, pattern: &str) -> Definition {
    let mut tokens = bytes();
    while tokens.len() < 256 + n {
        let token = random.string(alphabet, 7).into_bytes();
        if token.len() > 1 && !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    definition(&tokens, Merges::Concat, random.below(2) == 0, pattern)
}

/// Returns a tokenizer of random merges over the bytes of `alphabet`, their ranks shuffled.
pub fn listed_tokenizer(random: &mut Random, alphabet: &[&str], n: usize, pattern: &str) -> Definition {
    let mut tokens = bytes();
    let mut ids: HashMap<Vec<u8>, u32> = (0..).zip(&tokens).map(|(id, token)| (token.clone(), id)).collect();
    let mut used: Vec<u32> = alphabet.concat().bytes().map(u32::from).collect();
    let mut pairs = Vec::new();
    for _ in 0..n {
        let (left, right) = (*random.pick(&used), *random.pick(&used));
        let joined = [tokens[left as usize].as_slice(), tokens[right as usize].as_slice()].concat();
        let product = *ids.entry(joined.clone()).or_insert_with(|| {
            tokens.push(joined);
            tokens.len() as u32 - 1
        });
        used.push(product);
        pairs.push(Pair { left: TokenId(left), right: TokenId(right), product: TokenId(product) });
    }
    if random.below(2) == 0 {
        random.shuffle(&mut pairs);
    }
    let merges = Merges::Listed(PairTable::new(pairs).expect("few pairs"));
    definition(&tokens, merges, random.below(3) == 0, pattern)
}
