//! The dictionary that `Tokenizer.reasons` returns: why a pretoken became its tokens.

use piecework_core::definition::Definition;
use piecework_core::id::TokenId;
use piecework_core::merges::Merges;
use piecework_core::model::Tokens;
use piecework_core::model::reasons::bpe::{Candidate, Replay, Stop};
use piecework_core::model::reasons::unigram::{Path, Segmentation, Stretch};
use piecework_core::model::reasons::word_piece::Matches;
use piecework_core::model::reasons::{How, Reasons};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::lists::list;

/// Attempts of one place that are named: the last ones before the longest token, of a word without a limit.
const MAX_ATTEMPTS: usize = 100;

/// The symbols that are given of a pretoken with more steps than are recorded, so that a state can be followed.
const MIN_SYMBOLS: usize = 4_096;

/// Rank, place in the state, ids of the two symbols, and where they begin, meet and end in bytes of the pretoken.
type Pair = (u32, usize, Option<u32>, Option<u32>, (usize, usize, usize));
/// A pair that joined, its product, the runner-up, what was lost.
type Step = (Pair, Option<u32>, Option<Pair>, Vec<Pair>);
/// Start, end, id, score, how.
type Edge = (usize, usize, Option<u32>, f64, &'static str);

/// Returns the reasons as a dictionary of plain values.
pub fn dict<'py>(
    py: Python<'py>,
    definition: &Definition,
    piece: &str,
    max_steps: usize,
    (reasons, tokens, hows): &(Reasons, Tokens, Vec<How>),
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    match reasons {
        Reasons::Bpe(replay) => bpe(&out, definition, piece, max_steps, replay)?,
        Reasons::WordPiece(matches) => word_piece(&out, piece, matches)?,
        Reasons::Unigram(segmentation) => unigram(&out, definition, segmentation)?,
        Reasons::WordLevel => out.set_item("kind", "wordlevel")?,
    }
    let rows = tokens.ids.iter().zip(&tokens.lengths).zip(hows);
    out.set_item("tokens", list(py, rows.map(|((&id, &n_bytes), &how)| Ok((id, n_bytes, name(how)))))?)?;
    out.set_item("ids", list(py, tokens.ids.iter().map(Ok))?)?;
    Ok(out)
}

fn name(how: How) -> &'static str {
    match how {
        How::Piece => "piece",
        How::Byte => "byte",
        How::Unknown => "unknown",
        How::UserDefined => "user-defined",
    }
}

fn bpe(
    out: &Bound<'_, PyDict>,
    definition: &Definition,
    piece: &str,
    max_steps: usize,
    replay: &Replay,
) -> PyResult<()> {
    let py = out.py();
    let text = |start: usize, end: usize| {
        piece.as_bytes().get(replay.begin(start)..replay.begin(end)).unwrap_or(&[])
    };
    out.set_item("kind", "bpe")?;
    let symbols = replay.symbols.iter().enumerate().take(max_steps.max(MIN_SYMBOLS));
    let symbol =
        |(at, id): (usize, &Option<TokenId>)| Ok((id.map(|id| id.0), PyBytes::new(py, text(at, at + 1))));
    out.set_item("symbols", list(py, symbols.map(symbol))?)?;
    out.set_item("n_symbols", replay.symbols.len())?;
    out.set_item("n_steps", replay.n_steps)?;
    // The symbols of the state, each by where it begins: what a pair's parts are made of is known from its steps.
    let mut ids: Vec<Option<u32>> = replay.symbols.iter().map(|id| id.map(|id| id.0)).collect();
    let rows = replay.steps.iter().map(|step| {
        let pair = |candidate: &Candidate| -> Pair {
            let id = |start: usize| ids.get(start).copied().flatten();
            let bytes =
                (replay.begin(candidate.start), replay.begin(candidate.middle), replay.begin(candidate.end));
            (candidate.rank, candidate.at, id(candidate.start), id(candidate.middle), bytes)
        };
        let joined = pair(&step.pair);
        let product = product(definition, joined.2, joined.3, text(step.pair.start, step.pair.end));
        let row: Step =
            (joined, product, step.runner_up.as_ref().map(pair), step.lost.iter().map(pair).collect());
        if let Some(id) = ids.get_mut(step.pair.start) {
            *id = product;
        }
        Ok(row)
    });
    let steps = list(py, rows)?;
    out.set_item("steps", steps)?;
    let stop = match replay.stop {
        Stop::NoPair => "no-pair",
        Stop::OneSymbol => "one-symbol",
        Stop::WholePiece => "whole-piece",
    };
    out.set_item("stop", stop)?;
    let concat = matches!(definition.model.bpe().map(|model| &model.merges), Some(Merges::Concat));
    let rule = if concat { "whole-piece" } else { "ignore_merges" };
    out.set_item("whole_rule", (replay.stop == Stop::WholePiece).then_some(rule))?;
    out.set_item("by_merges", list(py, replay.by_merges.iter().map(Ok))?)
}

