//! `vocab.json` and `merges.txt`: the tokens with their ids, and a line a merge. How a text is cut, and
//! whether tokens are bytes or characters, stands in neither; the class that a `tokenizer_config.json`
//! names says it. Read as transformers reads them: it makes a tokenizer.json of them, and so does this.
//!
//! Source: `GPT2Tokenizer`, `Qwen2Tokenizer`, `RobertaTokenizer`, `CLIPTokenizer` and `OpenAIGPTTokenizer` of
//! transformers 5.24, asked case by case.

mod write;

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::json::{as_text, syntax_error};
use super::token_options::TokenOptions;
use super::tokenizer_json::{self, Note};
use crate::byte_alphabet;
use crate::definition::Definition;
use crate::error::{Error, Result};

pub use write::write;

/// The end of a word in the vocabularies of CLIP and the first GPT.
const END_OF_WORD: &str = "</w>";

const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CLIP: &str =
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";

/// What the classes of tokenizers do that two files are enough for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Gpt2,
    Qwen2,
    Roberta,
    Clip,
    OpenAiGpt,
}

/// The tokens of a `vocab.json`, by text.
type Ids<'a> = HashMap<Cow<'a, str>, u64>;

/// Reads the two files. Lines of `merges.txt` may end in CRLF; empty ones and a first one that names the
/// version count for nothing. Without a class in the options the tokens must be of the byte alphabet, and
/// are cut as GPT-2 cuts, or by the option `pattern`.
///
/// # Errors
/// [`Error::Format`] with a line and column for a `vocab.json` that is none, with its line for a merge that
/// lacks a part or whose parts or product are no tokens, for options of the wrong shape, and where nothing
/// says what the tokens are.
///
/// Complexity: O(files).
pub fn read(vocab: &[u8], merges: &[u8], options_json: &str) -> Result<(Definition, Vec<Note>)> {
    let options = TokenOptions::read(options_json)?;
    let vocab = as_text(vocab).map_err(|error| within("vocab.json", error))?;
    let ids: Ids<'_> =
        serde_json::from_str(vocab).map_err(|error| within("vocab.json", syntax_error(&error)))?;
    let merges = as_text(merges).map_err(|error| within("merges.txt", error))?;
    let merges = read_merges(merges, &ids)?;
    let family = family(&options, &ids)?;
    let added =
        options.added_tokens(|name| family.default_token(name), |text| ids.get(text).copied(), ids.len())?;
    let unmade = note_unmade(&ids, &merges, &added);
    let model = json!({
        "type": "BPE",
        "unk_token": match family {
            Family::Clip | Family::OpenAiGpt => Some(special(&options, family, "unk_token")?),
            _ => None,
        },
        "end_of_word_suffix": match family {
            Family::Clip | Family::OpenAiGpt => Some(END_OF_WORD),
            _ => None,
        },
        "continuing_subword_prefix": null,
        "dropout": null,
        "fuse_unk": false,
        "byte_fallback": false,
        "ignore_merges": false,
        "merges": merges,
    });
    // The vocabulary goes in as it is, so that a token given twice is seen.
    let model = model.to_string();
    let model = format!("{},\"vocab\":{vocab}}}", model.strip_suffix('}').unwrap_or(&model));
    let around = json!({
        "version": "1.0",
        "added_tokens": added,
        "normalizer": family.normalizer(),
        "pre_tokenizer": family.pre_tokenizer(&options)?,
        "post_processor": post_processor(&options, family, &ids)?,
        "decoder": family.decoder(),
    });
    let around = around.to_string();
    let file = format!("{},\"model\":{model}}}", around.strip_suffix('}').unwrap_or(&around));
    let read = tokenizer_json::read_with_notes(file.as_bytes());
    let (definition, mut notes) = read.map_err(|error| match error {
        Error::Format { place, reason } => Error::format(place.replace("model.vocab", "vocab.json"), reason),
        other => other,
    })?;
    notes.extend(unmade);
    Ok((definition, notes))
}

