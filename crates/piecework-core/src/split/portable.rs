//! What Oniguruma runs differently from every engine at hand, found by comparing with it. Such patterns are
//! refused by name.

use super::rewrite::{only_asserts, repeats_empty};
use super::syntax::{CharSet, Node, Refusal, Side, any, negated, single};

/// Refuses `node` where Oniguruma would match other texts than an engine without its optimizer.
///
/// # Errors
/// [`Refusal::Unsupported`].
pub fn check(node: &Node) -> Result<(), Refusal> {
    // A pattern that begins with `.*` is tried at the starts of lines only. Behind an assertion that misses
    // matches: `\b.*a` in " xa".
    if lead_in(node, false) == LeadIn::GuardedDot {
        return Err(refusal("an assertion before a leading .*"));
    }
    Ok(())
}

/// Refuses `node` where Oniguruma and the backtracking engine at hand match other texts.
///
/// # Errors
/// [`Refusal::Unsupported`].
pub fn check_backtracking(node: &Node) -> Result<(), Refusal> {
    if repeats_empty(node) {
        return Err(refusal("a repeat of what can match the empty text"));
    }
    if !looks_behind_plainly(node) {
        return Err(refusal("a look-behind of variable length"));
    }
    Ok(())
}

fn refusal(construct: &str) -> Refusal {
    Refusal::Unsupported { construct: construct.to_owned(), at: None }
}

/// What a pattern begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeadIn {
    /// Nothing taken so far; whether something was asserted.
    Open { asserted: bool },
    /// Something is taken, and that is sound.
    Closed,
    /// An assertion, and then all that a line holds.
    GuardedDot,
}

fn lead_in(node: &Node, asserted: bool) -> LeadIn {
    match node {
        Node::Context { .. } | Node::Look { .. } => LeadIn::Open { asserted: true },
        Node::Atomic(node) | Node::Capture(node) => lead_in(node, asserted),
        Node::Concat(items) => {
            let mut lead = LeadIn::Open { asserted };
            for item in items {
                let LeadIn::Open { asserted } = lead else { break };
                lead = lead_in(item, asserted);
            }
            lead
        }
        Node::Alternate(branches) => branches
            .iter()
            .map(|branch| lead_in(branch, asserted))
            .reduce(|all, one| match (all, one) {
                (LeadIn::GuardedDot, _) | (_, LeadIn::GuardedDot) => LeadIn::GuardedDot,
                (LeadIn::Open { asserted: all }, LeadIn::Open { asserted: one }) => {
                    LeadIn::Open { asserted: all || one }
                }
                (open @ LeadIn::Open { .. }, _) | (_, open) => open,
            })
            .unwrap_or(LeadIn::Closed),
        Node::Repeat { node, max: None, greedy: true, .. } if is_dot(node) => {
            if asserted {
                LeadIn::GuardedDot
            } else {
                LeadIn::Closed
            }
        }
        Node::Repeat { node, min, .. } if *min > 0 => lead_in(node, asserted),
        Node::Repeat { node, .. } if only_asserts(node) => LeadIn::Open { asserted: true },
        Node::Set(_) | Node::Backreference(_) | Node::Repeat { .. } => LeadIn::Closed,
    }
}

fn is_dot(node: &Node) -> bool {
    let is = |set: &CharSet| *set == any() || *set == negated(&single('\n'));
    matches!(node, Node::Set(set) if is(set))
}

/// Returns whether each look-behind is a plain string of sets, or alternatives of such. With anything else in
/// them, engines differ.
fn looks_behind_plainly(node: &Node) -> bool {
    match node {
        Node::Set(_) | Node::Context { .. } | Node::Backreference(_) => true,
        Node::Concat(items) | Node::Alternate(items) => items.iter().all(looks_behind_plainly),
        Node::Look { side: Side::Behind, node, .. } => is_plain(node),
        Node::Repeat { node, .. } | Node::Atomic(node) | Node::Capture(node) | Node::Look { node, .. } => {
            looks_behind_plainly(node)
        }
    }
}

fn is_plain(node: &Node) -> bool {
    match node {
        Node::Set(_) => true,
        Node::Concat(items) | Node::Alternate(items) => items.iter().all(is_plain),
        Node::Repeat { node, min, max, .. } => *max == Some(*min) && is_plain(node),
        _ => false,
    }
}
