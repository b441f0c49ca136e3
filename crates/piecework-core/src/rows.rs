//! Rows for a model that reads many texts at once: pairs of texts, cut to a limit, with what the post-processor
//! puts around them, and padded to a rectangle. What is cut, and in which order, is the reference's way.

use crate::batch::Failed;
use crate::definition::TemplateItem;
use crate::error::{Error, Result};
use crate::executor;
use crate::interrupt::Ctl;
use crate::tokenizer::{Options, Tokenizer};
use crate::truncate::Side;

/// The most entries that a rectangle may have: one of more is a mistake in its width.
pub const MAX_CELLS: usize = 1 << 31;
/// The most rows that one text or pair may overflow into: each part of the one goes with each of the other.
const MAX_ROWS: usize = 1 << 16;

/// Which of two texts gives up tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The longer one, until both are of a length.
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

/// How rows are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// How many ids a row has at most, with what is put around them.
    pub max_tokens: usize,
    /// Which of two texts gives up tokens.
    pub strategy: Strategy,
    /// Which end is cut off.
    pub side: Side,
    /// What is cut off becomes rows of its own, each of which repeats this many tokens of the one before;
    /// `None` drops it.
    pub overflow: Option<usize>,
}

/// Rows of ids: row `i` has `ids[offsets[i]..offsets[i + 1]]`, and so for the other lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// All ids, row after row.
    pub ids: Vec<u32>,
    /// Per id, the type that the template gives it: which of two texts, for most models.
    pub type_ids: Vec<u32>,
    /// Per id, 1 for what the post-processor put in.
    pub special: Vec<u8>,
    /// Where each row begins, and the end.
    pub offsets: Vec<i64>,
    /// Per row, the index of the text that it is of.
    pub texts: Vec<i64>,
}

/// How rows become a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Padding {
    /// The number of ids of a row; `None` for that of the longest.
    pub width: Option<usize>,
    /// The width is rounded up to a multiple of this.
    pub multiple: usize,
    /// Where the padding goes.
    pub side: Side,
    /// The id that fills a row.
    pub id: u32,
    /// Its type.
    pub type_id: u32,
}

/// A rectangle of rows: each list has `n_rows × width` entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rectangle {
    /// How many rows.
    pub n_rows: usize,
    /// How many ids each has.
    pub width: usize,
    /// The ids.
    pub ids: Vec<u32>,
    /// Per id, its type.
    pub type_ids: Vec<u32>,
    /// Per id, 1 where it is part of the row and 0 where it pads.
    pub attention: Vec<u8>,
    /// Per id, 1 for what the post-processor put in and for padding.
    pub special: Vec<u8>,
}

impl Tokenizer {
    /// Returns the rows of texts, or of pairs of texts, on `n_threads` threads.
    ///
    /// # Errors
    /// As [`Tokenizer::batch`]; [`Error::LimitTooSmall`] where what is put around the texts, or the text
    /// that is not to be cut, leaves no room. `pairs`, where given, is as long as `texts`.
    pub fn rows(
        &self,
        texts: &[&str],
        pairs: Option<&[&str]>,
        options: &Options,
        limit: Option<Limit>,
        n_threads: Option<usize>,
        ctl: &Ctl<'_>,
    ) -> std::result::Result<Rows, Failed> {
        let second = |at: usize| pairs.map(|pairs| pairs.get(at).copied().unwrap_or(""));
        let sizes: Vec<usize> =
            texts.iter().enumerate().map(|(at, text)| text.len() + second(at).map_or(0, str::len)).collect();
        let template = self.template(pairs.is_some(), options);
        let blocks = executor::run(&sizes, n_threads, ctl, |range| {
            let mut rows = Rows::default();
            for at in range {
                self.row(texts[at], second(at), &template, options, limit, ctl, &mut rows)
                    .map_err(Failed::at(at))?;
                rows.texts.resize(rows.offsets.len(), at as i64);
            }
            Ok::<_, Failed>(rows)
        })?;
        let mut all = Rows { offsets: vec![0], ..Rows::default() };
        for block in blocks {
            let start = all.ids.len() as i64;
            all.offsets.extend(block.offsets.iter().map(|end| start + end));
            all.ids.extend(block.ids);
            all.type_ids.extend(block.type_ids);
            all.special.extend(block.special);
            all.texts.extend(block.texts);
        }
        Ok(all)
    }

