//! Tokenizer files, into and out of [`crate::definition`]: one module a format, and [`detect()`], which
//! tells formats apart by what they hold, since names mislead.

mod base64;
mod detect;
pub mod directory;
pub mod gguf;
mod json;
pub mod pack;
pub mod sentencepiece;
mod spelling;
pub mod tekken;
pub mod tiktoken;
mod token_options;
pub mod tokenizer_json;
pub mod vocab_merges;
pub mod wordpiece;

pub use detect::{Kind, PACK_MAGIC, detect};
