//! Byte fallback: the tokens `<0x00>` to `<0xFF>`, each standing for one byte.

use crate::id::TokenId;
use crate::vocab::Vocab;

/// The token of each byte, where the vocabulary has one.
#[derive(Debug)]
pub struct ByteTokens([Option<TokenId>; 256]);

impl ByteTokens {
    /// Looks for the tokens by their spelling, whether or not a text can spell them.
    pub fn new(vocab: &Vocab) -> Self {
        let mut tokens = [None; 256];
        for entry in vocab.iter() {
            if let Some(token) = parse(entry.bytes).and_then(|byte| tokens.get_mut(usize::from(byte))) {
                *token = Some(entry.id);
            }
        }
        Self(tokens)
    }

    /// Returns the token of `byte`.
    #[inline]
    pub fn get(&self, byte: u8) -> Option<TokenId> {
        self.0.get(usize::from(byte)).copied().flatten()
    }

    /// Returns whether each of `bytes` has a token.
    pub fn has_all(&self, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| self.get(byte).is_some())
    }

    /// Returns whether every byte that can stand in UTF-8 has a token.
    pub fn is_complete(&self) -> bool {
        (0..=0xf4_u8).all(|byte| matches!(byte, 0xc0 | 0xc1) || self.get(byte).is_some())
    }

    /// Returns whether `id` is one of them.
    pub fn contains(&self, id: TokenId) -> bool {
        self.0.contains(&Some(id))
    }
}

/// Returns the byte that `<0xNN>` stands for; two upper-case digits, as the references write it.
pub(super) fn parse(spelling: &[u8]) -> Option<u8> {
    let digits = spelling.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    let [high, low] = *digits else { return None };
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_spelling_is_a_byte() {
        assert_eq!(parse(b"<0x0A>"), Some(10));
        assert_eq!(parse(b"<0xFF>"), Some(255));
        for other in ["<0x0a>", "<0x0>", "<0x0AA>", "0x0A", "<0X0A>", "<0xG0>", ""] {
            assert_eq!(parse(other.as_bytes()), None, "{other}");
        }
    }
}
