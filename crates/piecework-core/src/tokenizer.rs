//! What callers hold: a definition and the engine that runs it. A text meets the stages here, once
//! each and in their order: added tokens of the raw text, normalizer, added tokens of the normalized
//! text, pre-tokenizer and model (the plan), post-processor.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::added::{Matcher, Trust};
use crate::decode::Decoding;
use crate::definition::{Definition, PreTokenizer, Prepend, TemplateItem};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::interrupt::Ctl;
use crate::normalize::{Alignment, Normalizers};
use crate::observe::{Nobody, Observer, Source};
use crate::plan::{Plan, Worker};
use crate::pool::Pool;
use crate::sink::{Counter, Sink};
use crate::span::Span;

/// The longest text of one call: offsets are 32 bits wide inside.
pub const MAX_TEXT_BYTES: usize = u32::MAX as usize / 2;

/// What becomes of control tokens' strings in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Special {
    /// They are ordinary text.
    #[default]
    Text,
    /// They are control tokens where the text is trusted.
    Parse(TrustedText),
    /// They are an error.
    Raise,
}

/// Which part of a text may hold control tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TrustedText {
    /// All of it.
    #[default]
    Everything,
    /// These byte spans.
    Spans(Vec<Span>),
}

/// How to encode one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// What becomes of control tokens' strings.
    pub special: Special,
    /// Whether the post-processor's tokens are put around the ids.
    pub add_special_tokens: bool,
}

/// A control token's string in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ControlString {
    /// Where it stands, in bytes of the text.
    pub span: Span,
    /// The control token.
    pub id: TokenId,
}

/// A tokenizer: immutable, shared freely between threads.
#[derive(Debug)]
pub struct Tokenizer {
    definition: Arc<Definition>,
    plan: Plan,
    normalizers: Normalizers,
    decoding: Decoding,
    raw: Matcher,
    normalized: Matcher,
    workers: Pool<Worker>,
    fingerprint: OnceLock<String>,
    /// Whether ids depend on where in the text a piece stands.
    needs_places: bool,
}

impl Tokenizer {
    /// Builds the tokenizer that `definition` describes, with the quickest exact engine.
    ///
    /// # Errors
    /// [`Error::Format`] for a component that cannot be run exactly.
    pub fn new(definition: Definition) -> Result<Self> {
        let definition = Arc::new(definition.without_control_merges()?);
        Self::with_plan(Plan::new(Arc::clone(&definition))?, definition)
    }

    /// Builds the same tokenizer with the plain engine: slow, and the measure of the quick one.
    ///
    /// # Errors
    /// [`Error::Format`] for a component that cannot be run exactly.
    pub fn generic(definition: Definition) -> Result<Self> {
        let definition = Arc::new(definition.without_control_merges()?);
        Self::with_plan(Plan::generic(Arc::clone(&definition))?, definition)
    }

    fn with_plan(plan: Plan, definition: Arc<Definition>) -> Result<Self> {
        let ctl = Ctl::new();
        let normalizers = Normalizers::of(&definition)?;
        let raw = Matcher::new(&definition, false, |content| Ok(content.to_owned()))?;
        let normalized = Matcher::new(&definition, true, |content| {
            Ok(normalizers.normalize(content, &ctl)?.into_owned())
        })?;
        let decoding = Decoding::new(Arc::clone(&definition))?;
        let (workers, fingerprint) = (Pool::default(), OnceLock::new());
        let first =
            |stage: &PreTokenizer| matches!(stage, PreTokenizer::Metaspace { prepend: Prepend::First, .. });
        let needs_places = !normalizers.is_empty() && definition.pre_tokenizers.iter().any(first);
        Ok(Self {
            definition,
            plan,
            normalizers,
            decoding,
            raw,
            normalized,
            workers,
            fingerprint,
            needs_places,
        })
    }

    /// Returns the definition.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the engine that was chosen.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the way back from ids to text.
    pub fn decoding(&self) -> &Decoding {
        &self.decoding
    }

