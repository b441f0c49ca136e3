//! What is dropped or becomes a space because it is not seen: BERT's cleaning and that of NMT; and the spaces
//! that BERT puts around ideographs.

use super::rewriter::Rewriter;
use crate::error::Result;
use crate::interrupt::Ctl;
use crate::span::Span;
use crate::unicode::treatments::{treatment, treatment_of};

/// What becomes of a character.
enum Fate {
    Stays,
    Dropped,
    Blank,
}

/// Drops control characters and makes spaces of white space, as BERT does.
pub(super) fn clean(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    decide(out, ctl, |c| match treatment_of(c) & (treatment::CONTROL | treatment::BLANK) {
        0 => Fate::Stays,
        treatment::BLANK => Fate::Blank,
        _ => Fate::Dropped,
    })
}

/// Drops control characters and makes spaces of odd white space, as the NMT rules of SentencePiece do.
pub(super) fn nmt(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    decide(out, ctl, |c| match c {
        '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}' => Fate::Dropped,
        '\t'
        | '\n'
        | '\u{C}'
        | '\r'
        | '\u{1680}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2581}'
        | '\u{FEFF}'
        | '\u{FFFD}' => Fate::Blank,
        _ => Fate::Stays,
    })
}

/// Puts a space before and after every CJK ideograph.
pub(super) fn space_ideographs(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    out.each(
        ctl,
        |_, _| {},
        |out, source, c| {
            if is_ideograph(c) {
                out.insert(source.start, " ")?;
                out.insert(source.end, " ")?;
            }
            Ok(())
        },
    )
}

/// Returns whether BERT takes `c` for a CJK ideograph. (It leaves out the blocks that came after it, and of
/// extension E the first half.)
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{2F800}'..='\u{2FA1F}')
}

fn decide(out: &mut Rewriter<'_>, ctl: &Ctl<'_>, fate: impl Fn(char) -> Fate) -> Result<()> {
    let text = out.text();
    let mut ticker = ctl.ticker();
    for (at, c) in text.char_indices() {
        ticker.tick(c.len_utf8())?;
        // Nothing printable of ASCII is ever touched.
        if matches!(c, ' '..='~') {
            continue;
        }
        let source = Span::new(at, at + c.len_utf8());
        match fate(c) {
            Fate::Stays => {}
            Fate::Dropped => out.drop(source)?,
            Fate::Blank => out.replace(source, " ")?,
        }
    }
    Ok(())
}
