//! A BPE trainer as one would explain it on a blackboard: words are lists of texts, and every merge looks at all
//! of them again. `hf` keeps the books of tokenizers' `BpeTrainer` line by line, in plain maps; the other rules
//! of ties count anew each time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use piecework_core::byte_alphabet;
use piecework_core::train::curve::{Applied, CurveModel};
use piecework_core::train::{Base, BpeOptions, Layout, Score, Ties};

/// What was learned: entries by id, and the texts of the merges in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Learned {
    /// Every entry, by id.
    pub tokens: Vec<String>,
    /// Left text, right text, count.
    pub merges: Vec<(String, String, u64)>,
    /// The words at the end.
    pub corpus: Vec<Vec<String>>,
}

/// Word counts as the blackboard has them.
pub type Words = [(Vec<u8>, u64)];

/// Returns what `options` make of `words`.
pub fn bpe(words: &Words, options: &BpeOptions) -> Learned {
    let mut entries = Vec::new();
    let specials: Vec<String> = options.special_tokens.clone();
    if options.layout == Layout::Hf {
        add_all(&mut entries, &specials);
    } else {
        let bytes: Vec<String> =
            (0..=255).map(|byte| byte_alphabet::byte_to_char(byte).to_string()).collect();
        add_all(&mut entries, &bytes);
    }
    let counted: Vec<(String, u64)> = words.iter().map(|(word, n)| (text(word, options.base), *n)).collect();
    add_all(&mut entries, &alphabet(&counted, options));
    if let Some(marker) = &options.end_of_word {
        add_all(&mut entries, std::slice::from_ref(marker));
    }
    let known: BTreeSet<String> = entries.iter().cloned().collect();
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by_key(|&at| &words[at].0);
    for at in order {
        add_all(&mut entries, &symbols(&counted[at].0, &known, options));
    }
    let corpus = counted.iter().map(|(word, _)| symbols(word, &known, options)).collect();
    let counts = counted.iter().map(|&(_, n)| n as i64).collect();
    // Special tokens that come last already count and already have their texts.
    let late = if options.layout == Layout::Bytes { specials } else { Vec::new() };
    let mut board = Board { entries, late, corpus, counts, merges: Vec::new(), options };
    if options.ties == Ties::Hf && options.score == Score::Count {
        board.keep_books();
    } else {
        board.count_anew();
    }
    let Board { mut entries, late, corpus, merges, .. } = board;
    add_all(&mut entries, &late);
    Learned { tokens: entries, merges: last_of_each(&merges), corpus }
}

/// A word as characters, bytes in the display alphabet.
fn text(word: &[u8], base: Base) -> String {
    match base {
        Base::Bytes => byte_alphabet::display(word),
        Base::Characters => String::from_utf8(word.to_vec()).expect("words are texts"),
    }
}

fn add_all(entries: &mut Vec<String>, texts: &[String]) {
    for text in texts {
        if !entries.contains(text) {
            entries.push(text.clone());
        }
    }
}

fn alphabet(words: &[(String, u64)], options: &BpeOptions) -> Vec<String> {
    let mut seen: BTreeMap<char, u64> = BTreeMap::new();
    for (word, n) in words {
        for character in word.chars() {
            *seen.entry(character).or_default() += n;
        }
    }
    for &character in &options.initial_alphabet {
        seen.insert(character, u64::MAX);
    }
    let mut kept: Vec<(char, u64)> = seen.into_iter().collect();
    kept.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    kept.truncate(options.limit_alphabet.unwrap_or(usize::MAX));
    kept.sort_unstable();
    kept.into_iter().map(|(character, _)| character.to_string()).collect()
}

fn symbols(word: &str, known: &BTreeSet<String>, options: &BpeOptions) -> Vec<String> {
    let prefix = options.continuing_subword_prefix.clone().unwrap_or_default();
    let suffix = options.end_of_word_suffix.clone().unwrap_or_default();
    let n = word.chars().count();
    let mut symbols = Vec::new();
    for (at, character) in word.chars().enumerate() {
        let mut symbol = character.to_string();
        if !known.contains(&symbol) {
            continue;
        }
        if at > 0 {
            symbol = format!("{prefix}{symbol}");
        }
        if at + 1 == n {
            symbol = format!("{symbol}{suffix}");
        }
        symbols.push(symbol);
    }
    symbols.extend(options.end_of_word.clone());
    symbols
}

fn last_of_each(merges: &[(String, String, u64)]) -> Vec<(String, String, u64)> {
    let mut last: HashMap<(String, String), usize> = HashMap::new();
    for (at, (left, right, _)) in merges.iter().enumerate() {
        last.insert((left.clone(), right.clone()), at);
    }
    let is_last = |at: usize, merge: &(String, String, u64)| last[&(merge.0.clone(), merge.1.clone())] == at;
    merges
        .iter()
        .enumerate()
        .filter(|(at, merge)| is_last(*at, merge))
        .map(|(_, merge)| merge.clone())
        .collect()
}

