//! Trainers: from counted words to a vocabulary. Counting and learning are apart, so that counts may come from
//! anywhere; what is learned depends on the counts alone, not on the order or the number of threads.

mod alphabet;
mod beside;
mod blocks;
pub mod bpe;
mod corpus;
pub mod count;
pub mod curve;
pub mod fingerprint;
mod first_pairs;
pub mod gather;
mod learn;
mod lists;
pub mod memory;
mod merge;
mod options;
mod pair_counts;
mod parts;
mod queue;
mod recount;
mod run_file;
mod runs;
mod sorted;
mod symbol;
mod tsv;
pub mod word_counts;

pub use options::{Base, BpeOptions, Layout, Merge, Score, Step, Ties, Trained};
pub use runs::Place;
pub use word_counts::{LeftOut, WordCounts};
