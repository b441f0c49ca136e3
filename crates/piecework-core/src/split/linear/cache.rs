//! The deterministic automaton, built state by state as a text asks for it.
//!
//! A state is the list of steps that wait for the next symbol, in order of preference. Its row in the table
//! says, for each symbol, whether the pattern has matched *before* that symbol and which state follows.

use std::collections::HashMap;
use std::sync::Arc;

use super::alphabet::{Alphabet, Symbol};
use super::program::{Direction, Program, Step};
use crate::error::Result;
use crate::interrupt::Ticker;
use crate::split::syntax::Side;

/// A state, as the place in the table where its row begins.
pub type Row = u32;

/// The state from which nothing can match.
pub const DEAD: Row = 0;

/// Marks an entry of the table: matched before this symbol.
pub const MATCH: u32 = 1 << 31;

/// An entry that no text has asked for yet.
const UNKNOWN: u32 = u32::MAX;

/// When states take more than this, all are forgotten and built anew. Known patterns need some hundred
/// kilobytes at most, on any text.
const MAX_BYTES: usize = 8 << 20;

/// What the states are made from.
#[derive(Clone, Copy)]
pub struct Automaton<'a> {
    pub program: &'a Program,
    pub alphabet: &'a Alphabet,
}

/// A state: the steps that wait, and what stands behind where a step asks for that.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    behind: Symbol,
    waiting: Vec<u32>,
}

/// The states known so far.
#[derive(Debug)]
pub struct Cache {
    table: Vec<u32>,
    /// Entries per row.
    width: usize,
    states: Vec<Arc<State>>,
    rows: HashMap<Arc<State>, Row>,
    /// The two starts by what stands behind.
    starts: [Vec<Row>; 2],
    n_bytes: usize,
    /// How often all states were forgotten.
    n_clears: u64,
    walk: Walk,
}

/// Room for walking the steps at one position.
#[derive(Debug)]
struct Walk {
    stack: Vec<u32>,
    /// For each step the last walk that came by, and the last that made it wait.
    seen: Vec<u32>,
    waiting: Vec<u32>,
    number: u32,
}

impl Cache {
    /// Returns a cache that knows the dead state only.
    pub fn new(alphabet: &Alphabet, program: &Program) -> Self {
        let n_steps = program.steps.len();
        let mut cache = Self {
            table: Vec::new(),
            width: alphabet.n_symbols() + 1,
            states: Vec::new(),
            rows: HashMap::new(),
            starts: [Vec::new(), Vec::new()],
            n_bytes: 0,
            n_clears: 0,
            walk: Walk { stack: Vec::new(), seen: vec![0; n_steps], waiting: vec![0; n_steps], number: 0 },
        };
        cache.clear();
        cache
    }

    /// Returns the state in which a search begins at step `start`. What stands behind is asked for only where
    /// it matters.
    #[inline]
    pub fn start(&mut self, automaton: Automaton<'_>, start: u32, behind: impl FnOnce() -> Symbol) -> Row {
        let program = automaton.program;
        let behind = if program.looks_behind { behind() } else { 0 };
        let which = usize::from(start != program.start);
        let known = self.starts[which][usize::from(behind)];
        if known != UNKNOWN {
            return known;
        }
        let row = self.row(State { behind, waiting: vec![start] });
        self.starts[which][usize::from(behind)] = row;
        row
    }

    /// Returns the entry of state `row` for `symbol`: the state that follows, with [`MATCH`] set where the
    /// pattern has matched before the symbol.
    ///
    /// # Errors
    /// [`crate::error::Error::Interrupted`].
    #[inline]
    pub fn step(
        &mut self,
        automaton: Automaton<'_>,
        row: Row,
        symbol: Symbol,
        ticker: &mut Ticker<'_>,
    ) -> Result<u32> {
        match self.table[row as usize + usize::from(symbol)] {
            UNKNOWN => self.discover(automaton, row, symbol, ticker),
            entry => Ok(entry),
        }
    }

