//! Models: how a pretoken becomes tokens. The plain form of each stands here; `fast` holds the fused one.

pub mod bpe;
