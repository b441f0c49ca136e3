//! Where a text may be cut so that its parts, encoded one by one, give what the whole gives.
//!
//! A cut is judged by the two characters beside it. It is sound where each stage is:
//!
//! - Added tokens: no active token holds the two side by side, so none that is or may become complete spans the
//!   cut. Beside tokens that look at or swallow their neighbors there are no cuts at all.
//! - Normalizers: those that work character by character, and composition where both characters are steady: they
//!   begin clusters, and nothing changes them.
//! - Pre-tokenizers: a *known pattern* never matches across the cut, and what it matches before depends on the
//!   character after at most by its class (see [`known`]); those that *drop white space* cut at it, and
//!   Metaspace before each space.
//! - Where nothing splits, byte-pair encoding over characters: no token holds the two side by side, so no merge
//!   ever joins them, and merges on one side do not wait for those on the other.
//!
//! For anything else there is no rule, and the text is kept until its end.

use std::collections::HashSet;

use crate::definition::{AddedToken, Bpe, Definition, Model, Normalizer, PreTokenizer, Prepend};
use crate::fast::scan::Scanner;
use crate::interrupt::Ctl;
use crate::normalize::Normalizers;
use crate::plan;
use crate::tokenizer::Special;
use crate::unicode::{canonical, class, class_of};

/// Which cuts are sound.
#[derive(Debug)]
pub struct Rule {
    split: Option<Split>,
    characters: Characters,
    added: Added,
}

/// Why a pre-tokenizer or a model has a border at a cut.
#[derive(Debug)]
enum Split {
    /// A known pattern. With a prefix space, only a space begins a part.
    Known { scanner: Scanner, only_spaces: bool },
    /// White space is dropped.
    WhiteSpace,
    /// Each space begins a pretoken.
    Spaces,
    /// No token holds these side by side; `single` are the characters that are tokens. With `space`, that is what
    /// a space becomes, and only a space begins a part.
    Pairs { pairs: HashSet<(char, char)>, single: HashSet<char>, space: Option<char> },
}

/// What normalizers make of single characters beside a cut.
#[derive(Debug)]
enum Characters {
    /// Nothing.
    Same,
    /// Nothing of steady ones.
    Steady,
    /// What stands here, of ASCII; `any_before`: whatever is before a cut, it does not reach across.
    Ascii { made: Box<[Option<char>; 128]>, any_before: bool },
}

/// What added tokens hold.
#[derive(Debug, Default)]
struct Added {
    pairs: HashSet<(char, char)>,
    /// First and last characters of tokens that look at their neighbors.
    firsts: HashSet<char>,
    lasts: HashSet<char>,
}

impl Rule {
    /// Returns the rule of `definition` for texts that are read with `special`.
    pub fn new(definition: &Definition, special: &Special) -> Self {
        // A tokenizer has compiled the same before, so this does not fail.
        let normalizers = Normalizers::of(definition).unwrap_or_default();
        let characters = Characters::new(&definition.normalizers, &normalizers);
        Self {
            split: characters.as_ref().and_then(|_| Split::new(definition)),
            characters: characters.unwrap_or(Characters::Same),
            added: Added::new(definition, &normalizers, special),
        }
    }

    /// Returns whether there are cuts at all.
    pub fn cuts(&self) -> bool {
        self.split.is_some()
    }

    /// Returns where the last sound cut of `text` is that lies after byte `from`.
    pub fn last_cut(&self, text: &str, from: usize) -> Option<usize> {
        self.split.as_ref()?;
        let mut after: Option<(usize, char)> = None;
        for (at, c) in text.char_indices().rev() {
            if let Some((cut, next)) = after
                && cut > from
                && self.is_cut(c, next)
            {
                return Some(cut);
            }
            if at <= from {
                break;
            }
            after = Some((at, c));
        }
        None
    }

