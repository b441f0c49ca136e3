//! Possessive repeats and atomic groups that match the same as plain ones, which tokenizers' patterns have
//! for speed (`\p{L}++`). Where that is proven they are made plain, so that no engine with backtracking is
//! needed for them.

use super::syntax::{CharSet, Node, Side, any};

/// Returns `node` with every atomic group made plain that is proven to match the same.
pub fn relax(node: Node) -> Node {
    if has_atomic(&node) { relax_before(node, &Next::anything()) } else { node }
}

fn has_atomic(node: &Node) -> bool {
    match node {
        Node::Set(_) | Node::Context { .. } | Node::Backreference(_) => false,
        Node::Concat(items) | Node::Alternate(items) => items.iter().any(has_atomic),
        Node::Repeat { node, .. } | Node::Capture(node) | Node::Look { node, .. } => has_atomic(node),
        Node::Atomic(_) => true,
    }
}

/// Returns `node` with atomic groups made plain where, with `next` after them, they match the same.
///
/// An atomic group around X differs from X alone only where the first way to match X is followed by a
/// failure of the rest, and another way is not. There is no such place if
/// 1. the rest always matches; or
/// 2. X has one way only; or
/// 3. X is a greedy repeat of one set S, and the rest needs a next character that is not in S (or none).
///    For the repeat takes first as many as it can, and each other way stops before a character of S, where
///    the rest fails.
fn relax_before(node: Node, next: &Next) -> Node {
    match node {
        Node::Concat(items) => {
            let mut next = next.clone();
            let mut relaxed: Vec<Node> = Vec::with_capacity(items.len());
            for item in items.into_iter().rev() {
                let item = relax_before(item, &next);
                next = next.before(&item);
                relaxed.push(item);
            }
            relaxed.reverse();
            Node::Concat(relaxed)
        }
        Node::Alternate(branches) => {
            Node::Alternate(branches.into_iter().map(|branch| relax_before(branch, next)).collect())
        }
        Node::Repeat { node, min, max, greedy } => {
            let round = next.after_round(&node, min, max);
            Node::Repeat { node: Box::new(relax_before(*node, &round)), min, max, greedy }
        }
        Node::Capture(node) => Node::Capture(Box::new(relax_before(*node, next))),
        Node::Look { side, negate, node } => {
            Node::Look { side, negate, node: Box::new(relax_before(*node, &Next::anything())) }
        }
        Node::Atomic(inner) => {
            let inner = relax_before(*inner, &Next::anything());
            if next.always || has_one_way(&inner) || stops_before(&inner, next) {
                inner
            } else {
                Node::Atomic(Box::new(inner))
            }
        }
        leaf @ (Node::Set(_) | Node::Context { .. } | Node::Backreference(_)) => leaf,
    }
}

/// The third case of [`relax_before`].
fn stops_before(node: &Node, next: &Next) -> bool {
    let Node::Repeat { node, greedy: true, .. } = node else { return false };
    let Node::Set(set) = &**node else { return false };
    let mut both = set.clone();
    both.intersect(&next.set);
    both.ranges().is_empty()
}

/// What must hold at a position for the rest of the pattern to match from there. An over-estimate: where it
/// does not hold, the rest surely fails.
#[derive(Clone)]
struct Next {
    /// The next character is one of these ...
    set: CharSet,
    /// ... or, where this holds, there is none.
    edge: bool,
    /// The rest matches at every position. An under-estimate.
    always: bool,
}

impl Next {
    /// The end of the pattern, or of what is atomic: whatever comes, it has matched.
    fn anything() -> Self {
        Self { set: any(), edge: true, always: true }
    }

    /// What must hold before `node` with `self` after it.
    fn before(&self, node: &Node) -> Self {
        let lead = Lead::of(node);
        let mut set = lead.first;
        let mut edge = false;
        if let Some((mut passing, passes_edge)) = lead.empty {
            passing.intersect(&self.set);
            set.union(&passing);
            edge = passes_edge && self.edge;
        }
        Self { set, edge, always: self.always && never_fails(node) }
    }

