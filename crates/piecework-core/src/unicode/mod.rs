//! Unicode data, generated and committed: no table comes from the toolchain or from a dependency, so
//! that a new compiler changes no id.
//!
//! Each table is of the edition that the references have: the classes of both references' regex
//! engines are Unicode 16.0, the normalization of tokenizers is Unicode 9.0, to which newer marks and
//! composites are unknown. Every code point is compared with the live references.

pub mod canonical;
mod canonical_table;
pub mod classes;
mod classes_table;
pub mod treatments;
mod treatments_table;

pub use classes::{class, class_of, class_of_code};