    #[cold]
    #[inline(never)]
    fn discover(
        &mut self,
        automaton: Automaton<'_>,
        row: Row,
        symbol: Symbol,
        ticker: &mut Ticker<'_>,
    ) -> Result<u32> {
        let state = Arc::clone(&self.states[row as usize / self.width]);
        let (matched, next, n_visits) = self.walk.follow(automaton, &state, symbol);
        ticker.tick(n_visits)?;
        let n_clears = self.n_clears;
        let entry = self.row(next) | if matched { MATCH } else { 0 };
        // Where the states were forgotten meanwhile, `row` is another's.
        if self.n_clears == n_clears {
            self.table[row as usize + usize::from(symbol)] = entry;
        }
        Ok(entry)
    }

    /// Returns the row of `state`, which is made if it is new.
    fn row(&mut self, state: State) -> Row {
        if state.waiting.is_empty() {
            return DEAD;
        }
        if let Some(&row) = self.rows.get(&state) {
            return row;
        }
        let n_bytes = size_of::<u32>() * (self.width + state.waiting.len()) + 2 * size_of::<State>();
        if self.n_bytes + n_bytes > MAX_BYTES {
            self.clear();
            self.n_clears += 1;
        }
        self.n_bytes += n_bytes;
        self.insert(Arc::new(state))
    }

    fn insert(&mut self, state: Arc<State>) -> Row {
        let row = self.table.len() as Row;
        self.table.resize(self.table.len() + self.width, UNKNOWN);
        self.states.push(Arc::clone(&state));
        self.rows.insert(state, row);
        row
    }

    /// Forgets all states but the dead one, whose row is the first.
    fn clear(&mut self) {
        self.table.clear();
        self.states.clear();
        self.rows.clear();
        self.n_bytes = 0;
        self.starts = [vec![UNKNOWN; self.width], vec![UNKNOWN; self.width]];
        self.table.resize(self.width, DEAD);
        self.states.push(Arc::new(State { behind: 0, waiting: Vec::new() }));
    }
}

impl Walk {
    /// Follows the steps of `state` with `symbol` ahead. Returns whether the pattern has matched, the state
    /// after the symbol, and how many steps were visited.
    fn follow(&mut self, automaton: Automaton<'_>, state: &State, symbol: Symbol) -> (bool, State, usize) {
        let Automaton { program, alphabet } = automaton;
        self.begin();
        let mut waiting = Vec::new();
        let mut matched = false;
        let mut n_visits = 0;
        // The top of the stack is what is preferred.
        self.stack.extend(state.waiting.iter().rev());
        while let Some(at) = self.stack.pop() {
            n_visits += 1;
            // Whoever came by first is preferred, and goes the same ways.
            if std::mem::replace(&mut self.seen[at as usize], self.number) == self.number {
                continue;
            }
            match program.steps[at as usize] {
                Step::Take { set, next } if alphabet.is_in(symbol, set) => {
                    if std::mem::replace(&mut self.waiting[next as usize], self.number) != self.number {
                        waiting.push(next);
                    }
                }
                Step::Take { .. } => {}
                Step::Either { first, second } => self.stack.extend([second, first]),
                Step::Context { side, set, edge, next } => {
                    let neighbor = if side == Side::Ahead { symbol } else { state.behind };
                    if alphabet.is_in(neighbor, set) || (edge && neighbor == alphabet.edge()) {
                        self.stack.push(next);
                    }
                }
                Step::Match => {
                    matched = true;
                    // What is left is less preferred than this match.
                    if program.direction == Direction::Forward {
                        break;
                    }
                }
            }
        }
        let behind = if program.looks_behind { symbol } else { 0 };
        (matched, State { behind, waiting }, n_visits)
    }

    fn begin(&mut self) {
        self.stack.clear();
        if self.number == u32::MAX {
            self.seen.fill(0);
            self.waiting.fill(0);
            self.number = 0;
        }
        self.number += 1;
    }
}
