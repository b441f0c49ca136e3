//! Tokenizer files, into and out of [`crate::definition`]: one module a format, and [`detect()`], which
//! tells formats apart by what they hold, since names mislead.

mod base64;
mod detect;
pub mod directory;
mod json;
pub mod pack;
pub mod sentencepiece;
pub mod tiktoken;
pub mod tokenizer_json;

pub use detect::{Kind, PACK_MAGIC, detect};