/// Returns what two symbols whose text together is `joined` become.
fn product(definition: &Definition, left: Option<u32>, right: Option<u32>, joined: &[u8]) -> Option<u32> {
    let vocab = &definition.vocab;
    let merges = &definition.model.bpe()?.merges;
    let of_tokens = || merges.join(vocab, TokenId(left?), TokenId(right?), joined);
    let of_texts = || vocab.get(joined).map(|id| id.0);
    if matches!(merges, Merges::Ranked(_)) { of_texts() } else { of_tokens().map(|(_, id)| id.0) }
}

fn word_piece(out: &Bound<'_, PyDict>, piece: &str, matches: &Matches) -> PyResult<()> {
    out.set_item("kind", "wordpiece")?;
    out.set_item("n_chars", matches.n_chars)?;
    out.set_item("max_chars", matches.max_chars)?;
    let stop = match (matches.is_too_long(), matches.failed_at) {
        (true, _) => "too-long",
        (false, Some(_)) => "no-match",
        (false, None) => "matched",
    };
    out.set_item("stop", stop)?;
    out.set_item("n_found", matches.n_found)?;
    let found: Vec<_> = matches.found.iter().map(|&(start, end, id)| (start, end, id.0)).collect();
    let failed = matches.failed_at.map(|start| (start, start, None));
    let places = found.iter().map(|&(start, end, id)| (start, end, Some(id))).chain(failed);
    out.set_item("attempts", places.map(|place| attempts(piece, place)).collect::<Vec<_>>())?;
    out.set_item("found", found)?;
    out.set_item("failed_at", matches.failed_at)
}

/// Returns what was tried from one place on, the longest first: ends at characters, down to the token that was found.
fn attempts(
    piece: &str,
    (start, found, id): (usize, usize, Option<u32>),
) -> Vec<(usize, usize, Option<u32>)> {
    let rest = piece.get(start..).unwrap_or("");
    let ends = rest.char_indices().map(|(at, _)| start + at).chain([piece.len()]);
    let mut tried: Vec<_> = ends
        .filter(|&end| end > start && end >= found)
        .take(MAX_ATTEMPTS)
        .map(|end| (start, end, None))
        .collect();
    if let Some(first) = tried.first_mut() {
        first.2 = id;
    }
    tried.reverse();
    tried
}

fn unigram(out: &Bound<'_, PyDict>, definition: &Definition, found: &Segmentation) -> PyResult<()> {
    let py = out.py();
    let user_defined: &[TokenId] = match &definition.model {
        piecework_core::definition::Model::Unigram(model) => &model.user_defined,
        _ => &[],
    };
    let edge = |stretch: &Stretch| -> Edge {
        let how = match stretch.id {
            _ if stretch.is_unknown => How::Unknown,
            Some(id) if user_defined.binary_search(&id).is_ok() => How::UserDefined,
            _ => How::Piece,
        };
        (stretch.start, stretch.end, stretch.id.map(|id| id.0), stretch.score, name(how))
    };
    let path = |(stretches, score): &Path| (stretches.iter().map(edge).collect::<Vec<_>>(), *score);
    out.set_item("kind", "unigram")?;
    out.set_item("edges", list(py, found.edges.iter().map(|stretch| Ok(edge(stretch))))?)?;
    let (best, score) = path(&found.best);
    out.set_item("path", best)?;
    out.set_item("score", score)?;
    let runner_up = found.runner_up.as_ref().map(path);
    out.set_item("margin", runner_up.as_ref().map(|(_, other)| score - other))?;
    out.set_item("runner_up", runner_up)?;
    out.set_item("is_capped", found.is_capped)
}
