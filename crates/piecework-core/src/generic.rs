//! The plain way to run a definition: each stage as it is written down. Any definition runs here; what `fast`
//! does is measured against it.

use std::borrow::Cow;
use std::sync::Arc;

use crate::definition::Definition;
use crate::error::Result;
use crate::interrupt::Ticker;
use crate::model::{self, Tokens};
use crate::observe::{Observer, Source};
use crate::sink::Sink;
use crate::span::Span;
use crate::split::{Pretokens, SplitScratch, Splitter};

/// What one thread needs to run an [`Engine`].
#[derive(Debug, Default)]
pub struct Worker {
    split: Option<SplitScratch>,
    pretokens: Pretokens,
    model: model::Scratch,
    tokens: Tokens,
}

/// A definition, ready to run plainly.
#[derive(Debug)]
pub struct Engine {
    definition: Arc<Definition>,
    splitter: Splitter,
    model: model::Engine,
}

impl Engine {
    /// Compiles the definition's pre-tokenizers and builds its model's tables.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for what cannot be run exactly.
    pub fn new(definition: Arc<Definition>) -> Result<Self> {
        let splitter = Splitter::new(&definition.pre_tokenizers, definition.profile)?;
        let model = model::Engine::new(&definition)?;
        Ok(Self { definition, splitter, model })
    }

    /// Returns the model's tables.
    pub fn model(&self) -> &model::Engine {
        &self.model
    }

    /// Encodes one section of normalized text.
    ///
    /// # Errors
    /// Those of the splitter and the model, with indices into `text`.
    pub fn section<S: Sink, O: Observer>(
        &self,
        worker: &mut Worker,
        text: &str,
        source: &Source,
        sink: &mut S,
        observer: &mut O,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let scratch = worker.split.get_or_insert_with(|| self.splitter.scratch());
        self.splitter.pretokens(text, source, scratch, &mut worker.pretokens, ticker)?;
        let Pretokens { text: rewritten, spans, alignment } = &worker.pretokens;
        let (section, text) = (text, rewritten.as_deref().unwrap_or(text));
        if O::ON {
            let source = if alignment.is_identity() {
                Cow::Borrowed(source)
            } else {
                Cow::Owned(source.of_rewritten(alignment, section.len())?)
            };
            observer.section(text, &source);
        }
        for &span in spans {
            if sink.is_full() {
                break;
            }
            worker.tokens.clear();
            let piece = text.get(span.range()).unwrap_or("");
            self.model
                .encode(&self.definition, &mut worker.model, piece, &mut worker.tokens, ticker)
                .map_err(|error| {
                    error.placed(|index| {
                        let at = span.start + index;
                        alignment.to_original(Span::new(at, at + 1)).start
                    })
                })?;
            sink.extend(&worker.tokens.ids);
            if O::ON {
                observer.pretoken(span, worker.tokens.ids.len(), Some(&worker.tokens.lengths));
            }
        }
        Ok(())
    }
}
