//! Each expectation about what the reference does was had from tokenizers 0.23.3 with the same file.

use serde_json::{Value, json};

use super::*;
use crate::definition::{Behavior, Bpe, Normalizer, PreTokenizer, TemplateItem};
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
    let Model::Bpe(bpe) = read_value(file).unwrap().model;
    bpe
}

/// The error for `file`, as it is shown.
fn refusal(file: &Value) -> String {
    read_value(file).unwrap_err().to_string()
}

fn added(content: &str, id: u32) -> Value {
    json!({
        "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true,
    })
}

#[test]
fn a_small_file_in_full() {
    let definition = read_value(&with("/added_tokens", json!([added("<a>", 6)]))).unwrap();
    assert_eq!((definition.n_base(), definition.n_tokens(), definition.vocab_size()), (6, 7, 7));
    assert_eq!(definition.vocab.get(b" "), Some(TokenId(5)));
    assert_eq!(definition.bytes(TokenId(6)), Some(&b"<a>"[..]));
    assert_eq!(definition.profile, Profile::Tokenizers);
    assert_eq!(definition.controls.len(), 1);
    let Model::Bpe(bpe) = &definition.model;
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
        ("/pre_tokenizer", "pre_tokenizer: there is no ByteLevel"),
        ("/pre_tokenizer/type", "pre_tokenizer: the field \"type\" is missing"),
        ("/pre_tokenizer/add_prefix_space", "pre_tokenizer: the field \"add_prefix_space\" is missing"),
    ] {
        assert!(refusal(&without(name)).contains(reason), "{name}: {}", refusal(&without(name)));
    }
}

/// Problem report B40: merges as lines or pairs, and tokens that hold a space.
#[test]
fn b40_merges_in_two_forms() {
    let pairs = with("/model/merges", json!([["l", "o"], ["lo", "w"]]));
    assert_eq!(read_value(&pairs), read_value(&small()));
    let mut spaced = with("/model/merges", json!([["Ġ", "b"], ["a", "Ġb"]]));
    spaced["model"]["vocab"] = json!({"a": 0, "Ġ": 1, "b": 2, "Ġb": 3, "aĠb": 4});
    assert_eq!(bpe(&spaced).merges, Merges::Single { first: TokenId(3), splits: vec![1, 1] });
    assert_eq!(
        refusal(&with("/model/merges", json!(["l o", "o w", "lo w"]))),
        "model.merges[1]: merge 1 joins \"o\" and \"w\", but the vocabulary lacks the token \"ow\""
    );
}

#[test]
fn merges_of_the_wrong_form() {
    for (merges, expected) in [
        (json!(["l o", "lo w x"]), "model.merges[1]: merge 1 is \"lo w x\"; expected two tokens"),
        (json!(["l o", "lo  w"]), "model.merges[1]: merge 1 is \"lo  w\"; expected two tokens"),
        (json!(["lo"]), "model.merges[0]: merge 0 is \"lo\"; expected two tokens"),
        (
            json!(["l o", "lo "]),
            "model.merges[1]: merge 1 joins \"lo\" and \"\", but the vocabulary lacks the token \"\"",
        ),
        (json!([["l", "o"], ["lo"]]), "model.merges[1]: a pair has two parts"),
        (json!([["l", "o", "w"]]), "model.merges[0]: a pair has two parts"),
        (json!([["l", 1]]), "model.merges[0]: invalid type: integer `1`, expected a string"),
        (json!(["l o", ["lo", "w"]]), "model.merges[1]: merges are all strings or all pairs"),
        (json!([["l", "o"], "lo w"]), "model.merges[1]: merges are all strings or all pairs"),
        (json!([7]), "model.merges[0]: invalid type: integer `7`, expected a merge"),
        (json!(null), "invalid type: null, expected an array of merges in model.merges"),
        (json!([["#version:", "0.2"]]), "lacks the token \"#version:\""),
    ] {
        let found = refusal(&with("/model/merges", merges));
        assert!(found.contains(expected), "{found:?} for {expected:?}");
    }
    // As the reference reads them.
    assert_eq!(bpe(&with("/model/merges", json!(["#version: 0.2", "l o", "lo w"]))), bpe(&small()));
    assert_eq!(bpe(&with("/model/merges", json!([]))).merges.n_listed(), Some(0));
}

