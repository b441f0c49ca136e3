//! Dropping combining marks. A base and the marks dropped after it are one cluster: the base comes from all
//! of it.

use super::composer::Composer;
use super::rewriter::{Rewriter, ascii_run};
use crate::error::Result;
use crate::interrupt::{Ctl, Ticker};
use crate::span::Span;
use crate::unicode::canonical::starts_decomposed_cluster;
use crate::unicode::treatments::{treatment, treatment_of};

/// Drops combining marks of all kinds, as `StripAccents` does: what is composed stays so.
pub(super) fn strip_accents(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    let is_mark = |c| treatment_of(c) & treatment::MARK != 0;
    clusters(
        out,
        ctl,
        |c| !is_mark(c),
        |out, span, _| {
            let cluster = &out.text()[span.range()];
            let kept = cluster.find(is_mark).unwrap_or(cluster.len());
            out.replace(span, &cluster[..kept])
        },
    )
}

/// Decomposes canonically and drops the marks without a width, as BERT does.
pub(super) fn strip_nonspacing(out: &mut Rewriter<'_>, ctl: &Ctl<'_>) -> Result<()> {
    let is_dropped = |c| treatment_of(c) & treatment::NONSPACING != 0;
    let starts = |c| starts_decomposed_cluster(c) && !is_dropped(c);
    let mut composer = Composer::default();
    let mut kept = String::new();
    clusters(out, ctl, starts, |out, span, ticker| {
        let decomposed = composer.decompose_cluster(&out.text()[span.range()], ticker)?;
        kept.clear();
        kept.extend(decomposed.chars().filter(|&c| !is_dropped(c)));
        out.replace(span, &kept)
    })
}

/// Calls `each` with every cluster that is not ASCII alone: a character that `starts` one and all that follow
/// it and do not.
fn clusters(
    out: &mut Rewriter<'_>,
    ctl: &Ctl<'_>,
    starts: impl Fn(char) -> bool,
    mut each: impl FnMut(&mut Rewriter<'_>, Span, &mut Ticker<'_>) -> Result<()>,
) -> Result<()> {
    let text = out.text();
    let mut ticker = ctl.ticker();
    let mut at = 0;
    while at < text.len() {
        let end = ascii_run(text, at);
        ticker.tick(end - at)?;
        // What follows may belong to the last character of the run. A space is nobody's base: it may have been
        // put there, before a mark that belonged to the ideograph in front of it.
        let has_base = text.as_bytes().get(at..end).and_then(<[u8]>::last).is_some_and(|&base| base != b' ');
        let start = if has_base && end < text.len() { end - 1 } else { end };
        let Some(first) = text[start..].chars().next() else { return Ok(()) };
        let mut end = start + first.len_utf8();
        for c in text[end..].chars().take_while(|&c| !starts(c)) {
            ticker.tick(c.len_utf8())?;
            end += c.len_utf8();
        }
        ticker.tick(first.len_utf8())?;
        each(out, Span::new(start, end), &mut ticker)?;
        at = end;
    }
    Ok(())
}