    /// Returns the fingerprint of the definition; computed once.
    pub fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| self.definition.fingerprint())
    }

    /// Returns the ids of `text`.
    ///
    /// # Errors
    /// [`Error::SpecialToken`] where control tokens are to raise, [`Error::Unencodable`],
    /// [`Error::PatternLimit`], [`Error::TooLong`], [`Error::Interrupted`].
    pub fn ids(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<Vec<u32>> {
        // Real text has a token for every three to five bytes; short lists grow cheaply.
        let mut ids = Vec::with_capacity(text.len() / 4 + 4);
        self.encode(text, options, ctl, &mut ids, &mut Nobody)?;
        Ok(ids)
    }

    /// Returns the number of ids of `text`; makes none.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn count(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<usize> {
        let mut counter = Counter::unlimited();
        self.encode(text, options, ctl, &mut counter, &mut Nobody)?;
        Ok(counter.n)
    }

    /// Returns the number of ids of `text` if it is at most `max`, and `None` as soon as it is more.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn count_up_to(
        &self,
        text: &str,
        max: usize,
        options: &Options,
        ctl: &Ctl<'_>,
    ) -> Result<Option<usize>> {
        let mut counter = Counter::up_to(max);
        self.encode(text, options, ctl, &mut counter, &mut Nobody)?;
        Ok((counter.n <= max).then_some(counter.n))
    }

    /// Encodes `text` into `sink` while `observer` watches. Stops early, without an error, when the sink
    /// is full.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn encode<S: Sink, O: Observer>(
        &self,
        text: &str,
        options: &Options,
        ctl: &Ctl<'_>,
        sink: &mut S,
        observer: &mut O,
    ) -> Result<()> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::TooLong { n_bytes: text.len(), max_bytes: MAX_TEXT_BYTES });
        }
        let trust = self.trust(text, options, ctl)?;
        let mut worker = self.workers.take().unwrap_or_else(|| self.plan.worker());
        let mut run = Run { tokenizer: self, worker: &mut worker, trust: &trust, ctl, sink, observer };
        let (before, after) = self.around(options);
        run.special(before, 0);
        let done = run.raw(text);
        if done.is_ok() {
            run.special(after, text.len());
        }
        self.workers.give(worker);
        done
    }

    fn trust(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<Trust> {
        Ok(match &options.special {
            Special::Text => Trust::Nothing,
            Special::Parse(TrustedText::Everything) => Trust::Everything,
            Special::Parse(TrustedText::Spans(spans)) => Trust::spans(spans.clone()),
            Special::Raise => match self.controls(text, ctl)?.first() {
                Some(found) => {
                    let token = self.definition.added_token(found.id).map(|token| token.content.clone());
                    return Err(Error::SpecialToken { token: token.unwrap_or_default(), span: found.span });
                }
                None => Trust::Nothing,
            },
        })
    }

    /// Returns where `text` holds strings of control tokens, in order, whoever wrote them.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn controls(&self, text: &str, ctl: &Ctl<'_>) -> Result<Vec<ControlString>> {
        let control = |(id, span)| ControlString { span, id };
        let mut found: Vec<ControlString> = self
            .raw
            .controls(text, &mut ctl.ticker())?
            .into_iter()
            .map(|found| control((found.id, found.span)))
            .collect();
        if self.normalized.has_controls() {
            let (normal, alignment) = self.normalizers.normalize_aligned(text, ctl)?;
            let in_text = |span| alignment.to_original(span);
            found.extend(
                self.normalized
                    .controls(&normal, &mut ctl.ticker())?
                    .into_iter()
                    .map(|found| control((found.id, in_text(found.span)))),
            );
            found.sort_unstable();
        }
        Ok(found)
    }

    /// Returns the ids that the post-processor puts before and after one text when asked to.
    pub fn added_around(&self) -> (Vec<u32>, Vec<u32>) {
        let ids = |items: &[TemplateItem]| items.iter().flat_map(special_ids).map(|id| id.0).collect();
        let (before, after) = self.around(&Options { add_special_tokens: true, ..Options::default() });
        (ids(before), ids(after))
    }

    fn around(&self, options: &Options) -> (&[TemplateItem], &[TemplateItem]) {
        let items = &self.definition.post_processor.single;
        let place = items.iter().position(|item| matches!(item, TemplateItem::Sequence { .. }));
        match place {
            Some(at) if options.add_special_tokens => (&items[..at], &items[at + 1..]),
            _ => (&[], &[]),
        }
    }
}

fn special_ids(item: &TemplateItem) -> &[TokenId] {
    match item {
        TemplateItem::Special { ids, .. } => ids,
        TemplateItem::Sequence { .. } => &[],
    }
}

/// One text on its way through the stages.
struct Run<'r, S, O> {
    tokenizer: &'r Tokenizer,
    worker: &'r mut Worker,
    trust: &'r Trust,
    ctl: &'r Ctl<'r>,
    sink: &'r mut S,
    observer: &'r mut O,
}

