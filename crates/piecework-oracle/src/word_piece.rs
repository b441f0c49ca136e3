//! WordPiece on the blackboard: try the whole rest of the word, then one character less, and so on.

use piecework_core::definition::{Definition, Model};

/// Returns the ids of one word and the bytes that each covers. Complexity: O(n³).
pub fn encode(definition: &Definition, word: &str) -> Vec<(u32, usize)> {
    let Model::WordPiece(model) = &definition.model else {
        panic!("the oracle of WordPiece was asked about another model");
    };
    let unknown = vec![(model.unk.0, word.len())];
    if word.chars().count() > model.max_input_chars_per_word {
        return unknown;
    }
    let mut found = Vec::new();
    let mut start = 0;
    while start < word.len() {
        let prefix = if start > 0 { model.continuing_subword_prefix.as_str() } else { "" };
        let longest =
            (start + 1..=word.len()).rev().filter(|&end| word.is_char_boundary(end)).find_map(|end| {
                let id = definition.vocab.get(format!("{prefix}{}", &word[start..end]).as_bytes())?;
                Some((id, end))
            });
        let Some((id, end)) = longest else { return unknown };
        found.push((id.0, end - start));
        start = end;
    }
    found
}
