//! SentencePiece's `.model`: a protocol buffer with the pieces, their scores and types, how they were
//! trained, and what is done to a text before. Read as sentencepiece 0.2.3 reads it.
//!
//! Source: `sentencepiece_model.proto` and the models of sentencepiece 0.2.3, asked case by case.

mod proto;
mod wire;

use std::collections::HashMap;

use self::proto::{ModelProto, ModelType, Piece, PieceType};
use super::tokenizer_json::Note;
use crate::definition::{
    AddedToken, Bpe, Characters, Decoder, Definition, Model, Normalizer, PostProcessor, Precision, Profile,
    TemplateItem, Unigram, WordLevel, control,
};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::merges::{Merges, NO_RANK};
use crate::vocab::{Entry, MAX_IDS, Vocab};

/// sentencepiece refuses pieces of this many bytes and more.
const MAX_PIECE_BYTES: usize = 8000;

/// What words begin with, for the model of words.
const WORD_START: char = '▁';

/// What a file does not say and the files around it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether the begin token stands before a text; `None`: where the family has it, byte-pair models with
    /// a begin token, as transformers 5.24 has them.
    pub add_bos: Option<bool>,
    /// Whether the end token stands after a text; `None`: not.
    pub add_eos: Option<bool>,
}

/// Reads a SentencePiece model. Control, unknown and byte pieces are never made from text; control pieces
/// are added tokens beside that, which match only where the caller says so.
///
/// # Errors
/// [`Error::Format`] with the byte offset for what is no protocol buffer of a model, and with the piece's
/// place for one that is empty, too long, given twice, or not of its type; for a model without an unknown
/// piece, without pieces, or with its own rules for decoding.
///
/// Complexity: O(file).
pub fn read(data: &[u8], options: Options) -> Result<Definition> {
    read_with_notes(data, options).map(|(definition, _)| definition)
}

/// Reads a SentencePiece model and says what is odd about it.
///
/// # Errors
/// As [`read`].
pub fn read_with_notes(data: &[u8], options: Options) -> Result<(Definition, Vec<Note>)> {
    let file = ModelProto::read(data)?;
    if file.pieces.is_empty() {
        return Err(Error::format("pieces", "the model holds no piece"));
    }
    if file.has_denormalizer {
        return Err(Error::format(
            "denormalizer_spec",
            "rules for decoding are not supported by this version; here it reads none",
        ));
    }
    check_pieces(&file)?;
    let mut notes = Vec::new();
    let vocab = vocab(&file)?;
    let added = added(&file);
    let normalizer = &file.normalizer;
    let definition = Definition {
        model: model(&file),
        vocab,
        normalizers: vec![Normalizer::SentencePiece {
            charsmap: normalizer.charsmap.clone(),
            add_dummy_prefix: normalizer.add_dummy_prefix,
            remove_extra_whitespaces: normalizer.remove_extra_whitespaces,
            escape_whitespaces: normalizer.escape_whitespaces,
            whitespace_as_suffix: file.trainer.whitespace_as_suffix,
        }],
        pre_tokenizers: Vec::new(),
        controls: control::resolve(&added),
        added,
        post_processor: post_processor(&file, options, &mut notes),
        decoder: Decoder::SentencePiece {
            add_dummy_prefix: normalizer.add_dummy_prefix,
            remove_extra_whitespaces: normalizer.remove_extra_whitespaces,
            whitespace_as_suffix: file.trainer.whitespace_as_suffix,
            unk_surface: file.trainer.unk_surface.to_owned(),
        },
        profile: Profile::SentencePiece,
    };
    Ok((definition, notes))
}

fn place(id: usize) -> String {
    format!("pieces[{id}]")
}