#[test]
fn merges_are_single_only_where_proven() {
    for listed in
        [json!([["lo", "w"], ["l", "o"]]), json!([["lo", "w"]]), json!([["l", "o"], ["lo", "w"], ["l", "o"]])]
    {
        let file = with("/model/merges", listed);
        let is_single = matches!(bpe(&file).merges, Merges::Single { .. });
        assert_eq!(is_single, file["model"]["merges"].as_array().unwrap().len() == 1, "{file}");
    }
}

#[test]
fn ids_of_the_vocabulary() {
    for (vocab, expected) in [
        (json!({"a": -1}), "model.vocab[\"a\"]: invalid value: integer `-1`, expected u32"),
        (json!({"a": 1.0}), "model.vocab[\"a\"]: invalid type: floating point `1.0`, expected u32"),
        (json!({"a": "1"}), "model.vocab[\"a\"]: invalid type: string \"1\", expected u32"),
        (json!({"a": 4_294_967_296_u64}), "model.vocab[\"a\"]: invalid value: integer `4294967296`"),
        (json!({"a": 4_294_967_295_u32}), "model.vocab[\"a\"]: the id 4294967295 is over the limit"),
        (json!({"a": 1, "b": 1}), "model.vocab: id 1 is given twice"),
        (json!({"a": 1, "｜": 1}), "model.vocab: id 1 is given twice"),
        (json!(null), "invalid type: null, expected an object of tokens and ids in model.vocab"),
        (json!([["a", -1.5]]), "model: the vocab is missing, or is not an object"),
    ] {
        let mut file = with("/model/vocab", vocab);
        file["model"]["merges"] = json!([]);
        assert!(refusal(&file).contains(expected), "{:?} for {expected:?}", refusal(&file));
    }
    let twice = small().to_string().replace(r#""lo":3"#, r#""lo":9,"lo":3"#);
    assert_eq!(read(twice.as_bytes()).unwrap_err().to_string(), "model.vocab: ids 3 and 9 are both \"lo\"");
    let holes = read_value(&with("/model/vocab/zz", json!(20))).unwrap();
    assert_eq!((holes.vocab_size(), holes.n_base()), (21, 7));
    assert_eq!(holes.bytes(TokenId(10)), None);
}

#[test]
fn tokens_that_no_text_can_spell() {
    let mut file = with("/model/vocab/<｜x｜>", json!(6));
    let definition = read_value(&file).unwrap();
    assert_eq!(definition.bytes(TokenId(6)), Some("<｜x｜>".as_bytes()));
    assert_eq!(definition.vocab.get("<｜x｜>".as_bytes()), None);
    file["added_tokens"] = json!([added("<｜x｜>", 6)]);
    let definition = read_value(&file).unwrap();
    assert_eq!((definition.n_base(), definition.n_tokens(), definition.added[0].id), (6, 7, TokenId(6)));
    // A merge may still name them; only lists can say so.
    let mut merged = with("/model/vocab", json!({"a": 0, "｜": 1, "a｜": 2}));
    merged["model"]["merges"] = json!(["a ｜"]);
    assert!(matches!(bpe(&merged).merges, Merges::Listed(_)));
}

#[test]
fn added_tokens_get_the_ids_that_the_reference_gives() {
    for (tokens, ids, n_notes) in [
        (json!([added("<a>", 6), added("<b>", 7)]), vec![("<a>", 6), ("<b>", 7)], 0),
        (json!([added("<a>", 10), added("<b>", 20)]), vec![("<a>", 6), ("<b>", 7)], 2),
        (json!([added("<b>", 7), added("<a>", 6)]), vec![("<b>", 6), ("<a>", 7)], 2),
        (json!([added("<a>", 6), added("<b>", 6)]), vec![("<a>", 6), ("<b>", 7)], 1),
        (json!([added("low", 77)]), vec![("low", 4)], 1),
        (json!([added("<a>", 2)]), vec![("<a>", 6)], 1),
        (json!([added("<a>", 6), added("<a>", 6)]), vec![("<a>", 6)], 1),
        (json!([added("", 6), added("<b>", 7)]), vec![("<b>", 6)], 2),
        (json!(null), vec![], 0),
    ] {
        let file = with("/added_tokens", tokens);
        let (definition, notes) = read_with_notes(file.to_string().as_bytes()).unwrap();
        let found: Vec<_> =
            definition.added.iter().map(|token| (token.content.as_str(), token.id.0)).collect();
        assert_eq!((found, notes.len()), (ids, n_notes), "{notes:?}");
    }
}

#[test]
fn added_tokens_that_cannot_be() {
    let mut other = added("<a>", 7);
    other["lstrip"] = json!(true);
    for (tokens, expected) in [
        (json!([added("<a>", 6), other]), "added_tokens[1]: \"<a>\" is given before with other options"),
        (json!([{"id": 6, "content": "<a>"}]), "added_tokens[0]: the field \"special\" is missing"),
        (
            json!([json!({"id": -6})]),
            "added_tokens[0].id: expected an integer from 0 to 4294967295, found -6",
        ),
        (json!([7]), "added_tokens[0]: expected an object, found a number"),
        (json!({}), "added_tokens: expected an array, found an object"),
    ] {
        assert_eq!(refusal(&with("/added_tokens", tokens)), expected);
    }
    // The reference gives both the id 7.
    let mut holes = with("/model/vocab/zz", json!(7));
    holes["added_tokens"] = json!([added("<a>", 8)]);
    assert!(refusal(&holes).starts_with("added_tokens[0]: \"<a>\" would get the id 7"));
}

#[test]
fn added_flags_are_kept() {
    for name in ["special", "normalized", "single_word", "lstrip", "rstrip"] {
        let mut token = added("zorp", 6);
        token["special"] = json!(false);
        token[name] = json!(true);
        let definition = read_value(&with("/added_tokens", json!([token]))).unwrap();
        let found = &definition.added[0];
        let flags = [
            ("special", found.special),
            ("normalized", found.normalized),
            ("single_word", found.single_word),
            ("lstrip", found.lstrip),
            ("rstrip", found.rstrip),
        ];
        for (flag, set) in flags {
            assert_eq!(set, flag == name, "{flag} of {name}");
        }
        assert_eq!(definition.controls.len(), usize::from(found.special));
    }
}

#[test]
fn normalizers_that_are_read_and_that_are_not() {
    let nfc = json!({"type": "NFC"});
    for (value, expected) in [
        (json!(null), vec![]),
        (nfc.clone(), vec![Normalizer::Nfc]),
        (json!({"type": "Sequence", "normalizers": []}), vec![]),
        (
            json!({"type": "Sequence", "normalizers": [nfc, {"type": "Sequence", "normalizers": [nfc]}]}),
            vec![Normalizer::Nfc; 2],
        ),
    ] {
        assert_eq!(read_value(&with("/normalizer", value)).unwrap().normalizers, expected);
    }
    let error = refusal(&with(
        "/normalizer",
        json!({"type": "Sequence", "normalizers": [nfc, {"type": "Lowercase"}]}),
    ));
    assert!(error.starts_with("normalizer.normalizers[1].type: \"Lowercase\" is not supported"), "{error}");
    for (value, expected) in [
        (json!({}), "normalizer: the field \"type\" is missing"),
        (json!("NFC"), "normalizer: expected an object, found a string"),
        (json!({"type": "Sequence"}), "normalizer: the field \"normalizers\" is missing"),
        (json!({"type": "ByteLevel"}), "normalizer.type: \"ByteLevel\" is not supported"),
    ] {
        assert!(refusal(&with("/normalizer", value)).starts_with(expected));
    }
}

fn byte_level(add_prefix_space: bool, use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": true, "use_regex": use_regex})
}

fn in_sequence(parts: &[Value]) -> Value {
    with("/pre_tokenizer", json!({"type": "Sequence", "pretokenizers": parts}))
}

#[test]
fn pre_tokenizers_in_order() {
    let split =
        json!({"type": "Split", "pattern": {"Regex": r"\d+"}, "behavior": "MergedWithNext", "invert": true});
    let text = json!({"type": "Split", "pattern": {"String": "a.b"}, "behavior": "Removed", "invert": false});
    let digits = json!({"type": "Digits", "individual_digits": true});
    let nested = json!({"type": "Sequence", "pretokenizers": [text, digits]});
    let found = read_value(&in_sequence(&[split, nested, byte_level(true, true)])).unwrap().pre_tokenizers;
    let split = |pattern: &str, behavior, invert| PreTokenizer::Split {
        pattern: pattern.to_owned(),
        behavior,
        invert,
    };
    assert_eq!(
        found,
        [
            split(r"\d+", Behavior::MergedWithNext, true),
            split(r"a\.b", Behavior::Removed, false),
            PreTokenizer::Digits { individual: true },
            PreTokenizer::PrefixSpace,
            split(BYTE_LEVEL_PATTERN, Behavior::Isolated, false),
        ]
    );
    assert_eq!(read_value(&with("/pre_tokenizer", byte_level(false, false))).unwrap().pre_tokenizers, []);
}

#[test]
fn pre_tokenizers_that_are_not_read() {
    let split = |name: &str, value: Value| {
        let mut split =
            json!({"type": "Split", "pattern": {"Regex": "x"}, "behavior": "Isolated", "invert": false});
        split[name] = value;
        split
    };
    for (part, expected) in [
        (
            json!({"type": "Metaspace"}),
            "pretokenizers[0].type: \"Metaspace\" is not supported by this version",
        ),
        (byte_level(false, false), "pretokenizers[1]: a pre-tokenizer after ByteLevel is not supported"),
        (
            split("behavior", json!("isolated")),
            "pretokenizers[0].behavior: there is no behavior \"isolated\"",
        ),
        (split("pattern", json!("x")), "pretokenizers[0].pattern: expected an object, found a string"),
        (split("pattern", json!({"Regex": "x", "String": "x"})), "pretokenizers[0].pattern: expected one of"),
        (split("invert", json!(null)), "pretokenizers[0].invert: expected true or false, found null"),
        (json!({"type": "Digits"}), "pretokenizers[0]: the field \"individual_digits\" is missing"),
        (json!(null), "pretokenizers[0]: expected an object, found null"),
    ] {
        let found = refusal(&in_sequence(&[part, byte_level(false, false)]));
        assert!(found.starts_with(&format!("pre_tokenizer.{expected}")), "{found}");
    }
    let found = refusal(&with("/pre_tokenizer", json!({"type": "Sequence", "pretokenizers": []})));
    assert!(found.starts_with("pre_tokenizer: there is no ByteLevel pre-tokenizer"), "{found}");
}

#[test]
fn decoders_decode_bytes_or_are_refused() {
    let one = byte_level(true, true);
    for value in [json!(null), one.clone(), json!({"type": "Sequence", "decoders": [one]})] {
        assert_eq!(read_value(&with("/decoder", value)), read_value(&small()));
    }
    for (value, expected) in [
        (json!({"type": "WordPiece"}), "decoder.type: \"WordPiece\" is not supported"),
        (
            json!({"type": "Sequence", "decoders": [one, {"type": "Fuse"}]}),
            "decoder.decoders[1]: a decoder after",
        ),
        (
            json!({"type": "Sequence", "decoders": [{"type": "Fuse"}]}),
            "decoder.decoders[0].type: \"Fuse\" is not",
        ),
    ] {
        assert!(refusal(&with("/decoder", value)).starts_with(expected));
    }
}

#[test]
fn options_of_the_model() {
    for (name, value) in [
        ("dropout", json!(0.0)),
        ("dropout", json!(0)),
        ("unk_token", json!("")),
        ("continuing_subword_prefix", json!("")),
        ("end_of_word_suffix", json!("")),
        ("fuse_unk", json!(null)),
        ("unknown_field", json!([1])),
    ] {
        assert_eq!(read_value(&with(&format!("/model/{name}"), value)), read_value(&small()), "{name}");
    }
    assert!(bpe(&with("/model/ignore_merges", json!(true))).whole_pieces);
    for (name, value, expected) in [
        (
            "type",
            json!("WordPiece"),
            "model.type: \"WordPiece\" is not supported by this version; here it reads \"BPE\"",
        ),
        ("type", json!("bpe"), "model.type: \"bpe\" is not supported"),
        ("type", json!(1), "model.type: expected a string, found a number"),
        ("dropout", json!(0.1), "model.dropout: dropout is not supported"),
        ("dropout", json!("x"), "model.dropout: dropout is not supported"),
        (
            "continuing_subword_prefix",
            json!("##"),
            "model.continuing_subword_prefix: a prefix or suffix is not",
        ),
        ("end_of_word_suffix", json!("</w>"), "model.end_of_word_suffix: a prefix or suffix is not"),
        ("unk_token", json!("<unk>"), "model: unk_token, fuse_unk and byte_fallback are not supported"),
        ("byte_fallback", json!(true), "model: unk_token, fuse_unk and byte_fallback are not supported"),
        ("fuse_unk", json!(true), "model: unk_token, fuse_unk and byte_fallback are not supported"),
        ("ignore_merges", json!("yes"), "model.ignore_merges: expected true or false, found a string"),
    ] {
        let found = refusal(&with(&format!("/model/{name}"), value));
        assert!(found.starts_with(expected), "{found:?} for {expected:?}");
    }
    let mut unigram =
        with("/model", json!({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.5]]}));
    assert!(refusal(&unigram).starts_with("model.type: \"Unigram\" is not supported"));
    unigram["model"].as_object_mut().unwrap().remove("type");
    assert!(refusal(&unigram).starts_with("model: the type is missing"));
}

