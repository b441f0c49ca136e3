//! Canonical decomposition, combining classes and composition as tokenizers has them, which is Unicode 9.0.
//! Hangul is arithmetic, everything else is looked up.
//!
//! Each character has a *kind*, a number for its whole set of properties. Kind 0 is the plain one, of a
//! character that nothing happens to. The first kinds are the *steady* ones: a character that begins
//! a cluster and that NFC leaves alone, though a later mark may join it.
//!
//! Source: UAX #15, and chapter 3.12 of the Unicode Standard for Hangul.

use super::canonical_table::{
    COMPOSITIONS, DECOMPOSITIONS, KINDS, KINDS_INDEX, LETTERS, N_STEADY, PROPERTIES, STEADY_BYTES,
};

const SYLLABLES: u32 = 0xAC00;
const LEADS: u32 = 0x1100;
const VOWELS: u32 = 0x1161;
// One before the first trailing consonant: index 0 stands for none.
const TRAILERS: u32 = 0x11A7;
const N_LEADS: u32 = 19;
const N_VOWELS: u32 = 21;
const N_TRAILERS: u32 = 28;
const N_SYLLABLES: u32 = N_LEADS * N_VOWELS * N_TRAILERS;

const STARTS_CLUSTER: u8 = 1;
const CHANGES: u8 = 1 << 1;
const MAY_COMPOSE: u8 = 1 << 2;
const DECOMPOSES: u8 = 1 << 3;

/// What normalization needs to know of one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    flags: u8,
    /// The canonical combining class: 0 for a starter.
    pub class: u8,
    /// The combining class of the last character of the full decomposition.
    pub last_class: u8,
    first_pair: u16,
    n_pairs: u8,
}

impl Properties {
    /// Returns whether no character before can change what becomes of this one.
    #[inline]
    pub fn starts_cluster(self) -> bool {
        self.flags & STARTS_CLUSTER != 0
    }

    /// Returns whether NFC never holds this character (its quick check is No).
    #[inline]
    pub fn changes(self) -> bool {
        self.flags & CHANGES != 0
    }

    /// Returns whether a character before can absorb this one (its quick check is Maybe).
    #[inline]
    pub fn may_compose(self) -> bool {
        self.flags & MAY_COMPOSE != 0
    }
}

/// Returns the kind of `c`.
#[inline]
fn kind(c: char) -> u8 {
    let code = c as usize;
    let Some(&block) = KINDS_INDEX.get(code >> 7) else { return 0 };
    KINDS.get(usize::from(block) << 7 | code & 0x7F).copied().unwrap_or(0)
}

/// Returns the properties of `c`, or `None` where they are the plain ones.
#[inline]
pub fn properties(c: char) -> Option<Properties> {
    let kind = usize::from(kind(c));
    if kind == 0 {
        return None;
    }
    PROPERTIES.get(kind).map(|&(flags, class, last_class, first_pair, n_pairs)| Properties {
        flags,
        class,
        last_class,
        first_pair,
        n_pairs,
    })
}

/// Returns whether `c` begins a cluster and is never changed by what is before it, nor by itself.
#[inline]
pub fn is_steady(c: char) -> bool {
    kind(c) < N_STEADY
}

/// Returns the canonical combining class of `c`: 0 for a starter.
#[inline]
pub fn combining_class(c: char) -> u8 {
    properties(c).map_or(0, |properties| properties.class)
}

/// Returns whether no character before `c` can change what becomes of `c`: text can be cut before it
/// and both parts be normalized apart.
#[inline]
pub fn starts_cluster(c: char) -> bool {
    properties(c).is_none_or(Properties::starts_cluster)
}

/// Returns whether canonical decomposition changes `c`.
#[inline]
pub fn decomposes(c: char) -> bool {
    is_syllable(c) || properties(c).is_some_and(|kind| kind.flags & DECOMPOSES != 0)
}

/// Returns whether `c` begins a cluster of decomposed text: no mark of it moves before what precedes it.
#[inline]
pub fn starts_decomposed_cluster(c: char) -> bool {
    // Vowels and trailing consonants of Hangul join what precedes them, but only in composition.
    properties(c).is_none_or(|kind| kind.class == 0 && (kind.starts_cluster() || kind.may_compose()))
}

/// Returns whether `byte` leads steady characters only, or is not the first byte of a character.
#[inline]
pub fn is_steady_byte(byte: u8) -> bool {
    STEADY_BYTES[usize::from(byte)]
}

/// Calls `emit` with each character of the full canonical decomposition of `c`, which is `c` itself
/// for most characters. The marks are in canonical order.
#[inline]
pub fn decompose(c: char, mut emit: impl FnMut(char)) {
    if is_syllable(c) {
        return decompose_hangul(c as u32 - SYLLABLES, emit);
    }
    if properties(c).is_none_or(|kind| kind.flags & DECOMPOSES == 0) {
        return emit(c);
    }
    let found = DECOMPOSITIONS.binary_search_by_key(&c, |&(key, _, _)| key).ok();
    match found.and_then(|at| DECOMPOSITIONS.get(at)) {
        None => emit(c),
        Some(&(_, start, len)) => {
            LETTERS.iter().skip(start.into()).take(len.into()).for_each(|&letter| emit(letter));
        }
    }
}

#[inline]
fn is_syllable(c: char) -> bool {
    (c as u32).wrapping_sub(SYLLABLES) < N_SYLLABLES
}

