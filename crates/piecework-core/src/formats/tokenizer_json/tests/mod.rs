//! Each expectation about what the reference does was had from tokenizers 0.23.3 with the same file.

mod added;
mod broken;
mod model;
mod refused;
mod stages;

use serde_json::{Value, json};

use super::*;
use crate::definition::{
    Behavior, Bpe, Charsmap, DecodeStep, Decoder, Model, Needle, Normalizer, PreTokenizer, Prepend,
    TemplateItem,
};
use crate::id::TokenId;
use crate::merges::Merges;

/// A whole small file: `low`, the space, and every kind of field.
fn small() -> Value {
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
            "vocab": {"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4, "Ġ": 5},
            "merges": ["l o", "lo w"],
        },
    })
}

/// `small` with the value at `pointer` set.
fn with(pointer: &str, value: Value) -> Value {
    let mut file = small();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    file.pointer_mut(parent).unwrap()[name] = value;
    file
}

fn without(pointer: &str) -> Value {
    let mut file = small();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    file.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name).unwrap();
    file
}

fn read_value(file: &Value) -> Result<Definition> {
    read(file.to_string().as_bytes())
}

fn bpe(file: &Value) -> Bpe {
    let Model::Bpe(bpe) = read_value(file).unwrap().model else { panic!("a BPE model") };
    bpe
}

/// The error for `file`, as it is shown.
fn refusal(file: &Value) -> String {
    read_value(file).unwrap_err().to_string()
}

fn added_token(content: &str, id: u32) -> Value {
    json!({
        "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true,
    })
}

fn byte_level(add_prefix_space: bool, use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": true, "use_regex": use_regex})
}

fn template(single: &Value, pair: &Value) -> Value {
    json!({
        "type": "TemplateProcessing", "single": single, "pair": pair,
        "special_tokens": {"<s>": {"id": "<s>", "ids": [4, 3], "tokens": ["<s>", "lo"]}},
    })
}

fn text(id: &str, type_id: u32) -> Value {
    json!({"Sequence": {"id": id, "type_id": type_id}})
}

fn token(id: &str) -> Value {
    json!({"SpecialToken": {"id": id, "type_id": 0}})
}

#[test]
fn a_small_file_in_full() {
    let definition = read_value(&with("/added_tokens", json!([added_token("<a>", 6)]))).unwrap();
    assert_eq!((definition.n_base(), definition.n_tokens(), definition.vocab_size()), (6, 7, 7));
    assert_eq!(definition.vocab.get(b" "), Some(TokenId(5)));
    assert_eq!(definition.bytes(TokenId(6)), Some(&b"<a>"[..]));
    assert_eq!(definition.profile, Profile::Tokenizers);
    assert_eq!(definition.controls.len(), 1);
    let Model::Bpe(bpe) = &definition.model else { panic!("a BPE model") };
    assert_eq!(bpe.merges, Merges::Single { first: TokenId(3), splits: vec![1, 2] });
    assert!(!bpe.whole_pieces);
}

#[test]
fn fields_that_may_be_missing() {
    for name in [
        "/version",
        "/truncation",
        "/padding",
        "/added_tokens",
        "/normalizer",
        "/post_processor",
        "/decoder",
        "/model/type",
        "/model/dropout",
        "/model/unk_token",
        "/model/continuing_subword_prefix",
        "/model/end_of_word_suffix",
        "/model/fuse_unk",
        "/model/byte_fallback",
        "/model/ignore_merges",
        "/pre_tokenizer/use_regex",
    ] {
        assert_eq!(read_value(&without(name)), read_value(&small()), "{name}");
    }
    for (name, reason) in [
        ("/model", "missing field `model`"),
        ("/model/vocab", "model: the vocab is missing"),
        ("/model/merges", "model: the merges are missing"),
        ("/pre_tokenizer/type", "pre_tokenizer: the field \"type\" is missing"),
        ("/pre_tokenizer/add_prefix_space", "pre_tokenizer: the field \"add_prefix_space\" is missing"),
    ] {
        assert!(refusal(&without(name)).contains(reason), "{name}: {}", refusal(&without(name)));
    }
    assert!(read_value(&without("/pre_tokenizer")).unwrap().pre_tokenizers.is_empty());
}
