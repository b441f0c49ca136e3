//! The exact tokenizer engine of Piecework.
//!
//! Every algorithm lives here; this crate knows no Python, no network and no printing. Modules are
//! listed in layers: a module uses only what stands above it.
//!
//! `text → added-token split → normalizer → pre-tokenizer → model → post-processor → ids`, and
//! back through the decoder. [`tokenizer::Tokenizer`] is what callers hold.
#![deny(unsafe_code)]

// Layer 0: words every module needs.
pub mod error;
pub mod id;
pub mod interrupt;
pub mod span;
// Layer 1: tables.
pub mod merges;
pub mod unicode;
pub mod vocab;
// Layer 2: what a tokenizer is.
pub mod definition;
// Layer 3: the stages.
pub mod normalize;
