//! SentencePiece's table of rewriting rules: a double array that leads from a text's first bytes to a
//! place in a list of replacements, each ended by NUL.
//!
//! A table is checked whole when it is read: every place that it can lead to lies inside it. A search steps
//! once per byte, so it ends.
//!
//! Source: the format of darts-clone. A unit has its label in the bits 0 to 7, whether a value hangs below it
//! in bit 8, and where its children are in the others; a value has bit 31 set.

/// Marks a unit that holds a value.
const VALUE: u32 = 1 << 31;

/// A checked table of rules.
#[derive(Debug)]
pub(super) struct Rules {
    units: Vec<u32>,
    texts: String,
    /// By first byte, what can be known without a search.
    first: [First; 256],
}

/// What rules begin with a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct First {
    /// One is this byte alone.
    alone: bool,
    /// One goes on with a byte of ASCII.
    before_ascii: bool,
}

impl Rules {
    /// Reads a table.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub(super) fn new(blob: &[u8]) -> Result<Self, &'static str> {
        let (size, rest) = blob.split_first_chunk::<4>().ok_or("the rule table has no length")?;
        let size = u32::from_le_bytes(*size) as usize;
        if size == 0 || !size.is_multiple_of(4) || size > rest.len() {
            return Err("the rule table's length does not fit it");
        }
        let (units, texts) = rest.split_at(size);
        let units =
            units.chunks_exact(4).map(|unit| u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]]));
        let texts = std::str::from_utf8(texts).map_err(|_| "the rule table's texts are not UTF-8")?;
        let none = First { alone: false, before_ascii: false };
        let mut rules = Self { units: units.collect(), texts: texts.to_owned(), first: [none; 256] };
        rules.check()?;
        rules.first = std::array::from_fn(|byte| rules.look_ahead(byte as u8));
        Ok(rules)
    }

    /// Checks that every value leads to a text.
    fn check(&self) -> Result<(), &'static str> {
        for (at, &unit) in self.units.iter().enumerate() {
            if unit & VALUE == 0 && has_value(unit) && self.value(at, unit).is_none() {
                return Err("the rule table leads to no text");
            }
        }
        Ok(())
    }

    fn look_ahead(&self, byte: u8) -> First {
        let Some((node, alone)) = self.root().and_then(|root| self.step(root, byte)) else {
            return First { alone: false, before_ascii: false };
        };
        let before_ascii = (0..128).any(|next| self.step(node, next).is_some());
        First { alone: alone.is_some(), before_ascii }
    }

    /// Returns whether no rule begins with `byte` and nothing else, NUL excepted.
    pub(super) fn is_plain_alone(&self, byte: u8) -> bool {
        !self.first[usize::from(byte)].alone
    }

    /// Returns whether no rule begins with `byte` before a byte of ASCII.
    pub(super) fn is_plain_before_ascii(&self, byte: u8) -> bool {
        let first = self.first[usize::from(byte)];
        !first.alone && !first.before_ascii
    }

    /// Returns the replacement of the shortest rule that `text` begins with, as tokenizers searches: a NUL
    /// ends the search.
    pub(super) fn shortest(&self, text: &str) -> Option<&str> {
        let mut node = self.root()?;
        for byte in text.bytes().take_while(|&byte| byte != 0) {
            let (next, value) = self.step(node, byte)?;
            if value.is_some() {
                return value;
            }
            node = next;
        }
        None
    }

    /// Returns the length and the replacement of the longest rule that `text` begins with.
    pub(super) fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let mut node = self.root()?;
        let mut longest = None;
        for (at, byte) in text.bytes().enumerate() {
            let Some((next, value)) = self.step(node, byte) else { break };
            longest = value.map(|value| (at + 1, value)).or(longest);
            node = next;
        }
        longest
    }

    /// Returns where the children of the root are.
    fn root(&self) -> Option<usize> {
        self.units.first().map(|&unit| offset(unit))
    }

    /// Returns where the children are of the child `byte` of `node`, and the text that hangs below it.
    fn step(&self, node: usize, byte: u8) -> Option<(usize, Option<&str>)> {
        let at = node ^ usize::from(byte);
        let unit = *self.units.get(at)?;
        if unit & (VALUE | 0xFF) != u32::from(byte) {
            return None;
        }
        let value = if has_value(unit) { self.value(at, unit) } else { None };
        Some((at ^ offset(unit), value))
    }

    /// Returns the text below the unit `unit` at `at`, up to its NUL.
    fn value(&self, at: usize, unit: u32) -> Option<&str> {
        let value = self.units.get(at ^ offset(unit))? & !VALUE;
        let text = self.texts.get(value as usize..)?;
        text.split('\0').next()
    }
}

