//! Decoders on small vocabularies. What is expected was made with tokenizers 0.23.3 and sentencepiece 0.2.3.

use std::sync::Arc;

use super::*;
use crate::definition::{AddedToken, Bpe, Characters, DecodeStep, Model, Needle, Prepend, WordLevel};
use crate::merges::Merges;
use crate::vocab::Vocab;

fn decoding(tokens: &[&str], decoder: Decoder) -> Decoding {
    Decoding::new(Arc::new(definition(tokens, decoder))).unwrap()
}

fn definition(tokens: &[&str], decoder: Decoder) -> Definition {
    let vocab = Vocab::dense(tokens.iter().map(|token| token.as_bytes())).unwrap();
    Definition {
        added: vec![AddedToken::verbatim(TokenId(tokens.len() as u32), "<s>", true)],
        decoder,
        ..Definition::new(vocab, Model::WordLevel(WordLevel::default()))
    }
}

fn replace(needle: &str, content: &str) -> DecodeStep {
    DecodeStep::Replace { pattern: Needle::Text(needle.to_owned()), content: content.to_owned() }
}

fn fed(decoding: &Decoding, ids: &[u32]) -> (Vec<String>, bool) {
    let mut run = Run::new(decoding, false, Invalid::Replace);
    let ctl = Ctl::new();
    let mut parts = Vec::new();
    for id in ids {
        let mut out = Vec::new();
        run.feed(decoding, &[*id], &mut out, &ctl).unwrap();
        parts.push(String::from_utf8(out).unwrap());
    }
    let mut out = Vec::new();
    let is_complete = run.finish(&mut out, &ctl).unwrap();
    parts.push(String::from_utf8(out).unwrap());
    (parts, is_complete)
}

fn text(decoding: &Decoding, ids: &[u32]) -> String {
    let text = decoding.text(ids, false, false, &Ctl::new()).unwrap();
    assert_eq!(fed(decoding, ids).0.concat(), text);
    text
}

/// The decoder of Llama 2 and Mistral.
fn llama() -> Decoding {
    let steps = vec![
        replace("▁", " "),
        DecodeStep::ByteFallback,
        DecodeStep::Fuse,
        DecodeStep::Strip { content: ' ', start: 1, stop: 0 },
    ];
    let tokens = ["▁the", "▁quick", "▁cat", "<0xE5>", "<0x8F>", "<0xAB>", "▁", "!"];
    decoding(&tokens, Decoder::Steps(steps))
}

#[test]
fn only_the_first_space_of_all_vanishes() {
    let llama = llama();
    assert_eq!(fed(&llama, &[0, 1, 2]).0, ["the", " quick", " cat", ""]);
    assert_eq!(text(&llama, &[6, 0]), " the");
    // A special token before it keeps the space, as in the reference.
    assert_eq!(text(&llama, &[8, 0]), "<s> the");
    assert_eq!(llama.text(&[8, 0], true, false, &Ctl::new()).unwrap(), "the");
}

#[test]
fn a_run_of_byte_tokens_is_one_text_or_none() {
    let llama = llama();
    assert_eq!(
        fed(&llama, &[3, 4, 5, 7]),
        (vec![String::new(), String::new(), String::new(), "叫!".into(), String::new()], true)
    );
    assert_eq!(text(&llama, &[3, 4, 7]), "\u{fffd}\u{fffd}!");
    // Broken for good at its second byte, so nothing waits any more.
    assert_eq!(fed(&llama, &[3, 3, 4]).0, ["", "\u{fffd}\u{fffd}", "\u{fffd}", ""]);
    assert_eq!(fed(&llama, &[7, 3]), (vec!["!".into(), String::new(), "\u{fffd}".into()], false));
    let ctl = Ctl::new();
    assert_eq!(llama.bytes(&[7, 3, 4, 0], false, &ctl).unwrap(), b"!\xe5\x8f the");
    assert_eq!(llama.text(&[7, 3, 4], false, true, &ctl), Err(Error::IncompleteText { valid_up_to: 1 }));
    assert_eq!(llama.text(&[3, 4, 5], false, true, &ctl).unwrap(), "叫");
}

#[test]
fn words_are_put_together_and_tidied_piece_by_piece() {
    let step = |cleanup| DecodeStep::WordPiece { prefix: "##".to_owned(), cleanup };
    let tokens = ["do", "##ing", ".", "n't", "'", "s", "##"];
    let tidy = decoding(&tokens, Decoder::Steps(vec![step(true)]));
    assert_eq!(fed(&tidy, &[0, 1, 2, 0, 3]).0, ["do", "ing", ".", " do", "n't", ""]);
    assert_eq!(text(&tidy, &[1, 6, 0, 4, 5]), "##ing do ' s");
    let plain = decoding(&tokens, Decoder::Steps(vec![step(false)]));
    assert_eq!(text(&plain, &[0, 1, 2]), "doing .");
}

#[test]
fn the_last_end_of_word_is_no_space() {
    let clip = decoding(
        &["a", "photo</w>", "!</w>"],
        Decoder::Steps(vec![DecodeStep::Bpe { suffix: "</w>".to_owned() }]),
    );
    assert_eq!(fed(&clip, &[0, 1, 2]).0, ["a", "photo", " !", ""]);
}

#[test]
fn repetitions_and_padding_vanish() {
    let ctc = DecodeStep::Ctc {
        pad_token: "<pad>".to_owned(),
        word_delimiter_token: "|".to_owned(),
        cleanup: true,
    };
    let ctc = decoding(&["<pad>", "h", "i", "|"], Decoder::Steps(vec![ctc]));
    assert_eq!(text(&ctc, &[0, 1, 1, 0, 1, 2, 3, 3, 2]), "hhi i");
}

