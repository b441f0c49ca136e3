//! Random models of characters, Unigram and WordPiece: small alphabets, few distinct scores, pieces that nothing reaches,
//! bytes that are missing.

use std::collections::{HashMap, HashSet};

use piecework_core::definition::{Bpe, Characters, Definition, Model, Precision, Unigram, WordPiece};
use piecework_core::id::TokenId;
use piecework_core::merges::{Merges, NO_RANK, Pair};
use piecework_core::vocab::{Entry, Vocab};

use crate::random::Random;

/// The last characters of each are in no vocabulary.
pub const ALPHABETS: [&[&str]; 4] =
    [&["a", "b", "▁", "é"], &["a", "▁", "x"], &["▁", "a", "b", "c", "字", "!", "?"], &["a", "b"]];

/// The tokens of a random vocabulary.
#[derive(Debug)]
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
        .expect("tokens are distinct")
    }

    fn some(&self, random: &mut Random, one_in: usize) -> Vec<TokenId> {
        let last = (0..self.tokens.len()).filter(|id| !self.tokens[*id].starts_with('<'));
        last.filter(|_| random.below(one_in) == 0).map(|id| TokenId(id as u32)).collect()
    }
}

/// Merges of listed pairs, which at times join with the unknown token or a byte's.
pub fn listed(random: &mut Random, alphabet: &[&str], with_affixes: bool) -> Definition {
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
    let merges = if with_affixes { Merges::listed(pairs) } else { Merges::from_pairs(pairs, &vocab) }
        .expect("few pairs");
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
pub fn ranked(random: &mut Random, alphabet: &[&str]) -> Definition {
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

/// Pieces of few distinct scores.
pub fn unigrams(random: &mut Random, alphabet: &[&str], precision: Precision) -> Definition {
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

/// Words of at most twelve characters, their inner pieces with one prefix or another.
pub fn words(random: &mut Random, alphabet: &[&str]) -> Definition {
    let n = random.below(25);
    let mut made = Made::new(random, alphabet, n, false);
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
    Definition::new(made.vocab(), Model::WordPiece(model))
}

/// Returns a text of some of `alphabet`, at times with what looks like the unknown token.
pub fn text(random: &mut Random, alphabet: &[&str], max: usize) -> String {
    let mut text = random.string(alphabet, max);
    if random.below(10) == 0 {
        text.push_str("<unk>");
        text.push_str(alphabet[alphabet.len() - 1]);
    }
    text
}
