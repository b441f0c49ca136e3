//! A `vocab.txt`: a line a token, its number the id. Everything else stands in a `tokenizer_config.json`,
//! or is as BERT had it. Read as transformers reads the two: it makes a tokenizer.json of them, and so does
//! this.
//!
//! Source: `BertTokenizer` of transformers 5.24, asked case by case.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::json::as_text;
use super::token_options::TokenOptions;
use super::tokenizer_json::{self, Note};
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::vocab::MAX_IDS;

/// Reads a `vocab.txt`. Lines may end in CRLF, and the last one may lack its end, which is noted. Of a token
/// that is given twice the last line is its id, as in the reference; the ids of the others are holes.
///
/// # Errors
/// [`Error::Format`] with the offset of what is not UTF-8, for a byte order mark, a file without tokens or
/// with more than the limit, options of the wrong shape, and an unknown token that is not in the vocabulary.
///
/// Complexity: O(file).
pub fn read(vocab: &[u8], options_json: &str) -> Result<(Definition, Vec<Note>)> {
    let options = TokenOptions::read(options_json)?;
    let mut notes = Vec::new();
    let ids = ids(as_text(vocab)?, &mut notes)?;
    let id_of = |text: &str| ids.get(text).map(|&id| id as u64);
    let unk = options.special("unk_token")?.unwrap_or_else(|| "[UNK]".to_owned());
    if id_of(&unk).is_none() {
        return Err(Error::format("vocab.txt", format!("the unknown token {unk:?} is missing")));
    }
    let file = json!({
        "version": "1.0",
        "added_tokens": options.added_tokens(default_token, id_of, ids.len())?,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": true,
            "handle_chinese_chars": options.flag("tokenize_chinese_chars")?.unwrap_or(true),
            "strip_accents": options.flag("strip_accents")?,
            "lowercase": options.flag("do_lower_case")?.unwrap_or(true),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": template(&options, &ids)?,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {
            "type": "WordPiece",
            "unk_token": unk,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids.iter().map(|(&text, &id)| (text.to_owned(), Value::from(id))).collect::<Map<_, _>>(),
        },
    });
    let (definition, more) = tokenizer_json::read_with_notes(file.to_string().as_bytes())?;
    notes.extend(more);
    Ok((definition, notes))
}

fn default_token(name: &str) -> Option<&'static str> {
    Some(match name {
        "unk_token" => "[UNK]",
        "sep_token" => "[SEP]",
        "pad_token" => "[PAD]",
        "cls_token" => "[CLS]",
        "mask_token" => "[MASK]",
        _ => return None,
    })
}

/// Returns the id of each token.
fn ids<'a>(text: &'a str, notes: &mut Vec<Note>) -> Result<HashMap<&'a str, usize>> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    // What follows the last line's end is no line.
    if lines.pop_if(|last| last.is_empty()).is_none()
        && let Some(last) = lines.last()
    {
        let place = format!("line {}", lines.len());
        let remark = format!("the file ends inside this line: if it was cut off, {last:?} is no whole token");
        notes.push(Note { place, remark });
    }
    if lines.is_empty() {
        return Err(Error::format("line 1", "the file holds no token"));
    }
    if lines.len() > MAX_IDS {
        return Err(Error::format(
            format!("line {MAX_IDS}"),
            format!("more than the limit of {MAX_IDS} ids"),
        ));
    }
    let mut ids = HashMap::with_capacity(lines.len());
    for (id, line) in lines.into_iter().enumerate() {
        let token = line.strip_suffix('\r').unwrap_or(line);
        let place = || format!("line {}", id + 1);
        if token.is_empty() {
            let remark = format!("the line is empty: no text becomes the id {id}");
            notes.push(Note { place: place(), remark });
        }
        if let Some(other) = ids.insert(token, id) {
            let remark =
                format!("{token:?} is on line {} too; its id is {id}, and {other} is a hole", other + 1);
            notes.push(Note { place: place(), remark });
        }
    }
    Ok(ids)
}

