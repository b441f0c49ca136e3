//! The tokens of a GGUF file, with what llama.cpp makes of their types: some it changes by their text.

use std::borrow::Cow;
use std::collections::HashMap;

use super::metadata::Metadata;
use crate::definition::AddedToken;
use crate::error::{Error, Result};
use crate::formats::tokenizer_json::Note;
use crate::id::TokenId;
use crate::vocab::MAX_IDS;

const LIST: &str = "tokenizer.ggml.tokens";
const SCORES: &str = "tokenizer.ggml.scores";
const TYPES: &str = "tokenizer.ggml.token_type";

/// Texts that end a generation, which llama.cpp takes for control tokens whatever the file says.
const ENDS: [&str; 23] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
    "<|plamo:eos|>",
];

/// Texts for filling in the middle, by what they are for, with the keys under which a file names it. Where
/// none does, the first of the texts counts.
const MIDDLES: [(&[&str], &[&str]); 6] = [
    (
        &["fim_pre_token_id", "prefix_token_id"],
        &[
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<｜fim▁begin｜>",
            "<PRE>",
            "▁<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
        ],
    ),
    (
        &["fim_suf_token_id", "suffix_token_id"],
        &[
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<｜fim▁hole｜>",
            "<SUF>",
            "▁<SUF>",
            "<|code_suffix|>",
            "<|suffix|>",
        ],
    ),
    (
        &["fim_mid_token_id", "middle_token_id"],
        &[
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<｜fim▁end｜>",
            "<MID>",
            "▁<MID>",
            "<|code_middle|>",
            "<|middle|>",
        ],
    ),
    (&["fim_pad_token_id"], &["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"]),
    (&["fim_rep_token_id"], &["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"]),
    (&["fim_sep_token_id"], &["<|file_sep|>"]),
];

/// Texts that are user-defined whatever the file says.
const ALWAYS_SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
    Undefined,
}

/// One token.
#[derive(Debug, Clone)]
pub struct Token<'a> {
    pub text: Cow<'a, str>,
    pub score: f32,
    pub kind: Kind,
}

/// The tokens in id order.
#[derive(Debug)]
pub struct Tokens<'a> {
    pub all: Vec<Token<'a>>,
    ids: HashMap<Cow<'a, str>, TokenId>,
}

/// Returns the id of the token at `index`; `Tokens::read` has seen that it is one.
pub fn id(index: usize) -> TokenId {
    TokenId(u32::try_from(index).unwrap_or(u32::MAX))
}

impl<'a> Tokens<'a> {
    /// Reads the tokens.
    ///
    /// # Errors
    /// [`Error::Format`] where they are missing, too many, not UTF-8 or given twice, and for scores or types
    /// that are too few or no numbers.
    pub fn read(metadata: &Metadata<'a>, notes: &mut Vec<Note>) -> Result<Self> {
        let texts = metadata.texts(LIST)?.ok_or_else(|| metadata.refuse(LIST, "the tokens are missing"))?;
        if texts.len() > MAX_IDS {
            return Err(metadata.refuse(LIST, format!("more than the limit of {MAX_IDS} ids")));
        }
        let scores = column(metadata, SCORES, texts.len())?;
        let types = column(metadata, TYPES, texts.len())?;
        let mut all = Vec::with_capacity(texts.len());
        let mut ids = HashMap::with_capacity(texts.len());
        for (at, text) in texts.into_iter().enumerate() {
            let text = if text.is_empty() {
                notes.push(Note {
                    place: format!("{LIST}[{at}]"),
                    remark: format!("the token is empty; llama.cpp calls it [EMPTY_{at}]"),
                });
                Cow::Owned(format!("[EMPTY_{at}]"))
            } else {
                Cow::Borrowed(text)
            };
            let score = scores.get(at).copied().unwrap_or(0.0) as f32;
            if !score.is_finite() {
                return Err(Error::format(format!("{SCORES}[{at}]"), format!("{score} is not finite")));
            }
            if let Some(TokenId(other)) = ids.insert(text.clone(), id(at)) {
                return Err(Error::format(format!("{LIST}[{at}]"), format!("token {other} is {text:?} too")));
            }
            all.push(Token {
                text,
                score,
                kind: types.get(at).map_or(Kind::Normal, |&kind| Kind::new(kind)),
            });
        }
        Ok(Self { all, ids })
    }

