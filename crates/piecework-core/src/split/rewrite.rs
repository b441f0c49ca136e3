//! Equal patterns that are simpler, and what can be said of a pattern without running it.

use super::atomic::relax;
use super::syntax::{CharSet, Node, Side, negated};

/// Returns `node` without what has no meaning: groups around single items, captures unless `keep_captures`,
/// look-around of one character (which becomes [`Node::Context`]), and atomic groups and possessive repeats
/// that match the same as plain ones.
pub fn simplify(node: Node, keep_captures: bool) -> Node {
    relax(flatten(node, keep_captures))
}

fn flatten(node: Node, keep_captures: bool) -> Node {
    let flat = |node: Box<Node>| Box::new(flatten(*node, keep_captures));
    match node {
        Node::Concat(items) => {
            let mut all = Vec::with_capacity(items.len());
            for item in items {
                match flatten(item, keep_captures) {
                    Node::Concat(inner) => all.extend(inner),
                    other => all.push(other),
                }
            }
            if all.len() == 1 { all.remove(0) } else { Node::Concat(all) }
        }
        Node::Alternate(branches) => {
            let mut all = Vec::with_capacity(branches.len());
            for branch in branches {
                match flatten(branch, keep_captures) {
                    Node::Alternate(inner) => all.extend(inner),
                    other => all.push(other),
                }
            }
            Node::Alternate(all)
        }
        Node::Capture(inner) if !keep_captures => flatten(*inner, false),
        Node::Capture(inner) => Node::Capture(flat(inner)),
        Node::Repeat { node, min: 1, max: Some(1), .. } => flatten(*node, keep_captures),
        Node::Repeat { max: Some(0), .. } if !keep_captures => Node::empty(),
        Node::Repeat { node, min, max, greedy } => Node::Repeat { node: flat(node), min, max, greedy },
        Node::Atomic(inner) => Node::Atomic(flat(inner)),
        Node::Look { side, negate, node } => {
            let node = flat(node);
            match neighbor(&node, side) {
                Some((set, edge)) if negate => Node::context(side, negated(&set), !edge),
                Some((set, edge)) => Node::context(side, set, edge),
                None => Node::Look { side, negate, node },
            }
        }
        leaf @ (Node::Set(_) | Node::Context { .. } | Node::Backreference(_)) => leaf,
    }
}

/// Returns which neighbors let a look-around at `node` match, where the nearest one decides alone.
fn neighbor(node: &Node, side: Side) -> Option<(CharSet, bool)> {
    match node {
        Node::Set(set) => Some((set.clone(), false)),
        Node::Context { side: own, set, edge } if *own == side => Some((set.clone(), *edge)),
        // One or more: the first one is enough.
        Node::Repeat { node, min: 1, .. } => neighbor(node, side).filter(|(_, edge)| !edge),
        Node::Alternate(branches) => {
            let mut all = (CharSet::empty(), false);
            for branch in branches {
                let (set, edge) = neighbor(branch, side)?;
                all.0.union(&set);
                all.1 |= edge;
            }
            Some(all)
        }
        _ => None,
    }
}

/// Returns whether `node` never takes a character.
pub fn only_asserts(node: &Node) -> bool {
    match node {
        Node::Set(_) | Node::Backreference(_) => false,
        Node::Context { .. } | Node::Look { .. } => true,
        Node::Concat(items) | Node::Alternate(items) => items.iter().all(only_asserts),
        Node::Repeat { node, .. } | Node::Atomic(node) | Node::Capture(node) => only_asserts(node),
    }
}

/// Returns whether `node` may match the empty text.
pub fn can_be_empty(node: &Node) -> bool {
    match node {
        Node::Set(_) => false,
        Node::Context { .. } | Node::Look { .. } | Node::Backreference(_) => true,
        Node::Concat(items) => items.iter().all(can_be_empty),
        Node::Alternate(branches) => branches.iter().any(can_be_empty),
        Node::Repeat { node, min, .. } => *min == 0 || can_be_empty(node),
        Node::Atomic(node) | Node::Capture(node) => can_be_empty(node),
    }
}

/// Returns whether something is repeated that may match the empty text. What an empty round does differs
/// between engines.
pub fn repeats_empty(node: &Node) -> bool {
    match node {
        Node::Set(_) | Node::Context { .. } | Node::Backreference(_) => false,
        Node::Concat(items) | Node::Alternate(items) => items.iter().any(repeats_empty),
        Node::Repeat { node, max, .. } => (*max != Some(1) && can_be_empty(node)) || repeats_empty(node),
        Node::Atomic(node) | Node::Capture(node) | Node::Look { node, .. } => repeats_empty(node),
    }
}

/// Returns whether one pass over the text decides `node`: nothing looks further than one character, nothing
/// is atomic, nothing refers back. Holds for simplified nodes.
pub fn is_regular(node: &Node) -> bool {
    match node {
        Node::Set(_) | Node::Context { .. } => true,
        Node::Concat(items) | Node::Alternate(items) => items.iter().all(is_regular),
        Node::Repeat { node, .. } | Node::Capture(node) => is_regular(node),
        Node::Atomic(_) | Node::Look { .. } | Node::Backreference(_) => false,
    }
}

/// Returns the number of steps that `node` has when its repeats are written out.
pub fn size(node: &Node) -> u64 {
    match node {
        Node::Set(_) | Node::Context { .. } | Node::Backreference(_) => 1,
        Node::Concat(items) | Node::Alternate(items) => items.iter().map(size).fold(1, u64::saturating_add),
        Node::Atomic(node) | Node::Capture(node) | Node::Look { node, .. } => size(node).saturating_add(1),
        Node::Repeat { node, min, max, .. } => {
            let times = u64::from(max.unwrap_or(*min).max(*min).max(1));
            size(node).saturating_add(1).saturating_mul(times)
        }
    }
}