    /// What must hold after one round of a repeat of `node` with `self` after it.
    fn after_round(&self, node: &Node, min: u32, max: Option<u32>) -> Self {
        if max == Some(1) {
            return self.clone();
        }
        let lead = Lead::of(node);
        let mut set = lead.first;
        let mut edge = self.edge;
        set.union(&self.set);
        if let Some((passing, passes_edge)) = lead.empty {
            set.union(&passing);
            edge |= passes_edge;
        }
        // With more rounds to come the repeat itself may fail.
        Self { set, edge, always: self.always && min <= 1 }
    }
}

/// How a match of a node can begin.
struct Lead {
    /// The first characters that it can take.
    first: CharSet,
    /// The neighbors ahead, and whether none, beside which it can match the empty text, if it can.
    empty: Option<(CharSet, bool)>,
}

impl Lead {
    fn of(node: &Node) -> Self {
        match node {
            Node::Set(set) => Self { first: set.clone(), empty: None },
            Node::Context { side: Side::Ahead, set, edge } => {
                Self { first: CharSet::empty(), empty: Some((set.clone(), *edge)) }
            }
            Node::Context { .. } | Node::Look { .. } => Self::nothing(),
            Node::Backreference(_) => Self { first: any(), ..Self::nothing() },
            Node::Atomic(node) | Node::Capture(node) => Self::of(node),
            Node::Repeat { node, min, .. } => {
                let lead = Self::of(node);
                Self { empty: if *min == 0 { Self::nothing().empty } else { lead.empty }, ..lead }
            }
            Node::Concat(items) => {
                items.iter().rev().fold(Self::nothing(), |after, item| Self::of(item).then(after))
            }
            Node::Alternate(branches) => {
                let never = Self { first: CharSet::empty(), empty: None };
                branches.iter().fold(never, |all, branch| all.or(Self::of(branch)))
            }
        }
    }

    /// The empty text anywhere.
    fn nothing() -> Self {
        Self { first: CharSet::empty(), empty: Some((any(), true)) }
    }

    fn then(mut self, after: Self) -> Self {
        let Some((mut passing, passes_edge)) = self.empty else { return self };
        let mut first = after.first;
        first.intersect(&passing);
        self.first.union(&first);
        self.empty = after.empty.map(|(set, edge)| {
            passing.intersect(&set);
            (passing, edge && passes_edge)
        });
        self
    }

    fn or(mut self, other: Self) -> Self {
        self.first.union(&other.first);
        self.empty = match (self.empty, other.empty) {
            (Some((mut set, edge)), Some((more, more_edge))) => {
                set.union(&more);
                Some((set, edge || more_edge))
            }
            (one, None) | (None, one) => one,
        };
        self
    }
}

/// Returns whether `node` matches at every position in at least one way.
fn never_fails(node: &Node) -> bool {
    match node {
        Node::Set(_) | Node::Context { .. } | Node::Look { .. } | Node::Backreference(_) => false,
        Node::Concat(items) => items.iter().all(never_fails),
        Node::Alternate(branches) => branches.iter().any(never_fails),
        Node::Repeat { node, min, .. } => *min == 0 || never_fails(node),
        Node::Atomic(node) | Node::Capture(node) => never_fails(node),
    }
}

/// Returns whether `node` can match in one way at most from one position.
fn has_one_way(node: &Node) -> bool {
    match node {
        Node::Set(_)
        | Node::Context { .. }
        | Node::Look { .. }
        | Node::Backreference(_)
        | Node::Atomic(_) => true,
        Node::Concat(items) => items.iter().all(has_one_way),
        Node::Alternate(_) => false,
        Node::Repeat { node, min, max, .. } => *max == Some(*min) && has_one_way(node),
        Node::Capture(node) => has_one_way(node),
    }
}