    /// Returns what is put around one text or two, without the special tokens where the options say so.
    fn template(&self, is_pair: bool, options: &Options) -> Vec<TemplateItem> {
        let post = &self.definition().post_processor;
        let items = if is_pair { &post.pair } else { &post.single };
        let text = |index: u8| TemplateItem::Sequence { index, type_id: u32::from(index) };
        match (items.is_empty(), is_pair) {
            (true, false) => vec![text(0)],
            (true, true) => vec![text(0), text(1)],
            _ => items
                .iter()
                .filter(|item| options.add_special_tokens || matches!(item, TemplateItem::Sequence { .. }))
                .cloned()
                .collect(),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one row and where it goes")]
    fn row(
        &self,
        first: &str,
        second: Option<&str>,
        template: &[TemplateItem],
        options: &Options,
        limit: Option<Limit>,
        ctl: &Ctl<'_>,
        rows: &mut Rows,
    ) -> Result<()> {
        let plain = Options { add_special_tokens: false, special: options.special.clone() };
        let ids = |text: &str| self.ids(text, &plain, ctl);
        let texts = (ids(first)?, second.map(ids).transpose()?);
        let n_special = template.iter().map(n_special).sum();
        let sequence = |item: &TemplateItem| match item {
            TemplateItem::Sequence { index, .. } => Some(*index),
            TemplateItem::Special { .. } => None,
        };
        let b_first = template.iter().find_map(sequence) == Some(1);
        let parts = parts(&texts.0, texts.1.as_deref(), n_special, b_first, limit)?;
        let second = texts.1.unwrap_or_default();
        for (a, b) in parts {
            ctl.check()?;
            rows.push(template, texts.0.get(a).unwrap_or(&[]), second.get(b).unwrap_or(&[]));
        }
        Ok(())
    }
}

type Range = std::ops::Range<usize>;

/// Returns the parts of both texts that go into each row, the kept ones first, then those that overflow: each
/// part of the first text with each of the second.
fn parts(
    first: &[u32],
    second: Option<&[u32]>,
    n_special: usize,
    b_first: bool,
    limit: Option<Limit>,
) -> Result<Vec<(Range, Range)>> {
    let (n, m) = (first.len(), second.map_or(0, <[u32]>::len));
    let (a, b) = match limit {
        Some(limit) => {
            let (a, b) = lengths(n, second.map(<[u32]>::len), n_special, limit)?;
            (pieces(n, a, limit)?, pieces(m, b, limit)?)
        }
        None => (whole(n), whole(m)),
    };
    let (Some((a0, more_a)), Some((b0, more_b))) = (a.split_first(), b.split_first()) else {
        return Ok(Vec::new());
    };
    if a.len().saturating_mul(b.len()) > MAX_ROWS {
        let n = a.len().saturating_mul(b.len());
        return Err(Error::TooMany { what: "overflowing rows of one pair", n, max: MAX_ROWS });
    }
    // What overflows the text that stands first in the template goes with each part of the other.
    let mut rows = vec![(a0.clone(), b0.clone())];
    if b_first {
        for b in more_b {
            rows.extend(a.iter().map(|a| (a.clone(), b.clone())));
        }
        rows.extend(more_a.iter().map(|a| (a.clone(), b0.clone())));
    } else {
        for a in more_a {
            rows.extend(b.iter().map(|b| (a.clone(), b.clone())));
        }
        rows.extend(more_b.iter().map(|b| (a0.clone(), b.clone())));
    }
    Ok(rows)
}

/// Returns the one part that is all of `n` tokens.
fn whole(n: usize) -> Vec<Range> {
    std::iter::once(0..n).collect()
}

/// Returns how many tokens of each text are kept.
fn lengths(n: usize, second: Option<usize>, n_special: usize, limit: Limit) -> Result<(usize, usize)> {
    let m = second.unwrap_or(0);
    let too_small = |needed| Error::LimitTooSmall { max_tokens: limit.max_tokens, needed };
    let room = limit.max_tokens.checked_sub(n_special).ok_or_else(|| too_small(n_special))?;
    let excess = (n + m).saturating_sub(room);
    if excess == 0 {
        return Ok((n, m));
    }
    let shortened = |length: usize, other: usize| {
        length.checked_sub(excess).filter(|&kept| kept > 0).ok_or_else(|| too_small(n_special + other + 1))
    };
    match (limit.strategy, second) {
        (Strategy::LongestFirst | Strategy::OnlyFirst, None) => Ok((room, 0)),
        (Strategy::LongestFirst, Some(_)) => {
            // The shorter text stays whole as long as it is at most half; the longer one never becomes shorter
            // than it.
            let (short, long) = (n.min(m), n.max(m));
            let long = if short > room { short } else { long.min(short.max(room - short)) };
            let (short, long) =
                if short + long > room { (room / 2, room / 2 + room % 2) } else { (short, long) };
            Ok(if n > m { (long, short) } else { (short, long) })
        }
        (Strategy::OnlyFirst, Some(_)) => Ok((shortened(n, m)?, m)),
        (Strategy::OnlySecond, _) => Ok((n, shortened(m, n)?)),
    }
}

/// Returns the part of `length` tokens that is kept of `n`, and those that overflow.
fn pieces(n: usize, length: usize, limit: Limit) -> Result<Vec<Range>> {
    if length >= n {
        return Ok(whole(n));
    }
    let kept = |from: usize| match limit.side {
        Side::Right => from..(from + length).min(n),
        Side::Left => n.saturating_sub(from + length)..n - from,
    };
    let Some(stride) = limit.overflow else { return Ok(vec![kept(0)]) };
    if length == 0 {
        return Err(Error::NoRoomForOverflow { needed: stride.saturating_add(1) });
    }
    let step = length.checked_sub(stride).filter(|&step| step > 0);
    let step = step.ok_or(Error::StrideTooLong { stride, room: length })?;
    let mut all = Vec::new();
    for from in (0..n).step_by(step) {
        all.push(kept(from));
        if from + length >= n {
            break;
        }
    }
    Ok(all)
}

fn n_special(item: &TemplateItem) -> usize {
    match item {
        TemplateItem::Special { ids, .. } => ids.len(),
        TemplateItem::Sequence { .. } => 0,
    }
}

impl Rows {
    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.texts.len()
    }

    fn push(&mut self, template: &[TemplateItem], first: &[u32], second: &[u32]) {
        for item in template {
            let (ids, type_id, is_special): (Vec<u32>, _, _) = match item {
                TemplateItem::Special { ids, type_id } => (ids.iter().map(|id| id.0).collect(), *type_id, 1),
                TemplateItem::Sequence { index: 0, type_id } => (first.to_vec(), *type_id, 0),
                TemplateItem::Sequence { type_id, .. } => (second.to_vec(), *type_id, 0),
            };
            self.type_ids.resize(self.type_ids.len() + ids.len(), type_id);
            self.special.resize(self.special.len() + ids.len(), is_special);
            self.ids.extend(ids);
        }
        self.offsets.push(self.ids.len() as i64);
    }

    /// Returns the rows as a rectangle.
    ///
    /// # Errors
    /// [`Error::RowTooLong`] where a row is longer than the width; [`Error::TooMany`] for a rectangle of more than
    /// [`MAX_CELLS`], or one that memory has no room for. Complexity: O(rectangle).
    pub fn padded(&self, padding: &Padding) -> Result<Rectangle> {
        let bounds = || self.offsets.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize));
        let longest = bounds().map(|(start, end)| end - start).max().unwrap_or(0);
        let wanted = padding.width.unwrap_or(longest);
        if let Some((row, (start, end))) = bounds().enumerate().find(|(_, (start, end))| end - start > wanted)
        {
            return Err(Error::RowTooLong { row, n_tokens: end - start, width: wanted });
        }
        let n_rows = self.n_rows();
        let width = wanted.checked_next_multiple_of(padding.multiple.max(1)).unwrap_or(usize::MAX);
        let n_cells = width.saturating_mul(n_rows.max(1));
        let mut out = Rectangle { n_rows, width, ..Rectangle::default() };
        let too_many = Error::TooMany { what: "entries of padded rows", n: n_cells, max: MAX_CELLS };
        if n_cells > MAX_CELLS
            || out.ids.try_reserve_exact(n_cells).is_err()
            || out.type_ids.try_reserve_exact(n_cells).is_err()
        {
            return Err(too_many);
        }
        for (start, end) in bounds() {
            let n_pads = width - (end - start);
            let (before, after) = if padding.side == Side::Left { (n_pads, 0) } else { (0, n_pads) };
            fill(&mut out.ids, self.ids.get(start..end), padding.id, before, after);
            fill(&mut out.type_ids, self.type_ids.get(start..end), padding.type_id, before, after);
            fill(&mut out.special, self.special.get(start..end), 1, before, after);
            fill(&mut out.attention, Some(&vec![1; end - start]), 0, before, after);
        }
        Ok(out)
    }
}

