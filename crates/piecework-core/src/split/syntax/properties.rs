//! What the named classes of Oniguruma 6.9.10 match (Unicode 16.0).
//!
//! Of its names for scripts, general categories and properties, 531 match the same characters as those of
//! regex-syntax; the few that do not exist there, or are POSIX's own, are put together here. Every name was
//! compared with the reference for every code point.

use regex_syntax::hir::{Class, HirKind};

use super::{CharSet, negated, range, single};

/// Returns the characters of `\p{name}`; `None` for a name that is not known.
pub fn property(name: &str) -> Option<CharSet> {
    let plain: String =
        name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
    match plain.as_str() {
        // In `\p{...}`, unlike in brackets, this is the general category.
        "punct" => unicode("P"),
        // regex-syntax knows these, Oniguruma does not.
        name if name.starts_with("is") || name.contains(['=', ':', '!']) => None,
        name => posix(name).or_else(|| unicode(name)),
    }
}

/// Returns the characters of `[:name:]` within brackets; `None` for a name that POSIX does not have.
pub fn posix(name: &str) -> Option<CharSet> {
    match name {
        "alnum" => union(&["Alphabetic", "Nd"]),
        "alpha" => unicode("Alphabetic"),
        "ascii" => Some(range('\0', '\x7F')),
        "blank" => Some(with(unicode("Zs")?, &single('\t'))),
        "cntrl" => unicode("Cc"),
        "digit" => unicode("Nd"),
        "graph" => Some(negated(&union(&["White_Space", "Cc", "Cn"])?)),
        "lower" => unicode("Lowercase"),
        "print" => Some(with(posix("graph")?, &unicode("Zs")?)),
        "punct" => union(&["P", "S"]),
        "space" => unicode("White_Space"),
        "upper" => unicode("Uppercase"),
        "xdigit" => Some(with(with(range('0', '9'), &range('A', 'F')), &range('a', 'f'))),
        "word" => union(&["Alphabetic", "M", "Nd", "Pc"]),
        _ => None,
    }
}

fn with(mut set: CharSet, other: &CharSet) -> CharSet {
    set.union(other);
    set
}

fn union(names: &[&str]) -> Option<CharSet> {
    names.iter().try_fold(CharSet::empty(), |set, name| Some(with(set, &unicode(name)?)))
}

/// Returns the characters of `\p{name}` as regex-syntax has them.
pub fn unicode(name: &str) -> Option<CharSet> {
    let hir = regex_syntax::parse(&format!(r"\p{{{name}}}")).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(set)) => Some(set.clone()),
        // A property of one character, such as Zl.
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok()?.chars().next().map(single),
        _ => None,
    }
}