impl<S: Sink, O: Observer> Run<'_, S, O> {
    /// The post-processor's own tokens, which come from nowhere in the text.
    fn special(&mut self, items: &[TemplateItem], at: usize) {
        for &id in items.iter().flat_map(special_ids) {
            self.added(id, Span::new(at, at));
        }
    }

    fn added(&mut self, id: TokenId, span: Span) {
        self.sink.push(id.0);
        if O::ON {
            self.observer.added(id, span);
        }
    }

    /// Added tokens of the raw text; what lies between them goes on.
    fn raw(&mut self, text: &str) -> Result<()> {
        let matcher = &self.tokenizer.raw;
        if matcher.is_idle(self.trust) {
            return self.normalize(text, Span::new(0, text.len()));
        }
        let mut at = 0;
        for found in matcher.find(text, self.trust, &mut self.ctl.ticker())? {
            self.normalize(text, Span::new(at, found.span.start))?;
            if self.sink.is_full() {
                return Ok(());
            }
            self.added(found.id, found.span);
            at = found.span.end;
        }
        self.normalize(text, Span::new(at, text.len()))
    }

    /// The normalizer, on the text between two added tokens.
    fn normalize(&mut self, text: &str, span: Span) -> Result<()> {
        if span.is_empty() || self.sink.is_full() {
            return Ok(());
        }
        let part = &text[span.range()];
        let normalizers = &self.tokenizer.normalizers;
        // Where the text begins decides what a Metaspace puts in front of it.
        let watched = O::ON || self.tokenizer.needs_places || !self.tokenizer.normalized.is_idle(self.trust);
        let (normal, alignment) = if watched {
            normalizers.normalize_aligned(part, self.ctl)?
        } else {
            (normalizers.normalize(part, self.ctl)?, Alignment::identity())
        };
        let source = Source { alignment: Arc::new(alignment), start: 0, origin: span.start, n_prefix: 0 };
        match self.normalized(&normal, source) {
            Err(error @ (Error::Unencodable { .. } | Error::PatternLimit { .. })) if !watched => {
                // Its place is one of the normalized text: only now does it matter where that comes from.
                let (_, alignment) = normalizers.normalize_aligned(part, self.ctl)?;
                let source =
                    Source { alignment: Arc::new(alignment), origin: span.start, ..Source::default() };
                Err(in_input(error.placed(|index| index.saturating_sub(span.start)), &source))
            }
            done => done,
        }
    }

    /// Added tokens of the normalized text; what lies between them goes on.
    fn normalized(&mut self, text: &str, mut source: Source) -> Result<()> {
        let matcher = &self.tokenizer.normalized;
        if matcher.is_idle(self.trust) {
            return self.section(text, &mut source);
        }
        let trust = trust_in(text, &source, self.trust);
        let mut at = 0;
        for found in matcher.find(text, &trust, &mut self.ctl.ticker())? {
            source.start = at;
            self.section(text.get(at..found.span.start).unwrap_or(""), &mut source)?;
            if self.sink.is_full() {
                return Ok(());
            }
            source.start = 0;
            self.added(found.id, source.to_input(found.span));
            at = found.span.end;
        }
        source.start = at;
        self.section(&text[at..], &mut source)
    }

    /// Pre-tokenizer and model, on a section without added tokens.
    fn section(&mut self, text: &str, source: &mut Source) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let prefix = self.tokenizer.definition.pre_tokenizers.first() == Some(&PreTokenizer::PrefixSpace);
        let text =
            if prefix && !text.starts_with(' ') { Cow::Owned(format!(" {text}")) } else { text.into() };
        source.n_prefix = usize::from(matches!(text, Cow::Owned(_)));
        if O::ON {
            self.observer.normalized(&text, source);
        }
        let mut ticker = self.ctl.ticker();
        let plan = &self.tokenizer.plan;
        let done = plan.section(self.worker, &text, source, self.sink, self.observer, &mut ticker);
        let done = done.map_err(|error| in_input(error, source));
        source.n_prefix = 0;
        done
    }
}

/// Returns the trust in a normalized text, given the trust in its original: a character is trusted where
/// all of its source is.
fn trust_in(text: &str, source: &Source, trust: &Trust) -> Trust {
    let Trust::Spans(_) = trust else { return trust.clone() };
    let spans = text
        .char_indices()
        .map(|(at, c)| Span::new(at, at + c.len_utf8()))
        .filter(|&span| trust.covers(source.to_input(span)))
        .collect();
    Trust::spans(spans)
}

/// Returns `error` with an index into a section's text turned into one into the input. (What was put
/// in front may be named as the first byte of the section.)
fn in_input(error: Error, source: &Source) -> Error {
    error.placed(|index| source.to_input(Span::new(index, index + 1)).start)
}