/// Notes that tokens of several symbols are made by no merge, as where `merges.txt` was cut off. Added tokens need no
/// merge, nor do markers such as `<mask>`, which are added later.
fn note_unmade(ids: &Ids<'_>, merges: &[[&str; 2]], added: &[Value]) -> Option<Note> {
    let mut unmade: HashMap<&str, u64> = ids.iter().map(|(token, &id)| (token.as_ref(), id)).collect();
    unmade.retain(|token, _| token.strip_suffix(END_OF_WORD).unwrap_or(token).chars().nth(1).is_some());
    let n_long = unmade.len();
    let is_marker = |token: &str| {
        token.starts_with('<') && token.ends_with('>') || token.starts_with('[') && token.ends_with(']')
    };
    unmade.retain(|token, _| !is_marker(token));
    for token in added.iter().filter_map(|token| token["content"].as_str()) {
        unmade.remove(token);
    }
    for pair in merges {
        unmade.remove(pair.concat().as_str());
    }
    let (token, id) = unmade.iter().min_by_key(|&(token, id)| (id, token))?;
    let remark = format!(
        "no merge makes {} of the {n_long} tokens of several symbols, the first being {token:?}, {id}: no text becomes \
         them; if the file was cut off, its merges are lacking",
        unmade.len()
    );
    Some(Note { place: "merges.txt".to_owned(), remark })
}

fn within(file: &str, error: Error) -> Error {
    match error {
        Error::Format { place, reason } => Error::format(format!("{file} {place}"), reason),
        other => other,
    }
}