fn fill<T: Copy>(out: &mut Vec<T>, row: Option<&[T]>, pad: T, before: usize, after: usize) {
    out.resize(out.len() + before, pad);
    out.extend_from_slice(row.unwrap_or(&[]));
    out.resize(out.len() + after, pad);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(max_tokens: usize, strategy: Strategy) -> Limit {
        Limit { max_tokens, strategy, side: Side::Right, overflow: None }
    }

    #[test]
    fn the_longer_text_gives_up_tokens_first() {
        let kept = |n, m, max| lengths(n, Some(m), 3, limit(max, Strategy::LongestFirst)).unwrap();
        assert_eq!(kept(4, 10, 13), (4, 6));
        assert_eq!(kept(10, 4, 13), (6, 4));
        assert_eq!(kept(10, 10, 14), (5, 6));
        assert_eq!(kept(11, 10, 14), (6, 5));
        assert_eq!(kept(4, 5, 13), (4, 5));
        assert_eq!(kept(10, 10, 3), (0, 0));
    }

    #[test]
    fn a_limit_without_room_is_refused() {
        let too_small = |max_tokens, needed| Err(Error::LimitTooSmall { max_tokens, needed });
        assert_eq!(lengths(5, None, 3, limit(2, Strategy::LongestFirst)), too_small(2, 3));
        assert_eq!(lengths(5, Some(9), 3, limit(12, Strategy::OnlyFirst)), too_small(12, 13));
        assert_eq!(lengths(5, Some(9), 3, limit(13, Strategy::OnlyFirst)), Ok((1, 9)));
        assert_eq!(lengths(5, Some(9), 3, limit(8, Strategy::OnlySecond)), too_small(8, 9));
        let overflow = Limit { overflow: Some(2), ..limit(5, Strategy::LongestFirst) };
        assert_eq!(pieces(9, 2, overflow), Err(Error::StrideTooLong { stride: 2, room: 2 }));
    }

    #[test]
    fn a_rectangle_of_impossible_size_is_refused() {
        let rows = Rows { ids: vec![5], offsets: vec![0, 1], texts: vec![0], ..Rows::default() };
        let padding = Padding { width: Some(1 << 40), multiple: 1, side: Side::Right, id: 0, type_id: 0 };
        assert!(matches!(rows.padded(&padding), Err(Error::TooMany { .. })));
        let wide = Padding { width: None, multiple: usize::MAX - 1, ..padding };
        assert!(matches!(rows.padded(&wide), Err(Error::TooMany { .. })));
    }

    #[test]
    fn without_room_nothing_overflows() {
        let overflow = Limit { overflow: Some(0), ..limit(2, Strategy::LongestFirst) };
        assert_eq!(pieces(3, 0, overflow), Err(Error::NoRoomForOverflow { needed: 1 }));
        let strided = Limit { overflow: Some(2), ..overflow };
        assert_eq!(pieces(3, 0, strided), Err(Error::NoRoomForOverflow { needed: 3 }));
        assert_eq!(pieces(0, 0, overflow).unwrap(), whole(0));
        let many = vec![0; 2000];
        let cut = Limit { overflow: Some(0), ..limit(4, Strategy::LongestFirst) };
        assert!(matches!(parts(&many, Some(&many), 0, false, Some(cut)), Err(Error::TooMany { .. })));
    }

    #[test]
    fn what_overflows_repeats_the_stride() {
        let right = Limit { overflow: Some(1), ..limit(0, Strategy::LongestFirst) };
        assert_eq!(pieces(7, 3, right).unwrap(), [0..3, 2..5, 4..7]);
        assert_eq!(pieces(8, 3, right).unwrap(), [0..3, 2..5, 4..7, 6..8]);
        let left = Limit { side: Side::Left, ..right };
        assert_eq!(pieces(7, 3, left).unwrap(), [4..7, 2..5, 0..3]);
        assert_eq!(pieces(8, 3, left).unwrap(), [5..8, 3..6, 1..4, 0..2]);
    }

    #[test]
    fn a_rectangle_is_filled_on_the_side_that_is_asked_for() {
        let rows = Rows {
            ids: vec![5, 6, 7],
            type_ids: vec![0, 1, 1],
            special: vec![1, 0, 0],
            offsets: vec![0, 2, 3],
            texts: vec![0, 1],
        };
        let padding = Padding { width: None, multiple: 4, side: Side::Left, id: 9, type_id: 2 };
        let made = rows.padded(&padding).unwrap();
        assert_eq!((made.n_rows, made.width), (2, 4));
        assert_eq!(made.ids, [9, 9, 5, 6, 9, 9, 9, 7]);
        assert_eq!(made.type_ids, [2, 2, 0, 1, 2, 2, 2, 1]);
        assert_eq!(made.attention, [0, 0, 1, 1, 0, 0, 0, 1]);
        assert_eq!(made.special, [1, 1, 1, 0, 1, 1, 1, 0]);
        let narrow = Padding { width: Some(1), ..padding };
        assert_eq!(rows.padded(&narrow), Err(Error::RowTooLong { row: 0, n_tokens: 2, width: 1 }));
    }
}