/// Unknown characters do not matter where there are none.
#[test]
fn unknown_tokens_are_idle_where_every_byte_is_a_token() {
    let mut vocab = serde_json::Map::new();
    let bytes = (0..=255_u8).filter(|byte| !matches!(byte, 0xc0 | 0xc1 | 0xf5..));
    for (id, byte) in bytes.enumerate() {
        vocab.insert(crate::formats::byte_alphabet::byte_to_char(byte).to_string(), json!(id));
    }
    assert_eq!(vocab.len(), 243);
    let mut file = with("/model/unk_token", json!("<unk>"));
    file["model"]["merges"] = json!([]);
    file["model"]["byte_fallback"] = json!(true);
    file["model"]["vocab"] = Value::Object(vocab);
    assert_eq!(read_value(&file).unwrap().n_base(), 243);
    file["model"]["vocab"].as_object_mut().unwrap().remove("Ġ");
    assert!(refusal(&file).ends_with("this one lacks 'Ġ' (0x20)"), "{}", refusal(&file));
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
fn post_processors() {
    let trims = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true});
    let processor = template(&json!([token("<s>"), text("A", 0)]), &json!([text("A", 0), text("B", 1)]));
    let both = json!({"type": "Sequence", "processors": [trims, processor]});
    let found = read_value(&with("/post_processor", both)).unwrap().post_processor;
    let sequence = |index, type_id| TemplateItem::Sequence { index, type_id };
    let special =
        |ids: &[u32]| TemplateItem::Special { ids: ids.iter().copied().map(TokenId).collect(), type_id: 0 };
    assert_eq!(found.single, [special(&[4, 3]), sequence(0, 0)]);
    assert_eq!(found.pair, [sequence(0, 0), sequence(1, 1)]);
    assert!(found.trim_offsets && found.add_prefix_space);
    let roberta = json!({
        "type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": true,
        "add_prefix_space": false,
    });
    let found = read_value(&with("/post_processor", roberta)).unwrap().post_processor;
    let (cls, sep) = (special(&[0]), special(&[2]));
    assert_eq!(found.single, [cls.clone(), sequence(0, 0), sep.clone()]);
    assert_eq!(found.pair, [cls, sequence(0, 0), sep.clone(), sep.clone(), sequence(1, 0), sep]);
    assert!(found.trim_offsets && !found.add_prefix_space);
}

