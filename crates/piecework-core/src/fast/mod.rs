//! The quick way to run a definition: a native scanner or the general splitter, a memory of pretokens,
//! and packed tables for the merges. Proven equal to `generic` by `piecework-oracle`.

pub mod bpe;
pub mod cache;
mod chars;
pub mod scan;
pub mod window;

use std::sync::Arc;

use crate::definition::Definition;
use crate::error::Result;
use crate::interrupt::Ticker;
use crate::observe::{Observer, Source};
use crate::sink::Sink;
use crate::span::Span;
use crate::split::{SplitScratch, Splitter};
use bpe::{Tables, Worker as ModelWorker};
use cache::Key;
use scan::Scanner;

/// How the text is cut.
#[derive(Debug)]
pub enum Cutter {
    /// By a native scanner.
    Native(Scanner),
    /// By the general splitter.
    General(Box<Splitter>),
}

/// What one thread needs to run an [`Engine`].
#[derive(Debug, Default)]
pub struct Worker {
    model: ModelWorker,
    split: Option<SplitScratch>,
    spans: Vec<Span>,
}

/// A definition, ready to run quickly.
#[derive(Debug)]
pub struct Engine {
    cutter: Cutter,
    tables: Tables,
}

impl Engine {
    /// Builds the engine's tables.
    pub fn new(definition: Arc<Definition>, cutter: Cutter) -> Self {
        Self { cutter, tables: Tables::new(definition) }
    }

    /// Returns how the text is cut.
    pub fn cutter(&self) -> &Cutter {
        &self.cutter
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
        if O::ON {
            observer.section(text, source);
        }
        let scanner = match &self.cutter {
            Cutter::Native(scanner) => *scanner,
            Cutter::General(splitter) => return self.spans(splitter, worker, text, sink, observer, ticker),
        };
        // One copy of the loop for each scanner, so that its steps are inlined.
        macro_rules! scan {
            ($($name:ident),*) => {
                match scanner {
                    $(Scanner::$name => {
                        let next = |text: &[u8], at| Scanner::$name.next(text, at);
                        self.scan(next, &mut worker.model, text.as_bytes(), sink, observer, ticker)
                    })*
                }
            };
        }
        scan!(Gpt2, Cl100kTiktoken, Cl100k, Qwen2, O200k)
    }

    #[inline]
    fn scan<S: Sink, O: Observer>(
        &self,
        next: impl Fn(&[u8], usize) -> usize,
        worker: &mut ModelWorker,
        text: &[u8],
        sink: &mut S,
        observer: &mut O,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let mut at = 0;
        let mut cuts = std::iter::from_fn(|| {
            let start = at;
            at = if start < text.len() { next(text, start) } else { return None };
            Some(Span::new(start, at))
        });
        self.pretokens(&mut cuts, worker, text, sink, observer, ticker)
    }

    /// Encodes pretokens in groups: first all keys of a group, whose cache lines are then on their way while
    /// the others are made, then all look-ups.
    #[inline]
    fn pretokens<S: Sink, O: Observer>(
        &self,
        cuts: &mut impl Iterator<Item = Span>,
        worker: &mut ModelWorker,
        text: &[u8],
        sink: &mut S,
        observer: &mut O,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        const GROUP: usize = 32;
        let mut group = [(Span::default(), Key::None); GROUP];
        loop {
            let mut n = 0;
            for (slot, span) in group.iter_mut().zip(cuts.by_ref()) {
                *slot = (span, worker.look_ahead(text, span));
                n += 1;
            }
            let group = group.get(..n).unwrap_or(&[]);
            if let (Some((first, _)), Some((last, _))) = (group.first(), group.last()) {
                ticker.tick(last.end - first.start)?;
            }
            for (span, key) in group {
                let n_tokens = if let Some(entry) = worker.remembered(key) {
                    entry.give(sink)
                } else {
                    let ids = worker.encode(&self.tables, text, *span, key, ticker)?;
                    sink.extend(ids);
                    ids.len()
                };
                if O::ON {
                    observer.pretoken(*span, n_tokens, None);
                }
            }
            if n < GROUP || sink.is_full() {
                return Ok(());
            }
        }
    }

    fn spans<S: Sink, O: Observer>(
        &self,
        splitter: &Splitter,
        worker: &mut Worker,
        text: &str,
        sink: &mut S,
        observer: &mut O,
        ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        let scratch = worker.split.get_or_insert_with(|| splitter.scratch());
        worker.spans.clear();
        splitter.split(text, scratch, &mut worker.spans, ticker)?;
        let mut cuts = worker.spans.iter().copied();
        self.pretokens(&mut cuts, &mut worker.model, text.as_bytes(), sink, observer, ticker)
    }
}

/// Asks the processor to bring the line at `address` nearer; a hint, which does nothing where there is none.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch(address: *const u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program sees and cannot fault, whatever the address; SSE, which
    // it belongs to, is part of every x86-64.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
