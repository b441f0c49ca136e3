//! What follows a backslash.

use super::super::properties::{posix, property};
use super::super::{CharSet, negated, range, single};
use super::{Node, Parser, Refusal, Side, any};

/// The characters of a class such as `\d`, or one character.
pub(super) enum Escaped {
    Class(CharSet),
    Char(char),
}

impl Parser<'_> {
    /// Reads an escape outside of brackets.
    pub(super) fn escape(&mut self, before: Option<char>) -> Result<Node, Refusal> {
        let Some(c) = self.peek() else { return Err(self.malformed("a backslash at the end")) };
        let assertion = match c {
            'A' => Node::edge(Side::Behind),
            'z' => Node::edge(Side::Ahead),
            'Z' => text_end_or_last_newline(),
            'b' | 'B' => Node::boundary(&word_outside(&self.named_class("word")?), c == 'B'),
            // The reference does not find `\r\n` as one there.
            'R' if self.n_behind > 0 => return Err(self.unsupported(r"\R in a look-behind")),
            'R' => general_newline(),
            'N' => Node::Set(negated(&single('\n'))),
            'O' => Node::Set(any()),
            '1'..='9' => return self.backreference(),
            'K' | 'G' | 'X' | 'y' | 'Y' | 'k' | 'g' => {
                return Err(self.unsupported(format!(r"\{c}")));
            }
            _ => {
                return match self.escaped()? {
                    Escaped::Class(set) => Ok(Node::Set(self.outside(set)?)),
                    Escaped::Char(c) => self.literal(c, before),
                };
            }
        };
        self.at += 1;
        Ok(assertion)
    }

    /// Reads an escape that means the same outside of brackets and within.
    pub(super) fn escaped(&mut self) -> Result<Escaped, Refusal> {
        let Some(c) = self.next() else { return Err(self.malformed("a backslash at the end")) };
        let class = |set: CharSet, negate| Escaped::Class(if negate { negated(&set) } else { set });
        Ok(match c {
            'd' | 'D' => class(self.named_class("digit")?, c == 'D'),
            's' | 'S' => class(self.named_class("space")?, c == 'S'),
            'w' | 'W' => class(self.named_class("word")?, c == 'W'),
            'h' | 'H' => class(self.named_class("xdigit")?, c == 'H'),
            'p' | 'P' if self.eat("{") => {
                let negate = self.eat("^") != (c == 'P');
                class(self.property()?, negate)
            }
            't' => Escaped::Char('\t'),
            'n' => Escaped::Char('\n'),
            'v' => Escaped::Char('\x0B'),
            'f' => Escaped::Char('\x0C'),
            'r' => Escaped::Char('\r'),
            'a' => Escaped::Char('\x07'),
            'e' => Escaped::Char('\x1B'),
            'x' | 'u' | 'o' | '0'..='7' => Escaped::Char(self.code_point(c)?),
            'M' | 'C' | 'c' => {
                self.at -= 1;
                return Err(self.unsupported(format!(r"\{c}")));
            }
            // A letter without a meaning is itself.
            _ => Escaped::Char(c),
        })
    }

    /// Returns what the class `set` of an escape matches outside of brackets, where word characters are others.
    fn outside(&self, set: CharSet) -> Result<CharSet, Refusal> {
        let word = self.named_class("word")?;
        Ok(if set == word {
            word_outside(&word)
        } else if set == negated(&word) {
            negated(&word_outside(&word))
        } else {
            set
        })
    }

    fn named_class(&self, name: &str) -> Result<CharSet, Refusal> {
        posix(name).ok_or_else(|| self.unsupported(name))
    }

    fn property(&mut self) -> Result<CharSet, Refusal> {
        let Some((name, _)) = self.rest().split_once('}') else {
            return Err(self.malformed("a property that is not closed"));
        };
        let set = property(name).ok_or_else(|| self.unsupported(format!(r"\p{{{name}}}")))?;
        self.at += name.len() + 1;
        Ok(set)
    }

    /// Reads the number of a character; `kind` is the letter or first digit after the backslash.
    fn code_point(&mut self, kind: char) -> Result<char, Refusal> {
        let start = self.at;
        let braced = matches!(kind, 'x' | 'o') && self.eat("{");
        let (radix, max_digits) = match (kind, braced) {
            ('x', true) => (16, 8),
            ('x', false) => (16, 2),
            ('u', _) => (16, 4),
            ('o', true) => (8, 11),
            // `\o` alone is a letter.
            ('o', false) => return Ok('o'),
            // Within brackets the reference reads one digit more after a 0; where that matters, it is refused.
            _ => {
                self.at -= 1;
                (8, 3)
            }
        };
        let digits = self.rest().chars().take(max_digits).take_while(|c| c.is_digit(radix)).count();
        let value = u32::from_str_radix(self.rest().get(..digits).unwrap_or_default(), radix).ok();
        self.at += digits;
        let is_whole = match kind {
            'u' => digits == 4,
            // More than 0x7F would be one byte of several.
            'x' if !braced => digits > 0 && value < Some(0x80),
            'x' | 'o' => self.eat("}"),
            _ => value < Some(0x80) && !(kind == '0' && digits == 3),
        };
        let found = value.filter(|_| is_whole).and_then(char::from_u32);
        found.ok_or_else(|| {
            self.at = start;
            self.unsupported(format!(r"this character number after \{kind}"))
        })
    }

    fn backreference(&mut self) -> Result<Node, Refusal> {
        let at = self.at;
        let number = self.number().filter(|&number| number <= 9);
        match number {
            Some(number) if !self.options.ignore_case => {
                self.refers_back = true;
                Ok(Node::Backreference(number))
            }
            _ => {
                self.at = at;
                Err(self.unsupported("this backreference"))
            }
        }
    }
}

/// Returns the word characters of `\w`, `\p{Word}` and `\b` outside of brackets: there the reference takes those
/// below U+0100 from a table of Latin-1, by which `²³¹¼½¾` are word characters too.
fn word_outside(word: &CharSet) -> CharSet {
    let mut word = word.clone();
    for c in ['²', '³', '¹', '¼', '½', '¾'] {
        word.union(&single(c));
    }
    word
}

/// `\Z`: the text's end, or before a newline that ends it.
fn text_end_or_last_newline() -> Node {
    let last_newline = Node::Concat(vec![Node::Set(single('\n')), Node::edge(Side::Ahead)]);
    let ahead = Node::Look { side: Side::Ahead, negate: false, node: Box::new(last_newline) };
    Node::Alternate(vec![Node::edge(Side::Ahead), ahead])
}

/// `\R`: a line's end, whatever its kind; `\r\n` is never taken apart.
fn general_newline() -> Node {
    let mut set = range('\n', '\r');
    for c in ['\u{85}', '\u{2028}', '\u{2029}'] {
        set.union(&single(c));
    }
    let pair = Node::Concat(vec![Node::Set(single('\r')), Node::Set(single('\n'))]);
    Node::Atomic(Box::new(Node::Alternate(vec![pair, Node::Set(set)])))
}