    fn is_cut(&self, before: char, after: char) -> bool {
        let Some((left, right)) = self.characters.made(before, after) else { return false };
        let split = match &self.split {
            None => false,
            Some(Split::Known { scanner, only_spaces }) => {
                (!only_spaces || right == ' ') && left.is_some_and(|left| known(*scanner, left, right))
            }
            Some(Split::WhiteSpace) => class_of(right) & class::SPACE != 0,
            Some(Split::Spaces) => right == ' ',
            Some(Split::Pairs { pairs, single, space }) => left.is_some_and(|left| {
                let spelled = |c: char| space.filter(|_| c == ' ').unwrap_or(c);
                let (left, right) = (spelled(left), spelled(right));
                (space.is_none() || *space == Some(right))
                    && single.contains(&left)
                    && single.contains(&right)
                    && !pairs.contains(&(left, right))
            }),
        };
        split && self.added.allow(before, after) && left.is_none_or(|left| self.added.allow(left, right))
    }
}

/// Returns whether a known pattern always has a border between `left` and `right`, the same whether the text
/// goes on there or ends.
///
/// - Before a space, behind anything but white space: a space stands only first in a match, or in white space.
/// - Behind a letter or a number that a run of its kind ends with: what follows is no part of such a run, no mark,
///   and no apostrophe.
/// - Behind a line break, before a letter or number: white space that ends with a line break is taken whole. (Not
///   in GPT-2's pattern, which knows no lines.)
pub(super) fn known(scanner: Scanner, left: char, right: char) -> bool {
    let (before, after) = (class_of(left), class_of(right));
    let is_space = |class: u8| class & class::SPACE != 0;
    if right == ' ' && !is_space(before) {
        return true;
    }
    if before & class::LETTER != 0 {
        return after & (class::LETTER | class::MARK) == 0 && right != '\'';
    }
    if before & class::NUMBER != 0 {
        return after & class::NUMBER == 0;
    }
    before & class::NEWLINE != 0 && after & (class::LETTER | class::NUMBER) != 0 && scanner != Scanner::Gpt2
}

impl Split {
    fn new(definition: &Definition) -> Option<Self> {
        let all = &definition.pre_tokenizers;
        if let Some(scanner) = plan::native(all) {
            let only_spaces = all.first() == Some(&PreTokenizer::PrefixSpace);
            return Some(Self::Known { scanner, only_spaces });
        }
        let (first, rest) = match all.split_first() {
            Some((first, rest)) => (Some(first), rest),
            None => (None, &[][..]),
        };
        if !rest.iter().all(is_local) {
            return None;
        }
        match first {
            Some(PreTokenizer::Bert | PreTokenizer::Whitespace | PreTokenizer::WhitespaceSplit) => {
                Some(Self::WhiteSpace)
            }
            Some(PreTokenizer::Metaspace { split: true, .. }) => Some(Self::Spaces),
            Some(&PreTokenizer::Metaspace { split: false, replacement, .. }) if rest.is_empty() => {
                Self::pairs(definition, Some(replacement))
            }
            None => Self::pairs(definition, None),
            Some(_) => None,
        }
    }

    /// Returns the rule of a model that sees the text whole.
    fn pairs(definition: &Definition, space: Option<char>) -> Option<Self> {
        let Model::Bpe(Bpe { characters: Some(characters), whole_pieces: false, .. }) = &definition.model
        else {
            return None;
        };
        // A normalizer may make another character of one by what follows it.
        if !characters.is_plain() || !characters.unused.is_empty() || !definition.normalizers.is_empty() {
            return None;
        }
        let (mut pairs, mut single) = (HashSet::new(), HashSet::new());
        for entry in definition.vocab.iter() {
            let text = std::str::from_utf8(entry.bytes).ok()?;
            pairs.extend(text.chars().zip(text.chars().skip(1)));
            let mut chars = text.chars();
            if let (Some(only), None, true) = (chars.next(), chars.next(), entry.indexed) {
                single.insert(only);
            }
        }
        Some(Self::Pairs { pairs, single, space })
    }
}

