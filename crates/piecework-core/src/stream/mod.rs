//! Incremental both ways: ids that become text as they come, and text that becomes ids. Whatever the cuts, what
//! is given out joins to what the whole would have given.

mod boundary;
mod decoder;
mod encoder;
mod stop;

pub use boundary::Rule;
pub use decoder::{Decoder, End};
pub use encoder::Encoder;

#[cfg(test)]
mod tests;
