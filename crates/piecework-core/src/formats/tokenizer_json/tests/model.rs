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
        vocab.insert(crate::byte_alphabet::byte_to_char(byte).to_string(), json!(id));
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
