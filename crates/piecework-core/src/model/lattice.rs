//! All segmentations of a piece at once, for the best few of them and for random ones (Kudo 2018, "Subword
//! Regularization", section 3).
//!
//! The n best are found from the left, each place keeping the n best ways to it: exact for any n, where a search from the
//! end with an agenda has to be cut off on repetitive text. Random ones are drawn by filtering forward and sampling
//! backward. Sums are 64-bit floats whatever the model's precision.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::random::Random;
use super::scaled::Scaled;
use super::trie::Trie;
use super::unigram::{Emitter, Tables};
use super::{Tokens, other_model};
use crate::definition::{Definition, Model, Unigram};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ticker;

/// How many ways may be kept, over all places of a piece.
const MAX_WAYS: usize = 1 << 22;

/// A token that stands somewhere in a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// The place where it begins, from the stretch's start, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) id: TokenId,
    score: f64,
}

/// One of the best ways to a place: its last token, and which of the ways to that token's start it goes on from.
#[derive(Debug, Clone, Copy)]
struct Way {
    score: f64,
    edge: usize,
    rank: usize,
}

/// A way that may be the next best, compared by score and, of equals, by what was found first.
#[derive(Debug, Clone, Copy)]
struct Candidate(Way);

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let first = (Reverse(self.0.edge), Reverse(self.0.rank));
        let scores = self.0.score.total_cmp(&other.0.score);
        scores.then_with(|| first.cmp(&(Reverse(other.0.edge), Reverse(other.0.rank))))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// Returns up to `n` segmentations of `piece` with their scores, the best first. Of equal scores, the one whose last
/// token is longer comes first.
///
/// # Errors
/// [`Error::TooLong`] for a piece of more places than can keep `n` ways each; else as [`Tables::encode`]. Complexity:
/// O(edges · n log edges).
pub fn nbest(
    tables: &Tables,
    definition: &Definition,
    piece: &str,
    n: usize,
    ticker: &mut Ticker<'_>,
) -> Result<Vec<(Tokens, f64)>> {
    if n == 0 || piece.is_empty() {
        return Ok(if n == 0 { Vec::new() } else { vec![(Tokens::default(), 0.0)] });
    }
    if n.saturating_mul(piece.len() + 1) > MAX_WAYS {
        return Err(Error::TooLong { n_bytes: piece.len(), max_bytes: (MAX_WAYS / n).saturating_sub(1) });
    }
    let model = model_of(definition)?;
    let mut edges = Vec::new();
    for (at, _) in piece.char_indices() {
        edges_at(tables, model, piece, at, 0, &mut edges, ticker)?;
    }
    let mut found = Vec::new();
    for (path, score) in scored_paths(&edges, piece.len(), n, ticker)? {
        let mut tokens = Tokens::default();
        let mut emitter = Emitter::new(tables, &definition.vocab, piece, &mut tokens);
        for (end, id) in path {
            emitter.push(end, id)?;
        }
        emitter.finish()?;
        found.push((tokens, score));
    }
    Ok(found)
}

/// A path: where each of its tokens ends, and which it is.
type Path = Vec<(usize, TokenId)>;

/// Returns up to `n` of the best paths through `edges` to the place `len`, the best first, with their scores.
fn scored_paths(edges: &[Edge], len: usize, n: usize, ticker: &mut Ticker<'_>) -> Result<Vec<(Path, f64)>> {
    let ways = best_ways(edges, len, n, ticker)?;
    let mut found = Vec::new();
    for rank in 0..ways.last().map_or(0, Vec::len) {
        let (mut at, mut rank, mut score, mut path) = (len, rank, None, Vec::new());
        while let Some(way) = ways.get(at).and_then(|ways| ways.get(rank)).filter(|_| at > 0) {
            ticker.tick(1)?;
            let Some(edge) = edges.get(way.edge) else { break };
            score.get_or_insert(way.score);
            path.push((edge.end, edge.id));
            (at, rank) = (edge.start, way.rank);
        }
        path.reverse();
        found.push((path, score.unwrap_or(0.0)));
    }
    Ok(found)
}

/// Returns up to `n` of the best paths through all `edges` of a piece of `len` bytes, the best first.
///
/// # Errors
/// [`Error::Interrupted`].
pub(super) fn paths(edges: &[Edge], len: usize, n: usize, ticker: &mut Ticker<'_>) -> Result<Vec<Path>> {
    Ok(scored_paths(edges, len, n, ticker)?.into_iter().map(|(path, _)| path).collect())
}

/// Returns the tokens that stand in `piece`, by their starts, and whether there are more than `max`.
///
/// # Errors
/// [`Error::Unencodable`] for a character that nothing covers, [`Error::Interrupted`].
pub(super) fn edges(
    tables: &Tables,
    model: &Unigram,
    piece: &str,
    max: usize,
    ticker: &mut Ticker<'_>,
) -> Result<(Vec<Edge>, bool)> {
    let mut edges = Vec::new();
    for (at, _) in piece.char_indices() {
        edges_at(tables, model, piece, at, 0, &mut edges, ticker)?;
        if edges.len() > max {
            edges.truncate(max);
            return Ok((edges, true));
        }
    }
    Ok((edges, false))
}

