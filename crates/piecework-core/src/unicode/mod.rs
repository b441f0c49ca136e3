//! Unicode data, generated and committed: no table comes from the toolchain or from a dependency, so
//! that a new compiler changes no id.
//!
//! Data is kept per component as the references have it, under a name that `info` shows and the
//! fingerprint covers: the references' regex engines know Unicode 16.0, their normalizers 9.0.

pub mod canonical;
mod canonical_table;
pub mod classes;
mod classes_table;

pub use classes::{class, class_of, class_of_code};

/// Which edition of Unicode one component follows, and which reference decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// The name that outputs and fingerprints carry.
    pub name: &'static str,
    /// The edition of the Unicode standard.
    pub unicode: &'static str,
    /// The library whose behavior every code point was compared with.
    pub reference: &'static str,
}

/// Character classes: what `\p{L}`, `\p{M}`, `\p{N}`, `\s` and their kin match.
pub const CLASSES: Profile =
    Profile { name: "classes-16.0", unicode: "16.0.0", reference: "tokenizers 0.23.3 and tiktoken 0.14.0" };

/// Canonical normalization: marks and decompositions newer than Unicode 9.0 are not known to it.
pub const CANONICAL: Profile = Profile { name: "hf-0.2x", unicode: "9.0.0", reference: "tokenizers 0.23.3" };
