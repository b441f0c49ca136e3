//! GGUF, the model files of llama.cpp: the tokenizer in their metadata, run as llama.cpp runs it, which is
//! not always as the model's own tokenizer did. What is the same goes through the stages that everyone
//! has; where llama.cpp's tables differ from theirs, a note says so.
//!
//! Source: `llama-vocab.cpp` in llama-cpp-python 0.3.36, asked case by case.

mod bpe;
mod metadata;
mod pre;
mod sentencepiece;
mod tokens;
mod wordpiece;

use metadata::Metadata;
use tokens::{Kind, Tokens};

use super::tokenizer_json::Note;
use crate::definition::{
    AddedToken, Decoder, Definition, Model, Normalizer, PostProcessor, PreTokenizer, Profile, control,
};
use crate::error::Result;
use crate::id::TokenId;
use crate::vocab::Vocab;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The tokenizer.
    pub definition: Definition,
    /// What is odd about it, and where llama.cpp differs from what runs here.
    pub notes: Vec<Note>,
    /// The chat template, which is no part of the tokenizer.
    pub chat_template: Option<String>,
    /// The model's name as the file gives it.
    pub name: Option<String>,
}

/// The stages that one of llama.cpp's tokenizers comes to.
struct Stages {
    vocab: Vocab,
    model: Model,
    normalizers: Vec<Normalizer>,
    pre_tokenizers: Vec<PreTokenizer>,
    post_processor: PostProcessor,
    decoder: Decoder,
}

/// Reads the tokenizer of a GGUF file, of which the front is enough: the metadata, before the tensors.
///
/// # Errors
/// [`crate::error::Error::Format`] with the byte's offset for what is no GGUF file, is cut off or claims
/// more than it has, and with the key for a tokenizer that is missing, unknown, not supported, or does not
/// hold together.
///
/// Complexity: O(metadata).
pub fn read(data: &[u8]) -> Result<Contents> {
    let metadata = Metadata::read(data)?;
    let mut notes = Vec::new();
    let model = metadata.text(MODEL)?.ok_or_else(|| metadata.refuse(MODEL, "the file holds no tokenizer"))?;
    let pre = metadata.text(PRE)?.filter(|name| !name.is_empty());
    let read_stages = match model {
        "llama" => sentencepiece::spm,
        "t5" => sentencepiece::ugm,
        "bert" => wordpiece::wpm,
        "gpt2" | "gemma4" => bpe::bpe,
        other => {
            let reason = format!(
                "the tokenizer {other:?} is not supported by this version; here it reads llama, t5, bert, gpt2 \
                 and gemma4"
            );
            return Err(metadata.refuse(MODEL, reason));
        }
    };
    let mut tokens = Tokens::read(&metadata, &mut notes)?;
    let file = File { pre: if model == "gemma4" { Some("gemma4") } else { pre }, metadata };
    tokens.retype(&file.metadata, &mut notes);
    let stages = read_stages(&file, &tokens, &mut notes)?;
    if matches!(model, "bert" | "gpt2") {
        notes.push(Note { place: MODEL.to_owned(), remark: YOUNGER.to_owned() });
    }
    let mut added = tokens.added();
    strip(&file, &mut added)?;
    let definition = Definition {
        vocab: stages.vocab,
        model: stages.model,
        normalizers: stages.normalizers,
        pre_tokenizers: stages.pre_tokenizers,
        controls: control::resolve(&added),
        added,
        post_processor: stages.post_processor,
        decoder: stages.decoder,
        profile: Profile::LlamaCpp,
    };
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let chat_template = owned(file.metadata.text("tokenizer.chat_template")?);
    let name = owned(file.metadata.text("general.name")?);
    Ok(Contents { definition, notes, chat_template, name })
}

/// Returns how many bytes at the front of a GGUF file are enough for [`read`], or `None` where `data`, a part of
/// that front, is too little.
///
/// # Errors
/// [`crate::error::Error::Format`] with the byte's offset for what no more bytes would make a GGUF file.
///
/// Complexity: O(metadata).
pub fn n_front_bytes(data: &[u8]) -> Result<Option<usize>> {
    Metadata::n_bytes(data)
}

