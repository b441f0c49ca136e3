//! `(?i)`, as far as it is about single characters.
//!
//! The reference folds case fully: `(?i:ss)` matches `ß` and `(?i:[ß])` matches `ss`. What could meet such
//! a folding is refused; the contractions of tokenizers' patterns (`(?i:'s|'t|'re|'ve|'m|'ll|'d)`) do not.

use regex_syntax::hir::ClassUnicodeRange;

use super::super::properties::unicode;
use super::super::{CharSet, folded, single};

/// Pairs of ASCII letters that begin the folding of one character, such as `ß` and `ﬃ`.
const TOGETHER: [&str; 5] = ["ss", "st", "ff", "fi", "fl"];

/// The characters that fold to several, by Unicode's CaseFolding.txt, status F. The list is stable.
const FOLD_TO_SEVERAL: [(char, char); 29] = [
    ('\u{DF}', '\u{DF}'),
    ('\u{130}', '\u{130}'),
    ('\u{149}', '\u{149}'),
    ('\u{1F0}', '\u{1F0}'),
    ('\u{390}', '\u{390}'),
    ('\u{3B0}', '\u{3B0}'),
    ('\u{587}', '\u{587}'),
    ('\u{1E96}', '\u{1E9A}'),
    ('\u{1E9E}', '\u{1E9E}'),
    ('\u{1F50}', '\u{1F50}'),
    ('\u{1F52}', '\u{1F52}'),
    ('\u{1F54}', '\u{1F54}'),
    ('\u{1F56}', '\u{1F56}'),
    ('\u{1F80}', '\u{1FAF}'),
    ('\u{1FB2}', '\u{1FB4}'),
    ('\u{1FB6}', '\u{1FB7}'),
    ('\u{1FBC}', '\u{1FBC}'),
    ('\u{1FC2}', '\u{1FC4}'),
    ('\u{1FC6}', '\u{1FC7}'),
    ('\u{1FCC}', '\u{1FCC}'),
    ('\u{1FD2}', '\u{1FD3}'),
    ('\u{1FD6}', '\u{1FD7}'),
    ('\u{1FE2}', '\u{1FE4}'),
    ('\u{1FE6}', '\u{1FE7}'),
    ('\u{1FF2}', '\u{1FF4}'),
    ('\u{1FF6}', '\u{1FF7}'),
    ('\u{1FFC}', '\u{1FFC}'),
    ('\u{FB00}', '\u{FB06}'),
    ('\u{FB13}', '\u{FB17}'),
];

/// Returns what the literal `c` matches where case is ignored, after the literal `before`.
///
/// # Errors
/// The name of the construct, where more than single characters are involved.
pub(super) fn literal(c: char, before: Option<char>) -> Result<CharSet, String> {
    let mut pair: String = before.into_iter().collect();
    pair.push(c);
    pair.make_ascii_lowercase();
    if TOGETHER.contains(&pair.as_str()) {
        return Err(format!("(?i) on {pair:?}, which is also the folding of one character"));
    }
    // Marks and cased letters stand in the foldings of other characters; other letters do not.
    let foldless = c.is_ascii() || ["Lo", "N", "P", "S", "Z", "C"].iter().any(|name| is_in(c, name));
    if foldless { Ok(folded(single(c))) } else { Err(format!("(?i) on {c:?}")) }
}

fn is_in(c: char, category: &str) -> bool {
    let Some(mut set) = unicode(category) else { return false };
    set.intersect(&single(c));
    !set.ranges().is_empty()
}

/// Returns what a class with the members `set` matches where case is ignored, before it is negated.
///
/// # Errors
/// The name of the construct, where more than single characters are involved.
pub(super) fn class(set: CharSet, negate: bool) -> Result<CharSet, String> {
    let mut several = set.clone();
    several
        .intersect(&CharSet::new(FOLD_TO_SEVERAL.map(|(first, last)| ClassUnicodeRange::new(first, last))));
    if negate || several.ranges().is_empty() {
        Ok(folded(set))
    } else {
        Err("(?i) on a class with characters that fold to several, such as \u{DF},".to_owned())
    }
}
