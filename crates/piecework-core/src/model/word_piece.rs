//! Not written yet.

use super::Tokens;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::interrupt::Ticker;

/// The model's tables.
#[derive(Debug)]
pub struct Tables {}

/// What one thread needs.
#[derive(Debug, Default)]
pub struct Scratch {}

impl Tables {
    /// Builds the tables.
    ///
    /// # Errors
    /// [`Error::Format`].
    pub fn new(_: &Definition) -> Result<Self> {
        Err(Error::format("model", "this model is not supported yet"))
    }

    /// Appends the tokens of `piece`.
    ///
    /// # Errors
    /// [`Error::Unencodable`], [`Error::Interrupted`].
    pub fn encode(
        &self,
        _definition: &Definition,
        _scratch: &mut Scratch,
        _piece: &str,
        _tokens: &mut Tokens,
        _ticker: &mut Ticker<'_>,
    ) -> Result<()> {
        Ok(())
    }
}
