//! How a definition is run, chosen stage by stage from what it says, never from a model's name. What
//! is not recognized runs plainly; nothing is ever approximated.

use std::sync::Arc;

use crate::definition::{Behavior, Bpe, Definition, PreTokenizer};
use crate::error::Result;
use crate::fast::scan::Scanner;
use crate::fast::{self, Cutter};
use crate::generic;
use crate::interrupt::Ticker;
use crate::merges::Merges;
use crate::model;
use crate::observe::{Observer, Source};
use crate::sink::Sink;
use crate::split::Splitter;

/// A definition with the engine that runs it.
#[derive(Debug)]
pub enum Plan {
    /// The plain pipeline.
    Generic(Box<generic::Engine>),
    /// The fused one.
    Fast(Box<fast::Engine>),
}

/// What one thread needs to run a [`Plan`].
#[derive(Debug)]
pub enum Worker {
    /// For [`Plan::Generic`].
    Generic(Box<generic::Worker>),
    /// For [`Plan::Fast`].
    Fast(Box<fast::Worker>),
}

impl Plan {
    /// Chooses the quickest engine that is exact for `definition`.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for a component that cannot be run exactly.
    pub fn new(definition: Arc<Definition>) -> Result<Self> {
        // Ranks of texts know no product by its rank, as the quick merge asks for.
        let is_ranked = matches!(definition.model.bpe(), Some(Bpe { merges: Merges::Ranked(_), .. }));
        if !definition.model.is_byte_level() || is_ranked || respells(&definition.pre_tokenizers) {
            return Self::generic(definition);
        }
        let cutter = match native(&definition.pre_tokenizers) {
            Some(scanner) => Cutter::Native(scanner),
            None => Cutter::General(Box::new(Splitter::new(&definition.pre_tokenizers, definition.profile)?)),
        };
        Ok(Self::Fast(Box::new(fast::Engine::new(definition, cutter))))
    }

    /// Chooses the plain pipeline whatever the definition says: the twin to compare with.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] for a component that cannot be run exactly.
    pub fn generic(definition: Arc<Definition>) -> Result<Self> {
        Ok(Self::Generic(Box::new(generic::Engine::new(definition)?)))
    }

    /// Returns the choice for each stage, as `info` prints it.
    pub fn describe(&self) -> [(&'static str, &'static str); 2] {
        match self {
            Self::Generic(_) => [("pre_tokenizer", "regex"), ("model", "plain")],
            Self::Fast(engine) => match engine.cutter() {
                Cutter::Native(_) => [("pre_tokenizer", "native"), ("model", "fast")],
                Cutter::General(_) => [("pre_tokenizer", "regex"), ("model", "fast")],
            },
        }
    }

    /// Returns the model's plain engine, whichever engine is chosen.
    pub fn model(&self) -> &model::Engine {
        match self {
            Self::Generic(engine) => engine.model(),
            // What runs quickly is byte-level BPE, whose plain engine has no tables.
            Self::Fast(_) => &model::Engine::Bytes,
        }
    }

    /// Returns a new worker for this plan.
    pub fn worker(&self) -> Worker {
        match self {
            Self::Generic(_) => Worker::Generic(Box::default()),
            Self::Fast(_) => Worker::Fast(Box::default()),
        }
    }

    /// Encodes one section of normalized text with a worker of this plan.
    ///
    /// # Errors
    /// Those of the stages, with indices into `text`.
    pub fn section<S: Sink, O: Observer>(
        &self,
        worker: &mut Worker,
        text: &str,
        source: &Source,
        sink: &mut S,
        observer: &mut O,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        match (self, worker) {
            (Self::Generic(engine), Worker::Generic(worker)) => {
                engine.section(worker, text, source, sink, observer, ticker)
            }
            (Self::Fast(engine), Worker::Fast(worker)) => {
                engine.section(worker, text, source, sink, observer, ticker)
            }
            (_, worker) => {
                // A worker of another plan holds nothing that this one could use.
                *worker = self.worker();
                self.section(worker, text, source, sink, observer, ticker)
            }
        }
    }
}

/// Returns whether a pre-tokenizer changes the text, but for a space that the first puts in front.
fn respells(pre_tokenizers: &[PreTokenizer]) -> bool {
    let rest = match pre_tokenizers {
        [PreTokenizer::PrefixSpace, rest @ ..] => rest,
        all => all,
    };
    rest.iter().any(PreTokenizer::rewrites)
}

/// Returns the native scanner of pre-tokenizers that are one known pattern, whose matches tile any
/// text, so that isolating them and keeping only them are the same.
pub(crate) fn native(pre_tokenizers: &[PreTokenizer]) -> Option<Scanner> {
    let splits = match pre_tokenizers {
        [PreTokenizer::PrefixSpace, rest @ ..] => rest,
        all => all,
    };
    match splits {
        [PreTokenizer::Split { pattern, behavior, invert }] => {
            let tiles = matches!((behavior, invert), (Behavior::Isolated, false) | (Behavior::Removed, true));
            Scanner::of(pattern).filter(|_| tiles)
        }
        _ => None,
    }
}