    /// Returns the id of the token with this text.
    pub fn id(&self, text: &str) -> Option<TokenId> {
        self.ids.get(text).copied()
    }

    /// Changes types by texts, as llama.cpp does.
    pub fn retype(&mut self, metadata: &Metadata<'_>, notes: &mut Vec<Note>) {
        let is_named = |keys: &[&str]| {
            keys.iter().any(|key| {
                let id = metadata.number(&format!("tokenizer.ggml.{key}")).ok().flatten();
                id.is_some_and(|id| id < self.all.len() as u64)
            })
        };
        let middles = MIDDLES.iter().filter(|(keys, _)| !is_named(keys));
        let middles = middles.filter_map(|(_, texts)| texts.iter().find_map(|text| self.id(text)));
        let ends = ENDS.iter().filter_map(|text| self.id(text));
        let controls: Vec<TokenId> = middles.chain(ends).collect();
        for id in controls {
            self.become_kind(id, Kind::Control, notes);
        }
        let shown: Vec<TokenId> = ALWAYS_SHOWN.iter().filter_map(|text| self.id(text)).collect();
        for id in shown {
            self.become_kind(id, Kind::UserDefined, notes);
        }
        let has = |text| self.id(text).is_some();
        let harmony = has("<|return|>") && has("<|call|>");
        let solar = (has("<|call|>") || has("<|calls|>")) && has("<|flush|>");
        if let Some(end) =
            self.id("<|end|>").filter(|_| harmony || solar || (has("<|return|>") && has("<|calls|>")))
        {
            self.become_kind(end, Kind::UserDefined, notes);
        }
        let plain_s = self.id("<|tool_response>").or(self.id("<|plamo:eos|>"));
        if let Some(s) = self.id("</s>").filter(|_| plain_s.is_some()) {
            self.become_kind(s, Kind::Normal, notes);
        }
    }

    fn become_kind(&mut self, id: TokenId, kind: Kind, notes: &mut Vec<Note>) {
        let Some(token) = self.all.get_mut(id.index()) else { return };
        // A control token stays one: llama.cpp adds to a type here, it takes nothing away.
        let same = token.kind == kind || (kind == Kind::Control && token.kind == Kind::Unknown);
        if !same {
            let remark = format!("{:?} is taken for {}, as llama.cpp takes it", token.text, kind.name());
            notes.push(Note { place: format!("{TYPES}[{}]", id.0), remark });
            token.kind = kind;
        }
    }

    /// Returns the tokens that llama.cpp looks for before its model, in id order. Control and unknown ones
    /// it looks for only where it is asked to parse them.
    pub fn added(&self) -> Vec<AddedToken> {
        let tokens = self.all.iter().enumerate().filter(|(_, token)| token.kind.is_added());
        tokens
            .map(|(at, token)| {
                AddedToken::verbatim(id(at), token.text.clone(), token.kind != Kind::UserDefined)
            })
            .collect()
    }
}

impl Kind {
    fn new(number: f64) -> Self {
        // Small integers, exact as floats.
        match number as i64 {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => Self::Undefined,
        }
    }

    /// Returns whether it is looked for before the model.
    pub fn is_added(self) -> bool {
        matches!(self, Self::Unknown | Self::Control | Self::UserDefined)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Normal => "a normal token",
            Self::Unknown => "an unknown token",
            Self::Control => "a control token",
            Self::UserDefined => "a user-defined token",
            Self::Unused => "an unused token",
            Self::Byte => "a byte token",
            Self::Undefined => "a token of no type",
        }
    }
}

/// Returns one number a token; none where the file has not the column.
fn column(metadata: &Metadata<'_>, key: &str, n_tokens: usize) -> Result<Vec<f64>> {
    let column = metadata.numbers(key)?.unwrap_or_default();
    if !column.is_empty() && column.len() < n_tokens {
        return Err(metadata.refuse(key, format!("{} numbers for {n_tokens} tokens", column.len())));
    }
    Ok(column)
}
