//! The first stage: normalizers. Each rewrites a whole text and says where the new one comes from.
//!
//! [`Normalizers`] is a sequence of them, built once for a tokenizer. A normalizer with parts (BERT's,
//! the compatibility forms) is a sequence too.

mod accents;
mod byte_level;
mod case;
mod charsmap;
mod cleaning;
mod composer;
mod decomposed;
mod ends;
mod nfc;
mod precompiled;
mod quick_check;
mod replace;
mod rewriter;
mod sentencepiece;

use std::borrow::Cow;

pub use crate::alignment::Alignment;
use crate::alignment::max_made_bytes;
use crate::definition::{Definition, Model, Normalizer, Profile};
use crate::error::{Error, Result};
use crate::interrupt::Ctl;
use charsmap::Rules;
pub use nfc::{is_nfc, nfc, nfc_aligned};
use replace::Replace;
use rewriter::Rewriter;
use sentencepiece::{SentencePiece, Spec};

/// A sequence of normalizers, ready to run. Threads share it.
#[derive(Debug, Default)]
pub struct Normalizers {
    stages: Vec<Stage>,
}

/// One pass over the text.
#[derive(Debug)]
enum Stage {
    Compose,
    Decompose,
    DecomposeCompatible,
    Lowercase,
    StripAccents,
    StripNonspacing,
    Strip { left: bool, right: bool },
    Clean,
    SpaceIdeographs,
    Nmt,
    Replace(Replace),
    Prepend(String),
    Precompiled(Box<Rules>),
    ByteLevel,
    SentencePiece(Box<SentencePiece>),
}

impl Normalizers {
    /// Compiles the normalizers of `definition`.
    ///
    /// # Errors
    /// As [`Normalizers::new`].
    pub fn of(definition: &Definition) -> Result<Self> {
        let user_defined = match &definition.model {
            Model::Bpe(bpe) => bpe.characters.as_ref().map_or(&[][..], |model| &model.user_defined),
            Model::Unigram(model) => &model.user_defined,
            Model::WordLevel(model) => &model.user_defined,
            Model::WordPiece(_) => &[],
        };
        let pieces: Vec<&[u8]> = user_defined.iter().filter_map(|&id| definition.bytes(id)).collect();
        Self::new(&definition.normalizers, &pieces, definition.profile)
    }

    /// Compiles `normalizers`. `user_defined` are the pieces that SentencePiece takes as they are.
    ///
    /// # Errors
    /// [`Error::Format`] for a pattern that cannot be run exactly and for a rule table that is broken; the
    /// message names it.
    pub fn new(normalizers: &[Normalizer], user_defined: &[&[u8]], profile: Profile) -> Result<Self> {
        let mut stages = Vec::new();
        for (index, normalizer) in normalizers.iter().enumerate() {
            let place = format!("normalizers[{index}]");
            push_stages(&mut stages, normalizer, user_defined, profile, &place)?;
        }
        // NFC of NFC is NFC: however often it is listed in a row, once is the same.
        stages.dedup_by(|later, earlier| matches!((later, earlier), (Stage::Compose, Stage::Compose)));
        Ok(Self { stages })
    }

    /// Returns whether no text is ever changed.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Returns the normalized text, borrowed where nothing changes.
    ///
    /// # Errors
    /// [`Error::TooLong`] where it grows over [`max_made_bytes`], [`Error::PatternLimit`] where a pattern that needs
    /// backtracking takes too many steps, [`Error::Interrupted`].
    ///
    /// # Complexity
    /// Linear in the text and in what each normalizer makes of it, patterns as in [`crate::split`].
    pub fn normalize<'t>(&self, text: &'t str, ctl: &Ctl<'_>) -> Result<Cow<'t, str>> {
        Ok(self.run(text, false, ctl)?.0)
    }

    /// Returns the normalized text, borrowed where nothing changes, and where each byte of it comes from.
    ///
    /// # Errors
    /// As [`Normalizers::normalize`].
    pub fn normalize_aligned<'t>(&self, text: &'t str, ctl: &Ctl<'_>) -> Result<(Cow<'t, str>, Alignment)> {
        self.run(text, true, ctl)
    }

    fn run<'t>(&self, text: &'t str, is_watched: bool, ctl: &Ctl<'_>) -> Result<(Cow<'t, str>, Alignment)> {
        let max_bytes = max_made_bytes(text.len());
        let (mut text, mut alignment) = (Cow::Borrowed(text), Alignment::identity());
        for stage in &self.stages {
            if let Some((made, last)) = stage.run(&text, (is_watched, max_bytes), ctl)? {
                text = Cow::Owned(made);
                alignment = if is_watched { last.after(&alignment)? } else { last };
            }
        }
        Ok((text, alignment))
    }
}

