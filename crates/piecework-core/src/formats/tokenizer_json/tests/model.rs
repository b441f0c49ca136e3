//! Vocabulary, merges and options of the model.

use super::*;

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
        (
            json!(null),
            "invalid type: null, expected an object of tokens and ids, or an array of pieces and scores, in model.vocab",
        ),
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
    file["added_tokens"] = json!([added_token("<｜x｜>", 6)]);
    let definition = read_value(&file).unwrap();
    assert_eq!((definition.n_base(), definition.n_tokens(), definition.added[0].id), (6, 7, TokenId(6)));
    // A merge may still name them; only lists can say so.
    let mut merged = with("/model/vocab", json!({"a": 0, "｜": 1, "a｜": 2}));
    merged["model"]["merges"] = json!(["a ｜"]);
    assert!(matches!(bpe(&merged).merges, Merges::Listed(_)));
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
        ("type", json!("WordPiece"), "model.unk_token: expected a string, found null"),
        ("type", json!("Unigram"), "model: the vocab is missing, or is not an array of pieces and scores"),
        ("type", json!("bpe"), "model.type: \"bpe\" is not supported"),
        ("type", json!(1), "model.type: expected a string, found a number"),
        ("dropout", json!(1.5), "model.dropout: expected a number from 0 to 1"),
        ("dropout", json!("x"), "model.dropout: expected a number from 0 to 1"),
        ("unk_token", json!("<unk>"), "model.unk_token: the vocabulary lacks the unknown token \"<unk>\""),
        ("ignore_merges", json!("yes"), "model.ignore_merges: expected true or false, found a string"),
    ] {
        let found = refusal(&with(&format!("/model/{name}"), value));
        assert!(found.starts_with(expected), "{found:?} for {expected:?}");
    }
    assert_eq!(bpe(&with("/model/dropout", json!(0.1))).dropout_millionths, 100_000);
    let lone = with("/model", json!({"vocab": {"a": 0}}));
    assert!(refusal(&lone).starts_with("model: the type is missing"));
}

/// What a character-level model holds that a byte-level one does not.
#[test]
fn bpe_over_characters() {
    let characters = |file: &Value| bpe(file).characters.unwrap();
    let mut file = with("/pre_tokenizer", json!({"type": "Whitespace"}));
    file["decoder"] = json!({"type": "BPEDecoder", "suffix": "</w>"});
    file["model"]["vocab"] = json!({"<unk>": 0, "l": 1, "o": 2, "w</w>": 3, "lo": 4, "low</w>": 5});
    file["model"]["merges"] = json!(["l o", "lo w</w>"]);
    file["model"]["unk_token"] = json!("<unk>");
    file["model"]["end_of_word_suffix"] = json!("</w>");
    file["model"]["fuse_unk"] = json!(true);
    let found = characters(&file);
    assert_eq!((found.unk, found.fuse_unk, found.byte_fallback), (Some(TokenId(0)), true, false));
    assert_eq!((found.end_of_word_suffix.as_str(), found.continuing_subword_prefix.as_str()), ("</w>", ""));
    assert!(matches!(bpe(&file).merges, Merges::Listed(_)), "the product is not the parts' own text");
    let prefixed = json!({"a": 0, "##b": 1, "ab": 2, "##c": 3, "abc": 4});
    let mut file = with("/pre_tokenizer", json!(null));
    file["model"]["vocab"] = prefixed;
    file["model"]["merges"] = json!([["a", "##b"], ["ab", "##c"]]);
    file["model"]["continuing_subword_prefix"] = json!("##");
    assert_eq!(characters(&file).continuing_subword_prefix, "##");
    assert_eq!(bpe(&file).merges.n_listed(), Some(2));
    // Stages that see the display alphabet, or none that writes it: the vocabulary is held as it is spelled.
    let after = json!({"type": "Sequence", "pretokenizers": [byte_level(false, false), {"type": "Digits",
        "individual_digits": false}]});
    let definition = read_value(&with("/pre_tokenizer", after)).unwrap();
    assert!(!definition.model.is_byte_level());
    assert_eq!(definition.bytes(TokenId(5)), Some("Ġ".as_bytes()));
}

#[test]
fn the_other_models() {
    let pieces = json!([["<unk>", 0.0], ["a", -1.5], ["b", -2], ["a", -3.0]]);
    let mut file = with("/model", json!({"type": "Unigram", "unk_id": 0, "vocab": pieces}));
    file["pre_tokenizer"] = json!({"type": "Metaspace", "replacement": "▁"});
    for kind in ["Unigram", ""] {
        if kind.is_empty() {
            file["model"].as_object_mut().unwrap().remove("type");
        }
        let definition = read_value(&file).unwrap();
        let Model::Unigram(unigram) = &definition.model else { panic!("a unigram model") };
        assert_eq!(
            (unigram.unk, unigram.score(TokenId(1)), unigram.score(TokenId(2))),
            (Some(TokenId(0)), -1.5, -2.0)
        );
        assert_eq!(definition.vocab.get(b"a"), Some(TokenId(3)), "the last of two with one spelling");
    }
    for (pointer, value, expected) in [
        ("/model/unk_id", json!(4), "model.unk_id: there are 4 pieces"),
        ("/model/vocab", json!([["a"]]), "model.vocab[0]: "),
        ("/model/vocab", json!([["a", "x"]]), "model.vocab[0]: "),
    ] {
        let mut file = file.clone();
        *file.pointer_mut(pointer).unwrap() = value;
        assert!(refusal(&file).contains(expected), "{}", refusal(&file));
    }
    let mut file = with(
        "/model",
        json!({"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "a": 1},
        "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}),
    );
    let Model::WordPiece(found) = read_value(&file).unwrap().model else { panic!("a WordPiece model") };
    assert_eq!((found.unk, found.max_input_chars_per_word), (TokenId(0), 100));
    file["model"]["unk_token"] = json!("x");
    assert_eq!(refusal(&file), "model.unk_token: the vocabulary lacks the unknown token \"x\"");
    file["model"] = json!({"type": "WordLevel", "unk_token": "x", "vocab": {"a": 1}});
    let Model::WordLevel(found) = read_value(&file).unwrap().model else { panic!("a WordLevel model") };
    assert_eq!(found.unk, None);
}

/// Unknown characters do not matter where there are none.
#[test]
fn unknown_tokens_are_idle_where_every_byte_is_a_token() {
    let mut vocab = serde_json::Map::new();
    let bytes = (0..=255_u8).filter(|byte| !matches!(byte, 0xc0 | 0xc1 | 0xf5..));
    for (id, byte) in bytes.enumerate() {
        vocab.insert(crate::byte_alphabet::byte_to_char(byte).to_string(), json!(id));
    }
    assert_eq!(vocab.len(), 243);
    let mut file = with("/model/unk_token", json!("<unk>"));
    file["model"]["merges"] = json!([]);
    file["model"]["byte_fallback"] = json!(true);
    file["model"]["vocab"] = Value::Object(vocab);
    assert_eq!(read_value(&file).unwrap().n_base(), 243);
    file["model"]["vocab"].as_object_mut().unwrap().remove("Ġ");
    file["model"]["vocab"]["<unk>"] = json!(300);
    assert!(bpe(&file).characters.is_some(), "with a byte missing, what happens to it matters");
}
