//! Placeholder until the pack reader lands (overwrite me).
use crate::{
    definition::Definition,
    error::{Error, Result},
};
/// Placeholder.
pub fn read(_: &[u8]) -> Result<Definition> {
    Err(Error::format("pack", "in the works"))
}