/// Returns BERT's template, or none where the vocabulary lacks one of its tokens.
fn template(options: &TokenOptions, ids: &HashMap<&str, usize>) -> Result<Value> {
    let named = |name: &str, default: &str| -> Result<Option<(String, usize)>> {
        let text = options.special(name)?.unwrap_or_else(|| default.to_owned());
        Ok(ids.get(text.as_str()).map(|&id| (text, id)))
    };
    let (Some((cls, cls_id)), Some((sep, sep_id))) =
        (named("cls_token", "[CLS]")?, named("sep_token", "[SEP]")?)
    else {
        return Ok(Value::Null);
    };
    Ok(json!({"type": "BertProcessing", "sep": [sep, sep_id], "cls": [cls, cls_id]}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{DecodeStep, Decoder, Model, Normalizer, TemplateItem};
    use crate::id::TokenId;

    const SMALL: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n##s\n";

    #[test]
    fn a_list_is_berts_tokenizer() {
        let (definition, notes) = read(SMALL.as_bytes(), "").unwrap();
        assert!(notes.is_empty());
        let (same, notes) = read(SMALL.trim_end().as_bytes(), "").unwrap();
        assert_eq!(same, definition);
        assert!(
            notes[0].to_string().contains("the file ends inside this line: if it was cut off"),
            "{notes:?}"
        );
        assert_eq!((definition.vocab_size(), definition.added.len(), definition.controls.len()), (7, 5, 5));
        let Model::WordPiece(model) = &definition.model else { panic!("not WordPiece") };
        assert_eq!((model.unk, model.max_input_chars_per_word), (TokenId(1), 100));
        assert_eq!(definition.vocab.get(b"##s"), Some(TokenId(6)));
        assert!(matches!(
            definition.normalizers[..],
            [Normalizer::Bert { lowercase: true, strip_accents: None, handle_chinese_chars: true, .. }]
        ));
        assert_eq!(definition.post_processor.single.len(), 3);
        assert!(matches!(definition.post_processor.pair[3], TemplateItem::Sequence { index: 1, type_id: 1 }));
        assert!(matches!(&definition.decoder, Decoder::Steps(steps)
            if matches!(&steps[..], [DecodeStep::WordPiece { cleanup: true, .. }])));
    }

    #[test]
    fn options_are_heard() {
        let options = r#"{"do_lower_case": false, "strip_accents": true, "tokenize_chinese_chars": false,
            "unk_token": {"content": "the", "lstrip": true}, "cls_token": null, "mask_token": "<mask>"}"#;
        let (definition, _) = read(SMALL.as_bytes(), options).unwrap();
        assert!(matches!(
            definition.normalizers[..],
            [Normalizer::Bert {
                lowercase: false,
                strip_accents: Some(true),
                handle_chinese_chars: false,
                ..
            }]
        ));
        assert_eq!(definition.added_token(TokenId(5)).map(|token| token.lstrip), Some(true));
        assert_eq!(definition.added_token(TokenId(7)).map(|token| token.content.as_str()), Some("<mask>"));
    }

    #[test]
    fn line_ends_do_not_matter_and_odd_lines_are_told() {
        let (plain, _) = read(SMALL.as_bytes(), "").unwrap();
        for same in [SMALL.replace('\n', "\r\n"), SMALL.trim_end().to_owned()] {
            assert_eq!(read(same.as_bytes(), "").unwrap().0, plain);
        }
        let (definition, notes) = read(format!("{SMALL}\nthe\n").as_bytes(), "").unwrap();
        assert_eq!(definition.vocab.get(b"the"), Some(TokenId(8)));
        assert_eq!(definition.bytes(TokenId(5)), None);
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert!(notes[0].starts_with("line 8: the line is empty"), "{notes:?}");
        assert!(notes[1].starts_with("line 9: \"the\" is on line 6 too"), "{notes:?}");
    }

    #[test]
    fn refusals_name_the_place() {
        let with_options = |options| read(SMALL.as_bytes(), options).unwrap_err().to_string();
        let of = |vocab: &[u8]| read(vocab, "").unwrap_err().to_string();
        for (found, expected) in [
            (of(b""), "line 1: the file holds no token"),
            (of(b"\xef\xbb\xbf[UNK]\n"), "byte 0: the file begins with a byte order mark"),
            (of(b"[UNK]\n\xff\n"), "byte 6: the file is not UTF-8 here"),
            (of(b"the\n"), "vocab.txt: the unknown token \"[UNK]\" is missing"),
            (with_options("[]"), "options: expected an object"),
            (with_options("{"), "line 1 column 1"),
            (with_options(r#"{"do_lower_case": 1}"#), "options.do_lower_case: expected true or false"),
            (with_options(r#"{"unk_token": 1}"#), "options.unk_token: expected a string"),
        ] {
            assert!(found.starts_with(expected), "{found:?} for {expected:?}");
        }
        for end in 0..SMALL.len() {
            let _ = read(&SMALL.as_bytes()[..end], "");
        }
    }
}
