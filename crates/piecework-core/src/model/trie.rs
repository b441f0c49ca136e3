//! All tokens that begin at a place, in one walk: a double array over bytes (Aoe 1989, "An Efficient Digital
//! Search Algorithm by Using a Double-Array Structure"). The child of a node for a byte is at `base ^ byte`, if that
//! slot says that it is this node's child.

use crate::error::{Error, Result};
use crate::id::TokenId;

/// Slots come in blocks of this many, so that `base ^ byte` stays in one.
const BLOCK: usize = 256;

/// How many free slots are tried for a node's children before a new block is opened.
const MAX_TRIES: usize = 32;

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    base: u32,
    /// The node whose child this is.
    parent: u32,
    /// The token that ends here.
    value: u32,
}

const FREE: Slot = Slot { base: 0, parent: NONE, value: NONE };

/// A place in a [`Trie`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node(u32);

/// Byte strings and the token that each is.
#[derive(Debug)]
pub struct Trie {
    slots: Vec<Slot>,
}

impl Trie {
    /// The place before the first byte.
    pub const ROOT: Node = Node(0);

    /// Builds a trie. Of equal keys the last counts; empty ones are left out.
    ///
    /// # Errors
    /// [`Error::Format`] where the keys need more slots than 32 bits can number. Complexity: O(bytes · log n).
    pub fn new<'a>(keys: impl IntoIterator<Item = (&'a [u8], TokenId)>) -> Result<Self> {
        let mut keys: Vec<(&[u8], TokenId)> = keys.into_iter().filter(|(key, _)| !key.is_empty()).collect();
        keys.sort_by_key(|&(key, _)| key); // Stable: equal keys keep their order.
        let mut builder = Builder::new();
        // A node, the keys below it, and how many bytes of them led to it.
        let mut todo = vec![(0_u32, 0_usize, keys.len(), 0_usize)];
        let mut children = Vec::new();
        while let Some((node, start, end, depth)) = todo.pop() {
            children.clear();
            let mut at = start;
            while let Some(&(key, id)) = keys.get(at).filter(|_| at < end) {
                match key.get(depth) {
                    None => {
                        builder.slots[node as usize].value = id.0;
                        at += 1;
                    }
                    Some(&byte) => {
                        let below = keys.get(at..end).unwrap_or(&[]);
                        let n = below.partition_point(|(other, _)| other.get(depth) == Some(&byte));
                        children.push((byte, at, at + n));
                        at += n;
                    }
                }
            }
            builder.place(node, &children)?;
            let base = builder.slots[node as usize].base;
            todo.extend(
                children.iter().map(|&(byte, start, end)| (base ^ u32::from(byte), start, end, depth + 1)),
            );
        }
        Ok(Self { slots: builder.slots })
    }

    /// Returns the place after `byte`, or `None` where no key goes on so.
    #[inline]
    pub fn step(&self, node: Node, byte: u8) -> Option<Node> {
        let child = self.slots.get(node.0 as usize)?.base ^ u32::from(byte);
        (self.slots.get(child as usize)?.parent == node.0).then_some(Node(child))
    }

    /// Returns the place after all of `bytes`.
    pub fn walk(&self, bytes: &[u8]) -> Option<Node> {
        bytes.iter().try_fold(Self::ROOT, |node, &byte| self.step(node, byte))
    }

    /// Returns the token that ends at `node`.
    #[inline]
    pub fn value(&self, node: Node) -> Option<TokenId> {
        self.slots.get(node.0 as usize).map(|slot| slot.value).filter(|&value| value != NONE).map(TokenId)
    }

    /// Iterates over the tokens that `bytes` begins with, going on from `node`: the length of `bytes` taken, and
    /// the token; the shortest first.
    #[inline]
    pub fn prefixes<'t>(
        &'t self,
        mut node: Node,
        bytes: &'t [u8],
    ) -> impl Iterator<Item = (usize, TokenId)> + 't {
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                node = self.step(node, *bytes.get(at)?)?;
                at += 1;
                if let Some(id) = self.value(node) {
                    return Some((at, id));
                }
            }
        })
    }
}

