//! What a tokenizer that was read refuses to encode. (Here, since the tokenizer itself knows no format.)

use super::*;
use crate::interrupt::Ctl;
use crate::tokenizer::{Options, Tokenizer};

#[test]
fn a_refusal_names_a_place_of_the_input_whether_watched_or_not() {
    let file = r#"{"normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": null, "added_tokens": [],
        "model": {"type": "BPE", "vocab": {"a": 0, "▁": 1}, "merges": []}}"#;
    let tokenizer = Tokenizer::new(read(file.as_bytes()).unwrap()).unwrap();
    let (ctl, options) = (Ctl::new(), Options::default());
    let refusal = Error::Unencodable { byte: b'b', index: 7 };
    assert_eq!(tokenizer.ids("a  a   b", &options, &ctl), Err(refusal.clone()));
    assert_eq!(tokenizer.encoding("a  a   b", &options, &ctl), Err(refusal));
}
