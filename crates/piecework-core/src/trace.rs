//! Why: what the stages and the model had to choose from, and what decided.

use crate::error::Result;
use crate::interrupt::Ctl;
use crate::model::Tokens;
use crate::model::reasons::{How, Reasons};
use crate::tokenizer::Tokenizer;

impl Tokenizer {
    /// Returns why the model makes its tokens of the pretoken `piece`, given as the model sees it, and these tokens,
    /// each with how it came about. A model sees nothing but the pretoken, so this is all there is to know.
    ///
    /// # Errors
    /// [`crate::error::Error::Unencodable`] with an index into `piece`, [`crate::error::Error::Interrupted`].
    pub fn reasons(&self, piece: &str, ctl: &Ctl<'_>) -> Result<(Reasons, Tokens, Vec<How>)> {
        self.plan().model().reasons(self.definition(), piece, &mut ctl.ticker())
    }
}