#[test]
fn post_processors_that_are_not_read() {
    let trims = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true});
    let plain = json!([text("A", 0)]);
    let one = |item: Value| template(&json!([item]), &plain);
    let two = |part: &Value| json!({"type": "Sequence", "processors": [part, part]});
    for (value, expected) in [
        (json!({"type": "BertProcessing"}), "post_processor.type: \"BertProcessing\" is not supported"),
        (json!({"type": "ByteLevel"}), "post_processor: the field \"trim_offsets\" is missing"),
        (one(token("<x>")), "post_processor.special_tokens: the field \"<x>\" is missing"),
        (one(text("B", 0)), "post_processor.single[0].Sequence.id: there is no text \"B\" here"),
        (one(text("C", 0)), "post_processor.single[0].Sequence.id: there is no text \"C\" here"),
        (one(json!("$A")), "post_processor.single[0]: expected an object, found a string"),
        (one(json!({})), "post_processor.single[0]: expected one of"),
        (template(&json!([]), &plain), "post_processor.single: the template is empty"),
        (template(&plain, &json!(null)), "post_processor.pair: expected an array, found null"),
        (two(&template(&plain, &plain)), "post_processor.processors[1]: a second template is not supported"),
        (two(&trims), "post_processor.processors[1]: trimming offsets twice is not supported"),
    ] {
        let found = refusal(&with("/post_processor", value));
        assert!(found.starts_with(expected), "{found:?} for {expected:?}");
    }
    let mut unknown = template(&json!([token("<s>"), text("A", 0)]), &plain);
    unknown["special_tokens"]["<s>"]["ids"] = json!([4, 99]);
    let file = with("/post_processor", unknown);
    let (_, notes) = read_with_notes(file.to_string().as_bytes()).unwrap();
    assert_eq!(notes[0].to_string(), "post_processor: the template puts in the id 99, which is no token");
}