impl Stage {
    /// Returns the new text and where it comes from, or `None` where it is the old one.
    fn run(
        &self,
        text: &str,
        (is_watched, max_bytes): (bool, usize),
        ctl: &Ctl<'_>,
    ) -> Result<Option<(String, Alignment)>> {
        if let Self::SentencePiece(stage) = self {
            return stage.run(text, (is_watched, max_bytes), ctl);
        }
        let mut out = Rewriter::new(text, is_watched, max_bytes);
        self.rewrite(&mut out, ctl)?;
        Ok(out.finish())
    }

    fn rewrite(&self, out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
        match self {
            Self::Compose => nfc::compose(out, ctl),
            Self::Decompose => decomposed::nfd(out, ctl),
            Self::DecomposeCompatible => decomposed::decompose_compatible(out, ctl),
            Self::Lowercase => case::lowercase(out, ctl),
            Self::StripAccents => accents::strip_accents(out, ctl),
            Self::StripNonspacing => accents::strip_nonspacing(out, ctl),
            &Self::Strip { left, right } => ends::strip(out, left, right, ctl),
            Self::Clean => cleaning::clean(out, ctl),
            Self::SpaceIdeographs => cleaning::space_ideographs(out, ctl),
            Self::Nmt => cleaning::nmt(out, ctl),
            Self::Replace(replace) => replace.run(out, ctl),
            Self::Prepend(prefix) => ends::prepend(out, prefix),
            Self::Precompiled(rules) => precompiled::precompiled(rules, out, ctl),
            Self::ByteLevel => byte_level::byte_level(out, ctl),
            // Two passes that align with each other: it has a way of its own.
            Self::SentencePiece(_) => Ok(()),
        }
    }
}

/// Appends the passes that `normalizer` consists of.
fn push_stages(
    stages: &mut Vec<Stage>,
    normalizer: &Normalizer,
    user_defined: &[&[u8]],
    profile: Profile,
    place: &str,
) -> Result<()> {
    match normalizer {
        Normalizer::Nfc => stages.push(Stage::Compose),
        Normalizer::Nfd => stages.push(Stage::Decompose),
        Normalizer::Nfkc => stages.extend([Stage::DecomposeCompatible, Stage::Compose]),
        Normalizer::Nfkd => stages.extend([Stage::DecomposeCompatible, Stage::Decompose]),
        Normalizer::Lowercase => stages.push(Stage::Lowercase),
        Normalizer::StripAccents => stages.push(Stage::StripAccents),
        &Normalizer::Strip { left, right } => stages.push(Stage::Strip { left, right }),
        &Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
            let parts = [
                (clean_text, Stage::Clean),
                (handle_chinese_chars, Stage::SpaceIdeographs),
                (strip_accents.unwrap_or(lowercase), Stage::StripNonspacing),
                (lowercase, Stage::Lowercase),
            ];
            stages.extend(parts.into_iter().filter_map(|(is_on, stage)| is_on.then_some(stage)));
        }
        Normalizer::Nmt => stages.push(Stage::Nmt),
        Normalizer::Replace { pattern, content } => {
            stages.push(Stage::Replace(Replace::new(pattern, content, profile, place)?));
        }
        Normalizer::Prepend(prefix) => stages.push(Stage::Prepend(prefix.clone())),
        Normalizer::Precompiled(table) => {
            let rules = Rules::new(&table.0).map_err(|reason| Error::format(place, reason))?;
            stages.push(Stage::Precompiled(Box::new(rules)));
        }
        Normalizer::ByteLevel => stages.push(Stage::ByteLevel),
        Normalizer::SentencePiece {
            charsmap,
            add_dummy_prefix,
            remove_extra_whitespaces,
            escape_whitespaces,
            whitespace_as_suffix,
        } => {
            let spec = Spec {
                add_dummy_prefix: *add_dummy_prefix,
                remove_extra_whitespaces: *remove_extra_whitespaces,
                escape_whitespaces: *escape_whitespaces,
                whitespace_as_suffix: *whitespace_as_suffix,
            };
            let stage = SentencePiece::new(&charsmap.0, spec, user_defined)
                .map_err(|reason| Error::format(place, reason))?;
            stages.push(Stage::SentencePiece(Box::new(stage)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
