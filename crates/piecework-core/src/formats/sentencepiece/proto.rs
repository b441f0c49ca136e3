//! The messages of a model file: what of them says how a text becomes pieces. Unknown fields are passed
//! over, as protocol buffers want it; of a field given twice the last one holds.

use super::wire::{Field, Fields};
use crate::definition::Charsmap;
use crate::error::Result;
use crate::vocab::MAX_IDS;

/// A whole file.
#[derive(Debug)]
pub struct ModelProto<'a> {
    /// The pieces, in id order.
    pub pieces: Vec<Piece<'a>>,
    pub trainer: Trainer<'a>,
    pub normalizer: NormalizerSpec,
    /// Whether decoding has rules of its own.
    pub has_denormalizer: bool,
}

/// One piece.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    pub text: &'a str,
    pub score: f32,
    pub kind: PieceType,
}

/// What a piece is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceType {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

/// The algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelType {
    Unigram,
    Bpe,
    Word,
    Char,
}

/// How the model was trained, and so how it is run.
#[derive(Debug)]
pub struct Trainer<'a> {
    pub model_type: ModelType,
    pub whitespace_as_suffix: bool,
    pub byte_fallback: bool,
    pub unk_surface: &'a str,
    pub bos_piece: &'a str,
    pub eos_piece: &'a str,
}

/// What is done to a text before the model.
#[derive(Debug)]
pub struct NormalizerSpec {
    pub charsmap: Charsmap,
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
}

impl<'a> ModelProto<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] with the byte's offset.
    pub fn read(data: &'a [u8]) -> Result<Self> {
        let mut file = Self {
            pieces: Vec::new(),
            trainer: Trainer::default(),
            normalizer: NormalizerSpec::default(),
            has_denormalizer: false,
        };
        let mut fields = Fields::new(data, 0);
        while let Some(field) = fields.next_field()? {
            match field.number {
                1 if file.pieces.len() >= MAX_IDS => {
                    return Err(field.refuse(format!("more pieces than the limit of {MAX_IDS} ids")));
                }
                1 => file.pieces.push(Piece::read(&field)?),
                2 => file.trainer.read(&field)?,
                3 => file.normalizer.read(&field)?,
                5 => {
                    let mut rules = NormalizerSpec::default();
                    rules.read(&field)?;
                    file.has_denormalizer = !rules.charsmap.0.is_empty();
                }
                _ => {}
            }
        }
        Ok(file)
    }

    /// Returns whether pieces of this type are looked up apart from those that text can make; byte-pair
    /// models have one table for all.
    pub fn is_separate(&self, kind: PieceType) -> bool {
        self.trainer.model_type != ModelType::Bpe
            && matches!(kind, PieceType::Unknown | PieceType::Control | PieceType::Byte)
    }
}

impl<'a> Piece<'a> {
    fn read(field: &Field<'a>) -> Result<Self> {
        let mut piece = Self { text: "", score: 0.0, kind: PieceType::Normal };
        let mut fields = field.message()?;
        while let Some(field) = fields.next_field()? {
            match field.number {
                1 => piece.text = field.text()?,
                2 => piece.score = field.float()?,
                3 => piece.kind = PieceType::read(&field)?,
                _ => {}
            }
        }
        Ok(piece)
    }
}

impl PieceType {
    fn read(field: &Field<'_>) -> Result<Self> {
        Ok(match field.integer()? {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            other => return Err(field.refuse(format!("the type {other} is none that pieces have"))),
        })
    }
}

impl ModelType {
    fn read(field: &Field<'_>) -> Result<Self> {
        Ok(match field.integer()? {
            1 => Self::Unigram,
            2 => Self::Bpe,
            3 => Self::Word,
            4 => Self::Char,
            other => return Err(field.refuse(format!("the model type {other} is none that models have"))),
        })
    }
}

impl Default for Trainer<'_> {
    fn default() -> Self {
        Self {
            model_type: ModelType::Unigram,
            whitespace_as_suffix: false,
            byte_fallback: false,
            unk_surface: " \u{2047} ",
            bos_piece: "<s>",
            eos_piece: "</s>",
        }
    }
}

impl<'a> Trainer<'a> {
    fn read(&mut self, field: &Field<'a>) -> Result<()> {
        let mut fields = field.message()?;
        while let Some(field) = fields.next_field()? {
            match field.number {
                3 => self.model_type = ModelType::read(&field)?,
                24 => self.whitespace_as_suffix = field.flag()?,
                35 => self.byte_fallback = field.flag()?,
                44 => self.unk_surface = field.text()?,
                46 => self.bos_piece = field.text()?,
                47 => self.eos_piece = field.text()?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Default for NormalizerSpec {
    fn default() -> Self {
        Self {
            charsmap: Charsmap::default(),
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
        }
    }
}

impl NormalizerSpec {
    fn read(&mut self, field: &Field<'_>) -> Result<()> {
        let mut fields = field.message()?;
        while let Some(field) = fields.next_field()? {
            match field.number {
                2 => self.charsmap = Charsmap(field.bytes()?.to_vec()),
                3 => self.add_dummy_prefix = field.flag()?,
                4 => self.remove_extra_whitespaces = field.flag()?,
                5 => self.escape_whitespaces = field.flag()?,
                _ => {}
            }
        }
        Ok(())
    }
}
