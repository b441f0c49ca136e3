//! What each stage did to one text, kept as data: the sections between added tokens, their normalized
//! form, the pretokens and their ids.

use std::ops::Range;

use crate::error::Result;
use crate::id::TokenId;
use crate::interrupt::Ctl;
use crate::observe::{Observer, Source};
use crate::span::Span;
use crate::tokenizer::{Options, Tokenizer};

/// One part of a text, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// An added token matched here.
    Added {
        /// The token.
        id: TokenId,
        /// What it covers of the input, in bytes.
        span: Span,
    },
    /// Text that went through the pre-tokenizer and the model.
    Text {
        /// What the pre-tokenizer saw.
        normalized: String,
        /// The way back to the input.
        source: Source,
        /// What the first pre-tokenizer was given and where that comes from, where one of them spells it anew.
        before: Option<(String, Source)>,
        /// The ids, in order.
        ids: Vec<u32>,
        /// What the pre-tokenizer cut, and what the model made of it.
        pretokens: Vec<Pretoken>,
    },
}

/// What the pre-tokenizer cut, and what the model made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pretoken {
    /// Bytes of the section's normalized text.
    pub span: Span,
    /// Which of the section's ids are its own.
    pub ids: Range<usize>,
}

impl Tokenizer {
    /// Returns what each stage does to `text`.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn stages(&self, text: &str, options: &Options, ctl: &Ctl<'_>) -> Result<Vec<Section>> {
        let mut ids = Vec::new();
        let mut watcher = Watcher::default();
        self.encode(text, options, ctl, &mut ids, &mut watcher)?;
        let mut rest = ids.as_slice();
        let mut take = |n: usize| {
            let (taken, others) = rest.split_at(n.min(rest.len()));
            rest = others;
            taken
        };
        let mut sections = Vec::with_capacity(watcher.sections.len());
        for section in watcher.sections {
            sections.push(match section {
                Seen::Added(id, span) => {
                    take(1);
                    Section::Added { id, span }
                }
                Seen::Text { normalized, source, before, cuts } => {
                    // One list for all of them: a list each takes long to make and to free.
                    let n_ids = cuts.last().map_or(0, |pretoken| pretoken.ids.end);
                    let ids = take(n_ids).to_vec();
                    Section::Text { normalized, source, before, ids, pretokens: cuts }
                }
            });
        }
        Ok(sections)
    }
}

#[derive(Debug)]
enum Seen {
    Added(TokenId, Span),
    Text { normalized: String, source: Source, before: Option<(String, Source)>, cuts: Vec<Pretoken> },
}

#[derive(Debug, Default)]
struct Watcher {
    sections: Vec<Seen>,
    /// What comes to the pre-tokenizer, until it is known whether it changed that.
    before: Option<(String, Source)>,
}

impl Observer for Watcher {
    const ON: bool = true;

    fn added(&mut self, id: TokenId, span: Span) {
        self.sections.push(Seen::Added(id, span));
    }

    fn normalized(&mut self, text: &str, source: &Source) {
        self.before = Some((text.to_owned(), source.clone()));
    }

    fn section(&mut self, text: &str, source: &Source) {
        let before = self.before.take().filter(|(before, own)| before != text || own != source);
        let (normalized, source) = (text.to_owned(), source.clone());
        self.sections.push(Seen::Text { normalized, source, before, cuts: Vec::new() });
    }

    fn pretoken(&mut self, span: Span, n_tokens: usize, _: Option<&[u32]>) {
        if let Some(Seen::Text { cuts, .. }) = self.sections.last_mut() {
            let start = cuts.last().map_or(0, |pretoken| pretoken.ids.end);
            cuts.push(Pretoken { span, ids: start..start + n_tokens });
        }
    }
}
