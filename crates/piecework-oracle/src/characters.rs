//! Character-level byte-pair encoding on the blackboard, in the two ways that there are: lists of symbols, all pairs
//! looked at anew for every join.

use std::collections::HashMap;

use piecework_core::definition::{Bpe, Characters, Definition, Model};
use piecework_core::id::TokenId;
use piecework_core::merges::{Merges, NO_RANK};
use piecework_core::vocab::Vocab;

/// Returns the ids of one pretoken and the bytes that each covers, or `None` where a character has no token. Complexity:
/// O(n²) and more; for short pieces.
pub fn encode(definition: &Definition, piece: &str) -> Option<Vec<(u32, usize)>> {
    let Model::Bpe(model @ Bpe { characters: Some(characters), .. }) = &definition.model else {
        return None;
    };
    if let Some(id) = definition.vocab.get(piece.as_bytes()).filter(|_| model.whole_pieces) {
        return Some(vec![(id.0, piece.len())]);
    }
    match &model.merges {
        Merges::Ranked(ranks) => of_texts(&definition.vocab, characters, ranks, piece),
        merges => of_tokens(&definition.vocab, characters, merges, piece),
    }
}

fn byte_token(vocab: &Vocab, byte: u8) -> Option<TokenId> {
    vocab.iter().find(|entry| entry.bytes == format!("<0x{byte:02X}>").as_bytes()).map(|entry| entry.id)
}

/// tokenizers: every character is a token first, and tokens join.
fn of_tokens(
    vocab: &Vocab,
    characters: &Characters,
    merges: &Merges,
    piece: &str,
) -> Option<Vec<(u32, usize)>> {
    let mut symbols: Vec<(TokenId, usize)> = Vec::new();
    let mut unknown: Option<usize> = None;
    let all: Vec<char> = piece.chars().collect();
    for (index, character) in all.iter().enumerate() {
        let mut text = character.to_string();
        if index > 0 {
            text.insert_str(0, &characters.continuing_subword_prefix);
        }
        if index + 1 == all.len() {
            text.push_str(&characters.end_of_word_suffix);
        }
        let n = character.len_utf8();
        let bytes: Option<Vec<TokenId>> = text.bytes().map(|byte| byte_token(vocab, byte)).collect();
        if let Some(id) = vocab.get(text.as_bytes()) {
            symbols.extend(unknown.take().map(|n| (characters.unk.expect("only then one waits"), n)));
            symbols.push((id, n));
        } else if let Some(bytes) = bytes.filter(|_| characters.byte_fallback) {
            symbols.extend(bytes.into_iter().enumerate().map(|(i, id)| (id, usize::from(i < n))));
        } else {
            let unk = characters.unk?;
            match unknown {
                Some(waiting) if characters.fuse_unk => unknown = Some(waiting + n),
                waiting => {
                    symbols.extend(waiting.map(|n| (unk, n)));
                    unknown = Some(n);
                }
            }
        }
    }
    symbols.extend(unknown.map(|n| (characters.unk.expect("only then one waits"), n)));
    // Of a pair listed twice, the last counts.
    let pairs: HashMap<(TokenId, TokenId), (usize, TokenId)> = merges
        .pairs(vocab)?
        .into_iter()
        .enumerate()
        .map(|(rank, pair)| ((pair.left, pair.right), (rank, pair.product)))
        .collect();
    loop {
        let joins =
            (1..symbols.len()).filter_map(|at| Some((*pairs.get(&(symbols[at - 1].0, symbols[at].0))?, at)));
        let Some(((_, product), at)) = joins.min_by_key(|&((rank, _), at)| (rank, at)) else { break };
        let right = symbols.remove(at);
        symbols[at - 1] = (product, symbols[at - 1].1 + right.1);
    }
    Some(symbols.into_iter().map(|(id, n)| (id.0, n)).collect())
}

/// sentencepiece: texts join where their concatenation is a piece; tokens are looked up at the end.
fn of_texts(vocab: &Vocab, characters: &Characters, ranks: &[u32], piece: &str) -> Option<Vec<(u32, usize)>> {
    let mut symbols: Vec<(&str, bool)> = Vec::new();
    let mut rest = piece;
    while let Some(character) = rest.chars().next() {
        let whole = characters
            .user_defined
            .iter()
            .filter_map(|&id| std::str::from_utf8(vocab.bytes(id)?).ok())
            .filter(|whole| rest.starts_with(whole))
            .max_by_key(|whole| whole.len());
        let n = whole.map_or(character.len_utf8(), str::len);
        symbols.push((&rest[..n], whole.is_some()));
        rest = &rest[n..];
    }
    // Where each unused piece was *looked at* last: in the whole piece at first, then around each join.
    let mut splits: HashMap<&str, usize> = HashMap::new();
    let begin =
        |symbols: &[(&str, bool)], at: usize| symbols[..at].iter().map(|(text, _)| text.len()).sum::<usize>();
    let join = |symbols: &[(&str, bool)], at: usize| {
        let (left, right) = (symbols[at - 1], symbols[at]);
        if left.1 || right.1 {
            return None;
        }
        let start = begin(symbols, at - 1);
        let text = &piece[start..start + left.0.len() + right.0.len()];
        let id = vocab.get(text.as_bytes())?;
        let rank = *ranks.get(id.index()).filter(|&&rank| rank != NO_RANK)?;
        Some((rank, id, text, left.0.len()))
    };
    let is_unused = |id: TokenId| characters.unused.contains(&id);
    for at in 1..symbols.len() {
        if let Some((_, id, text, left)) = join(&symbols, at)
            && is_unused(id)
        {
            splits.insert(text, left);
        }
    }
    loop {
        let joins = (1..symbols.len()).filter_map(|at| Some((join(&symbols, at)?, at)));
        let Some(((_, _, text, _), at)) = joins.min_by_key(|&((rank, ..), at)| (rank, at)) else { break };
        symbols.remove(at);
        symbols[at - 1] = (text, false);
        for at in [at - 1, at] {
            if at > 0
                && at < symbols.len()
                && let Some((_, id, text, left)) = join(&symbols, at)
                && is_unused(id)
            {
                splits.insert(text, left);
            }
        }
    }
    let mut pieces = Vec::new();
    for (text, _) in symbols {
        take_apart(vocab, characters, &splits, text, &mut pieces);
    }
    let mut found: Vec<(u32, usize)> = Vec::new();
    for (text, id) in pieces {
        let bytes: Option<Vec<TokenId>> = text.bytes().map(|byte| byte_token(vocab, byte)).collect();
        match (id, bytes.filter(|_| characters.byte_fallback)) {
            (Some(id), _) => found.push((id.0, text.len())),
            (None, Some(bytes)) => found.extend(bytes.into_iter().map(|id| (id.0, 1))),
            (None, None) => {
                let unk = characters.unk?.0;
                match found.last_mut() {
                    Some(last) if last.0 == unk => last.1 += text.len(),
                    _ => found.push((unk, text.len())),
                }
            }
        }
    }
    Some(found)
}

fn take_apart<'t>(
    vocab: &Vocab,
    characters: &Characters,
    splits: &HashMap<&str, usize>,
    text: &'t str,
    pieces: &mut Vec<(&'t str, Option<TokenId>)>,
) {
    match vocab.get(text.as_bytes()) {
        Some(id) if characters.unused.contains(&id) => match splits.get(text) {
            Some(&split) => {
                take_apart(vocab, characters, splits, &text[..split], pieces);
                take_apart(vocab, characters, splits, &text[split..], pieces);
            }
            None => pieces.push((text, None)),
        },
        id => pieces.push((text, id)),
    }
}
