//! The naive, readable twin of every fast algorithm, and the generators that compare the two.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "only tests call it, and a test fails by panicking"
)]

pub mod bpe;
pub mod characters;
pub mod count;
pub mod golden;
pub mod nfc;
pub mod pattern;
pub mod random;
pub mod random_models;
pub mod reasons;
pub mod train;
pub mod unigram;
pub mod word_piece;
