//! Lower case, character by character: no final sigma, no language.

use super::rewriter::{Rewriter, ascii_run};
use crate::error::Result;
use crate::interrupt::Ctl;
use crate::span::Span;
use crate::unicode::treatments::lower;

/// Lower-cases the text, with the data of the compiler that built the reference.
pub(super) fn lowercase(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    let text = out.text();
    let mut ticker = ctl.ticker();
    let mut at = 0;
    while at < text.len() {
        let end = ascii_run(text, at);
        out.lower_ascii(Span::new(at, end));
        ticker.tick(end - at)?;
        at = end;
        for c in text[at..].chars().take_while(|c| !c.is_ascii()) {
            ticker.tick(c.len_utf8())?;
            let source = Span::new(at, at + c.len_utf8());
            at = source.end;
            match lower(c) {
                None => {}
                Some((low, None)) => out.replace_char(source, low)?,
                Some((low, Some(mark))) => out.replace(source, &String::from_iter([low, mark]))?,
            }
        }
    }
    Ok(())
}
