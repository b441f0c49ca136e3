//! Lower case, character by character: no final sigma, no language.

use super::rewriter::Rewriter;
use crate::error::Result;
use crate::interrupt::Ctl;
use crate::unicode::treatments::lower;

/// Lower-cases the text, with the data of the compiler that built the reference.
pub(super) fn lowercase(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    out.each(ctl, Rewriter::lower_ascii, |out, source, c| match lower(c) {
        None => Ok(()),
        Some((low, None)) => out.replace_char(source, low),
        Some((low, Some(mark))) => out.replace(source, &String::from_iter([low, mark])),
    })
}