const MODEL: &str = "tokenizer.ggml.model";
const PRE: &str = "tokenizer.ggml.pre";

/// Said of tokenizers that ask for the classes of characters.
const YOUNGER: &str = "llama.cpp's tables are those of Unicode 15.1: the 5,185 characters that Unicode 16.0 added have \
                       their classes here, and none there";

/// A file's metadata, and the name of its way of cutting.
struct File<'a> {
    metadata: Metadata<'a>,
    pre: Option<&'a str>,
}

impl File<'_> {
    fn flag(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.metadata.flag(&format!("tokenizer.ggml.{name}"))?.unwrap_or(default))
    }

    /// Returns the id that the file has under `name`, or the default of llama.cpp where there is none or
    /// one that is no token.
    fn special(
        &self,
        name: &str,
        default: Option<u32>,
        tokens: &Tokens<'_>,
        notes: &mut Vec<Note>,
    ) -> Result<Option<TokenId>> {
        let key = format!("tokenizer.ggml.{name}");
        let is_token = |number: &u32| (*number as usize) < tokens.all.len();
        let default = default.filter(is_token).map(TokenId);
        let Some(number) = self.metadata.number(&key)? else { return Ok(default) };
        let id = u32::try_from(number).ok().filter(is_token).map(TokenId);
        if id.is_none() {
            let shown = default.map_or("none".to_owned(), |id| id.0.to_string());
            let remark = format!("{number} is no token; llama.cpp's default holds: {shown}");
            notes.push(Note { place: key, remark });
        }
        Ok(id.or(default))
    }

    /// Returns what stands around a text: the begin token and the end token, each where `flags` says so.
    fn around(
        &self,
        tokens: &Tokens<'_>,
        defaults: [(bool, Option<u32>); 2],
        notes: &mut Vec<Note>,
    ) -> Result<PostProcessor> {
        let [bos, eos] = defaults;
        let bos = self.wanted("add_bos_token", "bos_token_id", bos, tokens, notes)?;
        let eos = self.wanted("add_eos_token", "eos_token_id", eos, tokens, notes)?;
        Ok(super::sentencepiece::around(bos, eos))
    }

    fn wanted(
        &self,
        flag: &str,
        name: &str,
        (default, id): (bool, Option<u32>),
        tokens: &Tokens<'_>,
        notes: &mut Vec<Note>,
    ) -> Result<Option<TokenId>> {
        let id = self.special(name, id, tokens, notes)?;
        let wanted = self.flag(flag, default)?;
        if wanted && id.is_none() {
            let remark = format!("it is to be added, but {name} is none; llama.cpp ends with an error there");
            notes.push(Note { place: format!("tokenizer.ggml.{flag}"), remark });
        }
        Ok(id.filter(|_| wanted))
    }
}

/// Sets which added tokens swallow white space: llama.cpp has that from the names of models.
fn strip(file: &File<'_>, added: &mut [AddedToken]) -> Result<()> {
    let pre = file.pre.unwrap_or_default();
    let architecture = file.metadata.text("general.architecture")?.unwrap_or_default();
    let name = file.metadata.text("general.name")?.unwrap_or_default().to_ascii_lowercase();
    let contains = |text: &str, parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let masks = contains(pre, &["jina-v2-de", "jina-v2-es", "jina-v2-code"])
        || contains(architecture, &["nomic-bert-moe", "jina-bert-v3"]);
    for token in added {
        let content = token.content.as_str();
        if masks {
            token.lstrip = content == "<mask>";
        } else if contains(&name, &["phi-3", "phi3"]) {
            token.rstrip = !matches!(content, "<unk>" | "<s>" | "<|endoftext|>");
        } else if name.contains("modern-bert") {
            token.lstrip = content == "[MASK]";
        }
    }
    Ok(())
}

/// Returns whether the model may make a token of this kind from text.
fn is_learned(kind: Kind) -> bool {
    !matches!(kind, Kind::Unknown | Kind::Control | Kind::Byte)
}

#[cfg(test)]
mod tests;
