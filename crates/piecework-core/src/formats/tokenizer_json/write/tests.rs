use super::super::{BYTE_LEVEL_PATTERN, read, read_as_written};
use super::equivalent;
use crate::definition::{AddedToken, Definition, PreTokenizer, Profile, control};
use crate::fast::scan::Scanner;
use crate::formats::tiktoken;
use crate::id::TokenId;
use crate::split::pattern::Pattern;

const BPE: &str = r#"{"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}"#;

fn file(stage: &str, content: &str) -> Definition {
    let json = format!(r#"{{"version": "1.0", "{stage}": {content}, "model": {BPE}}}"#);
    read(json.as_bytes()).unwrap_or_else(|error| panic!("{content}: {error}"))
}

fn model(content: &str) -> Definition {
    read(format!(r#"{{"version": "1.0", "model": {content}}}"#).as_bytes()).unwrap()
}

fn write(definition: &Definition) -> crate::error::Result<Vec<u8>> {
    super::write(definition).map(|(bytes, _)| bytes)
}

fn check_comes_back(definition: &Definition) {
    let (written, is_same) = super::write(definition).unwrap();
    assert!(is_same);
    let again = read(&written).unwrap();
    assert_eq!(again, *definition);
    assert_eq!(write(&again).unwrap(), written);
}

fn refusal(definition: &Definition) -> String {
    write(definition).unwrap_err().to_string()
}

#[test]
fn every_normalizer_comes_back() {
    for kind in ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"] {
        check_comes_back(&file("normalizer", &format!(r#"{{"type": "{kind}"}}"#)));
    }
    for content in [
        "null",
        r#"{"type": "Strip", "strip_left": true, "strip_right": false}"#,
        r#"{"type": "Prepend", "prepend": "▁"}"#,
        r#"{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": false, "strip_accents": null, "lowercase": true}"#,
        r#"{"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": true, "strip_accents": false, "lowercase": false}"#,
        r#"{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\"\u0001é"}"#,
        r#"{"type": "Replace", "pattern": {"String": "  "}, "content": ""}"#,
        r#"{"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}]}"#,
        r#"{"type": "Sequence", "normalizers": []}"#,
    ] {
        check_comes_back(&file("normalizer", content));
    }
}

#[test]
fn every_pre_tokenizer_comes_back() {
    for kind in ["BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts"] {
        check_comes_back(&file("pre_tokenizer", &format!(r#"{{"type": "{kind}"}}"#)));
    }
    for behavior in ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"] {
        check_comes_back(&file(
            "pre_tokenizer",
            &format!(
                r#"{{"type": "Sequence", "pretokenizers": [{{"type": "Punctuation", "behavior": "{behavior}"}},
                {{"type": "Split", "pattern": {{"Regex": "\\d"}}, "behavior": "{behavior}", "invert": true}}]}}"#
            ),
        ));
    }
    for (add_prefix_space, use_regex) in [(false, false), (false, true), (true, false), (true, true)] {
        let byte_level = format!(
            r#"{{"type": "ByteLevel", "add_prefix_space": {add_prefix_space}, "trim_offsets": true, "use_regex": {use_regex}}}"#
        );
        check_comes_back(&file("pre_tokenizer", &byte_level));
        let digits = r#"{"type": "Digits", "individual_digits": true}"#;
        for (first, second) in
            [(byte_level.as_str(), digits), (digits, &byte_level), (&byte_level, &byte_level)]
        {
            let both = format!(r#"{{"type": "Sequence", "pretokenizers": [{first}, {second}]}}"#);
            check_comes_back(&file("pre_tokenizer", &both));
        }
    }
    for content in [
        r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}"#,
        r#"{"type": "Metaspace", "replacement": "▁", "add_prefix_space": false}"#,
        r#"{"type": "CharDelimiterSplit", "delimiter": "-"}"#,
        r#"{"type": "FixedLength", "length": 3}"#,
        r#"{"type": "Split", "pattern": {"String": "a.b"}, "behavior": "Isolated", "invert": false}"#,
    ] {
        check_comes_back(&file("pre_tokenizer", content));
    }
}

#[test]
fn every_decoder_comes_back() {
    for content in [
        "null",
        r#"{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}"#,
        r#"{"type": "WordPiece", "prefix": "", "cleanup": false}"#,
        r#"{"type": "BPEDecoder", "suffix": "</w>"}"#,
        r#"{"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": true}"#,
        r#"{"type": "Metaspace", "replacement": "_", "prepend_scheme": "never", "split": true}"#,
        r#"{"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}"#,
    ] {
        check_comes_back(&file("decoder", content));
    }
}

#[test]
fn every_post_processor_comes_back() {
    for content in [
        "null",
        r#"{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false}"#,
        r#"{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true}"#,
        r#"{"type": "RobertaProcessing", "sep": ["b", 1], "cls": ["a", 0], "trim_offsets": true, "add_prefix_space": true}"#,
        r#"{"type": "BertProcessing", "sep": ["b", 1], "cls": ["no token", 9]}"#,
        r#"{"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 3}}, {"SpecialToken": {"id": "x", "type_id": 1}}],
            "pair": [{"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "x", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {"x": {"id": "x", "ids": [0, 2], "tokens": ["a", "ab"]}}}"#,
    ] {
        check_comes_back(&file("post_processor", content));
    }
}

#[test]
fn every_model_comes_back() {
    for content in [
        r###"{"type": "BPE", "dropout": 0.1, "unk_token": "<u>", "fuse_unk": true, "byte_fallback": true, "ignore_merges": true,
            "continuing_subword_prefix": "##", "end_of_word_suffix": "</w>",
            "vocab": {"a": 0, "##b": 5, "ab": 2, "<u>": 7}, "merges": [["a", "##b"]]}"###,
        r#"{"type": "BPE", "vocab": {}, "merges": []}"#,
        r###"{"type": "WordPiece", "unk_token": "u", "continuing_subword_prefix": "##", "max_input_chars_per_word": 7, "vocab": {"u": 1}}"###,
        r#"{"type": "WordLevel", "vocab": {"<unk>": 0, "\\\"\n": 3}, "unk_token": "<unk>"}"#,
        r#"{"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "none"}"#,
        r#"{"type": "Unigram", "unk_id": 0, "byte_fallback": true,
            "vocab": [["<unk>", 0], ["▁", -2.0122928619384766], ["▁", 0.1], ["e", -1e-300], ["f", -12345678901234567.0]]}"#,
        r#"{"type": "Unigram", "unk_id": null, "vocab": []}"#,
    ] {
        check_comes_back(&model(content));
    }
}

#[test]
fn added_tokens_come_back_with_their_flags_and_ids() {
    let token = |id, content: &str, flags: [bool; 5]| {
        let [single_word, lstrip, rstrip, normalized, special] = flags;
        format!(
            r#"{{"id": {id}, "content": "{content}", "single_word": {single_word}, "lstrip": {lstrip}, "rstrip": {rstrip},
                "normalized": {normalized}, "special": {special}}}"#
        )
    };
    let tokens: Vec<_> = (0..5)
        .map(|at| token(3 + at, &format!("<{at}>"), std::array::from_fn(|flag| flag == at)))
        .chain([token(2, "ab", [false; 5])])
        .collect();
    check_comes_back(&file("added_tokens", &format!("[{}]", tokens.join(", "))));
}

/// The bytes of `a` and `b` and their join, with an added token at `id`.
fn ranks(pattern: &str, special: &[(&str, u32)]) -> Definition {
    let special: Vec<_> = special.iter().map(|&(content, id)| (content.to_owned(), id)).collect();
    tiktoken::definition(b"YQ== 0\nYg== 1\nYWI= 2\n", pattern, &special).unwrap()
}

#[test]
fn ids_that_no_reader_would_give_stand_in_the_vocabulary() {
    let as_written = |definition: &Definition| read_as_written(&write(definition).unwrap()).unwrap().0;
    let fitting = as_written(&ranks(".", &[("<x>", 3), ("<é>", 4)]));
    assert_eq!((fitting.vocab.n_tokens(), fitting.n_base(), fitting.vocab_size()), (3, 3, 5));
    let with_a_hole = as_written(&ranks(".", &[("<x>", 5), ("<世>", 9)]));
    assert_eq!((with_a_hole.vocab.n_tokens(), with_a_hole.n_base(), with_a_hole.vocab_size()), (5, 3, 10));
    assert_eq!(with_a_hole.added.iter().map(|token| token.id.0).collect::<Vec<_>>(), [5, 9]);
    // The text of a learned token cannot have another id.
    for id in [3, 5] {
        let refused = refusal(&ranks(".", &[("ab", id)]));
        assert!(refused.starts_with("added_tokens: ") || refused.starts_with("vocab: "), "{refused}");
    }
}

#[test]
fn ranks_come_back_as_ranks() {
    let r50k = equivalent::PATTERNS[0].0;
    for special in [&[][..], &[("<x>", 3), ("<é>", 4)], &[("<x>", 5), ("<世>", 9)]] {
        for pattern in [".", r50k, equivalent::PATTERNS[1].0] {
            let ranks = ranks(pattern, special);
            assert_eq!(read_as_written(&write(&ranks).unwrap()).unwrap().0.profile, Profile::Tokenizers);
            check_comes_back(&ranks);
        }
    }
    // Of two patterns that are written alike, one is read; that it is the other is said.
    let (written, is_same) = super::write(&ranks(BYTE_LEVEL_PATTERN, &[])).unwrap();
    assert!(!is_same);
    assert_eq!(read(&written).unwrap(), ranks(r50k, &[]));
}

#[test]
fn what_is_not_all_merges_of_ranks_stays_what_it_is() {
    let json = String::from_utf8(write(&ranks(".", &[])).unwrap()).unwrap();
    let profile = |json: &str| read(json.as_bytes()).unwrap().profile;
    let changed = |from: &str, to: &str| {
        assert!(json.contains(from), "{from} in {json}");
        profile(&json.replacen(from, to, 1))
    };
    assert_eq!(profile(&json), Profile::Tiktoken);
    for (from, to) in [
        (r#""behavior": "Removed""#, r#""behavior": "Isolated""#),
        (r#""invert": true"#, r#""invert": false"#),
        (r#""ignore_merges": true"#, r#""ignore_merges": false"#),
        (r#""normalizer": null"#, r#""normalizer": {"type": "NFC"}"#),
        (r#""ab": 2"#, r#""ab": 2, "abab": 3"#),
        (r#""b": 1"#, r#""b": 1, "ba": 3"#),
        (r#""Regex": ".""#, r#""Regex": "(?m).""#),
    ] {
        assert_eq!(changed(from, to), Profile::Tokenizers, "{to}");
    }
}

#[test]
fn patterns_of_tiktoken_are_written_only_where_they_are_proven() {
    for pattern in [r"\p{L}+|\s+(?!\S)|\s+", r"(?i:'s|'ll)?x", r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{M}]*[\p{Ll}]+"] {
        assert!(Pattern::is_shared(pattern), "{pattern}");
        let found = read(&write(&ranks(pattern, &[])).unwrap()).unwrap();
        assert!(
            matches!(&found.pre_tokenizers[0], PreTokenizer::Split { pattern: found, .. } if found == pattern)
        );
    }
    for pattern in [r"\s++$", r"a$", r"(?m)."] {
        assert!(!Pattern::is_shared(pattern), "{pattern}");
        let refused = refusal(&ranks(pattern, &[]));
        assert!(refused.starts_with("pre_tokenizer: the pattern "), "{refused}");
    }
}

#[test]
fn the_written_patterns_have_the_scanners_of_their_sources() {
    assert_eq!(Scanner::of(equivalent::CL100K), Some(Scanner::Cl100kTiktoken));
    assert_eq!(Scanner::of(super::super::BYTE_LEVEL_PATTERN), Some(Scanner::Gpt2));
}

#[test]
fn other_libraries_tokenizers_are_refused() {
    for profile in [Profile::SentencePiece, Profile::LlamaCpp] {
        let definition = Definition { profile, ..model(BPE) };
        let refused = refusal(&definition);
        assert!(refused.starts_with("profile: ") && refused.contains("for every text"), "{refused}");
    }
    let prefix = Definition { pre_tokenizers: vec![PreTokenizer::PrefixSpace], ..model(BPE) };
    assert!(refusal(&prefix).starts_with("pre_tokenizer: "));
}

#[test]
fn what_reading_would_change_is_refused() {
    // An added token whose text is empty is left out by a reader.
    let empty = AddedToken {
        id: TokenId(3),
        content: String::new(),
        special: true,
        normalized: false,
        single_word: false,
        lstrip: false,
        rstrip: false,
    };
    let added = vec![empty];
    let definition = Definition { controls: control::resolve(&added), added, ..model(BPE) };
    assert!(!refusal(&definition).is_empty());
}
