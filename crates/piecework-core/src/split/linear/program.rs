//! A pattern as steps of a nondeterministic automaton.

use std::collections::HashMap;

use crate::split::syntax::{CharSet, Node, Side, any};

/// One step. Targets are indices of steps.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Takes a character of a set.
    Take { set: u32, next: u32 },
    /// Goes on in two ways, the first preferred.
    Either { first: u32, second: u32 },
    /// Goes on where the neighbor is in a set, or is missing and `edge` holds.
    Context { side: Side, set: u32, edge: bool, next: u32 },
    /// The pattern has matched.
    Match,
}

/// In which direction the text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From left to right; the preferred match counts, and ends the search for others.
    Forward,
    /// From right to left; every match counts.
    Backward,
}

/// The steps of a pattern, read in one direction.
#[derive(Debug)]
pub struct Program {
    pub steps: Vec<Step>,
    pub direction: Direction,
    /// Where a match begins that must begin here.
    pub start: u32,
    /// Where a match begins that may begin later, too; an earlier one is preferred.
    pub start_anywhere: u32,
    /// Whether a step asks what stands behind.
    pub looks_behind: bool,
}

/// The distinct sets of a pattern, numbered.
#[derive(Debug, Default)]
pub struct Sets {
    numbers: HashMap<Vec<(char, char)>, u32>,
    sets: Vec<CharSet>,
}

impl Sets {
    /// Returns the sets by number.
    pub fn into_vec(self) -> Vec<CharSet> {
        self.sets
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    fn number(&mut self, set: &CharSet) -> u32 {
        let ranges = set.ranges().iter().map(|range| (range.start(), range.end())).collect();
        *self.numbers.entry(ranges).or_insert_with(|| {
            self.sets.push(set.clone());
            (self.sets.len() - 1) as u32
        })
    }
}

impl Program {
    /// Writes out `node`, which is regular: no other node than these has steps of its own.
    pub fn new(node: &Node, direction: Direction, sets: &mut Sets) -> Self {
        let mut writer = Writer { steps: vec![Step::Match], direction, looks_behind: false, sets };
        let start = writer.write(node, 0);
        // Skips a character where nothing has begun yet.
        let start_anywhere = writer.reserve();
        let set = writer.sets.number(&any());
        let skip = writer.push(Step::Take { set, next: start_anywhere });
        writer.steps[start_anywhere as usize] = Step::Either { first: start, second: skip };
        let Writer { steps, looks_behind, .. } = writer;
        Self { steps, direction, start, start_anywhere, looks_behind }
    }
}

/// Writes steps from the end of a pattern to its start, so that each knows where to go on.
struct Writer<'s> {
    steps: Vec<Step>,
    direction: Direction,
    looks_behind: bool,
    sets: &'s mut Sets,
}

impl Writer<'_> {
    fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        (self.steps.len() - 1) as u32
    }

    /// Makes room for a step that is part of a loop.
    fn reserve(&mut self) -> u32 {
        self.push(Step::Match)
    }

    /// Writes `node`, to be followed by `next`, and returns where it begins.
    fn write(&mut self, node: &Node, next: u32) -> u32 {
        match node {
            Node::Set(set) => {
                let set = self.sets.number(set);
                self.push(Step::Take { set, next })
            }
            Node::Concat(items) => match self.direction {
                Direction::Forward => items.iter().rev().fold(next, |next, item| self.write(item, next)),
                Direction::Backward => items.iter().fold(next, |next, item| self.write(item, next)),
            },
            Node::Alternate(branches) => {
                let starts: Vec<u32> = branches.iter().map(|branch| self.write(branch, next)).collect();
                let chain = starts.into_iter().rev();
                chain.reduce(|second, first| self.push(Step::Either { first, second })).unwrap_or(next)
            }
            Node::Repeat { node, min, max, greedy } => self.repeat(node, *min, *max, *greedy, next),
            Node::Context { side, set, edge } => self.context(*side, set, *edge, next),
            // Not regular, but for captures, whose bounds nobody asks for here.
            Node::Capture(node) | Node::Atomic(node) => self.write(node, next),
            Node::Look { .. } | Node::Backreference(_) => next,
        }
    }

    fn context(&mut self, side: Side, set: &CharSet, edge: bool, next: u32) -> u32 {
        let side = match (self.direction, side) {
            (Direction::Forward, side) => side,
            (Direction::Backward, Side::Ahead) => Side::Behind,
            (Direction::Backward, Side::Behind) => Side::Ahead,
        };
        self.looks_behind |= side == Side::Behind;
        let set = self.sets.number(set);
        self.push(Step::Context { side, set, edge, next })
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greedy: bool, next: u32) -> u32 {
        let either = |more, enough| {
            if greedy {
                Step::Either { first: more, second: enough }
            } else {
                Step::Either { first: enough, second: more }
            }
        };
        // How often `node` is still to be written in front of `entry`.
        let (mut entry, n_more) = if let Some(max) = max {
            let mut entry = next;
            for _ in min..max {
                let more = self.write(node, entry);
                entry = self.push(either(more, next));
            }
            (entry, min)
        } else {
            let again = self.reserve();
            let more = self.write(node, again);
            self.steps[again as usize] = either(more, next);
            // The last round that must be is the loop's own body.
            if min == 0 { (again, 0) } else { (more, min - 1) }
        };
        for _ in 0..n_more {
            entry = self.write(node, entry);
        }
        entry
    }
}