fn token_id(index: usize) -> TokenId {
    // At most `MAX_IDS` pieces pass `check_pieces`.
    TokenId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// Returns the ids of the pieces of a type.
fn of_type(file: &ModelProto<'_>, wanted: PieceType) -> Vec<TokenId> {
    let pieces = file.pieces.iter().enumerate();
    pieces.filter(|(_, piece)| piece.kind == wanted).map(|(id, _)| token_id(id)).collect()
}

/// Checks what sentencepiece checks when it loads a model.
fn check_pieces(file: &ModelProto<'_>) -> Result<()> {
    if file.pieces.len() > MAX_IDS {
        return Err(Error::format("pieces", format!("more than the limit of {MAX_IDS} ids")));
    }
    let mut ids = HashMap::with_capacity(file.pieces.len());
    let mut unk = None;
    let mut has_byte = [false; 256];
    for (id, piece) in file.pieces.iter().enumerate() {
        let refuse = |reason: String| Err(Error::format(place(id), reason));
        check_text(piece).or_else(&refuse)?;
        if let Some(other) = ids.insert((file.is_separate(piece.kind), piece.text), id) {
            return refuse(format!("piece {other} is {:?} too", piece.text));
        }
        match piece.kind {
            PieceType::Unknown => {
                if let Some(other) = unk.replace(id) {
                    return refuse(format!("piece {other} is the unknown piece already"));
                }
            }
            PieceType::Byte => match byte_of(piece.text) {
                Some(byte) if file.trainer.byte_fallback => has_byte[usize::from(byte)] = true,
                Some(_) => return refuse("a byte piece, but byte_fallback is false".to_owned()),
                None => return refuse(format!("{:?} is no byte piece", piece.text)),
            },
            _ => {}
        }
    }
    if file.trainer.byte_fallback {
        match has_byte.iter().position(|&has| !has) {
            Some(byte) => Err(Error::format("pieces", format!("the byte piece <0x{byte:02X}> is missing"))),
            None => Ok(()),
        }
    } else if unk.is_none() {
        Err(Error::format("pieces", "the unknown piece is missing"))
    } else {
        Ok(())
    }
}

fn check_text(piece: &Piece<'_>) -> std::result::Result<(), String> {
    if piece.text.is_empty() {
        return Err("the piece is empty".to_owned());
    }
    if piece.text.len() >= MAX_PIECE_BYTES {
        return Err(format!("the piece has {} bytes; {MAX_PIECE_BYTES} are too many", piece.text.len()));
    }
    if piece.text.contains('\0') {
        return Err("the piece holds a null character".to_owned());
    }
    if !piece.score.is_finite() {
        return Err(format!("the score {} is not finite", piece.score));
    }
    Ok(())
}

/// Returns the byte that a byte piece such as `<0x0A>` stands for.
fn byte_of(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let upper = digits.len() == 2 && digits.bytes().all(|c| matches!(c, b'0'..=b'9' | b'A'..=b'F'));
    u8::from_str_radix(digits, 16).ok().filter(|_| upper)
}

fn vocab(file: &ModelProto<'_>) -> Result<Vocab> {
    let is_found = |piece: &Piece<'_>| match piece.kind {
        PieceType::Normal | PieceType::UserDefined => true,
        // Byte-pair and unigram models look at them and choose others; the model of words takes them as they
        // are; the character model never does.
        PieceType::Unused => file.trainer.model_type != ModelType::Char,
        PieceType::Unknown | PieceType::Control | PieceType::Byte => false,
    };
    Vocab::new(file.pieces.iter().enumerate().map(|(id, piece)| Entry {
        id: token_id(id),
        bytes: piece.text.as_bytes(),
        indexed: is_found(piece),
    }))
}

/// Returns the control pieces as added tokens.
fn added(file: &ModelProto<'_>) -> Vec<AddedToken> {
    let controls = file.pieces.iter().enumerate().filter(|(_, piece)| piece.kind == PieceType::Control);
    controls.map(|(id, piece)| AddedToken::verbatim(token_id(id), piece.text, true)).collect()
}

