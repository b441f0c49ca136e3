//! Canonical composition (NFC), cluster by cluster, with the data of [`crate::unicode::canonical`].
//!
//! A cluster begins at a character that nothing before it can change, so clusters are normalized apart.
//! A scan passes over text that is known to be NFC ([`super::quick_check`]); only the clusters at which
//! it stops are decomposed, ordered and composed anew. Time is linear, also for one endless cluster.
//!
//! Source: UAX #15 and chapter 3.11 of the Unicode Standard.

use std::borrow::Cow;

use crate::alignment::{Alignment, max_made_bytes};
use crate::error::Result;
use crate::interrupt::Ctl;
use crate::normalize::composer::Composer;
use crate::normalize::quick_check::{cluster_end, next_suspect};
use crate::normalize::rewriter::Rewriter;
use crate::span::Span;

/// Returns whether `text` is in NFC.
///
/// # Errors
/// [`crate::error::Error::Interrupted`] when the caller has said stop.
pub fn is_nfc(text: &str, ctl: &Ctl<'_>) -> Result<bool> {
    let mut is_same = true;
    each_change(text, ctl, |_, _| {
        is_same = false;
        Ok(false)
    })?;
    Ok(is_same)
}

/// Returns `text` in NFC, borrowed where it is so already.
///
/// # Errors
/// [`crate::error::Error::Interrupted`] when the caller has said stop.
///
/// # Examples
/// ```
/// use piecework_core::{interrupt::Ctl, normalize::nfc};
/// assert_eq!(nfc("Cafe\u{301}", &Ctl::new())?, "Café");
/// # Ok::<(), piecework_core::error::Error>(())
/// ```
pub fn nfc<'t>(text: &'t str, ctl: &Ctl<'_>) -> Result<Cow<'t, str>> {
    Ok(rebuild(text, false, ctl)?.0)
}

/// Returns `text` in NFC, borrowed where it is so already, and where each byte of it comes from.
///
/// # Errors
/// [`crate::error::Error::Interrupted`] when the caller has said stop;
/// [`crate::error::Error::TooLong`] where a changed text is over the limit of [`max_made_bytes`].
pub fn nfc_aligned<'t>(text: &'t str, ctl: &Ctl<'_>) -> Result<(Cow<'t, str>, Alignment)> {
    rebuild(text, true, ctl)
}

/// Composes canonically.
pub(super) fn compose(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    each_change(out.text(), ctl, |cluster, composed| out.replace(cluster, composed).map(|()| true))
}

fn rebuild<'t>(text: &'t str, is_watched: bool, ctl: &Ctl<'_>) -> Result<(Cow<'t, str>, Alignment)> {
    let mut out = Rewriter::new(text, is_watched, max_made_bytes(text.len()));
    compose(&mut out, ctl)?;
    Ok(match out.finish() {
        Some((normalized, alignment)) => (Cow::Owned(normalized), alignment),
        None => (Cow::Borrowed(text), Alignment::identity()),
    })
}

/// Calls `visit` with each cluster that NFC changes and what becomes of it, until it returns `false`.
fn each_change(text: &str, ctl: &Ctl<'_>, mut visit: impl FnMut(Span, &str) -> Result<bool>) -> Result<()> {
    let mut ticker = ctl.ticker();
    let mut composer = Composer::default();
    let mut at = 0;
    while let Some(start) = next_suspect(text, at, &mut ticker)? {
        let end = cluster_end(text, start, &mut ticker)?;
        let cluster = &text[start..end];
        let made = composer.compose_cluster(cluster, &mut ticker)?;
        if made != cluster && !visit(Span { start, end }, made)? {
            return Ok(());
        }
        at = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn composed(text: &str) -> String {
        let ctl = Ctl::new();
        let normalized = nfc(text, &ctl).unwrap();
        assert_eq!(is_nfc(text, &ctl), Ok(normalized == text));
        normalized.into_owned()
    }

    #[test]
    fn what_is_normal_is_borrowed() {
        let ctl = Ctl::new();
        for text in ["", "plain", "Café", "각", "中文", "q\u{301}", "á\u{316}", "\u{301}"] {
            assert!(matches!(nfc(text, &ctl), Ok(Cow::Borrowed(same)) if same == text), "{text}");
            assert!(nfc_aligned(text, &ctl).unwrap().1.is_identity());
        }
    }

    #[test]
    fn letters_and_marks_compose() {
        assert_eq!(composed("Cafe\u{301}"), "Café");
        assert_eq!(composed("\u{1112}\u{1161}\u{11AB}글"), "한글");
        assert_eq!(composed("a\u{302}\u{323}"), "ậ");
        assert_eq!(composed("á\u{323}"), "ạ\u{301}");
        assert_eq!(composed("\u{212B}"), "Å");
    }

    #[test]
    fn a_mark_of_the_same_class_blocks() {
        assert_eq!(composed("a\u{316}\u{323}"), "a\u{316}\u{323}");
        assert_eq!(composed("a\u{30D}\u{301}"), "a\u{30D}\u{301}");
        assert_eq!(composed("a\u{316}\u{301}"), "á\u{316}");
        assert_eq!(composed("\u{BC6}\u{301}\u{BBE}"), "\u{BC6}\u{301}\u{BBE}");
    }

    #[test]
    fn excluded_composites_stay_apart() {
        assert_eq!(composed("\u{958}"), "\u{915}\u{93C}");
        assert_eq!(composed("\u{344}"), "\u{308}\u{301}");
        assert_eq!(composed("x\u{F73}\u{F71}"), "x\u{F71}\u{F71}\u{F72}");
    }

    #[test]
    fn alignment_covers_all_source_of_a_changed_cluster() {
        let text = "x\u{1112}\u{1161}\u{11AB}y";
        let (normalized, alignment) = nfc_aligned(text, &Ctl::new()).unwrap();
        assert_eq!(normalized, "x한y");
        assert_eq!(alignment.to_original(Span { start: 1, end: 4 }), Span { start: 1, end: 10 });
        assert_eq!(alignment.to_original(Span { start: 4, end: 5 }), Span { start: 10, end: 11 });
    }

    #[test]
    fn work_on_one_endless_cluster_is_linear() {
        let work = |n| {
            let ctl = Ctl::new();
            composed_with(&"\u{301}\u{316}".repeat(n), &ctl);
            ctl.work()
        };
        assert!(work(100_000) <= 11 * work(10_000));
    }

    fn composed_with(text: &str, ctl: &Ctl<'_>) {
        assert!(matches!(nfc(text, ctl), Ok(Cow::Owned(_))));
    }

    #[test]
    fn stops_when_told_to() {
        let ctl = Ctl::new();
        ctl.cancel();
        for text in ["a".repeat(1 << 20), "\u{301}\u{316}".repeat(1 << 18)] {
            assert_eq!(nfc(&text, &ctl), Err(Error::Interrupted));
        }
    }
}
