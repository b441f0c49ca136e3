//! Why: what the stages and the model had to choose from, and what decided.

use std::collections::HashMap;

use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ctl;
use crate::merges::Merges;
use crate::model::Tokens;
use crate::model::reasons::bpe::Stop;
use crate::model::reasons::{How, Reasons};
use crate::observe::Source;
use crate::split::Splitter;
use crate::split::cuts::{Alternatives, CutBy};
use crate::stages::Section;
use crate::tokenizer::{Options, Tokenizer};

/// What came of holding records against ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How many pretokens were compared.
    pub n_pretokens: usize,
    /// How many of them are unlike all before: each is recorded once.
    pub n_distinct: usize,
    /// How many ids they have.
    pub n_ids: usize,
    /// The first pretoken whose record ends with other ids.
    pub different: Option<String>,
}

impl Tokenizer {
    /// Returns why the model makes its tokens of the pretoken `piece`, given as the model sees it, and these tokens,
    /// each with how it came about. A model sees nothing but the pretoken, so this is all there is to know. Of more than
    /// `max_steps` steps the first are recorded, and the others counted.
    ///
    /// # Errors
    /// [`crate::error::Error::Unencodable`] with an index into `piece`, [`crate::error::Error::Interrupted`].
    pub fn reasons(
        &self,
        piece: &str,
        max_steps: usize,
        ctl: &Ctl<'_>,
    ) -> Result<(Reasons, Tokens, Vec<How>)> {
        self.plan().model().reasons(self.definition(), piece, max_steps, &mut ctl.ticker())
    }

    /// Returns what cut some pretokens of each section, with the alternatives that are meant. A section is what its
    /// pre-tokenizers are given (of [`Section::Text`] the text `before` them, or the normalized one), where that comes from,
    /// and the places of its pretokens, ascending and each once.
    ///
    /// # Errors
    /// [`crate::error::Error::PatternLimit`], [`crate::error::Error::Interrupted`]. Complexity: as the pre-tokenizers, up to
    /// the last place of each section; the model does not run.
    pub fn cuts<'a>(
        &self,
        sections: impl IntoIterator<Item = (&'a str, &'a Source, &'a [usize])>,
        ctl: &Ctl<'_>,
    ) -> Result<(Vec<Vec<CutBy>>, Alternatives)> {
        let definition = self.definition();
        let splitter = Splitter::new(&definition.pre_tokenizers, definition.profile)?;
        let mut alternatives = Alternatives::new(&definition.pre_tokenizers, definition.profile);
        let mut ticker = ctl.ticker();
        let mut scratch = splitter.scratch();
        let mut cuts = Vec::new();
        for (text, source, wanted) in sections {
            let found =
                splitter.cuts((text, source), wanted, &mut scratch, &mut alternatives, &mut ticker)?;
            cuts.push(found);
        }
        Ok((cuts, alternatives))
    }

    /// Holds the record of each pretoken of `text` against the ids that the encoding really has.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`]. Complexity: as [`Tokenizer::stages`], and [`Tokenizer::reasons`] for each distinct pretoken.
    pub fn replayed(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<Replayed> {
        let mut done = Replayed::default();
        let mut known: HashMap<String, Vec<u32>> = HashMap::new();
        for section in self.stages(text, options, ctl)? {
            let Section::Text { normalized, ids, pretokens, .. } = section else { continue };
            for pretoken in pretokens {
                let piece = normalized.get(pretoken.span.range()).unwrap_or("");
                let own = ids.get(pretoken.ids.clone()).unwrap_or(&[]);
                if !known.contains_key(piece) {
                    known.insert(piece.to_owned(), self.replay(piece, ctl)?);
                }
                done.n_pretokens += 1;
                done.n_ids += own.len();
                if known.get(piece).is_none_or(|ids| ids != own) {
                    done.different.get_or_insert_with(|| piece.to_owned());
                }
            }
        }
        done.n_distinct = known.len();
        Ok(done)
    }

    /// Returns the ids that the record of `piece` ends with: of BPE, what its joins make of the symbols at the start.
    fn replay(&self, piece: &str, ctl: &Ctl<'_>) -> Result<Vec<u32>> {
        let (reasons, tokens, _) = self.reasons(piece, usize::MAX, ctl)?;
        let is_listed =
            self.definition().model.bpe().is_some_and(|model| !matches!(model.merges, Merges::Ranked(_)));
        let Reasons::Bpe(replay) = reasons else { return Ok(tokens.ids) };
        if !is_listed || replay.stop == Stop::WholePiece {
            return Ok(tokens.ids);
        }
        let mut state: Vec<(usize, Option<u32>)> =
            replay.symbols.iter().map(|id| id.map(|id| id.0)).enumerate().collect();
        for step in &replay.steps {
            let (at, pair) = (step.pair.at, step.pair);
            let starts = |index: usize| state.get(index).map(|&(start, _)| start);
            if starts(at) != Some(pair.start) || starts(at + 1) != Some(pair.middle) {
                return Ok(Vec::new());
            }
            let (_, right) = state.remove(at + 1);
            if let Some((_, left)) = state.get_mut(at) {
                let merges = self.definition().model.bpe().map(|model| &model.merges);
                let joined =
                    piece.as_bytes().get(replay.begin(pair.start)..replay.begin(pair.end)).unwrap_or(&[]);
                *left = left.zip(right).zip(merges).and_then(|((left, right), merges)| {
                    let vocab = &self.definition().vocab;
                    let (rank, id) = merges.join(vocab, TokenId(left), TokenId(right), joined)?;
                    (rank.0 == pair.rank).then_some(id.0)
                });
            }
        }
        Ok(state.into_iter().filter_map(|(_, id)| id).collect())
    }
}