/// Returns whether a pre-tokenizer that is not the first treats all pieces alike, wherever they stand.
fn is_local(pre_tokenizer: &PreTokenizer) -> bool {
    !matches!(
        pre_tokenizer,
        PreTokenizer::PrefixSpace | PreTokenizer::Metaspace { prepend: Prepend::First, .. }
    )
}

impl Characters {
    /// Returns `None` where some normalizer looks further than at one character.
    fn new(all: &[Normalizer], normalizers: &Normalizers) -> Option<Self> {
        if all.is_empty() {
            return Some(Self::Same);
        }
        if all.iter().all(|one| *one == Normalizer::Nfc) {
            return Some(Self::Steady);
        }
        let is_local = |one: &Normalizer| {
            matches!(
                one,
                Normalizer::Nfc
                    | Normalizer::Nfd
                    | Normalizer::Nfkc
                    | Normalizer::Nfkd
                    | Normalizer::Lowercase
                    | Normalizer::StripAccents
                    | Normalizer::Bert { .. }
                    | Normalizer::Nmt
                    | Normalizer::Precompiled(_)
            )
        };
        if !all.iter().all(is_local) {
            return None;
        }
        let ctl = Ctl::new();
        let mut made = Box::new([None; 128]);
        for (c, made) in ('\0'..='\x7f').zip(made.iter_mut()) {
            let text = String::from(c);
            let normal = normalizers.normalize(&text, &ctl).ok()?;
            let mut chars = normal.chars();
            // (A control character may join the one before it in a grapheme.)
            *made = chars.next().filter(|_| chars.next().is_none() && (c == ' ' || c.is_ascii_graphic()));
        }
        // A rule table sees graphemes, and some characters take in what follows them.
        let any_before = !all.iter().any(|one| matches!(one, Normalizer::Precompiled(_)));
        Some(Self::Ascii { made, any_before })
    }

    /// Returns what becomes of the characters before and after a cut (`None` for one before that does not matter),
    /// or `None` where they may become something together with others.
    fn made(&self, before: char, after: char) -> Option<(Option<char>, char)> {
        match self {
            Self::Same => Some((Some(before), after)),
            Self::Steady => {
                (canonical::is_steady(before) && canonical::is_steady(after)).then_some((Some(before), after))
            }
            Self::Ascii { made, any_before } => {
                let ascii = |c: char| made.get(c as usize).copied().flatten();
                let left = ascii(before);
                (left.is_some() || *any_before).then_some((left, ascii(after)?))
            }
        }
    }
}

impl Added {
    fn new(definition: &Definition, normalizers: &Normalizers, special: &Special) -> Self {
        let ctl = Ctl::new();
        let mut added = Self::default();
        let is_control = |token: &AddedToken| {
            definition.controls.binary_search_by_key(&token.id, |control| control.id).is_ok()
        };
        for token in &definition.added {
            if *special == Special::Text && is_control(token) {
                continue;
            }
            added.insert(token, &token.content);
            if token.normalized
                && let Ok(content) = normalizers.normalize(&token.content, &ctl)
            {
                added.insert(token, &content);
            }
        }
        added
    }

    fn insert(&mut self, token: &AddedToken, content: &str) {
        self.pairs.extend(content.chars().zip(content.chars().skip(1)));
        if token.single_word || token.lstrip || token.rstrip {
            self.firsts.extend(content.chars().next());
            self.lasts.extend(content.chars().next_back());
        }
    }

    fn allow(&self, before: char, after: char) -> bool {
        let looks = !self.firsts.is_empty();
        let touches = self.lasts.contains(&before)
            || self.firsts.contains(&after)
            || class_of(before) & class::SPACE != 0;
        let joined = looks && touches;
        !joined && !self.pairs.contains(&(before, after))
    }
}