fn model(file: &ModelProto<'_>) -> Model {
    let unk = of_type(file, PieceType::Unknown).first().copied();
    let user_defined = of_type(file, PieceType::UserDefined);
    let byte_fallback = file.trainer.byte_fallback;
    let characters = |unused| Characters {
        unk,
        // sentencepiece joins unknown pieces in a row, whatever the model.
        fuse_unk: true,
        byte_fallback,
        continuing_subword_prefix: String::new(),
        end_of_word_suffix: String::new(),
        user_defined: user_defined.clone(),
        unused,
    };
    let bpe = |ranks, unused| {
        Model::Bpe(Bpe {
            merges: Merges::Ranked(ranks),
            whole_pieces: false,
            characters: Some(characters(unused)),
            dropout_millionths: 0,
        })
    };
    match file.trainer.model_type {
        ModelType::Unigram => Model::Unigram(Unigram {
            score_bits: file.pieces.iter().map(|piece| f64::from(piece.score).to_bits()).collect(),
            unk,
            byte_fallback,
            precision: Precision::F32,
            user_defined: user_defined.clone(),
            unused: of_type(file, PieceType::Unused),
        }),
        ModelType::Bpe => bpe(ranks(&file.pieces), of_type(file, PieceType::Unused)),
        // Characters that never join.
        ModelType::Char => bpe(vec![NO_RANK; file.pieces.len()], Vec::new()),
        // Whatever the options say of white space: the words of encoding begin with it, also where those of
        // training ended with it.
        ModelType::Word => Model::WordLevel(WordLevel {
            unk,
            word_start: Some(WORD_START),
            fuse_unk: true,
            byte_fallback,
            user_defined: user_defined.clone(),
        }),
    }
}

/// Returns the rank of each piece that a merge can make: the higher its score the earlier, and equal
/// scores have one rank, so that the leftmost pair goes first.
fn ranks(pieces: &[Piece<'_>]) -> Vec<u32> {
    let mut scores: Vec<f32> = pieces.iter().map(|piece| piece.score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.dedup_by_key(|score| score.to_bits());
    let ranks: HashMap<u32, u32> = scores.iter().map(|score| score.to_bits()).zip(0..).collect();
    let rank = |piece: &Piece<'_>| match piece.kind {
        PieceType::Normal | PieceType::UserDefined | PieceType::Unused => {
            ranks.get(&piece.score.to_bits()).copied().unwrap_or(NO_RANK)
        }
        PieceType::Unknown | PieceType::Control | PieceType::Byte => NO_RANK,
    };
    pieces.iter().map(rank).collect()
}

/// Returns what stands around a text where the caller asks for it.
fn post_processor(file: &ModelProto<'_>, options: Options, notes: &mut Vec<Note>) -> PostProcessor {
    let control_of = |text: &str| {
        let at = file.pieces.iter().position(|piece| piece.kind == PieceType::Control && piece.text == text);
        at.map(token_id)
    };
    let bos = control_of(file.trainer.bos_piece);
    let eos = control_of(file.trainer.eos_piece);
    let family = file.trainer.model_type == ModelType::Bpe && bos.is_some();
    let mut wanted = |wanted: bool, id: Option<TokenId>, piece: &str| {
        if wanted && id.is_none() {
            let remark = format!("{piece:?} is to be added, but it is no control piece of the model");
            notes.push(Note { place: "trainer_spec".to_owned(), remark });
        }
        id.filter(|_| wanted)
    };
    let bos = wanted(options.add_bos.unwrap_or(family), bos, file.trainer.bos_piece);
    let eos = wanted(options.add_eos.unwrap_or(false), eos, file.trainer.eos_piece);
    around(bos, eos)
}

/// Returns the post-processor that puts `bos` before and `eos` after each text.
pub(super) fn around(bos: Option<TokenId>, eos: Option<TokenId>) -> PostProcessor {
    if bos.is_none() && eos.is_none() {
        return PostProcessor::default();
    }
    let special =
        |id: Option<TokenId>, type_id| id.map(|id| TemplateItem::Special { ids: vec![id], type_id });
    let one = |index: u8| {
        let type_id = u32::from(index);
        [special(bos, type_id), Some(TemplateItem::Sequence { index, type_id }), special(eos, type_id)]
    };
    PostProcessor {
        single: one(0).into_iter().flatten().collect(),
        pair: one(0).into_iter().chain(one(1)).flatten().collect(),
        ..PostProcessor::default()
    }
}

#[cfg(test)]
mod tests;