fn decompose_hangul(syllable: u32, emit: impl FnMut(char)) {
    let trailer = syllable % N_TRAILERS;
    let jamo = [
        LEADS + syllable / (N_VOWELS * N_TRAILERS),
        VOWELS + syllable / N_TRAILERS % N_VOWELS,
        TRAILERS + trailer,
    ];
    let len = if trailer == 0 { 2 } else { 3 };
    jamo.into_iter().take(len).filter_map(char::from_u32).for_each(emit);
}

/// Returns what `first` and `second` compose to, or `None` where they do not.
///
/// # Examples
/// ```
/// use piecework_core::unicode::canonical::compose;
/// assert_eq!(compose('e', '\u{301}'), Some('é'));
/// assert_eq!(compose('가', '\u{11A8}'), Some('각'));
/// assert_eq!(compose('x', '\u{301}'), None);
/// ```
#[inline]
pub fn compose(first: char, second: char) -> Option<char> {
    let kind = properties(second).filter(|kind| kind.may_compose())?;
    if kind.n_pairs == 0 {
        return compose_hangul(first as u32, second as u32);
    }
    let pairs = COMPOSITIONS.get(kind.first_pair.into()..)?.get(..kind.n_pairs.into())?;
    let at = pairs.binary_search_by_key(&first, |&(_, first, _)| first).ok()?;
    pairs.get(at).map(|&(_, _, composed)| composed)
}

#[inline]
fn compose_hangul(first: u32, second: u32) -> Option<char> {
    let (lead, vowel) = (first.wrapping_sub(LEADS), second.wrapping_sub(VOWELS));
    if lead < N_LEADS && vowel < N_VOWELS {
        return char::from_u32(SYLLABLES + (lead * N_VOWELS + vowel) * N_TRAILERS);
    }
    let (syllable, trailer) = (first.wrapping_sub(SYLLABLES), second.wrapping_sub(TRAILERS));
    let is_open = syllable < N_SYLLABLES && syllable % N_TRAILERS == 0;
    if is_open && (1..N_TRAILERS).contains(&trailer) {
        return char::from_u32(first + trailer);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decomposed(c: char) -> String {
        let mut out = String::new();
        decompose(c, |letter| out.push(letter));
        out
    }

    #[test]
    fn decompositions_are_full() {
        assert_eq!(decomposed('a'), "a");
        assert_eq!(decomposed('ǖ'), "u\u{308}\u{304}");
        assert_eq!(decomposed('\u{2126}'), "Ω");
        assert_eq!(decomposed('가'), "\u{1100}\u{1161}");
        assert_eq!(decomposed('힣'), "\u{1112}\u{1175}\u{11C2}");
    }

    #[test]
    fn every_decomposition_has_ordered_marks_and_no_further_decomposition() {
        for &(c, _, _) in &DECOMPOSITIONS {
            let letters: Vec<char> = decomposed(c).chars().collect();
            assert!(letters.iter().all(|&letter| decomposed(letter) == letter.to_string()), "{c:?}");
            let ordered = letters.windows(2).all(|pair| {
                let (left, right) = (combining_class(pair[0]), combining_class(pair[1]));
                right == 0 || left <= right
            });
            assert!(ordered, "{c:?}");
        }
    }

    /// The quick check relies on it: what is none of the three cannot change what is before it.
    #[test]
    fn what_does_not_start_a_cluster_is_a_mark_or_composes_or_changes() {
        for &(flags, class, last_class, first_pair, n_pairs) in &PROPERTIES {
            let kind = Properties { flags, class, last_class, first_pair, n_pairs };
            assert!(kind.starts_cluster() || class != 0 || kind.may_compose() || kind.changes());
            assert!(!(kind.starts_cluster() && (class != 0 || kind.may_compose())));
        }
    }

    #[test]
    fn composition_undoes_one_step() {
        for &(second, first, composed) in &COMPOSITIONS {
            assert_eq!(compose(first, second), Some(composed));
            assert!(!starts_cluster(second), "{second:?}");
            assert_eq!(decomposed(composed), decomposed(first) + &decomposed(second));
        }
    }

    #[test]
    fn hangul_composes_at_its_borders_only() {
        assert_eq!(compose('\u{1112}', '\u{1175}'), Some('히'));
        assert_eq!(compose('히', '\u{11C2}'), Some('힣'));
        // U+11A7 is no trailing consonant, U+1113 and U+1176 are outside the modern ranges.
        assert_eq!(compose('가', '\u{11A7}'), None);
        assert_eq!(compose('\u{1113}', '\u{1161}'), None);
        assert_eq!(compose('\u{1100}', '\u{1176}'), None);
        assert_eq!(compose('각', '\u{11A8}'), None);
    }

    #[test]
    fn a_singleton_or_an_excluded_composite_is_never_composed() {
        assert_eq!(compose('\u{915}', '\u{93C}'), None);
        assert_eq!(compose('\u{308}', '\u{301}'), None);
    }

    #[test]
    fn what_is_newer_than_the_data_is_plain() {
        // U+16121 decomposes in Unicode 16, U+1ABF is a mark since Unicode 13.
        assert_eq!(decomposed('\u{16121}'), "\u{16121}");
        assert_eq!(combining_class('\u{1ABF}'), 0);
    }
}
