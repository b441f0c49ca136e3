//! Parentheses.

use super::{Node, Parser, Refusal, Side};

impl Parser<'_> {
    /// Reads what follows an opening parenthesis, up to and with the closing one; `None` for a comment.
    pub(super) fn group(&mut self) -> Result<Option<Node>, Refusal> {
        if self.eat("*") {
            return Err(self.unsupported("a callout (*...)"));
        }
        if !self.eat("?") {
            return Ok(Some(Node::Capture(Box::new(self.closed()?))));
        }
        if self.eat("#") {
            return self.comment().map(|()| None);
        }
        let look = |side, negate, node| Node::Look { side, negate, node: Box::new(node) };
        Ok(Some(if self.eat(":") {
            self.closed()?
        } else if self.eat("=") {
            look(Side::Ahead, false, self.closed()?)
        } else if self.eat("!") {
            look(Side::Ahead, true, self.closed()?)
        } else if self.eat("<=") {
            look(Side::Behind, false, self.behind()?)
        } else if self.eat("<!") {
            look(Side::Behind, true, self.behind()?)
        } else if self.eat(">") {
            Node::Atomic(Box::new(self.closed()?))
        } else if self.eat("<") {
            self.named('>')?
        } else if self.eat("'") {
            self.named('\'')?
        } else {
            self.options()?
        }))
    }

    /// Reads alternatives and the closing parenthesis. Options set within end with it.
    fn closed(&mut self) -> Result<Node, Refusal> {
        let options = self.options;
        let node = self.alternatives()?;
        self.options = options;
        if self.eat(")") { Ok(node) } else { Err(self.malformed("a parenthesis that is not closed")) }
    }

    fn behind(&mut self) -> Result<Node, Refusal> {
        self.n_behind += 1;
        let node = self.closed();
        self.n_behind -= 1;
        node
    }

    fn comment(&mut self) -> Result<(), Refusal> {
        while let Some(c) = self.next() {
            match c {
                ')' => return Ok(()),
                '\\' => drop(self.next()),
                _ => {}
            }
        }
        Err(self.malformed("a comment that is not closed"))
    }

    fn named(&mut self, close: char) -> Result<Node, Refusal> {
        let name = self.rest().split(close).next().unwrap_or_default();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return Err(self.unsupported("this group"));
        }
        self.at += name.len() + close.len_utf8();
        self.has_names = true;
        Ok(Node::Capture(Box::new(self.closed()?)))
    }

    /// Reads `i`, `m` and `-` and what they hold for: the group, or all that is left of the enclosing one.
    fn options(&mut self) -> Result<Node, Refusal> {
        let outer = self.options;
        let mut on = true;
        loop {
            let at = self.at;
            match self.next() {
                Some('-') => on = false,
                Some('i') => self.options.ignore_case = on,
                Some('m') => self.options.dot_matches_newline = on,
                Some(':') => {
                    let node = self.closed()?;
                    self.options = outer;
                    return Ok(node);
                }
                Some(')') => {
                    // `ab(?i)c|d` is `ab(?i:c|d)`: alternatives too are inside.
                    let node = self.alternatives()?;
                    self.options = outer;
                    return Ok(node);
                }
                Some(c) => {
                    self.at = at;
                    return Err(self.unsupported(format!("the group (?{c}")));
                }
                None => return Err(self.malformed("a parenthesis that is not closed")),
            }
        }
    }
}