/// A trie that is being built: its slots and a list of the free ones.
struct Builder {
    slots: Vec<Slot>,
    /// The free slots' neighbors in a ring; [`NONE`] stands for the ring's end.
    next: Vec<u32>,
    previous: Vec<u32>,
    first: u32,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self { slots: Vec::new(), next: Vec::new(), previous: Vec::new(), first: NONE };
        builder.open_block();
        builder.take(0);
        // The root is its own parent's child by no byte: no other node has this number.
        builder.slots[0].parent = NONE - 1;
        builder
    }

    /// Gives `node` a base at which all its children have free slots, and takes them.
    fn place(&mut self, node: u32, children: &[(u8, usize, usize)]) -> Result<()> {
        let Some(&(lowest, ..)) = children.first() else {
            return Ok(());
        };
        let mut at = self.first;
        let mut base = None;
        for _ in 0..MAX_TRIES {
            if at == NONE {
                break;
            }
            let candidate = at ^ u32::from(lowest);
            if children.iter().all(|&(byte, ..)| self.is_free(candidate ^ u32::from(byte))) {
                base = Some(candidate);
                break;
            }
            at = self.next[at as usize];
        }
        let base = if let Some(base) = base {
            base
        } else if self.slots.len() + BLOCK < (NONE - 1) as usize {
            self.open_block()
        } else {
            return Err(Error::format("vocab", "the tokens need more nodes than 32 bits can number"));
        };
        self.slots[node as usize].base = base;
        for &(byte, ..) in children {
            let child = base ^ u32::from(byte);
            self.take(child);
            self.slots[child as usize].parent = node;
        }
        Ok(())
    }

    fn is_free(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|slot| slot.parent == NONE)
    }

    /// Adds a block, its slots at the front of the list, and returns its first slot: a base that fits any node.
    fn open_block(&mut self) -> u32 {
        let start = self.slots.len() as u32;
        let end = start + BLOCK as u32;
        self.slots.resize(end as usize, FREE);
        self.previous.extend((start..end).map(|slot| if slot == start { NONE } else { slot - 1 }));
        self.next.extend((start..end).map(|slot| if slot + 1 == end { self.first } else { slot + 1 }));
        if self.first != NONE {
            self.previous[self.first as usize] = end - 1;
        }
        self.first = start;
        start
    }

    fn take(&mut self, slot: u32) {
        let (previous, next) = (self.previous[slot as usize], self.next[slot as usize]);
        match self.next.get_mut(previous as usize) {
            Some(of_previous) => *of_previous = next,
            None => self.first = next,
        }
        if let Some(of_next) = self.previous.get_mut(next as usize) {
            *of_next = previous;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_is_found_and_nothing_else() {
        let keys: Vec<Vec<u8>> = (0..3000_u32)
            .map(|i| {
                let x = i.wrapping_mul(2_654_435_761);
                (0..=(x % 5)).map(|k| (x >> (k * 3)) as u8 % 61).collect()
            })
            .collect();
        let trie = Trie::new(keys.iter().map(Vec::as_slice).zip((0..).map(TokenId))).unwrap();
        for start in 0..200_usize {
            let text: Vec<u8> = (0..6).map(|i| (start * 31 + i * 7 + start / 61) as u8 % 61).collect();
            let found: Vec<(usize, TokenId)> = trie.prefixes(Trie::ROOT, &text).collect();
            let wanted: Vec<(usize, TokenId)> = (1..=text.len())
                .filter_map(|n| {
                    let id = keys.iter().rposition(|key| key.as_slice() == &text[..n])?;
                    Some((n, TokenId(id as u32)))
                })
                .collect();
            assert_eq!(found, wanted);
        }
        let last = keys.last().unwrap();
        assert_eq!(trie.walk(last).and_then(|node| trie.value(node)), Some(TokenId(2999)));
        assert_eq!(trie.walk(&[255]), None);
    }
}