#[test]
fn truncation_and_padding_are_checked_and_left_out() {
    let truncation = json!({"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0});
    let padding = json!({
        "strategy": {"Fixed": 5}, "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0,
        "pad_type_id": 0, "pad_token": "x",
    });
    for (name, value) in [("truncation", truncation), ("padding", padding)] {
        let pointer = format!("/{name}");
        assert_eq!(read_value(&with(&pointer, value.clone())), read_value(&small()), "{name}");
        for (field, wrong) in [("direction", json!("Up")), ("strategy", json!("x")), ("strategy", json!(1))] {
            let mut value = value.clone();
            value[field] = wrong;
            assert!(refusal(&with(&pointer, value)).starts_with(&format!("{name}.{field}: ")));
        }
    }
}

#[test]
fn what_is_no_tokenizer_json_is_placed() {
    for (data, expected) in [
        (&b""[..], "line 1 column 1: expected a tokenizer.json"),
        (b"[1]", "line 1 column 1: expected a tokenizer.json"),
        (b"{", "line 1 column 1: EOF while parsing an object"),
        (b"{\n  \"version\": \"1.0\",\n  \"model\": {]", "line 3 column 13: key must be a string"),
        (b"\xef\xbb\xbf{}", "byte 0: the file begins with a byte order mark"),
        (b"{\"version\": \"\xff\"}", "byte 13: the file is not UTF-8 here"),
        (b"{\"model\": null}", "line 1 column 14: invalid type: null, expected an object in the field model"),
        (b"{\"foo\": 1}", "line 1 column 6: unknown field `foo`"),
        (
            b"{\"model\": {\"vocab\": {}, \"vocab\": {}}}",
            "line 1 column 36: model: the field \"vocab\" is given twice",
        ),
    ] {
        let found = read(data).unwrap_err().to_string();
        assert!(found.starts_with(expected), "{found:?} for {expected:?}");
    }
    let trailing = small().to_string() + " x";
    assert!(read(trailing.as_bytes()).unwrap_err().to_string().contains("trailing characters"));
    assert_eq!(refusal(&with("/version", json!("2.0"))), "version: expected \"1.0\", found \"2.0\"");
}

#[test]
fn deep_nesting_is_refused_before_the_stack_ends() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    for text in [
        format!("{{\"normalizer\": {}}}", deep("[", "]")),
        format!("{{\"normalizer\": {}}}", deep("{\"normalizers\":[", "]}")),
        format!("{{\"model\": {{\"vocab\": {}}}}}", deep("[", "]")),
        format!("{{\"model\": {{\"merges\": {}}}}}", deep("[", "]")),
        deep("{\"a\":", ""),
    ] {
        assert!(read(text.as_bytes()).is_err());
    }
}

/// A file with every component that is read, for breaking.
fn rich() -> String {
    let mut file = small();
    file["added_tokens"] = json!([added("<｜x｜>", 6), added("\u{e9}\n\"", 7)]);
    file["normalizer"] = json!({"type": "Sequence", "normalizers": [{"type": "NFC"}]});
    file["pre_tokenizer"] = json!({"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": r"\p{N}{1,3}"}, "behavior": "Isolated", "invert": false},
        {"type": "Digits", "individual_digits": true},
        byte_level(true, true),
    ]});
    file["post_processor"] = json!({"type": "Sequence", "processors": [
        {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
        template(&json!([token("<s>"), text("A", 0)]), &json!([text("A", 0), text("B", 1)])),
    ]});
    file["model"]["merges"] = json!([["l", "o"], ["lo", "w"]]);
    file.to_string()
}

#[test]
fn no_cut_and_no_wrong_byte_brings_it_down() {
    let text = rich();
    assert!(read(text.as_bytes()).is_ok());
    let data = text.as_bytes();
    for end in 0..data.len() {
        assert!(read(&data[..end]).is_err(), "cut at {end}");
    }
    let mut n_read = 0;
    for at in 0..data.len() {
        for wrong in
            [0, b' ', b'"', b'0', b'9', b'[', b'{', b'}', b',', b'\\', b'-', 0x80, 0xff, data[at] ^ 1]
        {
            let mut data = data.to_vec();
            data[at] = wrong;
            n_read += usize::from(read(&data).is_ok());
        }
    }
    assert!(n_read > 0, "some changes are harmless");
}
