//! Byte-pair encoding as one would explain it on a blackboard: look at every adjacent pair, join the one of
//! lowest rank (the leftmost of equals), and start again.

use piecework_core::definition::{Bpe, Definition};
use piecework_core::id::{Rank, TokenId};

/// Returns the ids of one pretoken. Complexity: O(n²) and more; for short pieces.
pub fn encode(definition: &Definition, piece: &[u8]) -> Vec<u32> {
    let model = definition.model.bpe().unwrap_or(Bpe::NONE);
    let vocab = &definition.vocab;
    if let Some(id) = vocab.get(piece).filter(|_| model.whole_pieces) {
        return vec![id.0];
    }
    let mut symbols: Vec<(TokenId, Vec<u8>)> =
        piece.iter().map(|&byte| (vocab.get(&[byte]).expect("every byte is a token"), vec![byte])).collect();
    loop {
        let mut best: Option<(Rank, usize, TokenId)> = None;
        for at in 1..symbols.len() {
            let (left, right) = (&symbols[at - 1], &symbols[at]);
            let joined = [left.1.as_slice(), right.1.as_slice()].concat();
            if let Some((rank, product)) = model.merges.join(vocab, left.0, right.0, &joined)
                && best.is_none_or(|(lowest, ..)| rank < lowest)
            {
                best = Some((rank, at, product));
            }
        }
        let Some((_, at, product)) = best else { break };
        let right = symbols.remove(at);
        symbols[at - 1].0 = product;
        symbols[at - 1].1.extend(right.1);
    }
    symbols.into_iter().map(|(id, _)| id.0).collect()
}
