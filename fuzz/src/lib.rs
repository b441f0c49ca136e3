//! What must hold whatever the bytes are: a file is read or refused with its place, what was read runs, and the
//! quick models give what the naive ones give. Each target is a plain function of bytes: tests mutate small files
//! for seconds, and libFuzzer goes on from there for as long as one likes.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a target says what it found by failing"
)]

pub mod formats;
pub mod holds;
pub mod models;
pub mod mutate;
pub mod seeds;
pub mod stages;

/// One thing to attack.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// What `make fuzz TARGET=` calls it.
    pub name: &'static str,
    /// Fails where something does not hold.
    pub run: fn(&[u8]),
    /// Small inputs that get far, to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target: one a file format, one for the stages of a definition, one a model.
pub const TARGETS: [Target; 15] = [
    Target { name: "tokenizer_json", run: formats::tokenizer_json, seeds: seeds::tokenizer_json },
    Target { name: "tiktoken", run: formats::tiktoken, seeds: seeds::tiktoken },
    Target { name: "pack", run: formats::pack, seeds: seeds::pack },
    Target { name: "definition", run: formats::definition, seeds: seeds::definition },
    Target { name: "sentencepiece", run: formats::sentencepiece, seeds: seeds::sentencepiece },
    Target { name: "tekken", run: formats::tekken, seeds: seeds::tekken },
    Target { name: "gguf", run: formats::gguf, seeds: seeds::gguf },
    Target { name: "wordpiece", run: formats::wordpiece, seeds: seeds::wordpiece },
    Target { name: "vocab_merges", run: formats::vocab_merges, seeds: seeds::vocab_merges },
    Target { name: "detect", run: formats::detect, seeds: seeds::detect },
    Target { name: "stages", run: stages::stages, seeds: seeds::noise },
    Target { name: "bytes", run: models::bytes, seeds: seeds::noise },
    Target { name: "characters", run: models::characters, seeds: seeds::noise },
    Target { name: "unigram", run: models::unigram, seeds: seeds::noise },
    Target { name: "word_piece", run: models::word_piece, seeds: seeds::noise },
];
