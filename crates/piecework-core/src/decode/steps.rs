//! The steps of a definition's decoder, compiled once and set to work for each text.

use std::sync::Arc;

use super::bytes::{ByteFallback, ByteLevel};
use super::fragments::Fragments;
use super::replace::{MAX_NEEDLE_BYTES, ReplacePattern, ReplaceText};
use super::step::{Fuse, Metaspace, Spaced, Step, Strip, Whole};
use super::utf8::Invalid;
use super::words::{Ctc, EndOfWord, WordPiece};
use crate::definition::{DecodeStep, Needle, Profile};
use crate::error::{Error, Result};
use crate::interrupt::Ticker;
use crate::split::pattern::Pattern;

/// One step, compiled.
#[derive(Debug)]
pub enum Recipe {
    /// A space between two texts.
    Spaced,
    /// A step as its definition says.
    Plain(DecodeStep),
    /// A replacement of matches.
    Pattern(Arc<Pattern>, String),
}

/// Compiles `steps`; none of them means that texts are joined by spaces.
///
/// # Errors
/// [`Error::Format`] for a pattern that cannot be run exactly.
pub fn compile(steps: &[DecodeStep], profile: Profile) -> Result<Vec<Recipe>> {
    if steps.is_empty() {
        return Ok(vec![Recipe::Spaced]);
    }
    steps.iter().enumerate().map(|(index, step)| recipe(index, step, profile)).collect()
}

fn recipe(index: usize, step: &DecodeStep, profile: Profile) -> Result<Recipe> {
    let DecodeStep::Replace { pattern, content } = step else { return Ok(Recipe::Plain(step.clone())) };
    let pattern = match pattern {
        // The empty text matches between any two characters, as its pattern does.
        Needle::Text(text) if text.is_empty() => "",
        Needle::Text(_) => return Ok(Recipe::Plain(step.clone())),
        Needle::Pattern(pattern) => pattern.as_str(),
    };
    let compiled = Pattern::new(pattern, profile)
        .map_err(|reason| Error::format(format!("decoder.steps[{index}].pattern"), reason.to_string()))?;
    Ok(Recipe::Pattern(Arc::new(compiled), content.clone()))
}

impl Recipe {
    /// Returns the step at its beginning; `is_fused` tells that a step before it makes one text of all.
    fn step(&self, invalid: Invalid, is_fused: bool) -> Box<dyn Step> {
        let step = match self {
            Self::Spaced => return Box::new(Spaced::default()),
            Self::Pattern(pattern, content) => {
                return Box::new(Whole::new(ReplacePattern::new(pattern, content)));
            }
            Self::Plain(step) => step,
        };
        match step {
            DecodeStep::ByteLevel => Box::new(Whole::new(ByteLevel::new(invalid))),
            DecodeStep::WordPiece { prefix, cleanup } => {
                Box::new(Whole::new(WordPiece::new(prefix, *cleanup)))
            }
            DecodeStep::Metaspace { replacement, prepend } => {
                Box::new(Metaspace::new(*replacement, *prepend))
            }
            DecodeStep::Bpe { suffix } => Box::new(Whole::new(EndOfWord::new(suffix))),
            DecodeStep::Ctc { pad_token, word_delimiter_token, cleanup } => {
                Box::new(Whole::new(Ctc::new(pad_token, word_delimiter_token, *cleanup)))
            }
            DecodeStep::Replace { pattern: Needle::Text(text) | Needle::Pattern(text), content } => {
                Box::new(ReplaceText::new(text, content))
            }
            DecodeStep::Fuse => Box::new(Fuse),
            DecodeStep::Strip { content, start, stop } => {
                Box::new(Strip::new(*content, *start, *stop, is_fused))
            }
            DecodeStep::ByteFallback => Box::new(ByteFallback::new(invalid)),
        }
    }

    /// Returns whether the step needs a text whole.
    fn needs_whole(&self) -> bool {
        match self {
            Self::Spaced => false,
            Self::Pattern(..) => true,
            Self::Plain(step) => match step {
                DecodeStep::ByteLevel
                | DecodeStep::WordPiece { .. }
                | DecodeStep::Bpe { .. }
                | DecodeStep::Ctc { .. } => true,
                DecodeStep::Replace { pattern: Needle::Text(text), .. } => text.len() > MAX_NEEDLE_BYTES,
                _ => false,
            },
        }
    }

    /// Returns whether the step makes one text of all.
    fn fuses(&self) -> bool {
        matches!(self, Self::Plain(DecodeStep::Fuse | DecodeStep::ByteLevel))
    }
}

/// Returns whether no step waits for the end of everything: none that needs a text whole comes after one that
/// makes one text of all.
pub fn streams(recipes: &[Recipe]) -> bool {
    let fused = recipes.iter().position(Recipe::fuses).unwrap_or(recipes.len());
    !recipes.iter().skip(fused + 1).any(Recipe::needs_whole)
}

/// What comes after the tokens that were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Others.
    Token,
    /// Text that no step changes.
    Literal,
    /// Nothing.
    Finish,
}

/// Steps at work.
#[derive(Debug)]
pub struct Steps {
    stages: Vec<Box<dyn Step>>,
    input: Fragments,
    output: Fragments,
}

impl Steps {
    /// Returns the steps at their beginning.
    pub fn new(recipes: &[Recipe], invalid: Invalid) -> Self {
        let fused = recipes.iter().position(Recipe::fuses).unwrap_or(recipes.len());
        let stages =
            recipes.iter().enumerate().map(|(at, recipe)| recipe.step(invalid, at > fused)).collect();
        Self { stages, input: Fragments::default(), output: Fragments::default() }
    }

    /// Takes the text of a token, for the next [`Steps::pass`].
    pub fn token(&mut self, text: &[u8]) {
        self.input.push(text);
        self.input.end();
    }

    /// Tells all steps that text comes that none of them changes, and writes what they still held.
    ///
    /// # Errors
    /// As [`Steps::pass`].
    pub fn literal(&mut self, out: &mut Vec<u8>, ticker: &mut Ticker<'_>) -> Result<()> {
        self.go(Moment::Literal, out, ticker).map(drop)
    }

    /// Sends the tokens taken through all steps and writes what is known.
    ///
    /// # Errors
    /// Those of a pattern's engine; [`Error::Interrupted`].
    pub fn pass(&mut self, out: &mut Vec<u8>, ticker: &mut Ticker<'_>) -> Result<()> {
        self.go(Moment::Token, out, ticker).map(drop)
    }

    /// Ends the text. Returns whether it did not break off inside a character.
    ///
    /// # Errors
    /// As [`Steps::pass`].
    pub fn finish(&mut self, out: &mut Vec<u8>, ticker: &mut Ticker<'_>) -> Result<bool> {
        self.go(Moment::Finish, out, ticker)
    }

    fn go(&mut self, moment: Moment, out: &mut Vec<u8>, ticker: &mut Ticker<'_>) -> Result<bool> {
        let mut is_complete = true;
        for step in &mut self.stages {
            self.output.clear();
            for (fragment, ends) in self.input.iter() {
                ticker.tick(fragment.len() + 1)?;
                step.fragment(fragment, &mut self.output, ticker)?;
                if ends {
                    step.end(&mut self.output, ticker)?;
                }
            }
            match moment {
                Moment::Token => {}
                Moment::Literal => step.literal(&mut self.output, ticker)?,
                Moment::Finish => is_complete &= step.finish(&mut self.output),
            }
            std::mem::swap(&mut self.input, &mut self.output);
        }
        out.extend_from_slice(self.input.bytes());
        self.input.clear();
        Ok(is_complete)
    }
}
