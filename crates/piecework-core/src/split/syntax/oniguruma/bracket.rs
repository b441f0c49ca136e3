//! Classes in brackets: `[a-z\d[^x]&&\p{L}]`.

use super::super::properties::posix;
use super::super::{CharSet, negated, range, single};
use super::escape::Escaped;
use super::{Parser, Refusal, fold};

/// What stands last in a class, which decides what a `-` after it means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing: the class or one side of `&&` begins.
    Nothing,
    /// A character that a range may begin with.
    Char(char),
    /// A class such as `\d`.
    Class,
    /// A whole range or a class in brackets.
    Whole,
}

/// One member of a class as it is read.
enum Member {
    Char(char),
    Class(CharSet),
    /// A class in brackets of its own.
    Inner(CharSet),
    And,
    Close,
}

impl Parser<'_> {
    /// Reads what follows the opening bracket, up to and with the closing one, and folds case if the options
    /// say so.
    pub(super) fn class(&mut self) -> Result<CharSet, Refusal> {
        let (set, negate) = self.members()?;
        let set = if self.options.ignore_case {
            fold::class(set, negate).map_err(|construct| self.unsupported(construct))?
        } else {
            set
        };
        Ok(if negate { negated(&set) } else { set })
    }

    /// Reads a class; returns its members and whether the others are meant.
    fn members(&mut self) -> Result<(CharSet, bool), Refusal> {
        let negate = self.eat("^");
        if self.peek() == Some(']') {
            return Err(self.unsupported("] as the first of a class"));
        }
        let mut intersection: Option<CharSet> = None;
        let mut set = CharSet::empty();
        let mut last = Last::Nothing;
        loop {
            if self.peek() == Some('-') {
                last = self.dash(&mut set, last)?;
                continue;
            }
            match self.member()? {
                Member::Char(c) => {
                    set.union(&single(c));
                    last = Last::Char(c);
                }
                Member::Class(class) => {
                    set.union(&class);
                    last = Last::Class;
                }
                Member::Inner(class) => {
                    set.union(&class);
                    last = Last::Whole;
                }
                end @ (Member::And | Member::Close) => {
                    let side = std::mem::replace(&mut set, CharSet::empty());
                    let both = match intersection {
                        Some(mut left) => {
                            left.intersect(&side);
                            left
                        }
                        None => side,
                    };
                    if matches!(end, Member::Close) {
                        return Ok((both, negate));
                    }
                    intersection = Some(both);
                    last = Last::Nothing;
                }
            }
        }
    }

    /// Reads a `-` after `last`, and with it the end of a range where it makes one.
    fn dash(&mut self, set: &mut CharSet, last: Last) -> Result<Last, Refusal> {
        self.at += 1;
        let is_end = self.rest().starts_with(']') || self.rest().starts_with("&&");
        match last {
            Last::Char(first) if !is_end => self.range(set, first),
            Last::Class if !is_end => Err(self.unsupported("a range that begins with a class")),
            _ => {
                set.union(&single('-'));
                Ok(Last::Char('-'))
            }
        }
    }

    fn range(&mut self, set: &mut CharSet, first: char) -> Result<Last, Refusal> {
        let end = if self.eat("-") { Member::Char('-') } else { self.member()? };
        match end {
            Member::Char(end) if first <= end => {
                set.union(&range(first, end));
                Ok(Last::Whole)
            }
            Member::Char(_) => Err(self.malformed("a range whose end is before its start")),
            _ => Err(self.unsupported("a range that ends with a class")),
        }
    }

    fn member(&mut self) -> Result<Member, Refusal> {
        if self.eat("&&") {
            return Ok(Member::And);
        }
        let Some(c) = self.next() else { return Err(self.malformed("a class that is not closed")) };
        Ok(match c {
            ']' => Member::Close,
            '[' if self.peek() == Some(':') => Member::Class(self.posix_bracket()?),
            '[' => {
                let (set, negate) = self.deeper(Self::members)?;
                Member::Inner(if negate { negated(&set) } else { set })
            }
            '\\' if self.eat("b") => Member::Char('\x08'),
            '\\' => match self.escaped()? {
                Escaped::Class(set) => Member::Class(set),
                Escaped::Char(c) => Member::Char(c),
            },
            c => Member::Char(c),
        })
    }

    /// Reads `:alpha:]` or `:^alpha:]`.
    fn posix_bracket(&mut self) -> Result<CharSet, Refusal> {
        self.at += 1;
        let negate = self.eat("^");
        let found = self.rest().split_once(":]").and_then(|(name, _)| Some((name.len(), posix(name)?)));
        let Some((length, set)) = found else { return Err(self.unsupported("[: without a POSIX name")) };
        self.at += length + 2;
        Ok(if negate { negated(&set) } else { set })
    }
}
