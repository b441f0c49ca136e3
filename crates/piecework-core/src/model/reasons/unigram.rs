//! Unigram, asked again: the lattice of all tokens that stand in a piece, the best path, and the next best.

use crate::definition::Definition;
use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ticker;
use crate::model::lattice::{self, Edge};
use crate::model::unigram::{Emitter, Scratch, Tables};
use crate::model::{Tokens, other_model};

/// The longest piece whose whole lattice is drawn up, in edges.
pub const MAX_EDGES: usize = 20_000;

/// A token that stands somewhere in a piece; no id where a character is unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Where it begins, in bytes of the piece.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The token; of an unknown character, the unknown one if the model has one.
    pub id: Option<TokenId>,
    /// Its score: the natural logarithm of its probability.
    pub score: f64,
    /// Whether it stands for a character that no token covers.
    pub is_unknown: bool,
}

/// A path through a lattice and the sum of its scores.
pub type Path = (Vec<Stretch>, f64);

/// Why a piece was cut as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Segmentation {
    /// All tokens that stand in the piece, in the order of their starts.
    pub edges: Vec<Stretch>,
    /// Whether there are more than [`MAX_EDGES`]: those beyond are left out, and no runner-up is looked for.
    pub is_capped: bool,
    /// The path that was taken. Unknown characters stand one by one.
    pub best: Path,
    /// The next best one.
    pub runner_up: Option<Path>,
}

impl Tables {
    /// Returns why `piece` is cut as it is, and appends its tokens.
    ///
    /// # Errors
    /// As [`Tables::encode`].
    pub(in crate::model) fn segmentation(
        &self,
        definition: &Definition,
        piece: &str,
        tokens: &mut Tokens,
        ticker: &mut Ticker<'_>,
    ) -> Result<Segmentation> {
        let crate::definition::Model::Unigram(model) = &definition.model else {
            return Err(other_model());
        };
        let mut path = Vec::new();
        let mut emitter = Emitter::new(self, &definition.vocab, piece, tokens).seen(&mut path);
        self.best_path(&mut Scratch::default(), &mut emitter, ticker)?;
        emitter.finish()?;
        let (edges, is_capped) = lattice::edges(self, model, piece, MAX_EDGES, ticker)?;
        let stretch = |start: usize, end: usize, id: TokenId| {
            let text = piece.get(start..end).unwrap_or("");
            let is_unknown = self.is_unknown(id);
            let found = (!is_unknown).then_some(id);
            Stretch {
                start,
                end,
                id: found.or(self.unknown_id()),
                score: self.score(model, found, text.chars().count()),
                is_unknown,
            }
        };
        let read = |path: &[(usize, TokenId)]| -> Path {
            let starts = std::iter::once(0).chain(path.iter().map(|&(end, _)| end));
            let stretches: Vec<Stretch> =
                starts.zip(path).map(|(start, &(end, id))| stretch(start, end, id)).collect();
            let score = stretches.iter().map(|stretch| stretch.score).sum();
            (stretches, score)
        };
        let ways = if is_capped || piece.is_empty() {
            Vec::new()
        } else {
            lattice::paths(&edges, piece.len(), 2, ticker)?
        };
        let runner_up = ways.into_iter().find(|way| *way != path).map(|way| read(&way));
        let edges = edges.iter().map(|edge: &Edge| stretch(edge.start, edge.end, edge.id)).collect();
        Ok(Segmentation { edges, is_capped, best: read(&path), runner_up })
    }
}
