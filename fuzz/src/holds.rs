//! What holds of every definition that was read: its canonical form comes back, it is refused with a place or runs,
//! and all ways to run it agree.

use std::sync::Arc;

use piecework_core::definition::Definition;
use piecework_core::error::Error;
use piecework_core::formats::{tiktoken, tokenizer_json, vocab_merges};
use piecework_core::interrupt::Ctl;
use piecework_core::model::sampling::Sampling;
use piecework_core::stream::{Decoder, Encoder};
use piecework_core::tokenizer::{Options, Special, Tokenizer, TrustedText};
use piecework_core::truncate::Side;
use piecework_core::units::{self, Unit, UnitIndex};

/// Short texts that meet every stage: spaces, marks, joined emoji, an odd case, controls, CJK, and what looks like
/// tokens.
pub const TEXTS: [&str; 9] = [
    "",
    "a",
    "ab aba  abba\n\n",
    "  Hello, wörld! don't 123 4567.",
    "e\u{301}\u{327} İ ß ﬁ ½ \u{1100}\u{1161}\u{11a8}",
    "🏳️‍🌈👨‍👩‍👧 \u{0}\u{ad}\u{200d}\u{feff}",
    "<s>[INST] <0x41> <|x|> <unk> ##b ▁a▁▁</s>",
    "漢字カナ ไทย हिन्दी \u{85}\u{2028}\u{a0}x",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

/// Fails where something does not hold of `definition`.
pub fn all(definition: Definition) {
    comes_back(&definition);
    written(&definition);
    runs(definition, &TEXTS);
}

fn comes_back(definition: &Definition) {
    let bytes = definition.to_bytes();
    let again = Definition::from_bytes(&bytes).expect("what was written is read");
    assert!(again.to_bytes() == bytes, "the canonical form is one form");
}

/// Fails where a form that the definition was written in is not read again.
fn written(definition: &Definition) {
    if let Ok((file, _)) = tokenizer_json::write(definition) {
        tokenizer_json::read(&file).expect("a tokenizer.json that was written is read");
    }
    // Texts of characters need a third file, which says how they are cut.
    if let Ok((vocab, merges)) = vocab_merges::write(definition)
        && definition.model.is_byte_level()
    {
        vocab_merges::read(vocab.as_bytes(), merges.as_bytes(), "")
            .expect("files that were written are read");
    }
    if let Ok(ranks) = tiktoken::write_definition(definition) {
        tiktoken::read(ranks.as_bytes()).expect("ranks that were written are read");
    }
}

/// Fails where `definition` does not run on each text, or not the same every way.
pub fn runs(definition: Definition, texts: &[&str]) {
    let tokenizer = match Tokenizer::new(definition.clone()) {
        Ok(tokenizer) => Arc::new(tokenizer),
        Err(Error::Format { place, reason }) => {
            assert!(!place.is_empty() && !reason.is_empty());
            return;
        }
        Err(other) => panic!("a definition is refused with its place, and not so: {other:?}"),
    };
    let plain = Tokenizer::generic(definition).expect("what runs quickly runs plainly");
    for text in texts {
        for special in [Special::Text, Special::Parse(TrustedText::Everything)] {
            let options = Options { special, add_special_tokens: true };
            encodes(&tokenizer, &plain, text, &options);
        }
    }
}

fn encodes(tokenizer: &Arc<Tokenizer>, plain: &Tokenizer, text: &str, options: &Options) {
    let ctl = Ctl::new();
    let ids = tokenizer.ids(text, options, &ctl);
    assert_eq!(
        plain.ids(text, options, &ctl),
        ids,
        "quick and plain, {text:?}, {:?}",
        tokenizer.definition()
    );
    let encoding = tokenizer.encoding(text, options, &ctl);
    let _ = tokenizer.stages(text, options, &ctl);
    sampled(tokenizer, text, options);
    let ids = match ids {
        Ok(ids) => ids,
        Err(Error::Unencodable { index, .. } | Error::PatternLimit { index, .. }) => {
            assert!(index <= text.len(), "{index} lies in {text:?}, {:?}", tokenizer.definition());
            return;
        }
        Err(Error::TooLong { .. }) => return,
        Err(other) => panic!("{other:?} for {text:?}"),
    };
    let encoding = encoding.expect("what has ids has an encoding");
    assert_eq!(encoding.ids, ids, "{text:?}");
    assert_eq!(tokenizer.count(text, options, &ctl), Ok(ids.len()), "{text:?}");
    let (characters, graphemes) =
        (UnitIndex::new(text, Unit::Char), units::graphemes(text, &ctl).expect("nobody stops it"));
    assert_eq!(encoding.byte_spans.len(), ids.len(), "{text:?}");
    for &span in &encoding.byte_spans {
        assert!(span.start <= span.end && span.end <= text.len(), "{span:?} lies in {text:?}");
        for covered in [characters.cover(span), units::cover(&graphemes, span)] {
            assert!(
                covered.start <= covered.end && covered.end <= text.len(),
                "{covered:?} lies in {text:?}"
            );
        }
    }
    streams(tokenizer, text, options, &ids);
    decodes(tokenizer, &ids);
    for side in [Side::Left, Side::Right] {
        match tokenizer.truncate(text, ids.len() / 2, side, options, &ctl) {
            Ok(span) => assert!(text.get(span.range()).is_some()),
            Err(Error::LimitTooSmall { .. } | Error::Unencodable { .. } | Error::PatternLimit { .. }) => {}
            Err(other) => panic!("{other:?} for {text:?}"),
        }
    }
}

fn sampled(tokenizer: &Tokenizer, text: &str, options: &Options) {
    let ctl = Ctl::new();
    let sampling = Sampling { seed: 1, alpha: 0.5, dropout: Some(0.3), nbest_size: None };
    let _ = tokenizer.sample(text, options, &sampling, &ctl);
    let _ = tokenizer.sample(text, options, &Sampling { nbest_size: Some(4), ..sampling }, &ctl);
    let _ = tokenizer.nbest(text, 3, options, &ctl);
}

fn streams(tokenizer: &Arc<Tokenizer>, text: &str, options: &Options, ids: &[u32]) {
    let ctl = Ctl::new();
    let mut encoder = Encoder::new(Arc::clone(tokenizer), options.clone());
    let mut found = Vec::new();
    for part in text.split_inclusive(|_| true) {
        found.extend(encoder.feed(part, &ctl).expect("a stream takes what the whole is"));
    }
    found.extend(encoder.finish(&ctl).expect("a stream ends as the whole does"));
    assert_eq!(found, ids, "as a stream, {text:?}, {:?}", tokenizer.definition());
}

fn decodes(tokenizer: &Arc<Tokenizer>, ids: &[u32]) {
    let ctl = Ctl::new();
    for skip_special in [false, true] {
        let whole = match tokenizer.decoding().text(ids, skip_special, false, &ctl) {
            Ok(whole) => whole,
            // A template may name ids that are none.
            Err(Error::PatternLimit { .. } | Error::UnknownId { .. }) => continue,
            Err(other) => panic!("{other:?} for {ids:?}"),
        };
        let mut decoder = Decoder::new(Arc::clone(tokenizer), skip_special, false, &[]);
        let mut found = String::new();
        for &id in ids {
            found.push_str(&decoder.feed(&[id], &ctl).expect("a stream takes what the whole is"));
        }
        found.push_str(&decoder.finish(&ctl).expect("a stream ends as the whole does").text);
        assert_eq!(found, whole, "decoded as a stream, {ids:?}, {:?}", tokenizer.definition());
    }
    let _ = tokenizer.decoding().text(&[u32::MAX, 0, 1, 2], false, true, &ctl);
}
