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
pub mod pool;
pub mod sink;
pub mod span;
// Layer 1: tables.
pub mod alignment;
pub mod byte_alphabet;
pub mod merges;
pub mod unicode;
pub mod units;
pub mod vocab;
pub mod words;
// Layer 2: what a tokenizer is.
pub mod definition;
// Layer 3: the stages.
pub mod added;
pub mod decode;
pub mod model;
pub mod normalize;
pub mod observe;
pub mod split;
// Layer 4: two ways to run a definition.
pub mod fast;
pub mod generic;
// Layer 5: which of them.
pub mod plan;
// Layer 6: what callers hold.
pub mod batch;
pub mod encoding;
pub mod executor;
pub mod input;
pub mod rows;
pub mod sample;
pub mod stages;
pub mod stream;
pub mod tokenizer;
pub mod trace;
pub mod trim;
pub mod truncate;
// Layer 7: into and out of a definition.
pub mod formats;
pub mod train;
