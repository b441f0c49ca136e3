//! The naive, readable twin of every fast algorithm, and the generators that compare the two.

pub mod bpe;
pub mod nfc;
pub mod random;
