//! Files that are no tokenizer.json, or were one once.

use super::*;

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
    file["added_tokens"] = json!([added_token("<｜x｜>", 6), added_token("\u{e9}\n\"", 7)]);
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
