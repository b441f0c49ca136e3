//! Patterns as tiktoken reads them: the tree is made by the reference's own parser, the classes in it by the
//! parser which that engine asks.

use fancy_regex::{Assertion, Expr, LookAround};
use regex_syntax::hir::{Class, HirKind};

use super::{CharSet, Node, Refusal, Side, any, folded, negated, single};

/// Lines end at `\n` alone: fancy-regex has another mode, which is never asked for.
const NEWLINE: char = '\n';

/// A pattern of this dialect.
#[derive(Debug)]
pub struct Parsed {
    /// The tree, or `None` where the pattern holds what only the reference's own engine runs.
    pub node: Option<Node>,
    /// How much the pattern grows when repeats are written out.
    pub size: u64,
}

/// Parses `pattern`.
///
/// # Errors
/// [`Refusal::Malformed`] where the reference refuses it.
pub fn parse(pattern: &str) -> Result<Parsed, Refusal> {
    let tree = Expr::parse_tree(pattern).map_err(|error| Refusal::Malformed(error.to_string()))?;
    let node = if misread_by_reference(&tree.expr) { None } else { translate(&tree.expr) };
    Ok(Parsed { node, size: size(&tree.expr) })
}

fn size(expr: &Expr) -> u64 {
    let children = expr.children_iter().map(size).fold(1, u64::saturating_add);
    match expr {
        // An open end costs one more round.
        Expr::Repeat { lo, hi, .. } => {
            let times = if *hi == usize::MAX { lo.saturating_add(1) } else { *hi.max(lo) };
            children.saturating_mul(times.max(1) as u64)
        }
        Expr::Literal { val, .. } => val.chars().count() as u64,
        _ => children,
    }
}

/// Returns whether fancy-regex 0.19 might rewrite the pattern into one that matches other texts: it takes
/// `a+b?a+` for `a+(?:ba+)?`, which matches `a`. Ids follow the reference, so such a pattern is left to it.
fn misread_by_reference(expr: &Expr) -> bool {
    let unbounded = |expr: &Expr| matches!(expr, Expr::Repeat { hi: usize::MAX, greedy: true, .. });
    let optional = |expr: &Expr| matches!(expr, Expr::Repeat { lo: 0, .. });
    let here = match expr {
        Expr::Concat(items) => items.windows(3).any(|window| match window {
            [left, middle, right] => unbounded(left) && optional(middle) && unbounded(right),
            _ => false,
        }),
        _ => false,
    };
    here || expr.children_iter().any(misread_by_reference)
}

/// Returns the tree of `expr`, or `None` where it holds something without a [`Node`].
fn translate(expr: &Expr) -> Option<Node> {
    Some(match expr {
        Expr::Empty => Node::empty(),
        Expr::Any { newline: true, .. } => Node::Set(any()),
        Expr::Any { newline: false, crlf: false } => Node::Set(negated(&single(NEWLINE))),
        Expr::Assertion(assertion) => assertion_node(*assertion)?,
        Expr::Literal { val, casei } => Node::Concat(
            val.chars().map(|c| Node::Set(if *casei { folded(single(c)) } else { single(c) })).collect(),
        ),
        Expr::Concat(items) => Node::Concat(translate_all(items)?),
        Expr::Alt(items) => Node::Alternate(translate_all(items)?),
        Expr::Group(inner) => Node::Capture(Box::new(translate(inner)?)),
        Expr::LookAround(inner, kind) => {
            let (side, negate) = match kind {
                LookAround::LookAhead => (Side::Ahead, false),
                LookAround::LookAheadNeg => (Side::Ahead, true),
                LookAround::LookBehind => (Side::Behind, false),
                LookAround::LookBehindNeg => (Side::Behind, true),
            };
            Node::Look { side, negate, node: Box::new(translate(inner)?) }
        }
        // Ends before it begins: whether that is refused or means something is the reference's own business.
        Expr::Repeat { lo, hi, .. } if lo > hi => return None,
        Expr::Repeat { child, lo, hi, greedy } => {
            let max = if *hi == usize::MAX { None } else { Some(u32::try_from(*hi).ok()?) };
            Node::repeat(translate(child)?, u32::try_from(*lo).ok()?, max, *greedy)
        }
        Expr::Delegate { inner, casei } => Node::Set(class(inner, *casei)?),
        Expr::AtomicGroup(inner) => Node::Atomic(Box::new(translate(inner)?)),
        _ => return None,
    })
}

fn translate_all(items: &[Expr]) -> Option<Vec<Node>> {
    items.iter().map(translate).collect()
}

fn assertion_node(assertion: Assertion) -> Option<Node> {
    Some(match assertion {
        Assertion::StartText => Node::edge(Side::Behind),
        Assertion::EndText => Node::edge(Side::Ahead),
        Assertion::StartLine { crlf: false } => Node::context(Side::Behind, single(NEWLINE), true),
        Assertion::EndLine { crlf: false } => Node::context(Side::Ahead, single(NEWLINE), true),
        Assertion::WordBoundary => Node::boundary(&class(r"\w", false)?, false),
        Assertion::NotWordBoundary => Node::boundary(&class(r"\w", false)?, true),
        _ => return None,
    })
}

/// Returns the characters that a class such as `\p{L}` or `[^\s\d]` matches.
fn class(source: &str, ignore_case: bool) -> Option<CharSet> {
    let hir = regex_syntax::ParserBuilder::new().case_insensitive(ignore_case).build().parse(source).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(set)) => Some(set.clone()),
        // A class of one character.
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => Some(single(c)),
                _ => None,
            }
        }
        _ => None,
    }
}