/// Reads the merges, each a pair of tokens.
fn read_merges<'a>(text: &'a str, ids: &Ids<'_>) -> Result<Vec<[&'a str; 2]>> {
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        // Lines that end in a carriage return alone would all be one with the version's.
        if line.trim().is_empty() || line.starts_with("#version") && !line.contains('\r') {
            continue;
        }
        let refuse = |reason: String| Err(Error::format(format!("merges.txt line {number}"), reason));
        let mut parts = line.split(' ');
        let pair = match (parts.next(), parts.next(), parts.next()) {
            (Some(left), Some(right), None) if !left.is_empty() && !right.is_empty() => [left, right],
            _ => return refuse(format!("{line:?}; expected two tokens with one space between them")),
        };
        let joined = pair.concat();
        if let Some(lacking) = pair.into_iter().chain([joined.as_str()]).find(|&part| !ids.contains_key(part))
        {
            return refuse(format!(
                "it joins {:?} and {:?}, but vocab.json lacks {lacking:?}",
                pair[0], pair[1]
            ));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// Returns the family that the class names; where none is known, the tokens tell whether they are bytes.
fn family(options: &TokenOptions, ids: &Ids<'_>) -> Result<Family> {
    if let Some(family) = options.class()?.and_then(Family::named) {
        return Ok(family);
    }
    let missing = |why: String| {
        let reason = format!(
            "{why}, and no tokenizer_class says how its texts are cut: give tokenizer_config.json, whose class is \
             GPT2Tokenizer, Qwen2Tokenizer, RobertaTokenizer, CLIPTokenizer, OpenAIGPTTokenizer or one like them"
        );
        Err(Error::format("vocab.json", reason))
    };
    let ends_word = |token: &str| token.ends_with(END_OF_WORD) && token.len() > END_OF_WORD.len();
    if let Some(token) = first(ids, ends_word) {
        return missing(format!("the token {token:?} ends a word"));
    }
    match first(ids, |token| byte_alphabet::parse(token).is_none()) {
        Some(token) => missing(format!("the token {token:?} is not of the byte alphabet")),
        None => Ok(Family::Gpt2),
    }
}

/// Returns the token of the lowest id for which this holds: the same one in every run.
fn first<'a>(ids: &'a Ids<'_>, holds: impl Fn(&str) -> bool) -> Option<&'a str> {
    ids.iter()
        .filter(|(token, _)| holds(token))
        .min_by_key(|&(token, id)| (id, token))
        .map(|(token, _)| token.as_ref())
}

/// Returns the text of a special token, or that of the family.
fn special(options: &TokenOptions, family: Family, name: &str) -> Result<String> {
    Ok(options.special(name)?.or(family.default_token(name).map(str::to_owned)).unwrap_or_default())
}

fn post_processor(options: &TokenOptions, family: Family, ids: &Ids<'_>) -> Result<Value> {
    let with_id = |name: &str| -> Result<Option<Value>> {
        let text = special(options, family, name)?;
        Ok(ids.get(text.as_str()).map(|&id| json!([text, id])))
    };
    let (sep, cls) = match family {
        Family::Roberta => (with_id("sep_token")?, with_id("cls_token")?),
        Family::Clip => (with_id("eos_token")?, with_id("bos_token")?),
        _ => (None, None),
    };
    let is_roberta = family == Family::Roberta;
    Ok(match (sep, cls) {
        (Some(sep), Some(cls)) => json!({
            "type": "RobertaProcessing",
            "sep": sep,
            "cls": cls,
            "trim_offsets": is_roberta && options.flag("trim_offsets")?.unwrap_or(true),
            "add_prefix_space": is_roberta && options.flag("add_prefix_space")?.unwrap_or(false),
        }),
        _ => match family {
            Family::OpenAiGpt => Value::Null,
            _ => json!({
                "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": true,
            }),
        },
    })
}

impl Family {
    fn named(class: &str) -> Option<Self> {
        Some(match class {
            "GPT2Tokenizer" | "GPTNeoXTokenizer" | "CodeGenTokenizer" | "BlenderbotTokenizer" => Self::Gpt2,
            "Qwen2Tokenizer" => Self::Qwen2,
            "RobertaTokenizer"
            | "BartTokenizer"
            | "LongformerTokenizer"
            | "LEDTokenizer"
            | "MvpTokenizer" => Self::Roberta,
            "CLIPTokenizer" => Self::Clip,
            "OpenAIGPTTokenizer" => Self::OpenAiGpt,
            _ => return None,
        })
    }

    fn default_token(self, name: &str) -> Option<&'static str> {
        Some(match (self, name) {
            (Self::Gpt2, "bos_token" | "eos_token" | "unk_token")
            | (Self::Qwen2 | Self::Clip, "eos_token" | "unk_token" | "pad_token") => "<|endoftext|>",
            (Self::Clip, "bos_token") => "<|startoftext|>",
            (Self::Roberta, "bos_token" | "cls_token") => "<s>",
            (Self::Roberta, "eos_token" | "sep_token") => "</s>",
            (Self::Roberta | Self::OpenAiGpt, "unk_token") => "<unk>",
            (Self::Roberta, "pad_token") => "<pad>",
            (Self::Roberta, "mask_token") => "<mask>",
            _ => return None,
        })
    }

    fn normalizer(self) -> Value {
        match self {
            Self::Gpt2 | Self::Roberta => Value::Null,
            Self::Qwen2 => json!({"type": "NFC"}),
            Self::Clip => json!({"type": "Sequence", "normalizers": [
                {"type": "NFC"},
                {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
                {"type": "Lowercase"},
            ]}),
            Self::OpenAiGpt => json!({
                "type": "BertNormalizer",
                "clean_text": true,
                "handle_chinese_chars": true,
                "strip_accents": null,
                "lowercase": true,
            }),
        }
    }

    fn pre_tokenizer(self, options: &TokenOptions) -> Result<Value> {
        let add_prefix_space = options.flag("add_prefix_space")?.unwrap_or(false);
        let byte_level = |add_prefix_space: bool, use_regex: bool| {
            json!({
                "type": "ByteLevel",
                "add_prefix_space": add_prefix_space,
                "trim_offsets": true,
                "use_regex": use_regex,
            })
        };
        let split = |pattern: &str, behavior: &str, invert: bool| json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert});
        let pattern = options.text("pattern")?.or((self == Self::Qwen2).then_some(QWEN2));
        let parts = match (self, pattern) {
            (Self::OpenAiGpt, _) => return Ok(json!({"type": "BertPreTokenizer"})),
            (Self::Clip, _) => vec![split(CLIP, "Removed", true), byte_level(false, true)],
            (_, Some(pattern)) => {
                vec![split(pattern, "Isolated", false), byte_level(add_prefix_space, false)]
            }
            (_, None) => return Ok(byte_level(add_prefix_space, true)),
        };
        Ok(json!({"type": "Sequence", "pretokenizers": parts}))
    }

    fn decoder(self) -> Value {
        let byte_level =
            json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true});
        match self {
            Self::Gpt2 | Self::Qwen2 | Self::Roberta => byte_level,
            // transformers tidies up after this decoder by itself.
            Self::Clip => json!({"type": "Sequence", "decoders": [
                byte_level,
                {"type": "Replace", "pattern": {"String": END_OF_WORD}, "content": " "},
                {"type": "Strip", "content": " ", "start": 1, "stop": 1},
            ]}),
            Self::OpenAiGpt => json!({"type": "BPEDecoder", "suffix": END_OF_WORD}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Bpe, DecodeStep, Decoder, Normalizer, PreTokenizer};
    use crate::id::TokenId;

    const VOCAB: &str = r#"{"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4, "Ġ": 5, "<|endoftext|>": 6}"#;
    const MERGES: &str = "#version: 0.2\nl o\nlo w\n";
    const WORDS: &str = r#"{"l": 0, "o": 1, "o</w>": 2, "lo</w>": 3, "<unk>": 4,
        "<|startoftext|>": 5, "<|endoftext|>": 6}"#;

    fn of(vocab: &str, merges: &str, options: &str) -> Result<Definition> {
        read(vocab.as_bytes(), merges.as_bytes(), options).map(|(definition, _)| definition)
    }

    fn refusal(vocab: &str, merges: &str, options: &str) -> String {
        of(vocab, merges, options).unwrap_err().to_string()
    }

    #[test]
    fn without_options_bytes_are_cut_as_gpt_2_cuts() {
        let definition = of(VOCAB, MERGES, "").unwrap();
        assert!(matches!(definition.model.bpe(), Some(Bpe { characters: None, .. })));
        assert_eq!(definition.vocab.get(b"low"), Some(TokenId(4)));
        assert_eq!(definition.vocab.get(b" "), Some(TokenId(5)));
        assert_eq!(definition.decoder, Decoder::Bytes);
        assert_eq!(definition.controls.len(), 1);
        assert!(matches!(&definition.pre_tokenizers[0], PreTokenizer::Split { pattern, .. }
            if pattern == tokenizer_json::BYTE_LEVEL_PATTERN));
        for same in [MERGES.replace('\n', "\r\n"), MERGES.replace('\n', "\n\n"), MERGES.trim_end().to_owned()]
        {
            assert_eq!(of(VOCAB, &same, "{}").unwrap(), definition, "{same:?}");
        }
    }

    #[test]
    fn tokens_that_no_merge_makes_are_noted() {
        let notes = |vocab: &str, merges: &str| {
            let (_, notes) = read(vocab.as_bytes(), merges.as_bytes(), "").unwrap();
            notes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(notes(VOCAB, MERGES), none);
        assert_eq!(notes(&VOCAB.replace("<|endoftext|>", "[MASK]"), MERGES), none);
        assert_eq!(
            notes(VOCAB, "#version: 0.2\nl o\n"),
            [
                "merges.txt: no merge makes 1 of the 3 tokens of several symbols, the first being \"low\", 4: no text \
              becomes them; if the file was cut off, its merges are lacking"
            ]
        );
    }

    #[test]
    fn classes_and_options_are_heard() {
        let prefix = of(VOCAB, MERGES, r#"{"add_prefix_space": true}"#).unwrap();
        assert!(prefix.pre_tokenizers.contains(&PreTokenizer::PrefixSpace));
        let qwen = of(VOCAB, MERGES, r#"{"tokenizer_class": "Qwen2TokenizerFast"}"#).unwrap();
        assert_eq!(qwen.normalizers, [Normalizer::Nfc]);
        let split = of(VOCAB, MERGES, r#"{"pattern": "\\d"}"#).unwrap();
        assert!(matches!(&split.pre_tokenizers[0], PreTokenizer::Split { pattern, .. } if pattern == r"\d"));
        let roberta =
            r#"{"tokenizer_class": "RobertaTokenizer", "cls_token": "low", "sep_token": "<|endoftext|>"}"#;
        let roberta = of(VOCAB, MERGES, roberta).unwrap();
        assert_eq!((roberta.post_processor.single.len(), roberta.post_processor.pair.len()), (3, 6));
        assert!(roberta.post_processor.trim_offsets);
    }

    #[test]
    fn a_refusal_names_the_first_token_in_every_run() {
        for _ in 0..20 {
            let ends = r#"{"a": 9, "c</w>": 4, "b</w>": 3, "d</w>": 5, "e</w>": 6, "f</w>": 7}"#;
            assert!(refusal(ends, "", "").contains("\"b</w>\" ends a word"));
            let plain = r#"{"a": 9, "c c": 4, "b b": 3, "d d": 5, "e e": 6, "f f": 7}"#;
            assert!(refusal(plain, "", "").contains("\"b b\" is not of the byte alphabet"));
        }
    }

    #[test]
    fn words_with_an_end_are_characters() {
        let clip = of(WORDS, "l o</w>\n", r#"{"tokenizer_class": "CLIPTokenizer"}"#).unwrap();
        let Some(Bpe { characters: Some(characters), .. }) = clip.model.bpe() else {
            panic!("not characters")
        };
        assert_eq!((characters.end_of_word_suffix.as_str(), characters.unk), ("</w>", Some(TokenId(6))));
        assert_eq!((clip.normalizers.len(), clip.post_processor.single.len()), (3, 3));
        let gpt = of(WORDS, "l o</w>\n", r#"{"tokenizer_class": "OpenAIGPTTokenizer"}"#).unwrap();
        assert_eq!(gpt.pre_tokenizers, [PreTokenizer::Bert]);
        assert!(
            matches!(&gpt.decoder, Decoder::Steps(steps) if matches!(&steps[..], [DecodeStep::Bpe { .. }]))
        );
        assert!(refusal(WORDS, "l o</w>\n", "").contains("ends a word, and no tokenizer_class"));
        assert!(refusal(r#"{"你": 0}"#, "", "").contains("\"你\" is not of the byte alphabet"));
    }

    #[test]
    fn refusals_name_the_place() {
        for (vocab, merges, expected) in [
            ("{", "", "vocab.json line 1 column 1"),
            (r#"{"a": -1}"#, "", "vocab.json line 1 column 8"),
            (r#"{"a": 0, "a": 1}"#, "", "vocab.json"),
            (r#"{"a": 0, "b": 0}"#, "", "vocab.json"),
            (r#"{"a": 99999999999}"#, "", ""),
            (VOCAB, "#version: 0.2\nl o\n\nlo\n", "merges.txt line 4: \"lo\"; expected two tokens"),
            (VOCAB, "l  o\n", "merges.txt line 1: \"l  o\""),
            (VOCAB, "l w\n", "merges.txt line 1: it joins \"l\" and \"w\", but vocab.json lacks \"lw\""),
            (VOCAB, "x o\n", "merges.txt line 1: it joins \"x\" and \"o\", but vocab.json lacks \"x\""),
        ] {
            let found = refusal(vocab, merges, "");
            assert!(found.starts_with(expected), "{found:?} for {expected:?}");
        }
        let bad = read(VOCAB.as_bytes(), b"l o\n\xff", "").unwrap_err().to_string();
        assert!(bad.starts_with("merges.txt byte 4: the file is not UTF-8"), "{bad}");
        let bom = read(b"\xef\xbb\xbf{}", b"", "").unwrap_err().to_string();
        assert!(bom.starts_with("vocab.json byte 0: the file begins with a byte order mark"), "{bom}");
    }

    #[test]
    fn cut_files_are_refused_or_read() {
        for end in 0..VOCAB.len() {
            assert!(read(&VOCAB.as_bytes()[..end], MERGES.as_bytes(), "").is_err());
        }
        for end in 0..MERGES.len() {
            let _ = read(VOCAB.as_bytes(), &MERGES.as_bytes()[..end], "");
        }
    }
}
