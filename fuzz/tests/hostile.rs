//! Files that someone wrote to do harm: each is refused with its place, or read and run, at once and in little memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what it expects by failing")]

use piecework_core::definition::Definition;
use piecework_core::error::{Error, Result};
use piecework_core::formats::{
    gguf, sentencepiece, tekken, tiktoken, tokenizer_json, vocab_merges, wordpiece,
};
use piecework_core::interrupt::Ctl;
use piecework_core::tokenizer::{Options, Tokenizer};
use piecework_fuzz::{TARGETS, formats, seeds};

/// A refusal with a place.
fn refused(what: &str, result: Result<Definition>) {
    match result {
        Err(Error::Format { place, .. }) => assert!(!place.is_empty(), "{what}"),
        other => panic!("{what} should be refused: {:?}", other.map(|_| "read")),
    }
}

fn json(model: &str) -> String {
    format!(r#"{{"added_tokens": [], "model": {model}}}"#)
}

#[test]
fn json_that_nests_or_lies() {
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    for (what, text) in [
        ("arrays in arrays", nested.clone()),
        ("objects in objects", objects.clone()),
        ("a nested model", json(&nested)),
        (
            "a nested normalizer",
            format!(
                r#"{{"normalizer": {objects}, "model": {{"type": "BPE", "vocab": {{}}, "merges": []}}}}"#
            ),
        ),
        ("a number over all", json(r#"{"type": "Unigram", "unk_id": 0, "vocab": [["a", 1e999]]}"#)),
        ("an id over all", json(r#"{"type": "BPE", "vocab": {"a": 1e999}, "merges": []}"#)),
        ("an id of 2^32 - 1", json(r#"{"type": "BPE", "vocab": {"a": 4294967295}, "merges": []}"#)),
        ("an id below zero", json(r#"{"type": "BPE", "vocab": {"a": -1}, "merges": []}"#)),
        ("an id given twice", json(r#"{"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []}"#)),
        ("a merge with a missing part", json(r#"{"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]}"#)),
        (
            "a merge of what is no token",
            json(r#"{"type": "BPE", "vocab": {"a": 0, "ab": 1}, "merges": ["a b"]}"#),
        ),
        (
            "a merge with three parts",
            json(r#"{"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "a", "a"]]}"#),
        ),
        (
            "an unknown token that is none",
            json(r#"{"type": "WordPiece", "unk_token": "?", "vocab": {"a": 0}}"#),
        ),
        ("half a surrogate", json(r#"{"type": "BPE", "vocab": {"\ud800": 0}, "merges": []}"#)),
        ("two values", "{} {}".to_owned()),
        ("nothing", String::new()),
    ] {
        refused(what, tokenizer_json::read(text.as_bytes()));
        refused(what, tekken::read(text.as_bytes()));
        formats::vocab_merges(text.as_bytes());
        formats::wordpiece(&[b"[UNK]\n\0", text.as_bytes()].concat());
        formats::detect(text.as_bytes());
    }
    refused("no UTF-8", tokenizer_json::read(b"{\"model\": \"\xff\"}"));
    refused("no UTF-8", tekken::read(b"{\"config\": \"\xff\"}"));
    refused("nested options", vocab_merges::read(b"{\"a\": 0}", b"", &nested).map(|(read, _)| read));
    refused("nested options", wordpiece::read(b"[UNK]\n", &nested).map(|(read, _)| read));
}

#[test]
fn lines_that_are_none() {
    for text in ["YQ==", "YQ== x", "YQ== 0 0", "YQ= 0", "YQ== 99999999999999999999", "YQ== 0\nYQ== 1", "a\rb"]
    {
        refused(text, tiktoken::read(text.as_bytes()).map(|_| unreachable!("{text} was read")));
    }
    refused("no base64", tiktoken::definition(b"\xff\xfe 0\n", ".", &[]));
    for pattern in ["(", r"\d{4294967295,3}"] {
        let read = tiktoken::definition(b"YQ== 0\n", pattern, &[]);
        refused(pattern, read.and_then(Tokenizer::new).map(|made| made.definition().clone()));
    }
    let merges = |merges: &[u8]| {
        vocab_merges::read(b"{\"a\": 0, \"b\": 1, \"ab\": 2}", merges, "{}").map(|(read, _)| read)
    };
    refused("a merge with a missing part", merges(b"#version: 0.2\na\n"));
    refused("a merge of no tokens", merges(b"#version: 0.2\nb b\n"));
    refused("no UTF-8", merges(b"\xff \xfe\n"));
    assert_eq!(
        merges(b"#version: 0.2\r\na b\r\n").unwrap(),
        merges(b"#version: 0.2\na b\n").unwrap(),
        "CRLF"
    );
    refused("no UTF-8", wordpiece::read(b"[UNK]\n\xff\n", "").map(|(read, _)| read));
}

#[test]
fn lengths_that_lie() {
    for length in [1 << 63, u64::MAX, 1 << 40, 1 << 30, u64::from(u32::MAX)] {
        for seed in seeds::gguf() {
            for at in 8..seed.len() - 8 {
                let mut file = seed.clone();
                file[at..at + 8].copy_from_slice(&length.to_le_bytes());
                let _ = gguf::read(&file);
            }
        }
        let options = sentencepiece::Options::default();
        let mut varint = vec![0x0a];
        let mut rest = length;
        while rest > 0x7f {
            varint.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        varint.push(rest as u8);
        for seed in seeds::sentencepiece() {
            for at in 0..seed.len() {
                let file = [&seed[..at], &varint, &seed[at..]].concat();
                let _ = sentencepiece::read(&file, options);
            }
        }
        for seed in seeds::definition() {
            for at in (15..seed.len()).step_by(3) {
                let file = [&seed[..at], &varint[1..], &seed[at..]].concat();
                let _ = Definition::from_bytes(&file);
            }
        }
    }
}

#[test]
fn every_byte_order_mark_and_line_end() {
    for target in TARGETS.iter().take_while(|target| target.name != "stages") {
        for seed in (target.seeds)() {
            (target.run)(&[b"\xef\xbb\xbf", &seed[..]].concat());
            (target.run)(&[b"\xff\xfe", &seed[..]].concat());
            let crlf: Vec<u8> =
                seed.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
            (target.run)(&crlf);
        }
    }
}

#[test]
fn work_grows_with_the_length_of_hostile_texts() {
    let texts =
        ["a", " ", "\n", "漢", "\u{301}", "<s>", "[INST]", "<|x|>", "ab", "a\u{301}", "ﬁ", "\u{1100}", "Ǆ"];
    let n = 20_000;
    for seed in seeds::tokenizer_json() {
        let tokenizer = Tokenizer::new(tokenizer_json::read(&seed).unwrap()).unwrap();
        for text in texts {
            let work = |n: usize| {
                let (ctl, options) = (Ctl::new(), Options::default());
                let text = text.repeat(n / text.len());
                // What cannot be encoded is refused, after how much work does not matter.
                let _ = tokenizer.encoding(&text, &options, &ctl);
                ctl.work()
            };
            let (small, large) = (work(n), work(10 * n));
            assert!(large <= small.max(1000) * 12, "{text:?}: {small} units, then {large}");
        }
    }
}