/// Returns the up to `n` best ways to each place, the best first.
fn best_ways(edges: &[Edge], len: usize, n: usize, ticker: &mut Ticker<'_>) -> Result<Vec<Vec<Way>>> {
    let mut incoming = vec![Vec::new(); len + 1];
    for (index, edge) in edges.iter().enumerate() {
        if let Some(list) = incoming.get_mut(edge.end) {
            list.push(index);
        }
    }
    let mut ways: Vec<Vec<Way>> = vec![vec![Way { score: 0.0, edge: usize::MAX, rank: 0 }]];
    for list in incoming.iter().skip(1) {
        let candidate = |index: usize, rank: usize| {
            let edge = edges.get(index)?;
            let before = ways.get(edge.start)?.get(rank)?;
            Some(Candidate(Way { score: before.score + edge.score, edge: index, rank }))
        };
        let mut heap: BinaryHeap<Candidate> = list.iter().filter_map(|&index| candidate(index, 0)).collect();
        let mut best = Vec::new();
        while let Some(Candidate(way)) = heap.pop().filter(|_| best.len() < n) {
            ticker.tick(1)?;
            best.push(way);
            heap.extend(candidate(way.edge, way.rank + 1));
        }
        ways.push(best);
    }
    Ok(ways)
}

/// Appends to `tokens` a segmentation of `piece` drawn with a probability in proportion to `e^(alpha · score)`.
///
/// # Errors
/// As [`Tables::encode`]. Complexity: O(n · longest token); memory for the longest stretch of text that tokens hold
/// together.
pub fn sample(
    tables: &Tables,
    definition: &Definition,
    piece: &str,
    (alpha, random): (f64, &mut Random),
    tokens: &mut Tokens,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let model = model_of(definition)?;
    let mut part = Tokens::default();
    let mut emitter = Emitter::new(tables, &definition.vocab, piece, &mut part);
    let (mut origin, mut frontier) = (0, 0);
    let mut edges = Vec::new();
    for (at, _) in piece.char_indices() {
        // Every segmentation passes this place, so what comes before it is drawn by itself.
        if at == frontier && at > origin {
            draw(&edges, origin, at, alpha, random, &mut emitter, ticker)?;
            edges.clear();
            origin = at;
        }
        edges_at(tables, model, piece, at, origin, &mut edges, ticker)?;
        let furthest = edges.iter().rev().take_while(|edge| edge.start == at - origin).map(|edge| edge.end);
        frontier = furthest.map(|end| end + origin).fold(frontier, usize::max);
    }
    draw(&edges, origin, piece.len(), alpha, random, &mut emitter, ticker)?;
    emitter.finish()?;
    tokens.append(&part);
    Ok(())
}

/// Draws a path through the stretch `origin..end`, whose edges are in the order of their starts.
fn draw(
    edges: &[Edge],
    origin: usize,
    end: usize,
    alpha: f64,
    random: &mut Random,
    emitter: &mut Emitter<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let len = end - origin;
    let mut sums = vec![Scaled::ZERO; len + 1];
    let mut incoming = vec![Vec::new(); len + 1];
    if let Some(first) = sums.first_mut() {
        *first = Scaled::ONE;
    }
    for edge in edges {
        ticker.tick(1)?;
        let before = sums.get(edge.start).copied().unwrap_or(Scaled::ZERO);
        let weight = before.times(Scaled::exp(alpha * edge.score));
        if let (Some(sum), Some(list)) = (sums.get_mut(edge.end), incoming.get_mut(edge.end)) {
            *sum = sum.plus(weight);
            list.push((*edge, weight));
        }
    }
    let mut path = Vec::new();
    let mut at = len;
    while let Some(list) = incoming.get(at).filter(|list| at > 0 && !list.is_empty()) {
        ticker.tick(1)?;
        let sum = sums.get(at).copied().unwrap_or(Scaled::ZERO);
        let Some(&edge) = choose(list, sum, random) else { break };
        path.push((origin + at, edge.id));
        at = edge.start;
    }
    for &(end, id) in path.iter().rev() {
        emitter.push(end, id)?;
    }
    Ok(())
}

/// Draws one of `items` in proportion to their weights, which are `sum` together.
pub(super) fn choose<'i, T>(items: &'i [(T, Scaled)], sum: Scaled, random: &mut Random) -> Option<&'i T> {
    let at = random.unit();
    let mut below = 0.0;
    let drawn = items.iter().find(|(_, weight)| {
        below += weight.part_of(sum);
        at < below
    });
    // Rounding may leave a hair's breadth above the last.
    drawn.or(items.last()).map(|(item, _)| item)
}

/// Appends the tokens that begin at `at`, their places counted from `origin`: an unknown one where none is a single
/// character.
fn edges_at(
    tables: &Tables,
    model: &Unigram,
    piece: &str,
    at: usize,
    origin: usize,
    edges: &mut Vec<Edge>,
    ticker: &mut Ticker<'_>,
) -> Result<()> {
    let rest = piece.get(at..).unwrap_or("");
    let n_bytes = rest.chars().next().map_or(1, char::len_utf8);
    ticker.tick(n_bytes)?;
    let start = at - origin;
    let mut is_covered = false;
    for (n, id) in tables.trie.prefixes(Trie::ROOT, rest.as_bytes()) {
        let n_chars = rest.get(..n).map_or(0, |text| text.chars().count());
        edges.push(Edge { start, end: start + n, id, score: tables.score(model, Some(id), n_chars) });
        is_covered |= n == n_bytes;
    }
    if !is_covered {
        let byte = rest.as_bytes().first().copied().unwrap_or(0);
        let id = tables.unk.ok_or(Error::Unencodable { byte, index: at })?;
        edges.push(Edge { start, end: start + n_bytes, id, score: tables.score(model, None, 1) });
    }
    Ok(())
}

fn model_of(definition: &Definition) -> Result<&Unigram> {
    match &definition.model {
        Model::Unigram(model) => Ok(model),
        _ => Err(other_model()),
    }
}
