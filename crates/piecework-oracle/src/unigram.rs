//! The unigram model on the blackboard: a table of the best sum for each place, filled from the left; and all
//! segmentations, written out one by one.

use piecework_core::definition::{Definition, Model, Precision, Unigram};
use piecework_core::id::TokenId;
use piecework_core::vocab::Vocab;

/// A segmentation: where each token ends, and which it is; `None` for an unknown character.
type Path = Vec<(usize, Option<TokenId>)>;

fn model(definition: &Definition) -> &Unigram {
    match &definition.model {
        Model::Unigram(model) => model,
        _ => panic!("the oracle of Unigram was asked about another model"),
    }
}

/// The tokens that begin at `at`, the shortest first, and an unknown character where none is a single character.
fn tokens_at(definition: &Definition, piece: &str, at: usize) -> Path {
    let model = model(definition);
    let next = piece[at..].chars().next().expect("a character").len_utf8();
    let longest = definition.vocab.iter().map(|entry| entry.bytes.len()).max().unwrap_or(0);
    let mut found: Path = (at + 1..=piece.len().min(at + longest))
        .filter_map(|end| Some((end, Some(definition.vocab.get(&piece.as_bytes()[at..end])?))))
        .filter(|(_, id)| !id.is_some_and(|id| model.unused.contains(&id)))
        .filter(|(_, id)| model.precision == Precision::F64 || *id != model.unk)
        .collect();
    if !found.iter().any(|&(end, _)| end == at + next) {
        found.push((at + next, None));
    }
    found
}

fn lowest(definition: &Definition) -> f64 {
    let model = model(definition);
    let counts = |id: TokenId| match model.precision {
        Precision::F64 => true,
        Precision::F32 => {
            definition.vocab.is_indexed(id)
                && Some(id) != model.unk
                && !model.unused.contains(&id)
                && !model.user_defined.contains(&id)
        }
    };
    let scores = definition.vocab.iter().filter(|entry| counts(entry.id)).map(|entry| model.score(entry.id));
    let highest = if model.precision == Precision::F32 { f64::from(f32::MAX) } else { f64::INFINITY };
    scores.fold(highest, f64::min)
}

/// The score of a token that covers `length` bytes (in a search) or characters (in a lattice).
fn score(definition: &Definition, id: Option<TokenId>, length: usize) -> f64 {
    let model = model(definition);
    match (id, model.precision) {
        (Some(id), Precision::F32) if model.user_defined.contains(&id) => {
            f64::from((0.1 * (length as f64 - 1.0)) as f32)
        }
        (Some(id), _) => model.score(id),
        (None, Precision::F64) => lowest(definition) - 10.0,
        (None, Precision::F32) => f64::from(lowest(definition) as f32 - 10.0),
    }
}

/// Returns the ids of one pretoken and the bytes that each covers. Complexity: O(n²).
pub fn encode(definition: &Definition, piece: &str) -> Vec<(u32, usize)> {
    // The best sum, where the last token begins, and which it is.
    let mut best: Vec<Option<(f64, usize, Option<TokenId>)>> = vec![None; piece.len() + 1];
    for (at, _) in piece.char_indices() {
        let so_far = best[at].map_or(0.0, |(sum, ..)| sum);
        for (end, id) in tokens_at(definition, piece, at) {
            let own = score(definition, id, end - at);
            let sum = match model(definition).precision {
                Precision::F64 => so_far + own,
                Precision::F32 => f64::from(so_far as f32 + own as f32),
            };
            if best[end].is_none_or(|(other, ..)| sum > other) {
                best[end] = Some((sum, at, id));
            }
        }
    }
    let mut path = Vec::new();
    let mut at = piece.len();
    while let Some((_, start, id)) = best[at].filter(|_| at > 0) {
        path.push((at, id));
        at = start;
    }
    path.reverse();
    name(definition, piece, &path)
}

/// Returns all segmentations with their sums, the best first; for very short pieces.
pub fn all(definition: &Definition, piece: &str) -> Vec<(Vec<(u32, usize)>, f64)> {
    let mut done = Vec::new();
    let mut open: Vec<(Path, f64)> = vec![(Vec::new(), 0.0)];
    while let Some((path, sum)) = open.pop() {
        let at = path.last().map_or(0, |&(end, _)| end);
        if at == piece.len() {
            done.push((name(definition, piece, &path), sum));
            continue;
        }
        for (end, id) in tokens_at(definition, piece, at) {
            let mut longer = path.clone();
            longer.push((end, id));
            open.push((longer, sum + score(definition, id, piece[at..end].chars().count())));
        }
    }
    done.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    done
}

fn name(definition: &Definition, piece: &str, path: &[(usize, Option<TokenId>)]) -> Vec<(u32, usize)> {
    let (model, vocab) = (model(definition), &definition.vocab);
    let mut found: Vec<(u32, usize)> = Vec::new();
    let (mut at, mut index) = (0, 0);
    while index < path.len() {
        let is_unknown = |&(_, id): &(usize, Option<TokenId>)| id.is_none() || id == model.unk;
        let n = path[index..].iter().take_while(|step| is_unknown(step)).count();
        let end = path[index + n.max(1) - 1].0;
        let text = &piece[at..end];
        match path[index].1 {
            Some(id) if n == 0 => found.push((id.0, text.len())),
            _ => found.extend(unknown(model, vocab, text)),
        }
        (at, index) = (end, index + n.max(1));
    }
    found
}

fn unknown(model: &Unigram, vocab: &Vocab, text: &str) -> Vec<(u32, usize)> {
    let whole = vocab.get(text.as_bytes()).filter(|_| model.precision == Precision::F64);
    let byte_token =
        |byte: u8| vocab.iter().find(|entry| entry.bytes == format!("<0x{byte:02X}>").as_bytes());
    let bytes: Option<Vec<(u32, usize)>> =
        text.bytes().map(|byte| byte_token(byte).map(|entry| (entry.id.0, 1))).collect();
    match (whole, bytes.filter(|_| model.byte_fallback)) {
        (Some(id), _) => vec![(id.0, text.len())],
        (None, Some(bytes)) => bytes,
        (None, None) => vec![(model.unk.expect("an unknown token").0, text.len())],
    }
}
