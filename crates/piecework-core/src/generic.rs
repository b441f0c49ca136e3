//! The plain way to run a definition: each stage as it is written down, nothing remembered. Any
//! definition runs here; what `fast` does is measured against it.

use std::sync::Arc;

use crate::definition::{Bpe, Definition, Model};
use crate::error::Result;
use crate::id::{Rank, TokenId};
use crate::interrupt::Ticker;
use crate::model::bpe::{Join, Merger};
use crate::observe::Observer;
use crate::sink::Sink;
use crate::span::Span;
use crate::split::{SplitScratch, Splitter};
use crate::vocab::Vocab;

/// What one thread needs to run an [`Engine`].
#[derive(Debug, Default)]
pub struct Worker {
    split: Option<SplitScratch>,
    spans: Vec<Span>,
    merger: Merger,
    ids: Vec<u32>,
}

/// A definition, ready to run plainly.
#[derive(Debug)]
pub struct Engine {
    definition: Arc<Definition>,
    splitter: Splitter,
}

/// The model's own answers, nothing remembered.
struct PlainJoin<'a> {
    vocab: &'a Vocab,
    model: &'a Bpe,
}

impl Join for PlainJoin<'_> {
    fn byte(&self, byte: u8) -> Option<TokenId> {
        self.vocab.get(&[byte])
    }

    fn join(&mut self, left: TokenId, right: TokenId, joined: &[u8]) -> Option<(Rank, TokenId)> {
        self.model.merges.join(self.vocab, left, right, joined)
    }
}

impl Engine {
    /// Compiles the definition's pre-tokenizers.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for a pattern that cannot be run exactly.
    pub fn new(definition: Arc<Definition>) -> Result<Self> {
        let splitter = Splitter::new(&definition.pre_tokenizers, definition.profile)?;
        Ok(Self { definition, splitter })
    }

    /// Encodes one section of normalized text.
    ///
    /// # Errors
    /// Those of the splitter and the model, with indices into `text`.
    pub fn section<S: Sink, O: Observer>(
        &self,
        worker: &mut Worker,
        text: &str,
        sink: &mut S,
        observer: &mut O,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let scratch = worker.split.get_or_insert_with(|| self.splitter.scratch());
        worker.spans.clear();
        self.splitter.split(text, scratch, &mut worker.spans, ticker)?;
        let Model::Bpe(model) = &self.definition.model;
        let mut join = PlainJoin { vocab: &self.definition.vocab, model };
        for &span in &worker.spans {
            if sink.is_full() {
                break;
            }
            let piece = &text.as_bytes()[span.range()];
            worker.ids.clear();
            match join.vocab.get(piece).filter(|_| model.whole_pieces) {
                Some(id) => worker.ids.push(id.0),
                None => worker
                    .merger
                    .merge(&mut join, piece, &mut worker.ids, ticker)
                    .map_err(|error| error.moved(span.start))?,
            }
            sink.extend(&worker.ids);
            if O::ON {
                observer.pretoken(span, worker.ids.len());
            }
        }
        Ok(())
    }
}
