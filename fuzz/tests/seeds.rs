//! Every seed gets as far as it should, cut anywhere and damaged at every byte.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what it expects by failing")]

use piecework_core::definition::Definition;
use piecework_core::formats::{gguf, sentencepiece, tekken, tokenizer_json, vocab_merges, wordpiece};
use piecework_fuzz::{TARGETS, seeds};

#[test]
fn seeds_are_valid() {
    let (mut n, mut refused) = (0, Vec::new());
    let mut check = |result: piecework_core::error::Result<Definition>| {
        n += 1;
        if let Err(error) = result {
            refused.push(format!("{n}: {error}"));
        }
    };
    for seed in seeds::tokenizer_json() {
        check(tokenizer_json::read(&seed));
    }
    for seed in seeds::definition() {
        check(Definition::from_bytes(&seed));
    }
    for seed in seeds::tekken() {
        check(tekken::read(&seed));
    }
    for seed in seeds::gguf() {
        check(gguf::read(&seed).map(|contents| contents.definition));
    }
    for seed in seeds::sentencepiece() {
        check(sentencepiece::read(&seed, sentencepiece::Options::default()));
    }
    let text = |part: Option<&[u8]>| String::from_utf8(part.unwrap_or_default().to_vec()).unwrap();
    for seed in seeds::wordpiece() {
        let mut parts = seed.split(|&byte| byte == 0);
        check(wordpiece::read(parts.next().unwrap(), &text(parts.next())).map(|(definition, _)| definition));
    }
    for seed in seeds::vocab_merges() {
        let mut parts = seed.split(|&byte| byte == 0);
        let (vocab, merges) = (parts.next().unwrap(), parts.next().unwrap());
        check(vocab_merges::read(vocab, merges, &text(parts.next())).map(|(definition, _)| definition));
    }
    assert_eq!((n, refused), (31, vec![]));
}

#[test]
fn every_seed_cut_at_every_byte() {
    // The others begin from noise, of which every part is as good.
    for target in TARGETS.iter().take_while(|target| target.name != "stages") {
        for seed in (target.seeds)() {
            // Most of the larger ones is one list.
            let step = 1 + seed.len() / 2000;
            for end in (0..=seed.len()).step_by(step) {
                (target.run)(&seed[..end]);
            }
        }
    }
}
