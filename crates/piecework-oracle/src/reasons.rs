//! The record of byte-pair encoding on the blackboard: all pairs of the state are written down before each join.

use std::collections::HashMap;

use piecework_core::definition::{Bpe, Definition};
use piecework_core::id::{Rank, TokenId};
use piecework_core::merges::{Merges, NO_RANK};
use piecework_core::model::reasons::bpe::Replay;

/// Rank, and place in the state.
pub type Open = (u32, usize);

/// A join: its own pair, the next best of the same state, and those that it took a symbol from.
pub type Join = (Open, Option<Open>, Vec<Open>);

#[derive(Clone)]
struct Symbol {
    id: Option<TokenId>,
    text: Vec<u8>,
    is_frozen: bool,
}

/// Returns the joins of `piece`, begun with the symbols that `replay` begins with, and the tokens of what is left, where
/// symbols have tokens. Complexity: O(n²) and more; for short pieces.
pub fn joins(definition: &Definition, piece: &str, replay: &Replay) -> (Vec<Join>, Vec<Option<u32>>) {
    let model = definition.model.bpe().unwrap_or(Bpe::NONE);
    let user_defined = model.characters.as_ref().map_or(&[][..], |own| own.user_defined.as_slice());
    let mut state: Vec<Symbol> = (0..replay.symbols.len())
        .map(|index| {
            let text = piece.as_bytes()[replay.begin(index)..replay.begin(index + 1)].to_vec();
            let is_frozen = user_defined.iter().any(|&id| definition.vocab.bytes(id) == Some(&text));
            Symbol { id: replay.symbols[index], text, is_frozen }
        })
        .collect();
    let join = joiner(definition, &model.merges);
    let mut done = Vec::new();
    loop {
        let pairs = state.windows(2).enumerate();
        let mut open: Vec<(Open, Option<TokenId>)> = pairs
            .filter_map(|(at, pair)| join(&pair[0], &pair[1]).map(|(rank, id)| ((rank, at), id)))
            .collect();
        open.sort_unstable_by_key(|&(pair, _)| pair);
        let Some(&((rank, at), id)) = open.first() else { break };
        let places = [at.checked_sub(1), Some(at + 1)];
        let lost = places
            .iter()
            .flatten()
            .filter_map(|&place| open.iter().map(|&(pair, _)| pair).find(|pair| pair.1 == place));
        done.push(((rank, at), open.get(1).map(|&(pair, _)| pair), lost.collect()));
        let right = state.remove(at + 1);
        state[at].text.extend(right.text);
        state[at].id = id;
    }
    (done, state.into_iter().map(|symbol| symbol.id.map(|id| id.0)).collect())
}

/// Returns what says whether two symbols join, with which rank and to which token.
fn joiner<'d>(
    definition: &'d Definition,
    merges: &'d Merges,
) -> impl Fn(&Symbol, &Symbol) -> Option<(u32, Option<TokenId>)> + 'd {
    let vocab = &definition.vocab;
    // Of a pair listed twice, the last counts.
    let listed: Option<HashMap<(TokenId, TokenId), (u32, TokenId)>> = merges.pairs(vocab).map(|pairs| {
        (0..).zip(pairs).map(|(rank, pair)| ((pair.left, pair.right), (rank, pair.product))).collect()
    });
    move |left, right| {
        let joined = [left.text.as_slice(), right.text.as_slice()].concat();
        match (merges, &listed) {
            (Merges::Ranked(ranks), _) => {
                let id = vocab.get(&joined).filter(|_| !left.is_frozen && !right.is_frozen)?;
                let rank = ranks.get(id.index()).filter(|&&rank| rank != NO_RANK)?;
                Some((*rank, Some(id)))
            }
            (Merges::Concat, _) | (_, None) => {
                let (Rank(rank), id) = merges.join(vocab, left.id?, right.id?, &joined)?;
                Some((rank, Some(id)))
            }
            (_, Some(listed)) => {
                let (rank, id) = listed.get(&(left.id?, right.id?))?;
                Some((*rank, Some(*id)))
            }
        }
    }
}