type Pair = (String, String);

/// All words and all entries.
struct Board<'o> {
    entries: Vec<String>,
    late: Vec<String>,
    corpus: Vec<Vec<String>>,
    counts: Vec<i64>,
    merges: Vec<(String, String, u64)>,
    options: &'o BpeOptions,
}

impl Board<'_> {
    fn is_full(&self) -> bool {
        let n_late = self.late.iter().filter(|text| !self.entries.contains(text)).count();
        self.entries.len() + n_late >= self.options.vocab_size || self.merges.len() >= self.options.n_merges
    }

    fn id(&self, text: &str) -> usize {
        let late = || usize::MAX / 2 + self.late.iter().position(|other| other == text).expect("an entry");
        self.entries.iter().position(|other| other == text).unwrap_or_else(late)
    }

    fn ids(&self, pair: &Pair) -> (usize, usize) {
        (self.id(&pair.0), self.id(&pair.1))
    }

    /// The number of symbols that a token was at the start.
    fn length(&self, text: &str) -> usize {
        let bare = text
            .strip_prefix(self.options.continuing_subword_prefix.as_deref().unwrap_or(""))
            .unwrap_or(text);
        let bare =
            bare.strip_suffix(self.options.end_of_word_suffix.as_deref().unwrap_or("")).unwrap_or(bare);
        bare.chars().count()
    }

    fn product(&mut self, pair: &Pair) -> String {
        let prefix = self.options.continuing_subword_prefix.as_deref().unwrap_or("");
        let product = format!("{}{}", pair.0, pair.1.strip_prefix(prefix).unwrap_or(&pair.1));
        if !self.late.contains(&product) {
            add_all(&mut self.entries, std::slice::from_ref(&product));
        }
        product
    }

    /// Merges `pair` in one word and returns the pairs that stand once less or once more.
    fn merge_in(&mut self, at: usize, pair: &Pair, product: &str) -> Vec<(Pair, i64)> {
        let max = self.options.max_token_length.unwrap_or(usize::MAX);
        let mut word = self.corpus[at].clone();
        let mut changes = Vec::new();
        let mut i = 0;
        while i < word.len() {
            if word[i] == pair.0 && word.get(i + 1) == Some(&pair.1) {
                word.splice(i..i + 2, [product.to_owned()]);
                if i > 0 {
                    changes.push(((word[i - 1].clone(), pair.0.clone()), -1));
                    if self.length(&word[i - 1]) + self.length(product) < max {
                        changes.push(((word[i - 1].clone(), product.to_owned()), 1));
                    }
                }
                if i + 1 < word.len() {
                    changes.push(((pair.1.clone(), word[i + 1].clone()), -1));
                    if self.length(&word[i + 1]) + self.length(product) < max {
                        changes.push(((product.to_owned(), word[i + 1].clone()), 1));
                    }
                }
            }
            i += 1;
        }
        self.corpus[at] = word;
        changes
    }

    /// As `BpeTrainer` does it: a queue of (count, pair, words), counts that changes keep up to date.
    fn keep_books(&mut self) {
        let mut counts: HashMap<Pair, i64> = HashMap::new();
        let mut places: BTreeMap<Pair, BTreeSet<usize>> = BTreeMap::new();
        for (at, word) in self.corpus.iter().enumerate() {
            for pair in word.windows(2) {
                let pair = (pair[0].clone(), pair[1].clone());
                *counts.entry(pair.clone()).or_default() += self.counts[at];
                places.entry(pair).or_default().insert(at);
            }
        }
        let mut queue: Vec<(u64, Pair, BTreeSet<usize>)> = Vec::new();
        loop {
            for (pair, words) in std::mem::take(&mut places) {
                if counts[&pair] > 0 {
                    queue.push((counts[&pair] as u64, pair, words));
                }
            }
            let next = loop {
                let rank = |at: &usize| (queue[*at].0, std::cmp::Reverse(self.ids(&queue[*at].1)));
                let Some(best) = (0..queue.len()).max_by_key(rank) else { break None };
                let current = counts[&queue[best].1] as u64;
                if queue[best].0 == current {
                    break Some(queue.remove(best));
                }
                queue[best].0 = current;
            };
            let Some((count, pair, words)) = next.filter(|_| !self.is_full()) else { return };
            if count < 1 || self.options.min_frequency > count {
                return;
            }
            let product = self.product(&pair);
            self.merges.push((pair.0.clone(), pair.1.clone(), count));
            for at in words {
                for (changed, by) in self.merge_in(at, &pair, &product) {
                    *counts.entry(changed.clone()).or_default() += by * self.counts[at];
                    if by > 0 {
                        places.entry(changed).or_default().insert(at);
                    }
                }
            }
        }
    }

    /// How often a symbol stands anywhere.
    fn n_of(&self, symbol: &str) -> u128 {
        let words = self.corpus.iter().zip(&self.counts);
        words.map(|(word, n)| word.iter().filter(|other| *other == symbol).count() as u128 * *n as u128).sum()
    }

    /// Counts every pair, merges the best everywhere, and starts again.
    fn count_anew(&mut self) {
        let max = self.options.max_token_length.unwrap_or(usize::MAX);
        while !self.is_full() {
            let mut counted: Vec<(Pair, i64)> = Vec::new();
            for (word, n) in self.corpus.iter().zip(&self.counts) {
                for pair in word.windows(2) {
                    let pair = (pair[0].clone(), pair[1].clone());
                    match counted.iter_mut().find(|(other, _)| *other == pair) {
                        Some((_, count)) => *count += n,
                        None => counted.push((pair, *n)),
                    }
                }
            }
            counted.retain(|((left, right), count)| {
                let length = self.length(left) + self.length(right);
                *count > 0 && (length == 2 || length < max)
            });
            counted.retain(|(_, count)| *count as u64 >= self.options.min_frequency);
            let score = |(pair, count): &(Pair, i64)| match self.options.score {
                Score::Count => (*count as u128, 1),
                Score::WordPiece => (*count as u128, self.n_of(&pair.0) * self.n_of(&pair.1)),
            };
            let order = |one: (u128, u128), other: (u128, u128)| (one.0 * other.1).cmp(&(other.0 * one.1));
            let Some(highest) = counted.iter().map(score).max_by(|one, other| order(*one, *other)) else {
                return;
            };
            let counts: HashMap<Pair, i64> = counted.iter().cloned().collect();
            let equals =
                counted.into_iter().filter(|one| order(score(one), highest).is_eq()).map(|(pair, _)| pair);
            let best = match self.options.ties {
                Ties::FirstSeen => equals.into_iter().next(),
                Ties::Lexicographic => equals.min(),
                Ties::SmallestIds | Ties::Hf => equals.min_by_key(|pair| self.ids(pair)),
            };
            let Some(pair) = best else { return };
            let product = self.product(&pair);
            self.merges.push((pair.0.clone(), pair.1.clone(), counts[&pair] as u64));
            for at in 0..self.corpus.len() {
                self.merge_in(at, &pair, &product);
            }
        }
    }
}

