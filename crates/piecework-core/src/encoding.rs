//! One encoded text: ids, and where each token stands in the input. Byte spans are the truth and are
//! stored; characters, UTF-16 units and graphemes are derived from them when asked for.

use crate::added::Trust;
use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ctl;
use crate::observe::{Observer, Source};
use crate::sink::Sink;
use crate::span::Span;
use crate::tokenizer::{ControlString, Options, Special, Tokenizer, TrustedText};

/// The ids of a text with a span and a word each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoding {
    /// The ids.
    pub ids: Vec<u32>,
    /// Per id, the bytes of the text that it comes from: all of the source where normalization changed
    /// the text; an empty span for a token that was inserted.
    pub byte_spans: Vec<Span>,
    /// Per id, the number of its pretoken or added token, counted through the text; `None` for what
    /// the post-processor put in.
    pub word_ids: Vec<Option<u32>>,
    /// Control tokens' strings that were read as text.
    pub forged: Vec<ControlString>,
}

impl Tokenizer {
    /// Encodes `text` with the place of every token.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn encoding(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<Encoding> {
        let mut encoding = self.encoding_up_to(text, usize::MAX, options, ctl)?;
        encoding.forged = self.forged(text, options, ctl)?;
        Ok(encoding)
    }

    /// Encodes the beginning of `text`: all of it, or a little more than `max` ids. Does not look for forged
    /// control tokens.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn encoding_up_to(
        &self,
        text: &str,
        max: usize,
        options: &Options,
        ctl: &Ctl<'_>,
    ) -> Result<Encoding> {
        let mut sink = UpTo { ids: Vec::new(), max };
        let mut recorder = Recorder::default();
        self.encode(text, options, ctl, &mut sink, &mut recorder)?;
        let (byte_spans, word_ids) = recorder.finish(self, &sink.ids);
        Ok(Encoding { ids: sink.ids, byte_spans, word_ids, forged: Vec::new() })
    }

    /// Returns the control tokens' strings in `text` that these options read as text.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`].
    pub fn forged(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<Vec<ControlString>> {
        let trust = match &options.special {
            Special::Text | Special::Raise => Trust::Nothing,
            Special::Parse(TrustedText::Everything) => return Ok(Vec::new()),
            Special::Parse(TrustedText::Spans(spans)) => Trust::spans(spans.clone()),
        };
        let mut found = self.controls(text, ctl)?;
        found.retain(|control| !trust.covers(control.span));
        Ok(found)
    }
}

/// Collects ids until there are more than `max`.
struct UpTo {
    ids: Vec<u32>,
    max: usize,
}

impl Sink for UpTo {
    fn extend(&mut self, ids: &[u32]) {
        self.ids.extend_from_slice(ids);
    }

    fn is_full(&self) -> bool {
        self.ids.len() > self.max
    }
}

#[derive(Debug)]
enum Event {
    /// A token that covers a span of the input.
    Added(Span),
    /// A pretoken of the latest section, and how many ids it became.
    Pretoken { source: usize, span: Span, n_tokens: usize, measured: bool },
}

/// Notes what comes from where.
#[derive(Debug, Default)]
struct Recorder {
    sources: Vec<Source>,
    events: Vec<Event>,
    /// The bytes that each token of a measured pretoken covers.
    lengths: Vec<u32>,
}

impl Observer for Recorder {
    const ON: bool = true;

    fn added(&mut self, _: TokenId, span: Span) {
        self.events.push(Event::Added(span));
    }

    fn section(&mut self, _: &str, source: &Source) {
        self.sources.push(source.clone());
    }

    fn pretoken(&mut self, span: Span, n_tokens: usize, lengths: Option<&[u32]>) {
        self.lengths.extend_from_slice(lengths.unwrap_or(&[]));
        self.events.push(Event::Pretoken {
            source: self.sources.len().wrapping_sub(1),
            span,
            n_tokens,
            measured: lengths.is_some(),
        });
    }
}

impl Recorder {
    fn finish(self, tokenizer: &Tokenizer, ids: &[u32]) -> (Vec<Span>, Vec<Option<u32>>) {
        let mut spans = Vec::with_capacity(ids.len());
        let mut words = Vec::with_capacity(ids.len());
        let mut word = 0..;
        let mut lengths = self.lengths.into_iter();
        for event in self.events {
            match event {
                Event::Added(span) => {
                    spans.push(span);
                    words.push(if span.is_empty() { None } else { word.next() });
                }
                Event::Pretoken { source, span, n_tokens, measured } => {
                    let word = word.next();
                    let Some(source) = self.sources.get(source) else { continue };
                    let mut at = span.start;
                    let ids = ids.get(spans.len()..spans.len() + n_tokens).unwrap_or(&[]);
                    for &id in ids {
                        let n = if measured {
                            lengths.next().unwrap_or(0) as usize
                        } else {
                            tokenizer.definition().vocab.bytes(TokenId(id)).map_or(0, <[u8]>::len)
                        };
                        spans.push(source.to_input(Span::new(at, at + n)));
                        words.push(word);
                        at += n;
                    }
                }
            }
        }
        (spans, words)
    }
}
