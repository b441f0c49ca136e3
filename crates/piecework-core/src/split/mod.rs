//! Placeholder until the general splitter lands (overwrite me).
use crate::definition::{PreTokenizer, Profile};
use crate::error::{Result, Error};
use crate::interrupt::Ticker;
use crate::span::Span;
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Splitter;
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct SplitScratch;
impl Splitter {
    #[allow(missing_docs)]
    pub fn new(_: &[PreTokenizer], _: Profile) -> Result<Self> {
        Err(Error::format("pre_tokenizer", "patterns without a native scanner: in the works"))
    }
    #[allow(missing_docs)]
    pub fn scratch(&self) -> SplitScratch {
        SplitScratch
    }
    #[allow(missing_docs)]
    pub fn split(
        &self,
        _t: &str,
        _: &mut SplitScratch,
        _o: &mut Vec<Span>,
        _: &mut Ticker<'_>,
    ) -> Result<()> {
        Ok(())
    }
}