/// Returns what `piecework_core::train::curve` counts: every smaller vocabulary cuts every word by itself.
pub fn curve(words: &Words, model: &CurveModel) -> Applied {
    let n_after = |n_merges: usize| -> u64 {
        words.iter().map(|(word, n)| n * cut(word, model, n_merges).len() as u64).sum()
    };
    let n_tokens: Vec<u64> = (0..=model.merges.len()).map(n_after).collect();
    let n_chars =
        words.iter().map(|(word, n)| n * String::from_utf8_lossy(word).chars().count() as u64).sum();
    let n_applied = n_tokens.windows(2).map(|two| two[0] - two[1]).collect();
    Applied { n_symbols: n_tokens[0], n_chars, n_applied }
}

/// A word cut by the first `n_merges` merges: the pair of the lowest rank, of equals the leftmost, until none is left.
fn cut(word: &[u8], model: &CurveModel, n_merges: usize) -> Vec<String> {
    let word = text(word, model.base);
    let n = word.chars().count();
    let mut symbols: Vec<String> = Vec::new();
    for (at, character) in word.chars().enumerate() {
        let prefix = if at > 0 { model.prefix.as_str() } else { "" };
        let suffix = if at + 1 == n { model.suffix.as_str() } else { "" };
        let symbol = format!("{prefix}{character}{suffix}");
        let is_known = model.alphabet.contains(&symbol);
        symbols.push(if is_known {
            symbol
        } else {
            model.unk.clone().unwrap_or("no such symbol".to_owned())
        });
    }
    symbols.extend(model.end_of_word.clone());
    loop {
        let rank = |at: &usize| {
            let is_it =
                |merge: &&(String, String, String)| merge.0 == symbols[*at - 1] && merge.1 == symbols[*at];
            model.merges[..n_merges].iter().position(|merge| is_it(&merge)).map(|rank| (rank, *at))
        };
        let Some((rank, at)) = (1..symbols.len()).filter_map(|at| rank(&at)).min() else { return symbols };
        symbols[at - 1].clone_from(&model.merges[rank].2);
        symbols.remove(at);
    }
}
