//! Every byte becomes a character of the display alphabet.

use super::rewriter::Rewriter;
use crate::byte_alphabet::byte_to_char;
use crate::error::Result;
use crate::interrupt::Ctl;
use crate::span::Span;

/// Spells out the text's bytes. Each comes from itself, also where it is a part of a character.
pub(super) fn byte_level(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    let mut ticker = ctl.ticker();
    for (at, byte) in out.text().bytes().enumerate() {
        ticker.tick(1)?;
        // The printable characters of ASCII stand for themselves.
        if !matches!(byte, b'!'..=b'~') {
            out.replace_char(Span::new(at, at + 1), byte_to_char(byte))?;
        }
    }
    Ok(())
}
