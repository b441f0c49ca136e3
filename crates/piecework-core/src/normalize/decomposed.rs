//! Canonical decomposition (NFD), and the compatibility decompositions that make NFKC and NFKD of NFC and NFD.
//!
//! Compatibility is one step before the canonical forms: each character that has a compatibility decomposition
//! becomes that, whole, and NFC or NFD does the rest. That is what the standard's definition comes to, since
//! those decompositions hold nothing that decomposes further.

use super::composer::Composer;
use super::rewriter::{Rewriter, ascii_run};
use crate::error::Result;
use crate::interrupt::{Ctl, Ticker};
use crate::span::Span;
use crate::unicode::canonical::{combining_class, decomposes, starts_decomposed_cluster};
use crate::unicode::treatments::compatible;

/// Decomposes canonically and puts the marks in order.
pub(super) fn nfd(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    let text = out.text();
    let mut ticker = ctl.ticker();
    let mut composer = Composer::default();
    let mut at = 0;
    while at < text.len() {
        let end = ascii_run(text, at);
        ticker.tick(end - at)?;
        // Marks after the last character of the run belong to it; they move, it does not.
        if end > at && end < text.len() {
            at = end - 1;
        } else if end > at {
            at = end;
            continue;
        }
        let (cluster, is_changed) = next_cluster(text, at, &mut ticker)?;
        if is_changed {
            let made = composer.decompose_cluster(&text[cluster.range()], &mut ticker)?;
            out.replace(cluster, made)?;
        }
        at = cluster.end;
    }
    Ok(())
}

/// Lets each character that has a compatibility decomposition become it.
pub(super) fn decompose_compatible(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    out.each(
        ctl,
        |_, _| {},
        |out, source, c| match compatible(c) {
            Some(decomposition) => out.replace(source, decomposition),
            None => Ok(()),
        },
    )
}

/// Returns the cluster that begins at `start`, and whether NFD may change it.
fn next_cluster(text: &str, start: usize, ticker: &mut Ticker<'_>) -> Result<(Span, bool)> {
    let (mut end, mut last_class, mut is_changed) = (start, 0, false);
    for c in text[start..].chars() {
        if end > start && starts_decomposed_cluster(c) {
            break;
        }
        ticker.tick(c.len_utf8())?;
        end += c.len_utf8();
        let class = combining_class(c);
        is_changed |= decomposes(c) || class < last_class;
        last_class = class;
    }
    Ok((Span::new(start, end), is_changed))
}
