//! Normalizers, pre-tokenizers, decoders, post-processors.

use super::*;

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
    let replace = json!({"type": "Replace", "pattern": {"Regex": " +"}, "content": "_"});
    let bert = json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": false,
        "strip_accents": null, "lowercase": true});
    let all = json!([
        {"type": "NFD"}, {"type": "NFKC"}, {"type": "NFKD"}, {"type": "Lowercase"}, {"type": "StripAccents"},
        {"type": "Nmt"}, {"type": "ByteLevel"}, {"type": "Strip", "strip_left": true, "strip_right": false},
        {"type": "Prepend", "prepend": "▁"}, replace, bert, {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
    ]);
    let found = read_value(&with("/normalizer", json!({"type": "Sequence", "normalizers": all}))).unwrap();
    assert_eq!(
        found.normalizers,
        [
            Normalizer::Nfd,
            Normalizer::Nfkc,
            Normalizer::Nfkd,
            Normalizer::Lowercase,
            Normalizer::StripAccents,
            Normalizer::Nmt,
            Normalizer::ByteLevel,
            Normalizer::Strip { left: true, right: false },
            Normalizer::Prepend("▁".to_owned()),
            Normalizer::Replace { pattern: Needle::Pattern(" +".to_owned()), content: "_".to_owned() },
            Normalizer::Bert {
                clean_text: true,
                handle_chinese_chars: false,
                strip_accents: None,
                lowercase: true
            },
            Normalizer::Precompiled(Charsmap(vec![0; 3])),
        ]
    );
    let error = refusal(&with(
        "/normalizer",
        json!({"type": "Sequence", "normalizers": [nfc, {"type": "Uppercase"}]}),
    ));
    assert!(error.starts_with("normalizer.normalizers[1].type: \"Uppercase\" is not supported"), "{error}");
    for (value, expected) in [
        (json!({}), "normalizer: the field \"type\" is missing"),
        (json!("NFC"), "normalizer: expected an object, found a string"),
        (json!({"type": "Sequence"}), "normalizer: the field \"normalizers\" is missing"),
        (json!({"type": "Strip"}), "normalizer: the field \"strip_left\" is missing"),
        (json!({"type": "Precompiled", "precompiled_charsmap": "?"}), "normalizer.precompiled_charsmap: "),
    ] {
        assert!(refusal(&with("/normalizer", value)).starts_with(expected));
    }
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
        (json!({"type": "Metaspace"}), "pretokenizers[0]: the field \"replacement\" is missing"),
        (
            json!({"type": "Metaspace", "replacement": "ab"}),
            "pretokenizers[0].replacement: expected one character",
        ),
        (
            json!({"type": "Metaspace", "replacement": "a", "add_prefix_space": false, "prepend_scheme": "first"}),
            "pretokenizers[0].add_prefix_space: add_prefix_space is false, which speaks against",
        ),
        (json!({"type": "Sentences"}), "pretokenizers[0].type: \"Sentences\" is not supported"),
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
}

#[test]
fn pre_tokenizers_without_a_pattern() {
    let meta = |fields: Value| {
        let mut value = json!({"type": "Metaspace", "replacement": "▁"});
        value.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        value
    };
    let parts = [
        meta(json!({})),
        meta(json!({"prepend_scheme": "first", "split": false})),
        meta(json!({"add_prefix_space": false})),
        meta(json!({"add_prefix_space": false, "prepend_scheme": "never"})),
        json!({"type": "BertPreTokenizer"}),
        json!({"type": "Whitespace"}),
        json!({"type": "WhitespaceSplit"}),
        json!({"type": "UnicodeScripts"}),
        json!({"type": "Punctuation"}),
        json!({"type": "Punctuation", "behavior": "Contiguous"}),
        json!({"type": "CharDelimiterSplit", "delimiter": "_"}),
        json!({"type": "FixedLength"}),
        json!({"type": "FixedLength", "length": 2}),
    ];
    let metaspace = |prepend, split| PreTokenizer::Metaspace { replacement: '▁', prepend, split };
    assert_eq!(
        read_value(&in_sequence(&parts)).unwrap().pre_tokenizers,
        [
            metaspace(Prepend::Always, true),
            metaspace(Prepend::First, false),
            metaspace(Prepend::Never, true),
            metaspace(Prepend::Never, true),
            PreTokenizer::Bert,
            PreTokenizer::Whitespace,
            PreTokenizer::WhitespaceSplit,
            PreTokenizer::UnicodeScripts,
            PreTokenizer::Punctuation(Behavior::Isolated),
            PreTokenizer::Punctuation(Behavior::Contiguous),
            PreTokenizer::CharDelimiter('_'),
            PreTokenizer::FixedLength(5),
            PreTokenizer::FixedLength(2),
        ]
    );
}

#[test]
fn decoders_decode_bytes_or_are_refused() {
    let one = byte_level(true, true);
    for value in [json!(null), one.clone(), json!({"type": "Sequence", "decoders": [one]})] {
        assert_eq!(read_value(&with("/decoder", value)), read_value(&small()));
    }
    let text = |text: &str| text.to_owned();
    let parts = json!([
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        {"type": "WordPiece", "prefix": "##", "cleanup": true}, {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false},
        {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": false}, one,
    ]);
    let found =
        read_value(&with("/decoder", json!({"type": "Sequence", "decoders": parts}))).unwrap().decoder;
    assert_eq!(
        found,
        Decoder::Steps(vec![
            DecodeStep::Replace { pattern: Needle::Text(text("▁")), content: text(" ") },
            DecodeStep::ByteFallback,
            DecodeStep::Fuse,
            DecodeStep::Strip { content: ' ', start: 1, stop: 0 },
            DecodeStep::WordPiece { prefix: text("##"), cleanup: true },
            DecodeStep::Bpe { suffix: text("</w>") },
            DecodeStep::Metaspace { replacement: '▁', prepend: Prepend::First },
            DecodeStep::Ctc { pad_token: text("<pad>"), word_delimiter_token: text("|"), cleanup: false },
            DecodeStep::ByteLevel,
        ])
    );
    for (value, expected) in [
        (json!({"type": "WordPiece"}), "decoder: the field \"prefix\" is missing"),
        (
            json!({"type": "Sequence", "decoders": [{"type": "Join"}]}),
            "decoder.decoders[0].type: \"Join\" is",
        ),
    ] {
        assert!(refusal(&with("/decoder", value)).starts_with(expected));
    }
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
        (json!({"type": "BertProcessing"}), "post_processor: the field \"cls\" is missing"),
        (json!({"type": "Other"}), "post_processor.type: \"Other\" is not supported"),
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