#[test]
fn without_a_decoder_spaces_join() {
    let none = decoding(&["a", "", "b"], Decoder::Steps(Vec::new()));
    assert_eq!(text(&none, &[0, 1, 2, 0]), "a  b a");
    assert_eq!(text(&none, &[]), "");
}

#[test]
fn matches_across_tokens_are_held_back_and_no_more() {
    let fused =
        decoding(&["x a", "b", "c ab", "ab"], Decoder::Steps(vec![DecodeStep::Fuse, replace("abc", "-")]));
    assert_eq!(fed(&fused, &[0, 1, 2, 3]).0, ["x ", "", "- ", "ab", "ab"]);
    assert!(fused.streams());
    let pattern = DecodeStep::Replace { pattern: Needle::Pattern(r"\s+".into()), content: "_".into() };
    let whole = decoding(&["a ", " b"], Decoder::Steps(vec![DecodeStep::Fuse, pattern]));
    assert_eq!(fed(&whole, &[0, 1]).0, ["", "", "a_b"]);
    assert!(!whole.streams());
}

#[test]
fn trailing_characters_that_may_vanish_wait() {
    let strip = DecodeStep::Strip { content: ' ', start: 1, stop: 1 };
    let strip = decoding(&["  a ", " ", "b"], Decoder::Steps(vec![DecodeStep::Fuse, strip]));
    assert_eq!(fed(&strip, &[0, 1, 2, 1]).0, [" a", " ", " b", "", ""]);
}

#[test]
fn metaspaces_of_the_first_token_vanish() {
    let step = |prepend| DecodeStep::Metaspace { replacement: '▁', prepend };
    let always = decoding(&["▁▁a▁b", "▁c"], Decoder::Steps(vec![step(Prepend::Always)]));
    assert_eq!(text(&always, &[0, 1]), "ab c");
    let never = decoding(&["▁▁a▁b", "▁c"], Decoder::Steps(vec![step(Prepend::Never)]));
    assert_eq!(text(&never, &[0, 1]), "  a b c");
}

fn sentencepiece(add_dummy_prefix: bool, remove_extra_whitespaces: bool) -> Decoding {
    let tokens = ["<unk>", "▁the", "▁", "a", "<0xE5>", "<0x8F>", "<0xAB>", "▁▁b"];
    let decoder = Decoder::SentencePiece {
        add_dummy_prefix,
        remove_extra_whitespaces,
        whitespace_as_suffix: false,
        unk_surface: " \u{2047} ".to_owned(),
    };
    let mut definition = definition(&tokens, decoder);
    let characters = Characters { unk: Some(TokenId(0)), byte_fallback: true, ..Characters::default() };
    definition.model = Model::Bpe(Bpe { characters: Some(characters), ..Bpe::bytes(Merges::Concat, false) });
    Decoding::new(Arc::new(definition)).unwrap()
}

#[test]
fn sentencepiece_drops_its_dummy_space_and_replaces_byte_by_byte() {
    let plain = sentencepiece(true, false);
    assert_eq!(fed(&plain, &[1, 1, 3]).0, ["the", " the", "a", ""]);
    assert_eq!(text(&plain, &[2, 1]), " the");
    assert_eq!(text(&plain, &[7]), " b");
    assert_eq!(text(&plain, &[0, 1]), " \u{2047}  the");
    assert_eq!(fed(&plain, &[4, 5, 6, 4, 3]).0, ["", "", "叫", "", "\u{fffd}a", ""]);
    assert_eq!(text(&plain, &[4, 5, 1]), "\u{fffd}\u{fffd} the");
    assert_eq!(plain.bytes(&[4, 5, 1], false, &Ctl::new()).unwrap(), b"\xe5\x8f the");
    let squeezed = sentencepiece(false, true);
    assert_eq!(text(&squeezed, &[2, 2, 1, 2]), "the ");
    let neither = sentencepiece(false, false);
    assert_eq!(text(&neither, &[1]), " the");
}

#[test]
fn an_unknown_id_is_named_with_its_place_and_takes_nothing() {
    let llama = llama();
    let mut run = Run::new(&llama, false, Invalid::Replace);
    let (mut out, ctl) = (Vec::new(), Ctl::new());
    run.feed(&llama, &[0, 1], &mut out, &ctl).unwrap();
    let error = run.feed(&llama, &[2, 99], &mut out, &ctl).unwrap_err();
    assert_eq!(error, Error::UnknownId { id: 99, position: 3, vocab_size: 9 });
    run.feed(&llama, &[2], &mut out, &ctl).unwrap();
    assert_eq!(out, b"the quick cat");
}

#[test]
fn a_piece_is_spelled_and_read() {
    let read = |decoding: &Decoding, id| readable(&piece_bytes(decoding.definition(), TokenId(id)).unwrap());
    let llama = llama();
    assert_eq!([0, 3, 6, 8].map(|id| read(&llama, id)), [" the", "\\xe5", " ", "<s>"]);
    assert_eq!(spelling(llama.definition(), TokenId(3)).unwrap(), "<0xE5>");
    let words = DecodeStep::WordPiece { prefix: "##".to_owned(), cleanup: true };
    let words = decoding(&["do", "##ing"], Decoder::Steps(vec![words]));
    assert_eq!([0, 1].map(|id| read(&words, id)), ["do", "ing"]);
    assert_eq!(spelling(words.definition(), TokenId(1)).unwrap(), "##ing");
    assert!(piece_bytes(words.definition(), TokenId(9)).is_none());
}