fn has_value(unit: u32) -> bool {
    unit >> 8 & 1 == 1
}

/// Returns how far away a unit's children are; far ones are counted in steps of 256.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Builds a table: a trie whose nodes each take 256 units, so that nothing has to be packed.
    pub(in crate::normalize) fn table(rules: &[(&str, &str)]) -> Vec<u8> {
        let mut nodes: Vec<std::collections::BTreeMap<u8, usize>> = vec![std::collections::BTreeMap::new()];
        let (mut values, mut texts) = (std::collections::BTreeMap::new(), String::new());
        for (from, to) in rules {
            let mut node = 0;
            for byte in from.bytes() {
                let fresh = nodes.len();
                node = *nodes[node].entry(byte).or_insert(fresh);
                if node == fresh {
                    nodes.push(std::collections::BTreeMap::new());
                }
            }
            values.insert(node, texts.len() as u32);
            texts.push_str(to);
            texts.push('\0');
        }
        // The children of node n begin at 256 (n + 1); no label is its own place's low byte by accident,
        // since what is unused holds the label 0xFF at 0 and 0 elsewhere.
        let base = |node: usize| 256 * (node + 1);
        let mut units: Vec<u32> =
            (0..base(nodes.len())).map(|at| if at % 256 == 0 { 0xFF } else { 0 }).collect();
        let link = |at: usize, node: usize| ((at ^ base(node)) as u32) << 10;
        units[0] = link(0, 0);
        for (node, children) in nodes.iter().enumerate() {
            for (&label, &child) in children {
                let at = base(node) + usize::from(label);
                let has_value = u32::from(values.contains_key(&child)) << 8;
                units[at] = link(at, child) | has_value | u32::from(label);
            }
            if let Some(&value) = values.get(&node) {
                units[base(node)] = VALUE | value;
            }
        }
        let mut blob = (units.len() as u32 * 4).to_le_bytes().to_vec();
        blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        blob.extend(texts.as_bytes());
        blob
    }

    fn rules() -> Rules {
        Rules::new(&table(&[("a", "x"), ("ab", "yy"), ("é", ""), ("\u{301}", "z")])).unwrap()
    }

    #[test]
    fn rules_are_found_by_their_beginning() {
        let rules = rules();
        assert_eq!(rules.shortest("abc"), Some("x"));
        assert_eq!(rules.longest("abc"), Some((2, "yy")));
        assert_eq!(rules.longest("acb"), Some((1, "x")));
        assert_eq!(rules.longest("éa"), Some((2, "")));
        assert_eq!((rules.shortest("b"), rules.longest("b")), (None, None));
        assert_eq!((rules.shortest(""), rules.longest("\0")), (None, None));
    }

    #[test]
    fn first_bytes_tell_what_needs_no_search() {
        let rules = rules();
        assert!(!rules.is_plain_alone(b'a') && rules.is_plain_alone(b'b'));
        assert!(!rules.is_plain_before_ascii(b'a') && rules.is_plain_before_ascii(b'b'));
    }

    #[test]
    fn broken_tables_are_refused() {
        let good = table(&[("a", "x")]);
        for len in [0, 3, 4, 8, 100] {
            assert!(Rules::new(&good[..len]).is_err(), "{len}");
        }
        let mut without_texts = good.clone();
        without_texts.truncate(good.len() - 2);
        assert!(Rules::new(&without_texts).is_ok(), "an empty text ends the table");
        for (at, value) in [(0, 0xFF), (0, 1), (3, 0x80)] {
            let mut broken = good.clone();
            broken[at] = value;
            assert!(Rules::new(&broken).is_err(), "{at}");
        }
        let mut far = table(&[("a", "x"), ("b", "y")]);
        let value = far.iter().rposition(|&byte| byte == 0x80).unwrap();
        far[value - 1] = 0x7F;
        assert!(Rules::new(&far).is_err());
        let mut not_text = good;
        *not_text.last_mut().unwrap() = 0xFF;
        assert!(Rules::new(&not_text).is_err());
    }
}
