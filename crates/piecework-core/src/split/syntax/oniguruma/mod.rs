//! Patterns as tokenizers reads them: Oniguruma 6.9.10 in its default syntax, over UTF-8.
//!
//! The parser takes what it is sure of and refuses the rest by name: a pattern that is accepted means here
//! what it means there. Differences to other dialects that are met in tokenizer files: `\h` is a hex digit,
//! `^` and `$` are about lines, `(?m)` is about the dot, `(?i)` opens a group that reaches to the end of the
//! enclosing one, `{n,m}+` repeats the repeat, `{n}?` makes it optional, `\pL` is two letters.

mod bracket;
mod escape;
mod fold;
mod group;
mod quantifier;

use super::{Node, Refusal, Side, any, negated, single};

/// Groups and classes within each other; deeper ones would need a deep stack at every later step.
const MAX_DEPTH: usize = 100;

/// A pattern of this dialect.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub node: Node,
    /// Whether a backreference stands in it, so that its capture groups matter.
    pub refers_back: bool,
}

/// Parses `pattern`.
///
/// # Errors
/// - [`Refusal::Malformed`] for what is not a pattern.
/// - [`Refusal::Unsupported`] for a construct that is left out here.
/// - [`Refusal::TooLarge`] for one that is nested too deeply.
pub fn parse(pattern: &str) -> Result<Parsed, Refusal> {
    let mut parser = Parser::new(pattern);
    let node = parser.alternatives()?;
    if parser.peek().is_some() {
        return Err(parser.malformed("a closing parenthesis without its opening one"));
    }
    if parser.has_names && parser.refers_back {
        return Err(parser.unsupported("a backreference beside a named group"));
    }
    Ok(Parsed { node, refers_back: parser.refers_back })
}

/// Reads a pattern from left to right.
struct Parser<'p> {
    pattern: &'p str,
    at: usize,
    depth: usize,
    options: Options,
    /// How many look-behinds are open.
    n_behind: usize,
    /// The literal that stands last, where it ignores case: two letters together may fold into one.
    folded_literal: Option<char>,
    has_names: bool,
    refers_back: bool,
}

/// What `(?im)` switches.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    ignore_case: bool,
    dot_matches_newline: bool,
}

impl<'p> Parser<'p> {
    fn new(pattern: &'p str) -> Self {
        Self {
            pattern,
            at: 0,
            depth: 0,
            options: Options::default(),
            n_behind: 0,
            folded_literal: None,
            has_names: false,
            refers_back: false,
        }
    }

    fn rest(&self) -> &'p str {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Steps over `token` if it stands here.
    fn eat(&mut self, token: &str) -> bool {
        let stands = self.rest().starts_with(token);
        if stands {
            self.at += token.len();
        }
        stands
    }

    /// Steps over a number in decimal digits.
    fn number(&mut self) -> Option<u32> {
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let value = rest.get(..digits)?.parse().ok()?;
        self.at += digits;
        Some(value)
    }

    fn malformed(&self, what: &str) -> Refusal {
        Refusal::Malformed(format!("{what} at byte {}", self.at))
    }

    fn unsupported(&self, construct: impl Into<String>) -> Refusal {
        Refusal::Unsupported { construct: construct.into(), at: Some(self.at) }
    }

    /// Runs `inner` one level deeper.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refusal::TooLarge { unit: "levels of nesting", max: MAX_DEPTH });
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Reads alternatives up to the end of the group, whose parenthesis is left.
    fn alternatives(&mut self) -> Result<Node, Refusal> {
        let mut branches = vec![self.branch()?];
        while self.eat("|") {
            self.folded_literal = None;
            branches.push(self.branch()?);
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Alternate(branches) })
    }

    /// Reads one alternative.
    fn branch(&mut self) -> Result<Node, Refusal> {
        let mut items = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let before = std::mem::take(&mut self.folded_literal);
            if let Some(item) = self.item(before)? {
                items.push(self.quantified(item)?);
            }
        }
        Ok(if items.len() == 1 { items.remove(0) } else { Node::Concat(items) })
    }

    /// Reads one item without its quantifier; `None` for a comment.
    fn item(&mut self, before: Option<char>) -> Result<Option<Node>, Refusal> {
        let start = self.at;
        let Some(c) = self.next() else { return Ok(None) };
        Ok(Some(match c {
            '.' if self.options.dot_matches_newline => Node::Set(any()),
            '.' => Node::Set(negated(&single('\n'))),
            '^' => line_start(),
            '$' => Node::context(Side::Ahead, single('\n'), true),
            '[' => Node::Set(self.deeper(Self::class)?),
            '(' => {
                // The reference joins literals across the borders of groups.
                self.folded_literal = before;
                return self.deeper(Self::group);
            }
            '\\' => self.escape(before)?,
            '*' | '+' | '?' => {
                self.at = start;
                return Err(self.malformed("a quantifier with nothing before it"));
            }
            '{' if self.interval().is_some() => {
                return Err(self.malformed("a quantifier with nothing before it"));
            }
            _ => self.literal(c, before)?,
        }))
    }

    /// Returns the literal `c`, which follows the literal `before` if that ignores case.
    fn literal(&mut self, c: char, before: Option<char>) -> Result<Node, Refusal> {
        if !self.options.ignore_case {
            return Ok(Node::Set(single(c)));
        }
        let set = fold::literal(c, before).map_err(|construct| self.unsupported(construct))?;
        self.folded_literal = Some(c);
        Ok(Node::Set(set))
    }
}

/// Returns the start of a line: the text's start, or after a newline that does not end the text.
fn line_start() -> Node {
    Node::Alternate(vec![
        Node::edge(Side::Behind),
        Node::Concat(vec![
            Node::context(Side::Behind, single('\n'), false),
            Node::context(Side::Ahead, any(), false),
        ]),
    ])
}
